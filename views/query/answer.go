package query

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/views"
)

// queryEnd is the outcome of a query: what the page shows, and its status.
type queryEnd struct {
	result QueryResult
	status int
}

// answerOrProblem runs a query. A problem of the query is its result.
func (u *handlers) answerOrProblem(r *http.Request, v *views.Visit, q queryAsked) (queryEnd, error) {
	result, err := u.answer(r, q)
	if err == nil {
		return queryEnd{result, http.StatusOK}, nil
	}
	p := front.ProblemOf(err)
	if r.Context().Err() != nil || p.Status == http.StatusInternalServerError {
		return queryEnd{}, err
	}
	return queryEnd{u.problemResult(r, v, q, p), p.Status}, nil
}

// answer runs a query for one page of the table, or explains it.
func (u *handlers) answer(r *http.Request, q queryAsked) (QueryResult, error) {
	out := QueryResult{Text: q.text, Address: q.address("", 0), Curl: u.Command(r, auth.Auditor, "/query", "-H 'Accept: text/csv'", "--data-urlencode "+views.Quote("query="+q.text)).Text}
	prepared, err := u.Service.Prepare(r.Context(), views.Asked(r, q.text))
	if err != nil {
		return out, err
	}
	names := u.Prefixes(prepared)
	if q.view == "plan" {
		plan, warnings, err := u.explain(r, prepared, q.text, names)
		out.State, out.Plan, out.Warnings = "plan", plan, warnings
		out.Views = queryViews(q, prepared.Form())
		return out, err
	}
	begun := u.Config.Now()
	a := &answerPage{from: q.from, most: pageRows}
	if q.view == "chart" {
		a.from, a.most = 0, chartRows
	}
	err = u.Service.Ask(r.Context(), prepared, q.text, a, a.triple)
	if errors.Is(err, views.ErrEnough) {
		err, a.more = nil, true
	}
	if err != nil {
		return out, err
	}
	out.Took = u.Config.Now().Sub(begun)
	out.State, out.Columns, out.More, out.Boolean = "rows", a.variables, a.more, a.boolean
	out.Forms = queryForms(prepared.Form())
	out.Views = queryViews(q, prepared.Form())
	empty := a.count == 0
	switch prepared.Form() {
	case syntax.Ask:
		out.State, empty = "boolean", !a.boolean
	case syntax.Construct, syntax.Describe:
		out.State, out.Columns = "graph", []string{"subject", "predicate", "object"}
		if out.Address != "" {
			out.Picture = views.PictureAddress(q.text)
		}
		if q.view == "turtle" && len(a.rows) > 0 {
			if out.Turtle, err = views.WriteTurtle(a.rows, names); err != nil {
				return out, err
			}
		}
	}
	labels := u.Labels(r.Context(), a.rows)
	if out.State == "rows" && len(a.rows) > 0 {
		label := func(t rdf.Term) string { return cmp.Or(labels[t.Value()], views.CellOf(t, names).Text) }
		if c := chartModel(q, a.variables, a.rows, label); c != nil && len(out.Views) > 0 {
			out.Views = append(out.Views, views.Tab{Name: "Chart", Href: q.address("chart", 0), Current: q.view == "chart"})
			if q.view == "chart" {
				out.Views[0].Current, out.Chart, out.Pager.Total = false, c, a.count
				if a.count > chartRows && c.Cut == 0 {
					c.Cut = chartRows
				}
				return out, nil
			}
		}
		a.rows = a.rows[:min(len(a.rows), pageRows)]
	}
	explained, err := u.Explained(r.Context(), a.rows)
	if err != nil {
		return out, err
	}
	for _, row := range a.rows {
		cells := make([]views.Cell, len(row))
		for i, t := range row {
			if cells[i] = views.CellOf(t, names); explained[t] {
				cells[i].Why = views.WhyAddress(t.Value())
			}
			if t.IsIRI() {
				cells[i].Label = labels[t.Value()]
			}
		}
		out.Rows = append(out.Rows, cells)
		if out.State == "graph" {
			out.Logs = append(out.Logs, views.TripleLogs(rdf.Triple{S: row[0], P: row[1], O: row[2]}))
		}
	}
	out.Pager = views.Pager{First: min(q.from+1, a.count), Last: q.from + len(a.rows), Total: a.count}
	if q.from > 0 {
		out.Pager.Before = q.address(q.view, max(0, q.from-pageRows))
	}
	if q.from+pageRows < a.count {
		out.Pager.After = q.address(q.view, q.from+pageRows)
	}
	out.Warnings = warningModels(prepared.Warnings(), names)
	if empty && out.Took < soonEmpty {
		plan, warnings, err := u.explain(r, prepared, q.text, names)
		var refused *service.Error
		switch {
		case err == nil:
			out.Plan, out.Warnings = plan, warnings
		case !errors.As(err, &refused): // the answer is complete; explaining why it is empty is optional
			return out, err
		}
	}
	return out, err
}

// answerPage keeps the rows of one page of an answer, and counts the rest.
type answerPage struct {
	from      int
	most      int // rows kept
	variables []string
	rows      [][]rdf.Term
	boolean   bool
	count     int
	more      bool
}

func (a *answerPage) Head(variables []string) error { a.variables = variables; return nil }
func (a *answerPage) Boolean(value bool) error      { a.boolean = value; return nil }

func (a *answerPage) Row(terms []rdf.Term) error {
	if a.count >= max(countRows, a.from+pageRows) {
		return views.ErrEnough
	}
	if a.count >= a.from && len(a.rows) < a.most {
		a.rows = append(a.rows, append([]rdf.Term(nil), terms...))
	}
	a.count++
	return nil
}

func (a *answerPage) triple(t rdf.Triple) error { return a.Row([]rdf.Term{t.S, t.P, t.O}) }
