package persist

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// steadyClock returns a clock that advances by a millisecond on each reading.
func steadyClock() func() time.Time {
	begin := time.Date(2026, 2, 11, 9, 30, 0, 0, time.UTC)
	var reads atomic.Int64
	return func() time.Time { return begin.Add(time.Duration(reads.Add(1)) * time.Millisecond) }
}

func openResolver(t testing.TB, s resolver.Store, now func() time.Time) *resolver.Resolver {
	t.Helper()
	r, err := resolver.Open(s, resolver.Options{Settings: resolver.Defaults(), Now: now, Random: rand.NewChaCha8([32]byte{})})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// twins are a resolver on a file and one in memory, which must always agree.
type twins struct {
	t      *testing.T
	path   string
	store  *Store
	memory memory.Store
	onFile *resolver.Resolver
	inMem  *resolver.Resolver
	clocks [2]func() time.Time
	cases  []string
	merges []string // decisions
}

func newTwins(t *testing.T, path string) *twins {
	w := &twins{t: t, path: path, clocks: [2]func() time.Time{steadyClock(), steadyClock()}}
	w.inMem = openResolver(t, &w.memory, w.clocks[1])
	w.open()
	return w
}

func (w *twins) open() {
	var err error
	// crash reads the file, so nothing may write in the background.
	quiet := engine.Options{TextIndex: engine.TextIndexAsIs}
	if w.store, err = Open(w.path, Options{Options: quiet}); err != nil {
		w.t.Fatal(err)
	}
	w.onFile = openResolver(w.t, w.store.Contexts(), w.clocks[0])
}

// restart reopens both resolvers without their caches.
func (w *twins) restart() {
	if err := w.store.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.open()
	w.inMem = openResolver(w.t, &w.memory, w.clocks[1])
}

func jsonOf(t testing.TB, x any) string {
	t.Helper()
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// crash inspects the file as a kill would leave it now, and continues with it.
func (w *twins) crash() {
	left, err := os.ReadFile(w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.store.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.path += "x"
	if err := os.WriteFile(w.path, left, 0o600); err != nil {
		w.t.Fatal(err)
	}
	asItIs, err := Open(w.path, Options{Options: engine.Options{ReadOnly: true}})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := errors.Join(asItIs.Check(w.t.Context()), asItIs.Close()); err != nil {
		w.t.Fatal(err)
	}
	w.open()
	w.inMem = openResolver(w.t, &w.memory, w.clocks[1])
}

// both calls each resolver and compares the results.
func both[T any](t *rapid.T, w *twins, what string, call func(*resolver.Resolver) (T, error)) (T, error) {
	onFile, fileErr := call(w.onFile)
	inMem, memErr := call(w.inMem)
	if got, want := fmt.Sprintf("%s %v", jsonOf(w.t, onFile), fileErr), fmt.Sprintf("%s %v", jsonOf(w.t, inMem), memErr); got != want {
		t.Fatalf("%s: on the file %s, in memory %s", what, got, want)
	}
	var refused *resolver.Error
	if fileErr != nil && !errors.As(fileErr, &refused) {
		t.Fatalf("%s: %v", what, fileErr)
	}
	return onFile, fileErr
}

// observationOf generates an observation of a small world in which all outcomes are
// frequent.
func observationOf(t *rapid.T) resolver.Observation {
	at := time.Date(2026, 2, 11, 9, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "tenths")) * 100 * time.Millisecond)
	o := resolver.Observation{
		EventKind:  "human_utterance",
		ObservedAt: at.Format("2006-01-02T15:04:05.000Z07:00"),
		SubjectURI: rapid.SampledFrom([]string{"", "http://ex/human/maria", "http://ex/human/maria", "http://ex/human/unknown-3"}).Draw(t, "subject"),
		Modality:   rapid.SampledFrom([]string{"speech", "speech", ""}).Draw(t, "modality"),
		Text:       rapid.SampledFrom([]string{"Could you show me climate news?", "could you show me climate news", "Where is the dinosaur?", ""}).Draw(t, "text"),
		RobotURI:   rapid.SampledFrom([]string{"http://ex/robot/ari", "http://ex/robot/tiago", "http://ex/robot/pepper", ""}).Draw(t, "robot"),
	}
	if rapid.IntRange(0, 2).Draw(t, "named") == 0 {
		o.ObservationURI = fmt.Sprintf("http://ex/message/%d", rapid.IntRange(0, 20).Draw(t, "message"))
	}
	return o
}

// step performs a random operation.
func (w *twins) step(t *rapid.T) {
	entry := journal.Entry{LogID: uuid.NewString(), Action: journal.Accept, Actor: "eva", Time: time.Unix(0, 0).UTC()}
	one := func(of []string) string {
		if len(of) == 0 {
			return "review_0"
		}
		return rapid.SampledFrom(of).Draw(t, "of")
	}
	ctx := w.t.Context()
	switch rapid.IntRange(0, 12).Draw(t, "step") {
	default:
		o := observationOf(t)
		a, err := both(t, w, "resolve", func(r *resolver.Resolver) (*resolver.Resolution, error) { return r.Resolve(ctx, o, "ari") })
		if err == nil && a.CaseID != nil && !slices.Contains(w.cases, *a.CaseID) {
			w.cases = append(w.cases, *a.CaseID)
		}
	case 7, 8:
		id, override := one(w.cases), rapid.Bool().Draw(t, "override")
		v, err := both(t, w, "accept", func(r *resolver.Resolver) (*resolver.Verdict, error) { return r.Accept(ctx, id, "", override, entry) })
		if err == nil {
			w.merges = append(w.merges, v.DecisionID)
		}
	case 9:
		id := one(w.cases)
		_, _ = both(t, w, "reject", func(r *resolver.Resolver) (*resolver.Verdict, error) { return r.Reject(ctx, id, entry) })
	case 10:
		id := one(append(slices.Clone(w.cases), w.merges...))
		_, _ = both(t, w, "undo", func(r *resolver.Resolver) (*resolver.Reversal, error) { return r.Undo(ctx, id, entry) })
	case 11:
		_, _ = both(t, w, "reconcile", func(r *resolver.Resolver) (*resolver.Reconciliation, error) {
			x, err := r.Reconcile(ctx, entry)
			if x != nil {
				x.DurationMS = 0
			}
			return x, err
		})
	case 12:
		switch rapid.IntRange(0, 3).Draw(t, "end") {
		case 0:
			w.restart()
			return
		case 1, 2:
			w.crash()
			return
		}
		contexts := rapid.Bool().Draw(t, "contexts")
		got, err := ResolvedGraph{Store: w.store, Resolver: w.onFile}.Clear(ctx, contexts, entryOf(journal.Clear))
		var want int64
		var memErr error
		if contexts {
			want, memErr = w.inMem.Clear(ctx, w.memory.ClearPublished)
		} else {
			memErr = w.inMem.ClearPublished(ctx, w.memory.ClearPublished)
		}
		if err = errors.Join(err, memErr); err != nil || got.Contexts != want {
			t.Fatalf("%d contexts are cleared, want %d, %v", got.Contexts, want, err)
		}
	}
}

// compare compares all answers, the records and the quads.
func (w *twins) compare(t *rapid.T) {
	ctx := w.t.Context()
	_, _ = both(t, w, "statistics", func(r *resolver.Resolver) (*resolver.Statistics, error) { return r.Stats(ctx) })
	_, _ = both(t, w, "queue", func(r *resolver.Resolver) (*resolver.Queue, error) { return r.Pending(ctx, 1000, 0, nil) })
	if got, want := recordsOf(w.t, w.store.Contexts()), recordsOf(w.t, &w.memory); !slices.Equal(got, want) {
		t.Fatalf("the records are\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got, want := allQuads(w.t, w.store), written(w.t, w.memory.Quads()); !slices.Equal(got, want) {
		t.Fatalf("the quads are\n%s, want\n%s", strings.Join(got, ""), strings.Join(want, ""))
	}
	if err := w.store.Check(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestAFileRemembersWhatMemoryRemembers performs the same random operations with a
// resolver on a file and one in memory. In between, the file is closed or left by a kill,
// and opened again. After each operation the file is valid, and its graph of contexts
// agrees with its records.
func TestAFileRemembersWhatMemoryRemembers(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	checkFew(t, 20, func(rt *rapid.T, path string) {
		w := newTwins(t, path)
		defer func() { w.store.Close() }()
		for range rapid.IntRange(5, 25).Draw(rt, "steps") {
			w.step(rt)
		}
		w.compare(rt)
	})
}

func TestAMirrorThatDiffersIsNamed(t *testing.T) {
	t.Parallel()
	weighs := func(weight string) rdf.Quad {
		return rdf.Quad{S: rdf.NewIRI("urn:segraph:contribution/prior/-1.4/"), P: rdf.NewIRI(vocabulary.ScWeight),
			O: rdf.NewLiteral(weight, rdf.XSDDouble), G: contextsGraph}
	}
	for what, spoil := range map[string]func(tx *engine.Tx, uri string) error{
		"a record is missing": func(tx *engine.Tx, _ string) error {
			return apply(tx, &resolver.Change{Records: []resolver.Record{{Key: record.DecisionKey(1)}}})
		},
		"a quad is missing": func(tx *engine.Tx, uri string) error {
			status := rdf.Quad{S: rdf.NewIRI(uri), P: rdf.NewIRI(vocabulary.ScStatus), O: rdf.NewString("active"), G: contextsGraph}
			return apply(tx, &resolver.Change{Remove: []rdf.Quad{status}})
		},
		"evidence is missing": func(tx *engine.Tx, _ string) error {
			return apply(tx, &resolver.Change{Remove: []rdf.Quad{weighs("-1.4")}})
		},
		"evidence says what it is not": func(tx *engine.Tx, _ string) error {
			return apply(tx, &resolver.Change{Add: []rdf.Quad{weighs("1.4")}})
		},
	} {
		t.Run(what, func(t *testing.T) {
			s := openStore(t)
			r := openResolver(t, s.Contexts(), steadyClock())
			a, err := r.Resolve(t.Context(), resolver.Observation{EventKind: "wave", ObservedAt: "2026-02-11T09:12:13Z"}, "ari")
			if err != nil {
				t.Fatal(err)
			}
			b, err := r.Resolve(t.Context(), resolver.Observation{EventKind: "wave", ObservedAt: "2026-02-11T09:12:13Z"}, "ari")
			if err != nil || b.Outcome != resolver.Ambiguous {
				t.Fatal(b, err)
			}
			mustCheck(t, s)
			if err := s.Update(t.Context(), func(tx *engine.Tx) error { return spoil(tx, a.SharedContextURI) }); err != nil {
				t.Fatal(err)
			}
			var damaged *file.DamagedError
			if err := s.Check(t.Context()); !errors.As(err, &damaged) {
				t.Errorf("got %v, want a *file.DamagedError", err)
			}
		})
	}
}

// Robots that report an event at the same moment get one URI.
func TestEightAtOnceMakeOneContext(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	r := openResolver(t, s.Contexts(), nil)
	const events = 20
	for event := range events {
		uris := make([]string, 8)
		var all sync.WaitGroup
		for i := range uris {
			all.Go(func() {
				a, err := r.Resolve(t.Context(), resolver.Observation{
					EventKind: "human_utterance", ObservedAt: fmt.Sprintf("2026-02-11T09:%02d:13.150Z", event), SubjectURI: "http://ex/human/maria",
					Modality: "speech", Text: "Could you show me climate news?", RobotURI: fmt.Sprintf("http://ex/robot/%d", i),
				}, "robot")
				if err != nil {
					t.Error(err)
					return
				}
				uris[i] = a.SharedContextURI
			})
		}
		all.Wait()
		if got := slices.Compact(slices.Clone(uris)); len(got) != 1 {
			t.Fatalf("event %d has %d contexts: %v", event, len(got), uris)
		}
	}
	if st, err := r.Stats(t.Context()); err != nil || st.ActiveContexts != events || st.Observations != 8*events {
		t.Errorf("%+v, %v", st, err)
	}
	mustCheck(t, s)
}

// After a failed write the resolver answers as if it had not happened.
func TestAFailedDecisionIsForgotten(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	r := openResolver(t, s.Contexts(), steadyClock())
	o := resolver.Observation{EventKind: "wave", ObservedAt: "2026-02-11T09:12:13Z", RobotURI: "http://ex/robot/ari"}
	path := s.Path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Resolve(t.Context(), o, "ari"); !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("a closed store took a decision: %v", err)
	}
	s = reopen(t, path)
	r = openResolver(t, s.Contexts(), steadyClock())
	a, err := r.Resolve(t.Context(), o, "ari")
	if err != nil || a.Duplicate || a.Outcome != resolver.Created {
		t.Errorf("%+v, %v", a, err)
	}
}
