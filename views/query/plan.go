package query

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
)

// warningModels returns view models of a query's warnings.
func warningModels(warnings []sparql.Warning, names []turtle.Prefix) (out []QueryWarning) {
	for _, w := range warnings {
		out = append(out, QueryWarning{Line: w.Line, Column: w.Column, Message: asSentence(shortIRIs(w.Message, names))})
	}
	return out
}

// planModel returns the view model of an explanation of a query, with prefixed names.
func planModel(x *sparql.Explanation, text string, timeLimit time.Duration, memoryLimit int64, names []turtle.Prefix) *QueryPlan {
	out := &QueryPlan{
		Planning: x.PlanningMS, Running: x.RunningMS, TimeLimit: timeLimit, Memory: x.Memory, MaxMemory: memoryLimit,
		Stopped: asSentence(x.Stopped), Reason: asSentence(shortIRIs(x.Reason, names)),
	}
	if v := x.Server; v != nil {
		out.Server, out.Asked, out.Unasked = views.Capital(v.Product)+" answers this query", v.Query, asSentence(v.Because)
		if v.Query == "" {
			out.Server = "segraph’s own engine answers this query, not " + v.Product
		}
	}
	addSteps(out, x.Plan, 0, names)
	for _, p := range x.Patterns {
		shown := PlanPattern{Pattern: shortIRIs(p.Pattern, names), Matches: "not counted", Required: p.Required}
		if p.Matches != nil {
			shown.Matches, shown.None = views.Count(*p.Matches), *p.Matches == 0
			if p.More {
				shown.Matches += " or more"
			}
		}
		for _, u := range p.Unknown {
			shown.Hints = append(shown.Hints, planHint(u, text, names))
		}
		out.Patterns = append(out.Patterns, shown)
	}
	return out
}

// planHint returns a hint about an unknown term, with a query that the writer may have
// meant.
func planHint(u sparql.Unknown, text string, names []turtle.Prefix) PlanHint {
	h := PlanHint{Text: asSentence(shortIRIs(u.String(), names))}
	nearest := strings.Trim(u.Nearest, "<>")
	if nearest == "" {
		return h
	}
	if fixed, ok := syntax.ReplaceIRI(text, strings.Trim(u.Term, "<>"), nearest); ok {
		h.Fix, h.Name = fixed, views.ShortIRI(nearest, names)
	}
	return h
}

// asSentence capitalizes a text and ends it with a full stop.
func asSentence(s string) string {
	if s == "" {
		return ""
	}
	if last := s[len(s)-1]; last != '.' && last != '?' {
		s += "."
	}
	return views.Capital(s)
}

// wrongTenfold reports whether an estimate is so far off that it may have misled the
// planner. Small numbers of rows do not matter.
func wrongTenfold(estimated, rows float64) bool {
	return max(estimated, rows) >= 100 && max(estimated, rows) > 10*max(min(estimated, rows), 1)
}

// addSteps adds a row for a step of the plan, and then for its operands. The step at depth 0 is the answer itself. Off
// marks an estimate that was wrong tenfold. Kills marks an operator that received rows and returned none, although none
// of its operands did so.
func addSteps(out *QueryPlan, s *sparql.Step, depth int, names []turtle.Prefix) {
	step := PlanStep{
		Depth: depth, Operator: s.Operator, Detail: shortIRIs(s.Detail, names),
		Estimated: "–", Rows: "–", OwnMS: s.OwnMS,
	}
	if s.Estimated != nil {
		step.Estimated = views.Count(int64(*s.Estimated + 0.5))
	}
	if s.Rows != nil {
		step.Rows = views.Count(*s.Rows)
		step.Off = s.Estimated != nil && wrongTenfold(*s.Estimated, float64(*s.Rows))
		isAnswer := depth == 0
		step.Kills = !isAnswer && losesAll(s) && !slices.ContainsFunc(s.Operands, losesAll)
	}
	if out.Running > 0 {
		step.Share = int(min(100, max(0, 100*s.OwnMS/out.Running)))
	}
	out.Steps = append(out.Steps, step)
	for _, operand := range s.Operands {
		addSteps(out, operand, depth+1, names)
	}
}

// losesAll reports whether a step received rows and returned none.
func losesAll(s *sparql.Step) bool {
	received := s.RowsIn != nil && *s.RowsIn > 0
	return received && s.Rows != nil && *s.Rows == 0
}

var anyIRI = regexp.MustCompile(`<[^<>"{}|^\\\x60\s]+>`)

// shortIRIs replaces the IRIs of a text by prefixed names.
func shortIRIs(text string, names []turtle.Prefix) string {
	return anyIRI.ReplaceAllStringFunc(text, func(iri string) string { return views.ShortIRI(iri[1:len(iri)-1], names) })
}
