package views

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/vocabulary"
)

// Limits of what pages ask of the graph.
const (
	maxTerms     = 2000                   // terms counted
	maxExplained = 300                    // nodes checked for an explanation
	originsTime  = 120 * time.Millisecond // to find the logs of triples
)

// Ask runs a query of a page and returns its rows, which must be few.
func (u *UI) Ask(ctx context.Context, text string) ([][]rdf.Term, error) {
	var rows FewRows
	err := u.Each(ctx, text, rows.Row)
	return rows, err
}

// Each runs a query of a page and calls row with each of its rows, which it may change but not keep. It stops at the
// first error of row, and returns it.
func (u *UI) Each(ctx context.Context, text string, row func([]rdf.Term) error) error {
	q, err := sparql.Prepare(ctx, text, sparql.Options{})
	if err != nil {
		return fmt.Errorf("prepare a query of a page: %w", err)
	}
	var kept service.Kept
	return u.Service.Query(ctx, q, eachRow(func(terms []rdf.Term) error {
		if err := kept.Add(terms...); err != nil {
			return err
		}
		return row(terms)
	}), nil)
}

// eachRow is an answer that is read row by row.
type eachRow func([]rdf.Term) error

func (eachRow) Head([]string) error          { return nil }
func (eachRow) Boolean(bool) error           { return nil }
func (f eachRow) Row(terms []rdf.Term) error { return f(terms) }

// FewRows collects the rows of an answer.
type FewRows [][]rdf.Term

func (f *FewRows) Head([]string) error { return nil }

func (f *FewRows) Boolean(bool) error { return nil }

func (f *FewRows) Row(terms []rdf.Term) error {
	*f = append(*f, slices.Clone(terms))
	return nil
}

// CountTerms runs a query for IRIs and numbers, and returns the most frequent, in
// descending order.
func (u *UI) CountTerms(ctx context.Context, text string) ([]TermCount, error) {
	rows, err := u.Ask(ctx, text)
	if err != nil {
		return nil, err
	}
	out := []TermCount{}
	for _, row := range rows {
		n, err := strconv.Atoi(row[1].Value())
		if err != nil {
			return nil, fmt.Errorf("read a count: %w", err)
		}
		if row[0].IsIRI() {
			out = append(out, TermCount{row[0].Value(), n})
		}
	}
	slices.SortStableFunc(out, func(a, b TermCount) int { return b.Count - a.Count })
	return out[:min(len(out), maxTerms)], nil
}

type TermCount struct {
	IRI   string `json:"iri"`
	Count int    `json:"count"`
}

// Count runs a query whose answer is one number. An answer without rows is 0.
func (u *UI) Count(ctx context.Context, text string) (int, error) {
	rows, err := u.Ask(ctx, text)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	n, err := strconv.Atoi(rows[0][0].Value())
	if err != nil {
		return 0, fmt.Errorf("read a count: %w", err)
	}
	return n, nil
}

// explainedTime limits how long an answer waits to know what can be explained.
const explainedTime = 50 * time.Millisecond

// Explained returns which IRIs of some rows are activities, messages or emotions. What is
// not found in time is left out.
func (u *UI) Explained(ctx context.Context, rows [][]rdf.Term) (map[rdf.Term]bool, error) {
	out, values := map[rdf.Term]bool{}, ""
	for _, row := range rows {
		for _, t := range row {
			if t.IsIRI() && rdf.IsIRI(t.Value()) && len(out) < maxExplained {
				if _, known := out[t]; !known {
					out[t] = false
					values += t.String() + " "
				}
			}
		}
	}
	if values == "" {
		return out, nil
	}
	limited, cancel := context.WithTimeout(ctx, explainedTime)
	defer cancel()
	found, err := u.Ask(limited, "SELECT DISTINCT ?s { VALUES ?s { "+values+"} VALUES ?c { <"+vocabulary.SegbLoggedActivity+"> <"+vocabulary.SchemaMessage+"> <"+
		vocabulary.AmorEmotionAnnotation+"> <"+vocabulary.OAAnnotation+"> } ?s a ?c }")
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return out, nil
	}
	for _, row := range found {
		out[row[0]] = true
	}
	return out, err
}

// Asked returns a query sent by a page.
func Asked(r *http.Request, text string) service.Query {
	return service.Query{Text: text, Base: front.BaseIRI(r)}
}

// ErrEnough ends a query once enough rows are counted.
var ErrEnough = errors.New("enough rows were counted")

// Lessened reports for each of some triples whether its log lost other triples when somebody was erased. It is false if
// OriginsSoon finds no log; lost is as OriginsSoon returns it.
func (u *UI) Lessened(ctx context.Context, triples []rdf.Triple, since time.Time) (out []bool, lost bool, err error) {
	out = make([]bool, len(triples))
	if len(triples) == 0 {
		return out, false, nil
	}
	logs, lost, err := u.OriginsSoon(ctx, triples, since)
	for i, log := range logs {
		out[i] = log.Erased.Has(journal.Content)
	}
	return out, lost, err
}

// OriginsSoon returns for each of some triples a log that contributed it, as service.Origins does. If lost is true, the
// search took longer than originsTime, and logs has those found until then.
func (u *UI) OriginsSoon(ctx context.Context, triples []rdf.Triple, since time.Time) (logs []journal.Numbered, lost bool, err error) {
	limited, cancel := context.WithTimeout(ctx, originsTime)
	defer cancel()
	logs, err = u.Service.Origins(limited, triples, since)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return logs, true, nil
	}
	return logs, false, err
}
