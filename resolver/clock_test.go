package resolver_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
)

// sentences returns n different sentences of 3 to 12 words.
func sentences(n int) []string {
	words := strings.Fields("lamp river market garden window doctor yellow engine paper orange music station winter bottle ticket carpet island pencil mirror button candle forest")
	random := rand.New(rand.NewPCG(5, 6))
	out := make([]string, n)
	for i := range out {
		for range 3 + random.IntN(10) {
			out[i] += words[random.IntN(len(words))] + " "
		}
	}
	return out
}

// stampOf returns the i-th of timestamps half a minute apart.
func stampOf(i int) string {
	return time.Date(2026, 2, 11, 9, 0, 0, 100_000_000, time.UTC).Add(time.Duration(i) * 30 * time.Second).Format("2006-01-02T15:04:05.000Z")
}

// heardByTwo resolves sentences that two robots report. One stamps the end of a sentence,
// the other the result of stamp.
func heardByTwo(t *testing.T, r *resolver.Resolver, texts []string, stamp func(begin, end time.Time) time.Time) (matched []bool) {
	t.Helper()
	const layout = "2006-01-02T15:04:05.000Z"
	begin := time.Date(2026, 2, 11, 9, 0, 0, 1_000_000, time.UTC)
	for i, s := range texts {
		who := fmt.Sprintf("%s%d", maria, i%4) // an offset seen with a single person would mean another room
		end := begin.Add(time.Duration(len(s)) * 65 * time.Millisecond)
		resolve(t, r, said(stamp(begin, end).Format(layout), who, tiago, s))
		x := resolve(t, r, said(end.Format(layout), who, ari, s))
		matched = append(matched, x.Outcome == resolver.Matched)
		begin = end.Add(20 * time.Second)
	}
	return matched
}

func TestARobotThatStampsTheBeginningIsUnderstood(t *testing.T) {
	r := open(t, &memory.Store{})
	texts := slices.DeleteFunc(sentences(400), func(s string) bool { return len(s) > 45 }) // of the length that people use with robots
	matched := heardByTwo(t, r, texts[:120], func(begin, _ time.Time) time.Time { return begin })
	for i, m := range matched[90:] {
		if !m {
			t.Errorf("sentence %d, after 90 to learn from, was not matched", 90+i)
		}
	}
	// A gesture has no duration, with or without a label.
	for i, label := range []string{"", "wave"} {
		at := time.Date(2026, 2, 11, 12, i, 0, 0, time.UTC)
		o := resolver.Observation{EventKind: "human_gesture", ObservedAt: at.Format(time.RFC3339Nano), SubjectURI: maria, Modality: "vision", Text: label, RobotURI: ari}
		resolve(t, r, o)
		o.ObservedAt, o.RobotURI = at.Add(100*time.Millisecond).Format(time.RFC3339Nano), tiago
		if x := resolve(t, r, o); x.Outcome != resolver.Matched {
			t.Errorf("a gesture with the label %q: %s, %s", label, x.Outcome, x.Explanation.Reason)
		}
	}
}

func TestAFastClockIsCorrected(t *testing.T) {
	r := open(t, &memory.Store{})
	matched := heardByTwo(t, r, sentences(40), func(_, end time.Time) time.Time { return end.Add(1900 * time.Millisecond) })
	for i, m := range matched {
		if !m && i >= 12 {
			t.Errorf("sentence %d, after 12 to learn from, was not matched", i)
		}
	}
	stats, err := r.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range stats.Clock.Robots {
		want := map[string]int64{ari: -950, tiago: 950}[c.RobotURI]
		if c.OffsetMS < want-100 || c.OffsetMS > want+100 {
			t.Errorf("%s is %d ms ahead, want %d", c.RobotURI, c.OffsetMS, want)
		}
	}
	if len(stats.Clock.Robots) != 2 {
		t.Errorf("got %+v", stats.Clock)
	}
}

// meeting is a clock and up to three robots in one room, who report what people say.
type meeting struct {
	t   *testing.T
	r   *resolver.Resolver
	now time.Time
}

func newMeeting(t *testing.T) *meeting {
	return &meeting{t, open(t, &memory.Store{}), time.Date(2026, 2, 11, 9, 0, 0, 1_000_000, time.UTC)}
}

// report names the robot that reports a sentence, and how late its timestamp is.
type report struct {
	robot string
	late  time.Duration
}

// heard lets robots report a sentence half a minute after the one before, and returns
// whether it became one event.
func (m *meeting) heard(s string, reports ...report) bool {
	one := true
	first := ""
	for _, x := range reports {
		at := m.now.Add(x.late).Format("2006-01-02T15:04:05.000Z")
		y := resolve(m.t, m.r, said(at, fmt.Sprintf("%s%d", maria, m.now.Minute()%4), x.robot, s))
		if first == "" {
			first = y.SharedContextURI
		}
		one = one && y.SharedContextURI == first && y.Outcome != resolver.Ambiguous
	}
	m.now = m.now.Add(30 * time.Second)
	return one
}

// TestAClockIsLearntFromFewCommands has one person who repeats seventy short commands.
func TestAClockIsLearntFromFewCommands(t *testing.T) {
	m := newMeeting(t)
	for i := range 200 {
		command := []string{"lamp", "radio", "window", "door", "music", "coffee", "garden"}[i%7] + " " +
			[]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}[i/7%10]
		if !m.heard(command, report{ari, 0}, report{tiago, 1900 * time.Millisecond}) && i >= 100 {
			t.Fatalf("command %d, %q, is two events", i, command)
		}
	}
}

// TestMistakesSetNoClocksWrongForGood has two robots in each of two rooms. The first
// sentences that both rooms report were said twice, once in each room.
func TestMistakesSetNoClocksWrongForGood(t *testing.T) {
	const pepper, nao = "https://ex/robot/pepper", "https://ex/robot/nao"
	m := newMeeting(t)
	texts := sentences(120)
	for _, s := range texts[:3] {
		m.heard(s, report{ari, 0}, report{pepper, 5900 * time.Millisecond})
	}
	for i := 3; i < 60; i += 2 {
		m.heard(texts[i], report{ari, 0}, report{tiago, 0})
		m.heard(texts[i+1], report{pepper, 0}, report{nao, 0})
	}
	for i := 61; i < 120; i++ {
		if !m.heard(texts[i], report{tiago, 0}, report{nao, 0}) && i >= 80 {
			t.Errorf("sentence %d, heard in both rooms, is two events", i)
		}
	}
}

func TestAClockThatIsSetBackIsLearntAgain(t *testing.T) {
	m := newMeeting(t)
	for i, s := range sentences(160) {
		late := time.Duration(0)
		if i >= 40 {
			late = -4 * time.Second
		}
		if !m.heard(s, report{ari, 0}, report{tiago, late}) && (i < 40 || i >= 140) {
			t.Errorf("sentence %d is two events", i)
		}
	}
}

// TestOnlyTheSlowRobotIsCorrected has a robot whose clock is 1.8 s behind,
// and three whose clocks agree. Two of them hear it, and one joins later, without a
// history.
func TestOnlyTheSlowRobotIsCorrected(t *testing.T) {
	const pepper, nao = "https://ex/robot/pepper", "https://ex/robot/nao"
	m := newMeeting(t)
	texts := sentences(91)
	for _, s := range texts[:90] {
		m.heard(s, report{ari, -1800 * time.Millisecond}, report{tiago, 0}, report{pepper, 40 * time.Millisecond})
	}
	if !m.heard("yes please", report{tiago, 0}, report{nao, 60 * time.Millisecond}) {
		t.Error("a new robot does not agree with one that is right")
	}
	stats, err := m.r.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range stats.Clock.Robots {
		if want := map[string]int64{ari: -1800}[c.RobotURI]; c.OffsetMS < want-150 || c.OffsetMS > want+150 {
			t.Errorf("%s is %d ms ahead, want %d", c.RobotURI, c.OffsetMS, want)
		}
	}
}

// TestManyRobotsHaveNoClocks has a client name more robots than get clocks, and then two robots that hear the same.
func TestManyRobotsHaveNoClocks(t *testing.T) {
	suite.OneGoroutine(t)
	store := &memory.Store{}
	r := open(t, lean{store})
	for i := range 4100 {
		resolve(t, r, said(stampAfter(i*20_000), "", fmt.Sprintf("https://ex/robot/%d", i), ""))
	}
	clocks := func() []resolver.RobotClock {
		s, err := r.Stats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s.Clock.Robots
	}
	if n := len(clocks()); n != 4096 {
		t.Errorf("%d clocks", n)
	}
	r = open(t, lean{store})
	resolve(t, r, said(stampAfter(0), "", "https://ex/robot/late", ""))
	for i, s := range sentences(20) {
		resolve(t, r, said(stampAfter(i*20_000), maria, ari, s))
		resolve(t, r, said(stampAfter(i*20_000+300), maria, tiago, s))
	}
	if all := clocks(); len(all) != 4098 || all[4096].RobotURI != ari || all[4097].RobotURI != tiago || all[4097].Anchors < 10 || all[4097].Arrival == nil {
		t.Errorf("%d clocks, at last %+v", len(all), all[4096:])
	}
	s, err := r.Counts(t.Context())
	if err != nil || s.Observations != 4141 || len(s.Clock.Robots) != 0 {
		t.Errorf("the counts are %+v, %v", s, err)
	}
}

// TestARobotWithoutANameHasAClockToo has a robot without a URI whose timestamps are 1.9 s
// late.
func TestARobotWithoutANameHasAClockToo(t *testing.T) {
	m := newMeeting(t)
	for i, s := range sentences(60) {
		if !m.heard(s, report{ari, 0}, report{"", 1900 * time.Millisecond}) && i >= 20 {
			t.Errorf("sentence %d is two events", i)
		}
	}
	if stats, err := m.r.Stats(t.Context()); err != nil || len(stats.Clock.Robots) != 1 || stats.Clock.Robots[0].RobotURI != ari {
		t.Errorf("%+v, %v", stats, err)
	}
}
