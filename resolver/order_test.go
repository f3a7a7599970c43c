package resolver_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
)

// TestOrderHardlyMatters resolves a stream in its order of arrival, shuffled within a
// minute, and reversed. It compares which pairs of observations are joined.
func TestOrderHardlyMatters(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	const least = 0.95
	s := generate(t, "drift", 0, 2400)
	n := len(s.observations)
	arrived := make([]int, n)
	for i := range arrived {
		arrived[i] = i
	}
	shuffled := slices.Clone(arrived)
	random := rand.New(rand.NewPCG(1, 2))
	at := make([]time.Duration, n)
	for i, o := range s.observations {
		stamp, err := time.Parse(time.RFC3339, o.ObservedAt)
		if err != nil {
			t.Fatal(err)
		}
		at[i] = time.Duration(stamp.UnixNano()) + time.Duration(random.Int64N(int64(time.Minute)))
	}
	slices.SortStableFunc(shuffled, func(i, j int) int { return int((at[i] - at[j]).Microseconds()) })
	backwards := slices.Clone(arrived)
	slices.Reverse(backwards)

	want := clusters(t, s.observations, arrived)
	for name, order := range map[string][]int{"shuffled within 60 s": shuffled, "reversed": backwards} {
		if f := pairF1(want, clusters(t, s.observations, order)); f < least {
			t.Errorf("%s: pair F1 %.4f against the order of arrival", name, f)
		} else {
			t.Logf("%s: pair F1 %.4f", name, f)
		}
	}
}

// clusters returns the context of each observation, resolved in a given order.
func clusters(t *testing.T, observations []resolver.Observation, order []int) []string {
	t.Helper()
	var in []resolver.Observation
	for _, i := range order {
		in = append(in, observations[i])
	}
	a := replay(t, in)
	merged := union{}
	for s, target := range a.merged {
		merged.join(s, target)
	}
	out := make([]string, len(order))
	for at, i := range order {
		out[i] = merged.find(a.uris[at])
	}
	return out
}

// pairF1 returns the F1 score of the pairs that two assignments join.
func pairF1(a, b []string) float64 {
	count := func(of map[string]int) (pairs int) {
		for _, n := range of {
			pairs += n * (n - 1) / 2
		}
		return pairs
	}
	inA, inB, inBoth := map[string]int{}, map[string]int{}, map[string]int{}
	for i := range a {
		inA[a[i]]++
		inB[b[i]]++
		inBoth[a[i]+" "+b[i]]++
	}
	return 2 * share(count(inBoth), count(inA)+count(inB))
}

// TestACrowdWithoutSubjectsIsQuick resolves 10,000 observations with the same timestamp
// and no subject, each sentence by two robots.
func TestACrowdWithoutSubjectsIsQuick(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	n := suite.Times(10_000, 3_000)
	enough := time.Duration(n) * time.Millisecond
	words := []string{"lamp", "river", "market", "garden", "window", "doctor", "yellow", "engine", "paper", "orange", "music", "station",
		"winter", "bottle", "ticket", "carpet", "island", "pencil", "mirror", "button", "candle", "forest"}
	r := open(t, lean{&memory.Store{}})
	random := rand.New(rand.NewPCG(3, 4))
	begin := processorTime(t) // not affected by other programs
	asked := 0
	var sentence string
	for i := range n {
		if i%2 == 0 {
			sentence = fmt.Sprintf("%s %s %s %s %d", words[random.IntN(len(words))], words[random.IntN(len(words))], words[random.IntN(len(words))], words[random.IntN(len(words))], i)
		}
		o := said("2026-02-11T09:12:13.150Z", "", fmt.Sprintf("https://ex/robot/%d", i%7), sentence)
		if x := resolve(t, r, o); x.Outcome == resolver.Ambiguous {
			asked++
		} else if x.Outcome == resolver.Matched {
			t.Fatalf("observation %d was matched without a subject", i)
		}
	}
	took := processorTime(t) - begin
	t.Logf("%v of the processors' time", took)
	if took > enough && float64(took) > suite.Slowness()*float64(enough) {
		t.Errorf("it took %v", took)
	}
	if asked < n/2*9/10 {
		t.Errorf("%d of %d second reports were offered the first", asked, n/2)
	}
}

// BenchmarkACrowdOfTexts resolves a report without subject and place that may be of any of 40 events. Each event is in
// another place, and six robots have reported it with long texts.
func BenchmarkACrowdOfTexts(b *testing.B) {
	r := open(b, lean{&memory.Store{}})
	long := strings.Repeat("please bring the blue cup to the second table on the left ", 4)
	report := func(kind, i int, subject, room, text string) {
		o := said("2026-02-11T09:12:13.150Z", subject, "https://ex/robot/"+strconv.Itoa(i), text)
		o.EventKind, o.LocationURI = fmt.Sprintf("utterance_%d", kind), room
		resolve(b, r, o)
	}
	for kind := 0; b.Loop(); kind++ {
		b.StopTimer()
		for i := range 240 {
			report(kind, i, maria, fmt.Sprintf("https://ex/room/%d", i/6), fmt.Sprintf("%s %c %d", long, 'a'+i%6, i/6))
		}
		b.StartTimer()
		report(kind, 240, "", "", long)
	}
}

// TestEightAtOnceMakeOneContext lets eight robots report an event at the same time.
func TestEightAtOnceMakeOneContext(t *testing.T) {
	for round := range 20 {
		r := open(t, &memory.Store{})
		uris := make(chan string)
		for i := range 8 {
			go func() {
				o := said("2026-02-11T09:12:13.150Z", maria, fmt.Sprintf("https://ex/robot/%d", i), news)
				x, err := r.Resolve(t.Context(), o, "tester")
				if err != nil {
					uris <- err.Error()
					return
				}
				uris <- x.SharedContextURI
			}()
		}
		first := <-uris
		for range 7 {
			if uri := <-uris; uri != first {
				t.Fatalf("round %d: %s and %s", round, first, uri)
			}
		}
		stats, err := r.Stats(t.Context())
		if err != nil || stats.ActiveContexts != 1 || stats.Outcomes.Matched != 7 || stats.Observations != 8 {
			t.Fatalf("round %d: %+v, %v", round, stats, err)
		}
	}
}

// TestReconcilingBesideResolvingLosesNothing runs both concurrently.
func TestReconcilingBesideResolvingLosesNothing(t *testing.T) {
	n := suite.Size(300, 60)
	r := open(t, lean{&memory.Store{}})
	done := make(chan error)
	go func() {
		for i := range n {
			at := time.Date(2026, 2, 11, 9, 0, i, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
			for _, robot := range []string{ari, tiago} {
				if _, err := r.Resolve(t.Context(), said(at, maria, robot, fmt.Sprintf("sentence number %d of many", i)), "tester"); err != nil {
					done <- err
					return
				}
			}
		}
		close(done)
	}()
	for running := true; running; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			running = false
		default:
			if _, err := r.Reconcile(t.Context(), judge); err != nil {
				t.Fatal(err)
			}
		}
	}
	stats, err := r.Stats(t.Context())
	if err != nil || stats.Observations != int64(2*n) {
		t.Errorf("%+v, %v", stats, err)
	}
}

// TestACrowdHidesNoPerson has a crowd report the same words without a subject, as near as the report of a person.
func TestACrowdHidesNoPerson(t *testing.T) {
	r := open(t, &memory.Store{})
	mine := resolve(t, r, said(stampAfter(0), maria, ari, news))
	for i := range 90 {
		resolve(t, r, said(stampAfter(100), "", fmt.Sprintf("https://ex/robot/%d", i), news))
	}
	x := resolve(t, r, said(stampAfter(200), maria, tiago, news))
	if x.SharedContextURI != mine.SharedContextURI && !slices.Contains(x.CloseCandidates, mine.SharedContextURI) {
		t.Errorf("%s, and the candidates are %v", x.Outcome, x.CloseCandidates)
	}
}
