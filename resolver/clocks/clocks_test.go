package clocks_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/segraph/segraph/resolver/clocks"
	"github.com/segraph/segraph/resolver/record"
)

// known are clocks by robot.
type known map[string]record.Clock

func (k known) Clock(robot string) (record.Clock, error) {
	c := k[robot]
	c.Robot = robot
	return c, nil
}

func (known) Fingerprint(s string) uint32 {
	sum := uint32(2166136261)
	for _, b := range []byte(s) {
		sum = (sum ^ uint32(b)) * 16777619
	}
	return sum
}

const second = 1_000_000

// hear lets robot b hear sentence n as robot a does, by a clock that is ahead by so many
// seconds, and learns from it as the resolver does. Both report gap seconds after the sentence.
func (k known) hear(t *testing.T, n int, ahead float64, gap [2]float64) {
	t.Helper()
	at := int64(n) * 60 * second
	member := func(robot string, by, gap float64) record.Member {
		return record.Member{Robot: robot, At: at + int64(by*second), Received: at + int64(gap*second), Text: fmt.Sprintf("what was said as number %d", n)}
	}
	first, second := member("a", 0, gap[0]), member("b", ahead, gap[1])
	for _, m := range []record.Member{first, second} {
		c, _ := k.Clock(m.Robot)
		k[m.Robot] = clocks.Arrive(c, m)
	}
	own, _ := k.Clock("b")
	other, _ := k.Clock("a")
	book := clocks.Book{From: k}
	apart := book.Ahead(own, second, 0, clocks.AnyAnchors) - book.Ahead(other, first, 0, clocks.AnyAnchors)
	p := clocks.Pairing{Own: own, Other: other, Member: second, Partner: first, Residual: ahead - apart, Subject: fmt.Sprintf("person %d", n%4), Letters: 20}
	if _, err := book.Learn(&p); err != nil {
		t.Fatal(err)
	}
	k["b"], k["a"] = p.Own, p.Other
}

func TestASmallOffsetIsLearntFromAnchors(t *testing.T) {
	t.Parallel()
	k := known{}
	for n := range 40 {
		k.hear(t, n, 0.6, [2]float64{3, 40}) // b forwards, so that arrivals show nothing
	}
	book := clocks.Book{From: k}
	if by := book.Offset(k["b"], clocks.EnoughAnchors) - book.Offset(k["a"], clocks.EnoughAnchors); !clocks.Learnt(k["b"]) || math.Abs(by-0.6) > 0.1 {
		t.Errorf("b is %.2f s ahead of a, want 0.6; anchors %d", by, k["b"].Anchors)
	}
}

func TestAConfirmationLeavesTheMedian(t *testing.T) {
	t.Parallel()
	for anchors, since := range map[int64]int64{0: 0, 3: 0, 6: 0, 20: 7} {
		book, c := clocks.Book{Median: 0.25}, record.Clock{Anchors: anchors, Offset: 0.75}
		want := book.Offset(c, clocks.AnyAnchors) + 4
		moved := book.Confirm(&c, 4, 7)
		if is := book.Offset(c, clocks.EnoughAnchors); is != want || c.Steps[0].From != since || c.Steps[0].By != moved || anchors < 5 && c.Offset != book.Median {
			t.Errorf("%d anchors: it is %v s ahead, want %v; %+v", anchors, is, want, c)
		}
	}
}

func TestArrivalsDecideAClaim(t *testing.T) {
	t.Parallel()
	accepted, room := known{}, known{}
	for n := range 30 {
		accepted.hear(t, n, 5, [2]float64{0.2, 0.2}) // live: 5 s are the clock's
		room.hear(t, n, 5, [2]float64{0.2, 5.2})     // b hears it 5 s later, in another room
	}
	book := clocks.Book{From: accepted}
	if by := book.Offset(accepted["b"], clocks.EnoughAnchors) - book.Offset(accepted["a"], clocks.EnoughAnchors); math.Abs(by-5) > 0.2 {
		t.Errorf("arrivals agree with the claim, and b is %.2f s ahead, want 5", by)
	}
	book = clocks.Book{From: room}
	if by := book.Offset(room["b"], clocks.EnoughAnchors) - book.Offset(room["a"], clocks.EnoughAnchors); math.Abs(by) > 0.2 {
		t.Errorf("arrivals contradict the claim, and b is %.2f s ahead, want 0", by)
	}
	if apart, err := book.InTwoRooms(room["b"], room["a"]); err != nil || !apart {
		t.Errorf("in two rooms: %t, %v", apart, err)
	}
	e, err := book.Leading(room["b"])
	if err != nil || !e.TwoPlaces() || math.Abs(e.By-5) > 0.2 {
		t.Errorf("the claim: %+v, %v", e, err)
	}
}

func TestAStepOfALiveClockShowsInItsArrivals(t *testing.T) {
	t.Parallel()
	var c record.Clock
	for n := range 40 {
		at := int64(n) * 60 * second
		m := record.Member{Robot: "a", At: at, Received: at + second/5}
		if n >= 20 {
			m.At += 30 * second
		}
		c = clocks.Arrive(c, m)
	}
	if len(c.Steps) != 1 || math.Abs(clocks.Stepped(c, math.MaxInt64)-30) > 0.1 {
		t.Errorf("steps %+v, want one of 30 s", c.Steps)
	}
	if by := clocks.Stepped(c, 10*60*second); by != 0 {
		t.Errorf("before the step the clock is %.1f s ahead, want 0", by)
	}
	if !clocks.Live(c) {
		t.Error("the robot no longer posts live")
	}
}

func TestTheMedianIsThatOfAllOffsets(t *testing.T) {
	t.Parallel()
	var m clocks.Offsets
	for robot, by := range map[string]float64{"a": 1, "b": 90, "c": 2} {
		m.Put(robot, by)
	}
	if got := m.Median(); got != 2 {
		t.Errorf("median %v, want 2", got)
	}
	m.Put("a", 3)
	m.Drop("b")
	if got := m.Median(); got != 2.5 {
		t.Errorf("median %v, want 2.5", got)
	}
}
