package resolver_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
)

// cloned returns a copy of the records and the graphs of a store.
func cloned(t *testing.T, from *memory.Store) *memory.Store {
	t.Helper()
	out := &memory.Store{}
	c := resolver.Change{Add: from.Quads()}
	if err := from.Scan([]byte{0}, nil, func(key, value []byte) bool {
		c.Records = append(c.Records, resolver.Record{Key: bytes.Clone(key), Value: bytes.Clone(value)})
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if err := out.Apply(t.Context(), []resolver.Change{c}); err != nil {
		t.Fatal(err)
	}
	return out
}

// named returns the nodes of a store that have unique names.
func named(store *memory.Store) map[rdf.Term]bool {
	out := map[rdf.Term]bool{}
	for _, q := range store.Quads() {
		if !q.G.IsZero() && q.P.Value() == rdf.RDFType && !mirror.IsContribution(q.S) {
			out[q.S] = true
		}
	}
	return out
}

// live lets a resolver open contexts and cases, match and undo, all on one day.
func live(t *testing.T, r *resolver.Resolver, day int) {
	t.Helper()
	at := fmt.Sprintf("2026-02-%02dT09:12:13.", day)
	resolve(t, r, said(at+"150Z", maria, ari, news))
	undo(t, r, *matched(t, r, said(at+"250Z", maria, tiago, news)).DecisionID)
	if x := resolve(t, r, said(at+"350Z", "", pepper, news)); x.CaseID == nil {
		t.Fatalf("%+v", x)
	}
}

// Copies of a store, such as repeated restores of one backup, never assign the same name
// after they diverge.
func TestStoresThatWereOneGiveNoNameTwice(t *testing.T) {
	origin := &memory.Store{}
	live(t, open(t, origin), 1)
	common := named(origin)
	seen := map[rdf.Term]bool{}
	for range 4 {
		store := cloned(t, origin)
		for day := range 3 {
			live(t, open(t, store), 2+day)
		}
		for node := range named(store) {
			if seen[node] && !common[node] && !bytes.Contains([]byte(node.Value()), []byte("association")) { // associations of the same robot and rules are shared
				t.Errorf("%s was given twice", node)
			}
			seen[node] = true
		}
		show(t, open(t, store), store, resolve(t, open(t, store), said("2026-02-01T09:12:13.150Z", maria, ari, news)).SharedContextURI)
	}
}

// A start without decisions stores nothing. A start with decisions stores a small record,
// and earlier decisions keep their names.
func TestAStartKeepsASmallRecordIfItDecides(t *testing.T) {
	store := &memory.Store{}
	series := func() (n, size int) {
		from, to := record.SeriesRange()
		if err := store.Scan(from, to, func(key, value []byte) bool { n++; size += len(key) + len(value); return true }); err != nil {
			t.Fatal(err)
		}
		return n, size
	}
	var ids []string
	for day := range 20 {
		r := open(t, store)
		if _, err := r.Stats(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n, _ := series(); n != day {
			t.Fatalf("%d series after %d starts that decided something", n, day)
		}
		x := resolve(t, r, said(fmt.Sprintf("2026-02-%02dT09:12:13.150Z", 1+day), maria, ari, news))
		resolve(t, r, said(fmt.Sprintf("2026-02-%02dT09:12:13.150Z", 1+day), maria, ari, news)) // a repeat
		ids = append(ids, *x.DecisionID)
	}
	if n, size := series(); n != 20 || size > 20*40 {
		t.Errorf("%d series in %d bytes", n, size)
	}
	show(t, open(t, store), store, resolve(t, open(t, store), said("2026-02-01T09:12:13.150Z", maria, ari, news)).SharedContextURI)
	for _, id := range ids { // each is found, and can't be undone because it joined nothing
		if _, err := open(t, store).Undo(t.Context(), id, judge); code(t, err) != resolver.NotUndoable {
			t.Errorf("%s: %v", id, err)
		}
	}
	slices.Sort(ids)
	if n := len(slices.Compact(ids)); n != 20 {
		t.Errorf("%d different ids", n)
	}
}

// After a failed write the data may still be on disk, so later decisions use other names.
func TestNamesOfAFailedWriteAreNotReused(t *testing.T) {
	store := &memory.Store{}
	r := open(t, store)
	var lost []rdf.Quad
	store.Failing = func(changes []resolver.Change) error {
		for _, c := range changes {
			lost = append(lost, c.Add...)
		}
		return nil
	}
	store.OnWait = func() error { return errors.New("the disk does not answer") }
	o := said("2026-02-01T09:12:13.150Z", maria, ari, news)
	if _, err := r.Resolve(t.Context(), o, "tester"); err == nil {
		t.Fatal("what could not be stored was answered")
	}
	store.Failing, store.OnWait = nil, nil
	resolve(t, r, said("2026-02-02T09:12:13.150Z", maria, tiago, news))
	stored := named(store)
	for _, q := range lost {
		if q.P.Value() == rdf.RDFType && stored[q.S] {
			t.Errorf("%s was given again", q.S)
		}
	}
	if len(lost) == 0 {
		t.Error("nothing was lost")
	}
}
