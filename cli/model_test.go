package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// fixed returns options with a fixed clock.
func fixed(random io.Reader) resolver.Options {
	return resolver.Options{
		Settings: resolver.Defaults(),
		Now:      func() time.Time { return time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC) },
		Random:   random,
	}
}

// machine is a store's file with its resolver, and a model of both.
type machine struct {
	t        *rapid.T
	path     string
	store    *persist.Store
	resolver *resolver.Resolver
	// Both resolvers draw the same random names, each from a source of its own that
	// continues after a restart.
	random, modelRandom io.Reader

	triples  map[string]bool // published triples, as N-Triples
	contexts memory.Store
	decides  *resolver.Resolver
	entries  int
	decided  []string // ids of decisions that may be undone
}

func newMachine(t *rapid.T, path string) *machine {
	m := &machine{t: t, path: path, triples: map[string]bool{}, random: rand.NewChaCha8([32]byte{1}), modelRandom: rand.NewChaCha8([32]byte{1})}
	m.open()
	return m
}

func (m *machine) open() {
	var err error
	if m.store, err = persist.Open(m.path, persist.Options{}); err != nil {
		m.t.Fatal(err)
	}
	if m.resolver, err = resolver.Open(m.store.Contexts(), fixed(m.random)); err != nil {
		m.t.Fatal(err)
	}
	if m.decides, err = resolver.Open(&m.contexts, fixed(m.modelRandom)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) restart(*rapid.T) {
	if err := m.store.Close(); err != nil {
		m.t.Fatal(err)
	}
	m.open()
}

func triple(t *rapid.T) string {
	n := rapid.IntRange(0, 3)
	return fmt.Sprintf("<http://ex/s%d> <http://ex/p%d> \"%d\" .\n", n.Draw(t, "s"), n.Draw(t, "p"), n.Draw(t, "o"))
}

func (m *machine) add(t *rapid.T) {
	lines := rapid.SliceOfN(rapid.Custom(triple), 1, 8).Draw(t, "triples")
	d, fresh := &store.Document{}, 0
	in := turtle.NewReader(strings.NewReader(strings.Join(lines, "")), turtle.NTriples, turtle.Options{})
	for range lines {
		q, err := in.Read()
		if err != nil {
			t.Fatal(err)
		}
		d.Add(q)
	}
	for _, l := range lines {
		if !m.triples[l] {
			m.triples[l] = true
			fresh++
		}
	}
	n := d.Distinct()
	added, err := m.store.Add(t.Context(), d, journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Triples: n})
	if err != nil || added != fresh {
		t.Fatalf("%d new triples, want %d, %v", added, fresh, err)
	}
	m.entries++
}

func (m *machine) remove(t *rapid.T) {
	l := triple(t)
	var s, p, o int
	if _, err := fmt.Sscanf(l, "<http://ex/s%d> <http://ex/p%d> \"%d\" .", &s, &p, &o); err != nil {
		t.Fatal(err)
	}
	q := rdf.Quad{S: rdf.NewIRI(fmt.Sprintf("http://ex/s%d", s)), P: rdf.NewIRI(fmt.Sprintf("http://ex/p%d", p)), O: rdf.NewString(fmt.Sprint(o))}
	e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert}
	err := m.store.Store.Apply(t.Context(), []engine.Edit{{Quad: q, Remove: true}}, engine.EditOptions{}, e)
	if (err == nil) != m.triples[l] {
		t.Fatalf("deleting %s, which is there: %v, gives %v", l, m.triples[l], err)
	}
	if err == nil {
		m.entries++
	}
	delete(m.triples, l)
}

func (m *machine) clear(t *rapid.T) {
	e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Clear}
	contexts := rapid.Bool().Draw(t, "contexts")
	got, err := persist.ResolvedGraph{Graph: m.store, Store: m.store, Resolver: m.resolver}.Clear(t.Context(), contexts, e)
	if err != nil {
		t.Fatal(err)
	}
	var want int64
	if contexts {
		want, err = m.decides.Clear(t.Context(), m.contexts.ClearPublished)
		m.decided = nil
	} else {
		err = m.decides.ClearPublished(t.Context(), m.contexts.ClearPublished)
	}
	if err != nil || got.Contexts != want {
		t.Fatalf("%d contexts are cleared, want %d, %v", got.Contexts, want, err)
	}
	m.triples = map[string]bool{}
	m.entries++
}

// same compares the answers of both resolvers and returns the answer as JSON.
func same[T any](t *rapid.T, what string, got, want T, err, wantErr error) []byte {
	a, aErr := json.Marshal(got)
	b, bErr := json.Marshal(want)
	if errors.Join(aErr, bErr) != nil || !bytes.Equal(a, b) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("%s gives %s, %v; want %s, %v", what, a, err, b, wantErr)
	}
	return a
}

func (m *machine) resolve(t *rapid.T) {
	o := resolver.Observation{
		EventKind:  rapid.SampledFrom([]string{"utterance", "gesture"}).Draw(t, "kind"),
		ObservedAt: fmt.Sprintf("2026-01-31T12:00:%02d.%d00Z", rapid.IntRange(0, 3).Draw(t, "second"), rapid.IntRange(0, 9).Draw(t, "tenth")),
		SubjectURI: rapid.SampledFrom([]string{"", "http://ex/ana", "http://ex/ben"}).Draw(t, "subject"),
		Modality:   rapid.SampledFrom([]string{"speech", "vision"}).Draw(t, "modality"),
		Text:       rapid.SampledFrom([]string{"hello robot", "hello, robot", "good night", ""}).Draw(t, "text"),
		RobotURI:   rapid.SampledFrom([]string{"http://ex/ari", "http://ex/tiago"}).Draw(t, "robot"),
	}
	got, err := m.resolver.Resolve(t.Context(), o, "test")
	want, wantErr := m.decides.Resolve(t.Context(), o, "test")
	same(t, "Resolve", got, want, err, wantErr)
}

// pending returns the id of the first case in the queue, or "".
func (m *machine) pending(t *rapid.T) string {
	got, err := m.resolver.Pending(t.Context(), 10, 0, nil)
	want, wantErr := m.decides.Pending(t.Context(), 10, 0, nil)
	same(t, "Pending", got, want, err, wantErr)
	if err != nil || len(got.PendingCases) == 0 {
		return ""
	}
	return got.PendingCases[rapid.IntRange(0, len(got.PendingCases)-1).Draw(t, "case")].CaseID
}

func (m *machine) review(t *rapid.T) {
	id := m.pending(t)
	if id == "" {
		return
	}
	e := journal.Entry{LogID: journal.NewLogID(), Actor: "reviewer"}
	if rapid.Bool().Draw(t, "accept") {
		got, err := m.resolver.Accept(t.Context(), id, "", false, e)
		want, wantErr := m.decides.Accept(t.Context(), id, "", false, e)
		same(t, "Accept", got, want, err, wantErr)
	} else {
		got, err := m.resolver.Reject(t.Context(), id, e)
		want, wantErr := m.decides.Reject(t.Context(), id, e)
		same(t, "Reject", got, want, err, wantErr)
	}
	m.decided = append(m.decided, id)
	m.entries++
}

func (m *machine) undo(t *rapid.T) {
	if len(m.decided) == 0 {
		return
	}
	i := rapid.IntRange(0, len(m.decided)-1).Draw(t, "decided")
	e := journal.Entry{LogID: journal.NewLogID(), Actor: "reviewer"}
	got, err := m.resolver.Undo(t.Context(), m.decided[i], e)
	want, wantErr := m.decides.Undo(t.Context(), m.decided[i], e)
	same(t, "Undo", got, want, err, wantErr)
}

// check compares the complete state.
func (m *machine) check(t *rapid.T) {
	got, err := m.resolver.Stats(t.Context())
	want, wantErr := m.decides.Stats(t.Context())
	same(t, "Stats", got, want, err, wantErr)
	var b bytes.Buffer
	if err := m.store.Dump(t.Context(), &b, turtle.NQuads); err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for l := range m.triples {
		all[l] = true
	}
	for _, q := range m.contexts.Quads() {
		all[q.String()+"\n"] = true
	}
	var there []string
	for l := range strings.Lines(b.String()) {
		there = append(there, l)
	}
	if len(there) != len(all) {
		t.Fatalf("%d quads are there, want %d:\n%s", len(there), len(all), &b)
	}
	for _, l := range there {
		if !all[l] {
			t.Fatalf("%s is there", l)
		}
	}
}

// After any sequence of operations, with restarts in between, the file holds the same as
// a model in memory. The operations are add, delete, add again, delete all, resolve,
// accept, reject and undo. SEGRAPH_LONG=1 runs 10,000 sequences.
func TestAnySequenceOfWritesIsWhatAModelInMemoryHolds(t *testing.T) {
	suite.NotShort(t)
	checks := strconv.Itoa(suite.Size(suite.Times(10_000, 20), 3))
	old := flag.Lookup("rapid.checks").Value.String()
	if err := flag.Set("rapid.checks", checks); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = flag.Set("rapid.checks", old) }()
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		m := newMachine(t, filepath.Join(dir, fmt.Sprint(n, ".db")))
		defer func() {
			_ = m.store.Close()
			_ = os.Remove(m.path)
		}()
		actions := map[string]func(*rapid.T){"add": m.add, "add again": m.add, "delete": m.remove, "delete all": m.clear, "resolve": m.resolve,
			"resolve more": m.resolve, "resolve again": m.resolve, "review": m.review, "review more": m.review, "undo": m.undo, "restart": m.restart}
		names := slices.Sorted(maps.Keys(actions))
		for range rapid.IntRange(5, 25).Draw(t, "length") {
			actions[rapid.SampledFrom(names).Draw(t, "action")](t)
			m.check(t)
		}
		if err := m.store.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}
