package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/vocabulary"
)

// printer prints the answer to a query.
type printer struct {
	sparql.Answer
	Triple func(rdf.Triple) error
	Close  func() error
}

// newPrinter returns a printer for a form that formOf returned. Forms of rows print no
// triples, and forms of graphs no rows.
func newPrinter(w io.Writer, form string, declared []syntax.Prefix) printer {
	var prefixes []turtle.Prefix
	for _, p := range declared {
		prefixes = append(prefixes, turtle.Prefix(p))
	}
	if form == "table" {
		t := &table{out: w, prefixes: append(prefixes, vocabulary.Prefixes()...)}
		return printer{Answer: t, Close: t.Close}
	}
	triples, ok := formatNames[form]
	if !ok {
		rows, _ := results.FormatNamed(form)
		out := results.NewWriter(w, rows)
		return printer{Answer: out, Close: out.Close}
	}
	g := format.NewWriter(w, triples, prefixes)
	r := results.NewWriter(w, results.Turtle) // of these forms, Turtle alone can hold rows
	isRows := false
	return printer{
		Answer: headed{r, &isRows},
		Triple: func(t rdf.Triple) error { return g.Write(rdf.Quad{S: t.S, P: t.P, O: t.O}) },
		Close: func() error {
			if isRows {
				return r.Close()
			}
			return g.Close()
		},
	}
}

// headed records that an answer has rows.
type headed struct {
	*results.Writer
	isRows *bool
}

func (h headed) Head(variables []string) error {
	*h.isRows = true
	return h.Writer.Head(variables)
}

const (
	measured = 1000 // rows that determine the column widths of a table; later rows are streamed
	maxCell  = 80   // largest width of a cell in characters
)

// table prints rows for people.
type table struct {
	out      io.Writer
	prefixes []turtle.Prefix
	rows     [][]string // the header, and rows until there are enough to measure
	widths   []int
	count    int64
	streams  bool
	err      error
}

func (t *table) Head(variables []string) error {
	t.widths = make([]int, len(variables))
	t.rows = append(t.rows, append([]string(nil), variables...))
	return nil
}

// Row implements sparql.Answer. It holds the first rows, whose cells set the widths of the
// columns.
func (t *table) Row(terms []rdf.Term) error {
	cells := make([]string, len(terms))
	for i, term := range terms {
		cells[i] = t.cell(term)
	}
	t.count++
	if t.streams {
		t.line(cells)
		return t.err
	}
	if t.rows = append(t.rows, cells); len(t.rows) > measured {
		t.begin()
	}
	return t.err
}

func (t *table) Boolean(value bool) error {
	_, err := fmt.Fprintln(t.out, value)
	return err
}

// Close prints the held rows and the number of rows.
func (t *table) Close() error {
	if t.widths == nil {
		return nil // ASK
	}
	if !t.streams {
		t.begin()
	}
	if t.err == nil {
		noun := "rows"
		if t.count == 1 {
			noun = "row"
		}
		_, t.err = fmt.Fprintf(t.out, "%s %s\n", grouped(t.count), noun)
	}
	return t.err
}

// begin prints the header and the rows that determined the widths.
func (t *table) begin() {
	t.streams = true
	for _, row := range t.rows {
		for i, cell := range row {
			t.widths[i] = max(t.widths[i], utf8.RuneCountInString(cell))
		}
	}
	t.line(t.rows[0])
	rule := make([]string, len(t.widths))
	for i, width := range t.widths {
		rule[i] = strings.Repeat("-", width)
	}
	t.line(rule)
	for _, row := range t.rows[1:] {
		t.line(row)
	}
	t.rows = nil
}

// line prints a row, with each cell as wide as its column.
func (t *table) line(cells []string) {
	if t.err != nil {
		return
	}
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteString("  ")
		}
		b.WriteString(cell)
		b.WriteString(strings.Repeat(" ", max(0, t.widths[i]-utf8.RuneCountInString(cell))))
	}
	_, t.err = fmt.Fprintln(t.out, strings.TrimRight(b.String(), " "))
}

// cell formats a term: an IRI with its prefix if there is one, a literal without its
// datatype but with its language, a triple term as <<( … )>>.
func (t *table) cell(term rdf.Term) string {
	switch {
	case term.IsZero():
		return ""
	case term.IsBlank():
		return "_:" + term.Value()
	case term.IsIRI():
		return cut(t.short(term.Value()))
	case term.IsTriple():
		return cut(printable(vocabulary.ShortTriple(term, t.short)))
	}
	text := cut(printable(term.Value()))
	if tag := term.Tag(); tag != "" {
		text += "@" + tag
	}
	return text
}

// short returns an IRI as a prefixed name if possible.
func (t *table) short(iri string) string {
	if name, ok := vocabulary.Short(t.prefixes, iri); ok {
		return name
	}
	return "<" + printable(iri) + ">"
}

// cut shortens a cell to its width.
func cut(s string) string {
	if utf8.RuneCountInString(s) <= maxCell {
		return s
	}
	return string([]rune(s)[:maxCell-1]) + "…"
}

// printable escapes line breaks and characters that control a terminal.
func printable(s string) string {
	if strings.IndexFunc(s, func(c rune) bool { return !unicode.IsPrint(c) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		if unicode.IsPrint(c) {
			b.WriteRune(c)
		} else {
			quoted := strconv.QuoteRune(c)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}
