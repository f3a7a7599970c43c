package query

import (
	"cmp"
	"errors"
	"net/http"
	"sync"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/turtle"
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

// answer runs a query for one page of the table or for a chart, or explains it. An empty answer that came soon is also
// explained. With an error, the result is incomplete.
func (u *handlers) answer(r *http.Request, q queryAsked) (QueryResult, error) {
	out := QueryResult{Text: q.text, Address: q.address("", 0), Curl: u.Command(r, auth.Auditor, "/query", "-H 'Accept: text/csv'", "--data-urlencode "+views.Quote("query="+q.text)).Text}
	prepared, err := u.Service.Prepare(r.Context(), views.Asked(r, q.text))
	if err != nil {
		return out, err
	}
	names := u.Prefixes(prepared)
	out.Views = queryViews(q, prepared.Form())
	if q.view == "plan" {
		out.State = "plan"
		out.Plan, out.Warnings, err = u.explain(r, prepared, q.text, names)
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
	out.Forms, out.Columns, out.More, out.Boolean = queryForms(prepared.Form()), a.variables, a.more, a.boolean
	empty, err := fillState(&out, q, prepared.Form(), a, names)
	if err != nil {
		return out, err
	}
	labels := u.Labels(r.Context(), a.rows)
	if out.State == "rows" && len(a.rows) > 0 {
		apart := sync.OnceValue(func() map[string]string { return views.TellApart(labels, u.Ages) }) // if a chart is made
		if offerChart(&out, q, a, func(t rdf.Term) string { return cmp.Or(apart()[t.Value()], views.CellOf(t, names).Text) }) {
			return out, nil
		}
		a.rows = a.rows[:min(len(a.rows), pageRows)]
	}
	if err := u.fillRows(r, &out, a, labels, names); err != nil {
		return out, err
	}
	out.Pager = pagerOf(q, a)
	out.Warnings = warningModels(prepared.Warnings(), names)
	if !empty || out.Took >= soonEmpty {
		return out, nil
	}
	plan, warnings, err := u.explain(r, prepared, q.text, names)
	if err == nil {
		out.Plan, out.Warnings = plan, warnings
	}
	if refused := (*service.Error)(nil); errors.As(err, &refused) {
		err = nil // the answer stands without its explanation
	}
	return out, err
}

// fillState fills in what depends on the form of a query, and reports whether the answer is empty.
func fillState(out *QueryResult, q queryAsked, form syntax.Form, a *answerPage, names []turtle.Prefix) (empty bool, err error) {
	switch form {
	case syntax.Ask:
		out.State = "boolean"
		return !a.boolean, nil
	case syntax.Construct, syntax.Describe:
		out.State, out.Columns = "graph", []string{"subject", "predicate", "object"}
		if out.Address != "" { // the query is short enough for an address
			out.Picture = views.PictureAddress(q.text)
		}
		if q.view == "turtle" && len(a.rows) > 0 {
			out.Turtle, err = views.WriteTurtle(a.rows, names)
		}
	default:
		out.State = "rows"
	}
	return a.count == 0, err
}

// offerChart adds the tab of the chart if the rows have one. If the reader asked for it, it adds the
// chart and returns true.
func offerChart(out *QueryResult, q queryAsked, a *answerPage, label func(rdf.Term) string) bool {
	c := chartModel(q, a.variables, a.rows, label)
	if c == nil || len(out.Views) == 0 {
		return false
	}
	asked := q.view == "chart"
	out.Views = append(out.Views, views.Tab{Name: "Chart", Href: q.address("chart", 0), Current: asked})
	if asked {
		out.Views[0].Current, out.Chart, out.Pager.Total = false, c, a.count
		if a.count > chartRows && c.Cut == 0 {
			c.Cut = chartRows
		}
	}
	return asked
}

// fillRows adds the rows of the page as cells, which link to explanations of what segraph can explain. Each row of a graph
// also gets the address of the logs of its triple.
func (u *handlers) fillRows(r *http.Request, out *QueryResult, a *answerPage, labels map[string]string, names []turtle.Prefix) error {
	explained, err := u.Explained(r.Context(), a.rows)
	if err != nil {
		return err
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
	return nil
}

// pagerOf returns the links to the pages of the table.
func pagerOf(q queryAsked, a *answerPage) views.Pager {
	return views.PagerAt(q.from, len(a.rows), a.count, pageRows, func(from int) string { return q.address(q.view, from) })
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
	kept      service.Kept
}

func (a *answerPage) Head(variables []string) error { a.variables = variables; return nil }
func (a *answerPage) Boolean(value bool) error      { a.boolean = value; return nil }

// Row counts a row, and keeps it if it is on the page. It returns views.ErrEnough after countRows rows, or after the
// page's last row if that is later. Any other error is about the memory that the rows take.
func (a *answerPage) Row(terms []rdf.Term) error {
	if a.count >= max(countRows, a.from+pageRows) {
		return views.ErrEnough
	}
	if a.count >= a.from && len(a.rows) < a.most {
		a.rows = append(a.rows, append([]rdf.Term(nil), terms...))
		if err := a.kept.Add(terms...); err != nil {
			return err
		}
	}
	a.count++
	return nil
}

func (a *answerPage) triple(t rdf.Triple) error { return a.Row([]rdf.Term{t.S, t.P, t.O}) }
