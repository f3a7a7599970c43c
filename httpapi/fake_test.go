package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/turtle"
)

// memoryGraph is a store.Graph in memory. It records what tests check, and fails or
// blocks when a test wants it to.
type memoryGraph struct {
	mu      sync.Mutex
	lines   map[string]bool // as N-Triples
	journal []journal.Entry
	past    []journal.Entry // entries that Repeated finds
	open    int             // open exports
	filter  journal.Filter  // last filter of Logs
	brought []rdf.Quad

	contexts    int64 // contexts that Clear finds
	forgotten   bool  // contributions were cleared
	backupSize  int64 // reported size of a backup
	backupLines int   // lines of a backup

	err    error                                        // returned by every method
	add    func(ctx context.Context) error              // called first by Add
	export func(ctx context.Context, w io.Writer) error // replaces the graph's text
	query  func(ctx context.Context, out sparql.Answer, triple func(rdf.Triple) error) error
}

func (g *memoryGraph) fail() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// BeginLog and BeginObserved implement service.Lines.
func (g *memoryGraph) BeginLog(ctx context.Context, d *store.Document, e *journal.Entry) (wait func() error, err error) {
	e.Added, err = g.Add(ctx, d, *e)
	return func() error { return nil }, err
}

func (g *memoryGraph) AwaitUpkeep() {}

func (g *memoryGraph) BeginObserved(ctx context.Context, d *store.Document, e *journal.Entry, _ resolver.Observation, _ journal.Entry,
	place func(*resolver.Resolution) error) (wait func() error, err error) {
	if err := place(&resolver.Resolution{SharedContextURI: "https://example.org/event/1", Outcome: resolver.Created}); err != nil {
		return nil, err
	}
	return g.BeginLog(ctx, d, e)
}

func (g *memoryGraph) Add(ctx context.Context, d *store.Document, e journal.Entry) (int, error) {
	if g.add != nil {
		if err := g.add(ctx); err != nil {
			return 0, err
		}
	}
	if err := g.fail(); err != nil {
		return 0, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.lines == nil {
		g.lines = map[string]bool{}
	}
	for i := range d.Quads {
		line := nTriple(d.Quad(i))
		if !g.lines[line] {
			g.lines[line] = true
			e.Added++
		}
	}
	g.journal = append(g.journal, e)
	if e.Number != nil {
		*e.Number = uint64(len(g.journal))
	}
	return e.Added, nil
}

// AddText adds the triples of a text.
func (g *memoryGraph) AddText(ctx context.Context, t *store.Text, e journal.Entry) (journal.Entry, error) {
	var d store.Document
	for r := t.Reader(); ; {
		q, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return e, err
		}
		d.Add(q)
	}
	e.Triples = d.Distinct()
	var err error
	e.Added, err = g.Add(ctx, &d, e)
	return e, err
}

func (g *memoryGraph) Clear(_ context.Context, contexts bool, e journal.Entry) (out store.Cleared, err error) {
	if err := g.fail(); err != nil {
		return out, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	e.Removed = int64(len(g.lines))
	g.lines = nil
	g.journal = append(g.journal, e)
	out.Triples = e.Removed
	if contexts {
		out.Contexts, g.contexts = g.contexts, 0
	}
	return out, nil
}

// Query calls the test's function, or returns an empty answer.
func (g *memoryGraph) Query(ctx context.Context, q *sparql.Query, _ budget.Limits, out sparql.Answer, triple func(rdf.Triple) error) error {
	if err := g.fail(); err != nil {
		return err
	}
	if g.query != nil {
		return g.query(ctx, out, triple)
	}
	switch q.Form() {
	case syntax.Select:
		return out.Head(q.Variables())
	case syntax.Ask:
		return out.Boolean(false)
	}
	return nil
}

// Explain returns an empty plan.
func (g *memoryGraph) Explain(_ context.Context, q *sparql.Query, _ budget.Limits) (*sparql.Explanation, error) {
	kind := q.Form().String()
	return &sparql.Explanation{Kind: kind, Plan: &sparql.Step{Operator: kind}}, g.fail()
}

// Prefixes and TermsWithPrefix return nothing.
func (g *memoryGraph) Prefixes() ([]turtle.Prefix, error) { return nil, g.fail() }
func (g *memoryGraph) TermsWithPrefix(rdf.Kind, string, int) ([]rdf.Term, error) {
	return nil, g.fail()
}

func (g *memoryGraph) Ages(iris []string) ([]uint64, error) {
	return make([]uint64, len(iris)), g.fail()
}

func (g *memoryGraph) Containing(context.Context, rdf.Kind, string, int) ([]rdf.Term, bool, error) {
	return nil, false, g.fail()
}

// WithdrawLogs knows only one log, which matches every selection.
func (g *memoryGraph) WithdrawLogs(_ context.Context, ids []string, _ journal.Entry, each func(store.WithdrawnLog)) error {
	for _, id := range ids {
		if id == knownLog {
			each(store.WithdrawnLog{LogID: id, Withdrawn: store.Withdrawn{Removed: 2, Stayed: 1}})
		} else {
			each(store.WithdrawnLog{LogID: id, Refused: store.ErrNoLog})
		}
	}
	return g.fail()
}

func (g *memoryGraph) Select(context.Context, store.Selection, int) ([]journal.Numbered, error) {
	return []journal.Numbered{{Seq: 1, Entry: journal.Entry{LogID: knownLog, Triples: 3}}}, g.fail()
}

func (g *memoryGraph) Preview(context.Context, []string) (store.Withdrawn, error) {
	return store.Withdrawn{Removed: 2, Stayed: 1}, g.fail()
}

func (g *memoryGraph) Ready(context.Context) error { return g.fail() }

func (g *memoryGraph) Export(ctx context.Context, name rdf.Term, f turtle.Format) (store.Export, error) {
	if err := g.fail(); err != nil {
		return nil, err
	}
	if !name.IsZero() {
		return nil, store.ErrNoGraph
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	lines := make([]string, 0, len(g.lines))
	for l := range g.lines {
		lines = append(lines, l)
	}
	slices.Sort(lines)
	g.open++
	text := strings.Join(lines, "")
	if f == turtle.Turtle {
		text = "# Turtle\n" + text
	}
	sum := sha256.Sum256([]byte(text))
	return &memoryExport{graph: g, ctx: ctx, text: text, tag: hex.EncodeToString(sum[:8]), write: g.export}, nil
}

// exports returns the number of open exports.
func (g *memoryGraph) exports() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}

// entries returns the journal.
func (g *memoryGraph) entries() []journal.Entry {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.journal)
}

type memoryExport struct {
	graph *memoryGraph
	ctx   context.Context
	text  string
	tag   string
	write func(context.Context, io.Writer) error
	done  bool
}

func (e *memoryExport) Version() (rdf.Version, error) {
	switch {
	case strings.Contains(e.text, "<<("):
		return rdf.RDF12, nil
	case strings.Contains(e.text, "--ltr"):
		return rdf.RDF12Basic, nil
	}
	return rdf.RDF11, nil
}

func (e *memoryExport) ETag() string { return e.tag }

func (e *memoryExport) WriteTo(w io.Writer) (int64, error) {
	if e.write != nil {
		return 0, e.write(e.ctx, w)
	}
	return bytes.NewBufferString(e.text).WriteTo(w)
}

func (e *memoryExport) Close() error {
	e.graph.mu.Lock()
	defer e.graph.mu.Unlock()
	if e.done {
		return fmt.Errorf("an export is closed twice")
	}
	e.done = true
	e.graph.open--
	return nil
}

func nTriple(q rdf.Quad) string {
	term := func(t rdf.Term) string {
		switch {
		case t.IsIRI():
			return "<" + t.Value() + ">"
		case t.IsBlank():
			return "_:" + t.Value()
		case t.Language() != "":
			return fmt.Sprintf("%q@%s", t.Value(), t.Language())
		}
		return fmt.Sprintf("%q^^<%s>", t.Value(), t.Datatype())
	}
	return fmt.Sprintf("%s %s %s .\n", term(q.S), term(q.P), term(q.O))
}

// Revoke adds the entry to the journal.
func (g *memoryGraph) Revoke(_ context.Context, e journal.Entry) (journal.Entry, error) {
	if err := g.fail(); err != nil {
		return e, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.journal = append(g.journal, e)
	return e, nil
}

// Note adds the entry to the journal.
func (g *memoryGraph) Note(ctx context.Context, e journal.Entry) error {
	if e.Action == journal.Look {
		return g.fail() // so that a page that shows who looked is the same twice
	}
	_, err := g.Revoke(ctx, e)
	return err
}

// Revocations returns the entries that revoke tokens.
func (g *memoryGraph) Revocations(context.Context) (out []journal.Entry, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range g.journal {
		if e.Action == journal.Revoke {
			out = append(out, e)
		}
	}
	return out, g.err
}

// memoryNotes keeps notes in memory.
type memoryNotes struct {
	mu      sync.Mutex
	list    []notes.Note
	journal interface { // gets the entries
		Note(ctx context.Context, e journal.Entry) error
	}
}

func (m *memoryNotes) Put(ctx context.Context, n notes.Note, entries ...journal.Entry) (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, n)
	for _, e := range entries {
		err = errors.Join(err, m.journal.Note(ctx, e))
	}
	return err
}

func (m *memoryNotes) Get(string, string, string) (n notes.Note, ok bool, err error) {
	return n, false, nil
}

func (m *memoryNotes) List(kind, owner string) (found []notes.Note, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range m.list {
		if n.Kind == kind && (owner == "" || owner == n.Owner) {
			found = append(found, n)
		}
	}
	return found, nil
}

func (m *memoryNotes) Remove(context.Context, string, string, string) (bool, error) {
	return false, nil
}
