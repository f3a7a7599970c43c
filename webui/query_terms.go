package webui

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/webui/report"
)

// names returns the prefixes for showing an answer: the query's own, the usual ones, and
// those of published logs if they can be read.
func (u *UI) names(q *sparql.Query) []turtle.Prefix {
	var out []turtle.Prefix
	if q != nil {
		for _, p := range q.Prefixes() {
			out = append(out, turtle.Prefix(p))
		}
	}
	published, err := u.service.Prefixes()
	if err != nil {
		u.log.Warn("the prefixes can't be read", "error", err)
	}
	for _, p := range append(vocabulary.Prefixes(), published...) {
		taken := func(q turtle.Prefix) bool { return q.Label == p.Label || q.Namespace == p.Namespace }
		if !slices.ContainsFunc(out, taken) {
			out = append(out, p)
		}
	}
	return out
}

// declarations returns candidate namespaces for a prefix of a query.
func (u *UI) declarations(label string) []views.Declaration {
	var out []views.Declaration
	for _, p := range u.names(nil) {
		if p.Label == label {
			out = append(out, views.Declaration{Prefix: label + ":", Namespace: p.Namespace})
		}
	}
	return out
}

// shortIRI shortens an IRI for people.
func shortIRI(iri string, names []turtle.Prefix) string {
	if name, ok := vocabulary.Short(names, iri); ok {
		return name
	}
	return "<" + iri + ">"
}

// usedPrefixes returns the prefixes whose namespace contains a term of rows.
func usedPrefixes(names []turtle.Prefix, rows [][]rdf.Term) []turtle.Prefix {
	var out []turtle.Prefix
	for _, p := range names {
		uses := func(t rdf.Term) bool {
			return t.IsIRI() && strings.HasPrefix(t.Value(), p.Namespace) || t.IsLiteral() && strings.HasPrefix(t.Datatype(), p.Namespace) ||
				t.IsTriple() && strings.Contains(t.Value(), "<"+p.Namespace)
		}
		if slices.ContainsFunc(rows, func(row []rdf.Term) bool { return slices.ContainsFunc(row, uses) }) {
			out = append(out, p)
		}
	}
	return out
}

// Limits of a cell, in characters.
const (
	shortCell = 160
	fullCell  = 20_000
)

// cell returns the view model of a term.
func cell(t rdf.Term, names []turtle.Prefix) views.Cell {
	switch {
	case t.IsZero():
		return views.Cell{}
	case t.IsBlank():
		return views.Cell{Kind: "blank", Text: "_:" + t.Value()}
	case t.IsIRI():
		text, _ := cutText(shortIRI(t.Value(), names), shortCell)
		return views.Cell{Kind: "iri", Text: text, Full: t.Value(), Href: aboutIRI(t.Value())}
	}
	if t.IsTriple() {
		return tripleCell(t, names)
	}
	c := views.Cell{Kind: "text", Note: t.Tag()}
	var whole bool
	if c.Text, whole = cutText(t.Value(), shortCell); !whole {
		if c.Full, whole = cutText(t.Value(), fullCell); !whole {
			c.Full += fmt.Sprintf(" (%s characters in total; downloads have all)", views.Count(utf8.RuneCountInString(t.Value())))
		}
	}
	switch d := t.Datatype(); d {
	case "", rdf.XSDString, rdf.RDFLangString, rdf.RDFDirLangString:
	case rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDFloat:
		c.Kind = "number"
	case rdf.XSDBoolean:
		c.Kind = "value"
	case rdf.XSDDateTime:
		c.Kind = "value"
		if at, ok := report.TimeOf(t); ok {
			c.Href = "/replay?at=" + url.QueryEscape(at.UTC().Format(time.RFC3339Nano))
		}
	default:
		c.Note = shortIRI(d, names)
	}
	return c
}

// tripleCell returns the view model of a triple term. Its IRIs are links if all of it is
// short enough for the cell.
func tripleCell(t rdf.Term, names []turtle.Prefix) views.Cell {
	pieces := vocabulary.TriplePieces(t, func(iri string) string { return shortIRI(iri, names) })
	var text strings.Builder
	c := views.Cell{Kind: "value"}
	for _, p := range pieces {
		text.WriteString(p.Text)
		piece := views.CellPiece{Text: p.Text, IRI: p.IRI}
		if p.IRI != "" {
			piece.Href = aboutIRI(p.IRI)
		}
		c.Pieces = append(c.Pieces, piece)
	}
	c.Full, _ = cutText(t.Value(), fullCell)
	var whole bool
	if c.Text, whole = cutText(text.String(), shortCell); !whole {
		c.Pieces = nil
	}
	return c
}

// aboutIRI returns the address of the page about an IRI.
func aboutIRI(iri string) string {
	if !rdf.IsIRI(iri) {
		return ""
	}
	return "/kg-graph?" + url.Values{"node": {iri}}.Encode()
}

// cutText returns at most limit characters of a text, and reports whether that is all of
// it.
func cutText(s string, limit int) (string, bool) {
	n := 0
	for at := range s {
		if n == limit {
			return s[:at] + "…", false
		}
		n++
	}
	return s, true
}

// queryTerms are the names that the editor completes.
type queryTerms struct {
	Functions  []string     `json:"functions"`
	Prefixes   []termPrefix `json:"prefixes"`
	Classes    []termCount  `json:"classes"`
	Predicates []termCount  `json:"predicates"`
}

type termPrefix struct {
	Label     string `json:"label"`
	Namespace string `json:"namespace"`
}

type termCount struct {
	IRI   string `json:"iri"`
	Count int    `json:"count"`
}

const (
	maxTerms  = 2000
	termsLife = 30 * time.Second // how long they are cached
)

// termsCache caches counted names. A request that counts holds the lock, so that others
// wait for its result.
type termsCache struct {
	sync.Mutex
	at    time.Time
	terms *queryTerms
}

// getQueryTerms writes, as JSON, the functions of SPARQL and the prefixes, classes and
// predicates of the graph, with the number of their uses.
func (u *UI) getQueryTerms(w http.ResponseWriter, r *http.Request, _ *visit) error {
	u.terms.Lock()
	defer u.terms.Unlock()
	if now := u.config.Now(); u.terms.terms == nil || now.Sub(u.terms.at) >= termsLife {
		found := &queryTerms{Functions: syntax.Functions()}
		for _, p := range u.names(nil) {
			found.Prefixes = append(found.Prefixes, termPrefix(p))
		}
		var err error
		if found.Classes, err = u.countTerms(r.Context(), "SELECT ?c (COUNT(*) AS ?n) { ?s a ?c } GROUP BY ?c"); err != nil {
			return err
		}
		if found.Predicates, err = u.countTerms(r.Context(), "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p"); err != nil {
			return err
		}
		u.terms.at, u.terms.terms = now, found
	}
	return showJSON(w, u.terms.terms)
}

// countTerms runs a query for IRIs and numbers, and returns the most frequent, in
// descending order.
func (u *UI) countTerms(ctx context.Context, text string) ([]termCount, error) {
	rows, err := u.ask(ctx, text)
	if err != nil {
		return nil, err
	}
	out := []termCount{}
	for _, row := range rows {
		n, err := strconv.Atoi(row[1].Value())
		if err != nil {
			return nil, fmt.Errorf("read a count: %w", err)
		}
		if row[0].IsIRI() {
			out = append(out, termCount{row[0].Value(), n})
		}
	}
	slices.SortStableFunc(out, func(a, b termCount) int { return b.Count - a.Count })
	return out[:min(len(out), maxTerms)], nil
}

// ask runs a query of a page and returns its rows, which must be few.
func (u *UI) ask(ctx context.Context, text string) ([][]rdf.Term, error) {
	q, err := sparql.Prepare(ctx, text, sparql.Options{})
	if err != nil {
		return nil, fmt.Errorf("prepare a query of a page: %w", err)
	}
	var rows fewRows
	if err := u.service.Query(ctx, q, &rows, nil); err != nil {
		return nil, err
	}
	return rows, nil
}

// fewRows collects the rows of an answer.
type fewRows [][]rdf.Term

func (f *fewRows) Head([]string) error { return nil }
func (f *fewRows) Boolean(bool) error  { return nil }
func (f *fewRows) Row(terms []rdf.Term) error {
	*f = append(*f, slices.Clone(terms))
	return nil
}

// showJSON answers a script of a page.
func showJSON(w http.ResponseWriter, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write an answer as JSON: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // if the client is gone, reading its next request fails
	return nil
}
