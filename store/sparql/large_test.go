package sparql_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/turtle"
)

// parts returns the number of parts of the queries in these tests: 10,000, or 2,000 in
// short mode, with a time limit for each query.
func parts() (n int, bound time.Duration) {
	if suite.Long() {
		return 10_000, time.Second
	}
	return 2000, 300 * time.Millisecond
}

// refused reports whether a query was refused explicitly for its size or depth.
func refused(err error) bool {
	var bad *syntax.Error
	return errors.As(err, &bad) && (strings.Contains(bad.Msg, "has more than 32768") || strings.Contains(bad.Msg, "nests deeper than 500 levels"))
}

// ring returns a dataset of a few nodes in a ring.
func ring(t *testing.T) sparql.Dataset {
	t.Helper()
	s := openStore(t)
	addText(t, s, scriptPrefixes+repeat(20, " ", ":s%i :p :s%j ; :q %i ; :p1 :s%h ."), turtle.Turtle, "", rdf.Term{})
	return snapshot(t, s)
}

// A query with a large number of parts of any kind is planned soon, or refused
// explicitly.
func TestQueriesOfManyPartsArePlannedQuicklyOrRefused(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	ds := ring(t)
	n, bound := parts()
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			text := scriptPrefixes + shape(n)
			suite.Within(t, "planning", bound, func() time.Duration {
				begun := time.Now()
				q, err := sparql.Prepare(context.Background(), text, sparql.Options{})
				if refused(err) {
					return time.Since(begun)
				}
				if err == nil {
					_, err = q.Plan(context.Background(), ds, budget.Limits{})
				}
				if err != nil {
					t.Fatal(err)
				}
				return time.Since(begun)
			})
		})
	}
}

// Parsing, planning, building and running stop soon after the deadline, whenever it is.
func TestPlanningStopsAtTheDeadline(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	ds := ring(t)
	n, _ := parts()
	for name, shape := range shapes {
		text := scriptPrefixes + shape(n)
		limits := []time.Duration{time.Nanosecond, 10 * time.Millisecond}
		if suite.Long() {
			limits = append(limits, time.Millisecond, 100*time.Millisecond)
		}
		for _, limit := range limits {
			suite.Within(t, name, limit+250*time.Millisecond, func() time.Duration {
				begun := time.Now()
				ctx, cancel := budget.Limits{Time: limit}.Deadline(context.Background())
				defer cancel()
				q, err := sparql.Prepare(ctx, text, sparql.Options{})
				if err == nil {
					_, err = run(ctx, q, ds, budget.Limits{Memory: 1 << 30})
				}
				took := time.Since(begun)
				var over *budget.LimitError
				if err != nil && !refused(err) && !errors.As(err, &over) {
					t.Fatalf("%s, within %v: %v", name, limit, err)
				}
				return took
			})
		}
	}
}

// Cancelling during planning stops the query at once, with the cause of the context.
func TestHangUpStopsPlanning(t *testing.T) {
	ds := ring(t)
	text := scriptPrefixes + shapes["binds between"](5000)
	gone := errors.New("nobody is there")
	stopsWithin(t, 250*time.Millisecond, func() {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(gone)
		if _, err := sparql.Prepare(ctx, text, sparql.Options{}); !errors.Is(err, gone) {
			t.Fatal(err)
		}
	})
	q, err := sparql.Prepare(context.Background(), text, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stopsWithin(t, 270*time.Millisecond, func() {
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(20*time.Millisecond, func() { cancel(gone) })
		if _, err := q.Plan(ctx, ds, budget.Limits{}); !errors.Is(err, gone) {
			t.Fatal(err)
		}
	})
}

// The text, tree and plan of a query count towards its memory.
func TestPlanningIsWithinTheMemoryOfTheQuery(t *testing.T) {
	suite.OneGoroutine(t)
	ds := ring(t)
	limits := budget.Limits{Memory: 1 << 20}
	var over *budget.LimitError
	text := scriptPrefixes + shapes["in list"](20_000)
	if _, err := sparql.Prepare(context.Background(), text, sparql.Options{Limits: limits}); !errors.As(err, &over) || over.Limit != "memory" {
		t.Errorf("reading: %v", err)
	}
	q, err := sparql.Prepare(context.Background(), scriptPrefixes+shapes["optional chain"](2000), sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Plan(context.Background(), ds, budget.Limits{Memory: 8 << 20}); !errors.As(err, &over) || over.Limit != "memory" {
		t.Errorf("planning: %v", err)
	}
	small, err := sparql.Prepare(context.Background(), "ASK {}", sparql.Options{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := small.Plan(context.Background(), ds, limits); err != nil {
		t.Error(err)
	}
}

// A query too large to plan is refused, with the limit and the position where it is
// exceeded.
func TestTooManyPartsAreRefusedByName(t *testing.T) {
	suite.OneGoroutine(t)
	for _, tt := range []struct {
		text, want   string
		line, column int
	}{
		{"SELECT * {\n" + strings.Repeat("?a?b?c.", algebra.MaxOperators+1) + "}", "more than 32768 operators (patterns, steps of paths", 2, 7 * (algebra.MaxOperators - 1)},
		{"SELECT * { ?a <p:>" + strings.Repeat("/<p:>", algebra.MaxOperators) + " ?b }", "more than 32768", 1, 0},
		{"SELECT * { " + repeat(algebra.MaxVariables/2+1, "", "BIND(?a%i AS ?b%i)") + " }", "more than 32768 variables", 1, 0},
	} {
		_, err := sparql.Prepare(context.Background(), tt.text, sparql.Options{})
		var bad *syntax.Error
		if !errors.As(err, &bad) || !strings.Contains(bad.Msg, tt.want) || bad.Line != tt.line || bad.Column < tt.column || bad.Column > len(tt.text) {
			t.Errorf("%.30s…: %v", tt.text, err)
		}
	}
}
