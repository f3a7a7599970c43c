package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// oracleAnswer is an answer in a comparable form.
type oracleAnswer struct {
	vars []string
	rows [][]string // inexact numbers have ten digits, and blank nodes no name
}

func readAnswer(text []byte, graph bool) (a oracleAnswer, err error) {
	if graph {
		for line := range strings.Lines(string(text)) {
			quads, err := turtle.Parse([]byte(line), turtle.NTriples, turtle.Options{})
			if err != nil {
				return a, err
			}
			for _, q := range quads {
				a.rows = append(a.rows, []string{termForm(q.S), termForm(q.P), termForm(q.O)})
			}
		}
		return a, nil
	}
	var parsed struct {
		Head    struct{ Vars []string }
		Boolean *bool
		Results struct{ Bindings []map[string]jsonTerm }
	}
	if err := json.Unmarshal(text, &parsed); err != nil {
		return a, err
	}
	if parsed.Boolean != nil {
		a.rows = [][]string{{fmt.Sprint(*parsed.Boolean)}}
		return a, nil
	}
	a.vars = slices.Sorted(slices.Values(parsed.Head.Vars)) // the order of * is not specified
	for _, binding := range parsed.Results.Bindings {
		row := make([]string, len(a.vars))
		for i, name := range a.vars {
			if term, ok := binding[name]; ok {
				row[i] = term.exact()
			}
		}
		a.rows = append(a.rows, row)
	}
	return a, nil
}

func termForm(t rdf.Term) string {
	switch {
	case t.IsBlank():
		return jsonTerm{Type: "bnode"}.exact()
	case t.IsIRI():
		return jsonTerm{Type: "uri", Value: t.Value()}.exact()
	}
	return jsonTerm{Type: "literal", Value: t.Value(), Datatype: t.Datatype(), Lang: t.Tag()}.exact()
}

// exact returns the term, rounded to ten digits if it is a decimal, double or float.
func (t jsonTerm) exact() string {
	datatype := strings.TrimPrefix(t.Datatype, "http://www.w3.org/2001/XMLSchema#")
	switch {
	case t.Type == "uri":
		return "<" + t.Value + ">"
	case t.Type == "bnode":
		return "_:"
	case t.Lang != "":
		return fmt.Sprintf("%q@%s", t.Value, strings.ToLower(t.Lang))
	case datatype == "decimal" || datatype == "double" || datatype == "float":
		if number, err := strconv.ParseFloat(t.Value, 64); err == nil {
			digits := 10
			if datatype == "float" {
				digits = 6
			}
			if number == 0 || math.Abs(number) < 1e-12 {
				number = 0
			}
			return fmt.Sprintf("%.*g %s", digits, number, datatype)
		}
	}
	return fmt.Sprintf("%q %s", t.Value, strings.TrimPrefix(datatype, "string"))
}

// valueForm returns the same form for terms that sort as equal, because their order is
// open: equal numbers and times.
func valueForm(term string) string {
	value, datatype, _ := strings.Cut(term, `" `)
	switch value = strings.TrimPrefix(value, `"`); datatype {
	case "dateTime":
		if at, err := time.Parse(time.RFC3339Nano, value); err == nil {
			return at.UTC().Format(time.RFC3339Nano)
		}
	case "integer":
		return value
	}
	value, _, _ = strings.Cut(value, " decimal")
	value, _, _ = strings.Cut(value, " double")
	value, _, _ = strings.Cut(value, " float")
	return value
}

// differ describes how two answers differ where the query determines the answer, or
// returns "".
func (q *aQuery) differ(ours, theirs oracleAnswer) string {
	if !slices.Equal(ours.vars, theirs.vars) {
		return fmt.Sprintf("columns %q for %q", ours.vars, theirs.vars)
	}
	key := func(row []string) string {
		if q.byValue {
			row = slices.Clone(row)
			for i, term := range row {
				row[i] = valueForm(term)
			}
		}
		return strings.Join(row, " ")
	}
	lines := func(rows [][]string, of func([]string) string, sorted bool) []string {
		var out []string
		for _, row := range rows {
			out = append(out, of(row))
		}
		if sorted {
			slices.Sort(out)
		}
		if q.reduced || q.graph {
			out = slices.Compact(out)
		}
		return out
	}
	var columns []int
	for _, name := range q.sorted {
		columns = append(columns, slices.Index(ours.vars, name))
	}
	keys := func(row []string) string {
		var out []string
		for _, i := range columns {
			out = append(out, valueForm(row[i]))
		}
		return strings.Join(out, " ")
	}
	var pairs [][2][]string
	if len(q.sorted) > 0 {
		pairs = append(pairs, [2][]string{lines(ours.rows, keys, false), lines(theirs.rows, keys, false)})
	}
	if q.total || !q.limited {
		pairs = append(pairs, [2][]string{lines(ours.rows, key, true), lines(theirs.rows, key, true)})
	}
	if len(ours.rows) != len(theirs.rows) && !q.reduced && !q.graph {
		pairs = append(pairs, [2][]string{lines(ours.rows, key, true), lines(theirs.rows, key, true)})
	}
	for _, p := range pairs {
		if a, b := p[0], p[1]; !slices.Equal(a, b) {
			return fmt.Sprintf("%d rows, Oxigraph %d; segraph alone %.300q, Oxigraph alone %.300q; then %s", len(a), len(b), without(a, b), without(b, a), firstDifference(a, b))
		}
	}
	return ""
}

// without returns some of the lines that occur more often in a than in b.
func without(a, b []string) (out []string) {
	count := map[string]int{}
	for _, line := range b {
		count[line]++
	}
	for _, line := range a {
		if count[line]--; count[line] < 0 && len(out) < 3 {
			out = append(out, line)
		}
	}
	return out
}
