package resolver_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
)

const (
	pepper = "https://ex/robot/pepper"
	nao    = "https://ex/robot/nao"
)

// matched resolves an observation that must match, and returns the answer.
func matched(t *testing.T, r *resolver.Resolver, o resolver.Observation) *resolver.Resolution {
	t.Helper()
	x := resolve(t, r, o)
	if x.Outcome != resolver.Matched {
		t.Fatalf("%+v answers %s: %s", o, x.Outcome, x.Explanation.Reason)
	}
	return x
}

func undo(t *testing.T, r *resolver.Resolver, id string) *resolver.Reversal {
	t.Helper()
	x, err := r.Undo(t.Context(), id, judge)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// show returns a context, and checks that its mirror and records agree.
func show(t *testing.T, r *resolver.Resolver, store *memory.Store, uri string) *resolver.ContextDetail {
	t.Helper()
	mirrored := map[rdf.Quad]bool{}
	for _, q := range store.Quads() {
		mirrored[q] = true
	}
	if err := resolver.Quads(store, func(q rdf.Quad) error {
		if !mirrored[q] {
			return fmt.Errorf("the mirror lacks %v", q)
		}
		delete(mirrored, q)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for q := range mirrored {
		t.Errorf("the mirror has %v besides", q)
	}
	x, err := r.Context(t.Context(), uri, 100, 0)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// A person reports that two robots did not report the same event, and both reports are
// kept apart from then on.
func TestAMatchIsUndone(t *testing.T) {
	store := &memory.Store{}
	r := open(t, store)
	o := said("2026-02-11T09:12:13.950Z", maria, tiago, news)
	one := resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, news))
	two := matched(t, r, o)
	before := show(t, r, store, one.SharedContextURI)
	if v := before.Context.Observations[1]; v.DecisionID != *two.DecisionID || !v.Undoable || v.Outcome != resolver.Matched || *v.Confidence != two.Confidence {
		t.Errorf("the match is shown as %+v", v)
	}
	x := undo(t, r, *two.DecisionID)
	if x.SourceContextURI == one.SharedContextURI || *x.TargetContextURI != one.SharedContextURI || x.CaseID != nil || x.UndoneDecision != *two.DecisionID {
		t.Errorf("the undoing answers %+v", x)
	}
	for _, reopened := range []bool{false, true} {
		if reopened {
			r = open(t, store)
		}
		if again := resolve(t, r, o); !again.Duplicate || again.SharedContextURI != x.SourceContextURI {
			t.Errorf("a repeat answers %+v, want %s", again, x.SourceContextURI)
		}
		done, err := r.Reconcile(t.Context(), judge)
		if err != nil || done.MergedCount+done.OpenedCases > 0 {
			t.Errorf("reconciled to %+v, %v", done, err)
		}
		left, own := show(t, r, store, one.SharedContextURI), show(t, r, store, x.SourceContextURI)
		if left.Context.ObservationCount != 1 || own.Context.ObservationCount != 1 || !slices.Equal(left.KeptSeparate, []string{x.SourceContextURI}) ||
			!slices.Equal(own.KeptSeparate, []string{one.SharedContextURI}) || own.Context.ObservedAt != o.ObservedAt || own.Context.Observations[0].Undoable {
			t.Errorf("the two are %+v and %+v", left, own)
		}
		stats, err := r.Stats(t.Context())
		if err != nil || stats.AutomaticMatches != 0 || stats.UndoneMatches != 1 || stats.Outcomes.Created != 2 || stats.ActiveContexts != 2 || stats.Observations != 2 {
			t.Errorf("%+v, %v", stats, err)
		}
		if _, err := r.Undo(t.Context(), *two.DecisionID, judge); code(t, err) != resolver.NotUndoable {
			t.Errorf("a second undoing: %v", err)
		}
	}
	says := map[string]bool{}
	for _, q := range store.Quads() {
		says[strings.TrimPrefix(q.S.Value(), "urn:segraph:")+" "+q.P.Value()[strings.LastIndexAny(q.P.Value(), "#/")+1:]+" "+strings.TrimPrefix(q.O.Value(), "urn:segraph:")] = true
	}
	for want, is := range map[string]bool{
		"observation_" + (*two.DecisionID)[len("decision_"):] + " specializationOf " + x.SourceContextURI:   true,
		"observation_" + (*two.DecisionID)[len("decision_"):] + " specializationOf " + one.SharedContextURI: false,
		one.SharedContextURI + " notSameEventAs " + x.SourceContextURI:                                      true,
		x.SourceContextURI + " notSameEventAs " + one.SharedContextURI:                                      true,
		one.SharedContextURI + " lastObservedAt 2026-02-11T09:12:13.15Z":                                    true,
		x.SourceContextURI + " firstObservedAt 2026-02-11T09:12:13.95Z":                                     true,
		x.DecisionID + " type ns#Undo":                                                                      true,
		x.DecisionID + " used " + *two.DecisionID:                                                           true,
		x.DecisionID + " generated " + x.SourceContextURI:                                                   true,
		x.DecisionID + " used observation_" + (*two.DecisionID)[len("decision_"):]:                          true,
		x.DecisionID + " used " + one.SharedContextURI:                                                      true,
	} {
		if says[want] != is {
			t.Errorf("%q is said: %v", want, says[want])
		}
	}
	history, err := r.History(t.Context(), "", 10)
	if err != nil || len(history) != 1 || history[0].Kind != resolver.JudgedUndone || history[0].SourceURI != x.SourceContextURI {
		t.Errorf("the history is %+v, %v", history, err)
	}
}

// A match can be undone whatever happened to its context since.
func TestAMatchIsUndoneInAContextThatWasMerged(t *testing.T) {
	store := &memory.Store{}
	r := open(t, store)
	event := resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, news))
	doubtful := resolve(t, r, said("2026-02-11T09:12:13.350Z", "", tiago, news))
	if doubtful.CaseID == nil {
		t.Fatalf("got %+v", doubtful)
	}
	joined := matched(t, r, said("2026-02-11T09:12:13.450Z", maria, pepper, news))
	v, err := r.Accept(t.Context(), *doubtful.CaseID, joined.SharedContextURI, false, judge)
	if err != nil {
		t.Fatal(err)
	}
	late := matched(t, r, said("2026-02-11T09:12:13.550Z", maria, nao, news))
	x := undo(t, r, *joined.DecisionID)
	if got := show(t, r, store, event.SharedContextURI); got.Context.ObservationCount != 3 || len(got.Context.Observations) != 3 {
		t.Errorf("after the first undoing: %+v", got.Context)
	}
	// Undo the person's decision, and the other match: each context keeps its own
	// observation.
	undo(t, r, *doubtful.CaseID)
	y := undo(t, r, *late.DecisionID)
	for _, uri := range []string{event.SharedContextURI, doubtful.SharedContextURI, x.SourceContextURI, y.SourceContextURI} {
		if got := show(t, r, store, uri); got.Context.URI != uri || got.Context.ObservationCount != 1 || len(got.Context.Observations) != 1 {
			t.Errorf("%s in the end: %+v", uri, got.Context)
		}
	}
	if v.SharedContextURI != event.SharedContextURI {
		t.Errorf("accepted as %+v", v)
	}
	if q, err := r.Pending(t.Context(), 10, 0, nil); err != nil || len(q.PendingCases) != 1 {
		t.Errorf("%+v, %v", q, err)
	}
}

// An undone match leaves its context and every context into which this was merged.
func TestAMatchLeavesAllThatItsContextWasMergedInto(t *testing.T) {
	store := &memory.Store{}
	r := open(t, store)
	event := resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, news))
	// A report long after belongs to another event until a person says otherwise.
	other := resolve(t, r, said("2026-02-11T09:12:15.050Z", maria, tiago, news))
	if other.CaseID == nil {
		t.Fatalf("got %+v", other)
	}
	joined := resolve(t, r, said("2026-02-11T09:12:15.250Z", maria, pepper, news))
	if joined.Outcome != resolver.Matched || joined.SharedContextURI != other.SharedContextURI {
		t.Fatalf("got %+v", joined)
	}
	if _, err := r.Accept(t.Context(), *other.CaseID, "", false, judge); err != nil {
		t.Fatal(err)
	}
	x := undo(t, r, *joined.DecisionID)
	own := show(t, r, store, x.SourceContextURI)
	slices.Sort(own.KeptSeparate)
	if got := show(t, r, store, other.SharedContextURI); got.Context.URI != event.SharedContextURI || got.Context.ObservationCount != 2 ||
		!slices.Equal(own.KeptSeparate, []string{event.SharedContextURI}) {
		t.Errorf("the event has %+v; kept apart from %v", got.Context, own.KeptSeparate)
	}
	undo(t, r, *other.CaseID) // keeps the two apart again, and the third from both
	for _, uri := range []string{event.SharedContextURI, other.SharedContextURI} {
		if got := show(t, r, store, uri); got.Context.ObservationCount != 1 || !slices.Equal(got.KeptSeparate, []string{x.SourceContextURI}) {
			t.Errorf("%s: %+v", uri, got)
		}
	}
}

// After an undo, the frequencies of texts and subjects are as if there had never been a
// match.
func TestAnUndoneMatchCountsLikeTwoEvents(t *testing.T) {
	for name, text := range map[string]string{"the same text": news, "a text of its own": "Could you show me the climate news?"} {
		t.Run(name, func(t *testing.T) {
			var counts [2]string
			for i := range counts {
				store := &memory.Store{}
				r, err := resolver.Open(store, resolver.Options{Settings: resolver.Defaults(), Now: clock(), Random: zeros{}}) // for equal keys
				if err != nil {
					t.Fatal(err)
				}
				resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, news))
				o := said("2026-02-11T09:12:13.450Z", maria, tiago, text)
				if i == 0 {
					undo(t, r, *matched(t, r, o).DecisionID)
				} else {
					o.ObservedAt = "2026-02-11T10:00:00Z"
					resolve(t, r, o)
				}
				for _, letter := range "efs" { // kinds, texts and subjects
					if err := store.Scan([]byte{byte(letter)}, []byte{byte(letter) + 1}, func(key, value []byte) bool {
						if letter == 'e' {
							kind, err := record.Decode[record.Kind](value)
							if err != nil {
								t.Error(err)
								return false
							}
							kind.Open = nil // it depends on time and is not a count
							value = record.Encode(kind)
						}
						counts[i] += fmt.Sprintf("%x %x\n", key, value)
						return true
					}); err != nil {
						t.Fatal(err)
					}
				}
			}
			if counts[0] != counts[1] {
				t.Errorf("after an undoing:\n%s\nof two events:\n%s", counts[0], counts[1])
			}
		})
	}
}

// Undoing a match in a context with more observations than are compared removes that
// observation and no other.
func TestAMatchOfALongContextIsUndone(t *testing.T) {
	const robots = record.MaxMembers + 20
	store := &memory.Store{}
	r := open(t, store)
	one := resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, news))
	var ids []string
	for i := range robots {
		ids = append(ids, *matched(t, r, said(fmt.Sprintf("2026-02-11T09:12:13.%03dZ", 200+i), maria, fmt.Sprintf("https://ex/robot/%d", i), news)).DecisionID)
	}
	for n, i := range []int{robots - 1, 3} { // one that is not compared, and one that is
		x := undo(t, r, ids[i])
		if own := show(t, r, store, x.SourceContextURI); *own.Context.Observations[0].RobotURI != fmt.Sprintf("https://ex/robot/%d", i) {
			t.Errorf("%+v", own.Context)
		}
		left, err := r.Context(t.Context(), one.SharedContextURI, 5, robots-4)
		if want := robots - n; err != nil || left.Context.ObservationCount != want || len(left.Context.Observations) != want-(robots-4) ||
			left.Context.ObservedAt != "2026-02-11T09:12:13.150Z" {
			t.Errorf("%+v, %v", left, err)
		}
	}
}

func TestAContextIsShownByItsURI(t *testing.T) {
	store := &memory.Store{}
	r := open(t, store)
	one := resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, news)).SharedContextURI
	for _, uri := range []string{"", "x", one + "1", strings.Replace(one, "human_utterance", "human_gesture", 1), one[:len(one)-1] + "9"} {
		if _, err := r.Context(t.Context(), uri, 10, 0); code(t, err) != resolver.ContextNotFound {
			t.Errorf("%q: %v", uri, err)
		}
	}
	if _, err := r.Clear(t.Context(), store.ClearPublished); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Context(t.Context(), one, 10, 0); code(t, err) != resolver.ContextNotFound {
		t.Errorf("what was cleared: %v", err)
	}
}
