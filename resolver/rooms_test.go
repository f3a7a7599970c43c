package resolver_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/weigh"
)

// hearing is how a robot hears what is said.
type hearing struct {
	robot string
	room  time.Duration             // how much later the same is said in its room
	ahead func(i int) time.Duration // offset of its clock at sentence i
	delay func(i int) time.Duration // from the end of sentence i to its arrival; nil if arrival is unknown
}

func always(d time.Duration) func(int) time.Duration { return func(int) time.Duration { return d } }

// promptly is the delay of a robot that posts live.
func promptly(i int) time.Duration { return time.Duration(150+i*37%100) * time.Millisecond }

// listen resolves sentences that people say in turn, half a minute apart. It calls each
// with the answers to the robots.
func listen(t *testing.T, r *resolver.Resolver, texts []string, persons int, robots []hearing, each func(i int, answers []*resolver.Resolution)) {
	t.Helper()
	begin := time.Date(2026, 2, 11, 9, 0, 0, 1_000_000, time.UTC)
	for i, s := range texts {
		end := begin.Add(time.Duration(i) * 30 * time.Second)
		var answers []*resolver.Resolution
		for _, h := range robots {
			o := said(end.Add(h.room+h.ahead(i)).Format("2006-01-02T15:04:05.000Z"), fmt.Sprintf("%s%d", maria, i%persons), h.robot, s)
			if h.delay != nil {
				o.ReceivedAt = end.Add(h.room + h.delay(i)).Format(time.RFC3339Nano)
			}
			answers = append(answers, resolve(t, r, o))
		}
		each(i, answers)
	}
}

func TestArrivalTellsASecondRoomFromAClock(t *testing.T) {
	r := open(t, &memory.Store{})
	robots := []hearing{{robot: ari, ahead: always(0), delay: promptly}, {robot: tiago, room: 2 * time.Second, ahead: always(0), delay: promptly}}
	listen(t, r, sentences(60), 5, robots, func(i int, a []*resolver.Resolution) {
		if a[1].Outcome == resolver.Matched {
			t.Errorf("sentence %d, said in two rooms, is one event", i)
		}
		if i >= 20 && a[1].Outcome != resolver.Created {
			t.Errorf("sentence %d: %s for %q, want another event without a case", i, a[1].Outcome, a[1].Reason)
		}
		if i >= 20 && (a[1].Explanation.CorrectedGapMS < 1900 || !strings.Contains(a[1].Explanation.Reason, "the places differ")) {
			t.Errorf("sentence %d: %d ms, %s", i, a[1].Explanation.CorrectedGapMS, a[1].Explanation.Reason)
		}
	})
	if out, err := r.Reconcile(t.Context(), judge); err != nil || out.MergedCount != 0 {
		t.Errorf("reconciling merged %+v, %v", out, err)
	}
}

func TestArrivalShowsAClockThatIsAheadAtOnce(t *testing.T) {
	r := open(t, &memory.Store{})
	robots := []hearing{{robot: ari, ahead: always(0), delay: promptly}, {robot: tiago, ahead: always(5 * time.Second), delay: promptly}}
	listen(t, r, sentences(40), 1, robots, func(i int, a []*resolver.Resolution) {
		if i >= 10 && a[1].Outcome != resolver.Matched {
			t.Errorf("sentence %d of one person: %s, %s", i, a[1].Outcome, a[1].Explanation.Reason)
		}
	})
}

// TestWithoutArrivalSeveralSubjectsMustAgree has a robot whose timestamps are 3 s later
// than another's. If several people confirm it, its clock is ahead. With a single person,
// it may as well be in another room.
func TestWithoutArrivalSeveralSubjectsMustAgree(t *testing.T) {
	robots := []hearing{{robot: ari, ahead: always(0)}, {robot: tiago, ahead: always(3 * time.Second)}}
	for persons, from := range map[int]int{1: 1000, 2: 1000, 4: 20} {
		r := open(t, &memory.Store{})
		listen(t, r, sentences(60), persons, robots, func(i int, a []*resolver.Resolution) {
			if matched := a[1].Outcome == resolver.Matched; matched && i < 8 || matched && from > 60 || !matched && i >= from {
				t.Errorf("sentence %d of %d persons: %s, %s", i, persons, a[1].Outcome, a[1].Explanation.Reason)
			}
			if i >= 10 && from > 60 && a[1].Reason != weigh.TooFar {
				t.Errorf("sentence %d of %d persons: a case for %q, want one for the gap", i, persons, a[1].Reason)
			}
		})
	}
}

// TestTheOrderOfArrivalTellsASecondRoom has two robots in each of two rooms. In the
// second room, several people say the same 3 s later. There are no times of arrival.
func TestTheOrderOfArrivalTellsASecondRoom(t *testing.T) {
	suite.OneGoroutine(t)
	r := open(t, &memory.Store{})
	const pepper, nao = "https://ex/robot/pepper", "https://ex/robot/nao"
	rooms := [][]string{{ari, tiago}, {pepper, nao}}
	begin := time.Date(2026, 2, 11, 9, 0, 0, 1_000_000, time.UTC)
	for i, s := range sentences(100) {
		first := ""
		for room, robots := range rooms {
			for k := range robots {
				at := begin.Add(time.Duration(i)*30*time.Second + time.Duration(room)*3*time.Second)
				x := resolve(t, r, said(at.Format("2006-01-02T15:04:05.000Z"), fmt.Sprintf("%s%d", maria, i%5), robots[(i+k)%2], s))
				switch {
				case room == 0:
					first = x.SharedContextURI
				case x.SharedContextURI == first:
					t.Fatalf("sentence %d, said in two rooms, is one event", i)
				case k == 1 && i >= 10 && x.Outcome != resolver.Matched:
					t.Errorf("sentence %d, heard by two robots in one room: %s, %s", i, x.Outcome, x.Explanation.Reason)
				}
			}
		}
	}
}

// TestArrivalIsIgnoredWhereItShowsNoClock has a robot whose clock is 3 s ahead and whose
// reports arrive in batches, or whose stream is replayed. Its smallest delay would
// suggest that its clock is right.
func TestArrivalIsIgnoredWhereItShowsNoClock(t *testing.T) {
	for name, delay := range map[string]func(i int) time.Duration{
		"stored and forwarded": func(i int) time.Duration { return time.Duration(9-i%10)*30*time.Second + 3200*time.Millisecond },
		"replayed":             func(i int) time.Duration { return time.Hour - time.Duration(i)*29*time.Second },
	} {
		r := open(t, &memory.Store{})
		robots := []hearing{{robot: ari, ahead: always(0), delay: promptly}, {robot: tiago, ahead: always(3 * time.Second), delay: delay}}
		listen(t, r, sentences(60), 4, robots, func(i int, a []*resolver.Resolution) {
			if i >= 20 && a[1].Outcome != resolver.Matched {
				t.Errorf("%s, sentence %d: %s, %s", name, i, a[1].Outcome, a[1].Explanation.Reason)
			}
		})
	}
}

func TestArrivalShowsAStep(t *testing.T) {
	suite.OneGoroutine(t)
	for _, by := range []time.Duration{time.Second, -time.Second, 5 * time.Second, -5 * time.Second, time.Minute, -time.Minute} {
		r := open(t, &memory.Store{})
		robots := []hearing{{robot: ari, ahead: always(0), delay: promptly}, {robot: tiago, delay: promptly, ahead: func(i int) time.Duration {
			if i >= 30 {
				return by
			}
			return 0
		}}}
		listen(t, r, sentences(60), 1, robots, func(i int, a []*resolver.Resolution) {
			if (i < 30 || i >= 34) && a[1].Outcome != resolver.Matched {
				t.Errorf("a step by %v before sentence 30, sentence %d: %s, %s", by, i, a[1].Outcome, a[1].Explanation.Reason)
			}
		})
		// Reports stamped before the step keep the correction of that time.
		out, err := r.Reconcile(t.Context(), judge)
		if err != nil || out.MergedCount > 4 {
			t.Errorf("reconciling after a step by %v: %+v, %v", by, out, err)
		}
	}
}

// TestAnOutageIsNoStep has a robot whose reports of several minutes arrive at once, and
// one of them a minute late.
func TestAnOutageIsNoStep(t *testing.T) {
	r := open(t, &memory.Store{})
	robots := []hearing{{robot: ari, ahead: always(0), delay: promptly}, {robot: tiago, ahead: always(0), delay: func(i int) time.Duration {
		switch {
		case i == 20:
			return time.Minute
		case i >= 30 && i < 40:
			return time.Duration(40-i)*30*time.Second + time.Duration(i)*100*time.Millisecond
		}
		return promptly(i)
	}}}
	listen(t, r, sentences(60), 1, robots, func(i int, a []*resolver.Resolution) {
		if a[1].Outcome != resolver.Matched {
			t.Errorf("sentence %d: %s, %s", i, a[1].Outcome, a[1].Explanation.Reason)
		}
	})
}

// TestASecondRoomStaysAnotherEvent replays streams of the kit that are also heard in a
// second room, a few seconds later.
func TestASecondRoomStaysAnotherEvent(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	for _, said := range []struct {
		by     string
		humans int
		later  []time.Duration
	}{
		{"one person", 1, []time.Duration{2 * time.Second, 3 * time.Second, 5 * time.Second}},
		{"a placeholder", 1, []time.Duration{3 * time.Second}},
		{"several persons", 6, []time.Duration{2 * time.Second, 5 * time.Second}},
	} {
		s := generateWith(t, "lab", map[string]any{"duration_s": suite.Times(3600, 1800) * 3 / (2 + said.humans), "humans": said.humans, "pause_s": 15 * said.humans})
		if said.by == "a placeholder" {
			s = s.about("https://ex/person")
		}
		for i, d := range said.later {
			for how, most := range map[string]float64{"with arrival": 0.005, "without arrival": 0.02, "with places": 0} {
				x := s.twice(t, d)
				switch {
				case how == "with arrival":
					x = x.live()
				case how == "with places" && i > 0: // one delay is enough
					continue
				case how == "with places":
					x = s.twice(t, d, kitchen, hall)
				}
				a := replay(t, x.observations)
				got := scoreOf(x.truths, a)
				if most == 0 { // matches of repeated sentences within a room do not count here
					got.wrong = acrossRooms(x.truths, a)
				}
				// A robot that repeats another one seconds later may be taken for a
				// relay.
				if got.falseAuto() > most || got.recall() < 0.55 {
					t.Errorf("%s, %v later, %s: %v", said.by, d, how, got)
				} else {
					t.Logf("%s, %v later, %s: %v", said.by, d, how, got)
				}
			}
		}
	}
}

// acrossRooms counts automatic matches of reports from different rooms.
func acrossRooms(truths []truth, a answered) int {
	room := map[string]bool{} // by context: whether it is the second room
	count := 0
	for i, x := range truths {
		second := strings.HasSuffix(x.Event, "'")
		if first, ok := room[a.uris[i]]; ok && first != second {
			count++
		}
		room[a.uris[i]] = second
	}
	for s, t := range a.merged {
		if room[s] != room[t] {
			count++
		}
	}
	return count
}

// TestAStepMovesOneRobotOnly replays streams of the kit in which the clock of one robot
// steps.
func TestAStepMovesOneRobotOnly(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	const robot, own = "r1", 20
	for _, name := range []string{"lab", "drift"} {
		s := generate(t, name, 0, suite.Times(3000, 1500)).live()
		at := s.arrived[len(s.arrived)/2]
		late := map[int]bool{} // after the step and 20 observations of the robot
		for i, n := 0, 0; i < len(s.truths); i++ {
			if !s.arrived[i].Before(at) && s.truths[i].Robot == robot {
				n++
			}
			late[i] = n > own
		}
		stepping := func(i, j int) bool {
			return late[i] && late[j] && (s.truths[i].Robot == robot || s.truths[j].Robot == robot)
		}
		steady := func(i, j int) bool {
			return !s.arrived[i].Before(at) && s.truths[i].Robot != robot && s.truths[j].Robot != robot
		}
		before := resolveAll(t, open(t, lean{&memory.Store{}}), s)
		for _, by := range []time.Duration{time.Second, -5 * time.Second, time.Minute} {
			after := resolveAll(t, open(t, lean{&memory.Store{}}), s.stepped(t, robot, at, by))
			is, was := recallOf(s.truths, after, stepping), recallOf(s.truths, before, stepping)
			others, othersWere := recallOf(s.truths, after, steady), recallOf(s.truths, before, steady)
			wrong := scoreOf(s.truths, after).falseAuto()
			t.Logf("%s, a step by %v: recall %.4f after %d observations, %.4f without a step; of steady robots %.4f and %.4f; wrong %.3f %%", name, by, is, own, was, others, othersWere, 100*wrong)
			if is < was-0.03 || others < othersWere-0.01 || wrong > 0.002 {
				t.Errorf("%s: a step by %v is too much", name, by)
			}
		}
	}
}
