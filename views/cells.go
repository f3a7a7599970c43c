package views

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/vocabulary"
)

// Limits of a cell, in characters.
const (
	ShortCell = 160
	fullCell  = 20_000
)

// Prefixes returns the prefixes for showing an answer: the query's own, the usual ones, and
// those of published logs if they can be read.
func (u *UI) Prefixes(q *sparql.Query) []turtle.Prefix {
	var out []turtle.Prefix
	if q != nil {
		for _, p := range q.Syntax().Prologue.Prefixes {
			out = append(out, turtle.Prefix(p))
		}
	}
	published, err := u.Service.Prefixes()
	if err != nil {
		u.Log.Warn("the prefixes can't be read", "error", err)
	}
	for _, p := range append(vocabulary.Prefixes(), published...) {
		taken := func(q turtle.Prefix) bool { return q.Label == p.Label || q.Namespace == p.Namespace }
		if !slices.ContainsFunc(out, taken) {
			out = append(out, p)
		}
	}
	return out
}

// ShortIRI shortens an IRI for people.
func ShortIRI(iri string, names []turtle.Prefix) string {
	if name, ok := vocabulary.Short(names, iri); ok {
		return name
	}
	return "<" + iri + ">"
}

// UsedPrefixes returns the prefixes whose namespace contains a term of rows.
func UsedPrefixes(names []turtle.Prefix, rows [][]rdf.Term) []turtle.Prefix {
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

// CellOf returns the view model of a term.
func CellOf(t rdf.Term, names []turtle.Prefix) Cell {
	switch {
	case t.IsZero():
		return Cell{}
	case t.IsBlank():
		return Cell{Kind: "blank", Text: "_:" + t.Value()}
	case t.IsIRI():
		text, _ := CutText(ShortIRI(t.Value(), names), ShortCell)
		return Cell{Kind: "iri", Text: text, Full: t.Value(), Href: AboutIRI(t.Value())}
	}
	if t.IsTriple() {
		return tripleCell(t, names)
	}
	c := Cell{Kind: "text", Note: t.Tag()}
	var whole bool
	if c.Text, whole = CutText(t.Value(), ShortCell); !whole {
		if c.Full, whole = CutText(t.Value(), fullCell); !whole {
			c.Full += fmt.Sprintf(" (%s characters in total; downloads have all)", Count(utf8.RuneCountInString(t.Value())))
		}
	}
	switch d := t.Datatype(); d {
	case "", rdf.XSDString, rdf.RDFLangString, rdf.RDFDirLangString: // plain text
	case rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDFloat:
		c.Kind = "number"
	case rdf.XSDBoolean:
		c.Kind = "value"
	case rdf.XSDDateTime:
		c.Kind = "value"
		if at, ok := TimeOf(t); ok {
			c.Href = ReplayAt(at)
		}
	default:
		c.Note = ShortIRI(d, names)
	}
	return c
}

// ReplayAt returns the address of the replay of the session at a time.
func ReplayAt(at time.Time) string {
	return "/replay?at=" + url.QueryEscape(at.UTC().Format(time.RFC3339Nano))
}

// tripleCell returns the view model of a triple term. Its IRIs are links if all of it is
// short enough for the cell.
func tripleCell(t rdf.Term, names []turtle.Prefix) Cell {
	pieces := vocabulary.TriplePieces(t, func(iri string) string { return ShortIRI(iri, names) })
	var text strings.Builder
	c := Cell{Kind: "value"}
	for _, p := range pieces {
		text.WriteString(p.Text)
		piece := CellPiece{Text: p.Text, IRI: p.IRI}
		if p.IRI != "" {
			piece.Href = AboutIRI(p.IRI)
		}
		c.Pieces = append(c.Pieces, piece)
	}
	c.Full, _ = CutText(t.Value(), fullCell)
	var whole bool
	if c.Text, whole = CutText(text.String(), ShortCell); !whole {
		c.Pieces = nil
	}
	return c
}

// CutText returns at most limit characters of a text, and whether that is all of it.
func CutText(s string, limit int) (cut string, whole bool) {
	n := 0
	for at := range s {
		if n == limit {
			return s[:at] + "…", false
		}
		n++
	}
	return s, true
}

// WriteTurtle formats triples for people.
func WriteTurtle(rows [][]rdf.Term, names []turtle.Prefix) (string, error) {
	triples := make([]rdf.Triple, len(rows))
	for i, row := range rows {
		triples[i] = rdf.Triple{S: row[0], P: row[1], O: row[2]}
	}
	var out strings.Builder
	if err := turtle.WriteGraph(&out, turtle.NewMemorySource(triples), UsedPrefixes(names, rows)); err != nil {
		return "", fmt.Errorf("write an answer as Turtle: %w", err)
	}
	return out.String(), nil
}

// Around splits the line of a position into the text before a word, the word, and the text after it. The first is at most
// aroundPlace long, and the others together. line and column count from 1. Behind the end of the line or of the text, the word is a
// space.
func Around(text []byte, line, column int) (before, at, after string) {
	for range line - 1 {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			return "", " ", ""
		}
		text = text[end+1:]
	}
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		text = text[:end]
	}
	text = text[:min(len(text), 64<<10)] // a very long line is not decoded completely
	runes := []rune(strings.TrimRight(string(text), "\r"))
	place := min(column-1, len(runes))
	from, to := max(0, place-aroundPlace), min(len(runes), place+1+aroundPlace)
	before = string(runes[from:place])
	if from > 0 {
		before = "…" + before
	}
	if place == len(runes) {
		return before, " ", ""
	}
	word := func(i int) bool { return !strings.ContainsRune(" \t(){}.,;", runes[i]) }
	end := place + 1
	for word(place) && end < to && word(end) {
		end++
	}
	after = string(runes[end:to])
	if to < len(runes) {
		after += "…"
	}
	return before, string(runes[place:end]), after
}

// Capital makes the first letter of a text a capital.
func Capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + s[size:]
}

// aroundPlace is how many characters of an offending line are shown on either side of the
// fault.
const aroundPlace = 100
