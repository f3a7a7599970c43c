package query

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
)

const (
	pageRows  = 100     // rows per page of the table
	countRows = 100_000 // rows counted; above it, "more than"
	// soonEmpty is how fast an empty answer must be for the page to explain it, which
	// runs the query again.
	soonEmpty = 2 * time.Second
)

// queryAsked is the request of a reader of /query.
type queryAsked struct {
	text string
	view string         // "", "plan", "chart", or "turtle" for a graph as text
	as   string         // kind of chart; "" means the best one
	from int            // index of the first row shown
	zone *time.Location // the reader's
	// name and owner are those of the saved query, or "".
	name, owner string
}

func readQueryAsked(given url.Values) queryAsked {
	q := queryAsked{text: strings.ReplaceAll(given.Get("query"), "\r\n", "\n"), view: given.Get("view"), as: given.Get("as")}
	if n, err := strconv.Atoi(given.Get("from")); err == nil && n > 0 {
		q.from = n
	}
	return q
}

// address returns the address of the page with the query in another view, or "" if it is
// too long.
func (q queryAsked) address(view string, from int) string {
	values := url.Values{"query": {q.text}}
	if view != "" {
		values.Set("view", view)
	}
	if from > 0 {
		values.Set("from", strconv.Itoa(from))
	}
	if view == "chart" && q.as != "" {
		values.Set("as", q.as)
	}
	if to := "/query?" + values.Encode(); len(to) <= views.LongAddress {
		return to
	}
	return ""
}

// getQuery shows the editor, and the answer to the query in the address.
func (u *handlers) getQuery(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	given := r.URL.Query()
	if name := given.Get("example"); name != "" {
		for _, g := range queryExamples() {
			for _, e := range g.List {
				if e.Name == name {
					given.Set("query", e.Query)
				}
			}
		}
	}
	q := readQueryAsked(given)
	if name := given.Get("saved"); name != "" {
		saved, err := u.Service.SavedQuery(cmp.Or(given.Get("of"), v.Actor.Username), name)
		if err != nil {
			return err
		}
		q.text, q.name, q.owner = saved.Text, saved.Name, saved.Owner
	}
	return u.showQuery(w, r, v, q)
}

// postQuery shows what getQuery does, for a query that is too long for an address.
func (u *handlers) postQuery(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	given := url.Values{}
	for _, name := range []string{"query", "view", "as", "from"} {
		given.Set(name, form.Value(name))
	}
	q := readQueryAsked(given)
	form.Close() // before the query runs, because the query has its own turn
	return u.showQuery(w, r, v, q)
}

// showQuery shows the page, or only the answer if a script asks. If the answer takes longer than soonShown, it sends the
// part of the page above the answer first, with status 200 whatever the answer is.
func (u *handlers) showQuery(w http.ResponseWriter, r *http.Request, v *views.Visit, q queryAsked) error {
	q.zone = views.ZoneOf(r.Context())
	asks := strings.TrimSpace(q.text) != ""
	if views.Partial(r) {
		end, err := queryEnd{status: http.StatusOK}, error(nil)
		if asks {
			end, err = u.answerOrProblem(r, v, q)
		}
		if err != nil {
			return err
		}
		return u.Show(w, r, end.status, QueryAnswer(end.result))
	}
	m := Query{Text: q.text, Key: v.Actor.Username, Name: q.name, Owner: q.owner, Examples: queryExamples()}
	var err error
	if m.Own, m.Others, err = u.savedQueries(v.Actor.Username); err != nil {
		return err
	}
	f := u.Frame(r, v, "Query")
	f.Scripts, f.Styles, f.Width = []string{"query.js"}, []string{"query.css"}, "wide"
	f.Keys = []views.Key{{Press: "Ctrl Enter", Does: "run"}, {Press: "Ctrl Space", Does: "complete a name"}, {Press: "Esc", Does: "cancel what runs"}}
	if !asks {
		m.Text = startQuery
		return u.Show(w, r, http.StatusOK, QueryPage(f, m))
	}
	end := views.Begin(r.Context(), u.UI, func() (queryEnd, error) { return u.answerOrProblem(r, v, q) })
	defer end.Join()
	if !end.Soon() {
		m.Later = func() (QueryResult, error) {
			end, err := end.Wait()
			return end.result, err
		}
		return u.Stream(w, r, QueryPage(f, m))
	}
	found, err := end.Wait()
	if err != nil {
		return err
	}
	m.Result = found.result
	return u.Show(w, r, found.status, QueryPage(f, m))
}

// queryViews returns the tabs of an answer: table, graph and plan. It returns none if the query is too long for a
// link.
func queryViews(q queryAsked, form syntax.Form) []views.Tab {
	list := []views.Tab{{Name: "Table", Href: q.address("", 0), Current: q.view != "plan" && q.view != "turtle"}}
	switch form {
	case syntax.Ask:
		list[0].Name = "Answer"
	case syntax.Construct, syntax.Describe:
		list = append(list, views.Tab{Name: "Turtle", Href: q.address("turtle", 0), Current: q.view == "turtle"})
	}
	list = append(list, views.Tab{Name: "Plan", Href: q.address("plan", 0), Current: q.view == "plan"})
	if list[0].Href == "" {
		return nil
	}
	return list
}

// queryForms returns the download formats of an answer.
func queryForms(form syntax.Form) []QueryForm {
	switch form {
	case syntax.Construct, syntax.Describe:
		return []QueryForm{{Name: "ttl", Label: "Turtle"}, {Name: "nt", Label: "N-Triples"}, {Name: "json", Label: "JSON-LD"}}
	}
	downloads := []QueryForm{{Name: "csv", Label: "CSV"}, {Name: "tsv", Label: "TSV"}, {Name: "json", Label: "JSON"}, {Name: "xml", Label: "XML"}}
	if form == syntax.Select { // as one resource per row: see results.Turtle
		downloads = append(downloads, QueryForm{Name: "ttl", Label: "Turtle"})
	}
	return downloads
}

// problemResult describes the error of a query and its position.
func (u *handlers) problemResult(r *http.Request, v *views.Visit, q queryAsked, p *front.Problem) QueryResult {
	out := QueryResult{State: "problem", Text: q.text, Address: q.address("", 0), Kind: "other", Problem: views.Problem{
		Status: p.Status, Title: p.Title, Detail: p.Detail, RequestID: v.RequestID,
	}}
	switch p.Status {
	case http.StatusBadRequest:
		out.Kind = "wrong"
	case http.StatusGatewayTimeout:
		out.Kind = "time"
	case http.StatusServiceUnavailable:
		switch p.Limit() {
		case "queries":
			out.Kind = "busy"
		case "memory", "query_memory":
			out.Kind = "memory"
		}
	}
	if p.Line > 0 {
		out.Line, out.Column = p.Line, p.Column
		if _, message, ok := strings.Cut(p.Detail, fmt.Sprintf("line %d, column %d: ", p.Line, p.Column)); ok { // the page has the place, and the title the rest
			out.Problem.Detail = asSentence(message)
		}
		out.Before, out.At, out.After = views.Around([]byte(q.text), p.Line, p.Column)
		// The problem does not say which prefix is undeclared, so the query is checked again. Without an answer there are no suggestions.
		if judged, err := u.Service.CheckQuery(r.Context(), views.Asked(r, q.text)); err == nil && judged.Undeclared != nil {
			label := judged.Undeclared
			for _, d := range u.declarations(*label) {
				out.Declare = append(out.Declare, QueryFix{
					Declaration: d, Text: fmt.Sprintf("PREFIX %s <%s>\n%s", d.Prefix, d.Namespace, q.text),
				})
			}
		}
	}
	return out
}

// checkQuery reports to the editor, as JSON, whether a query is valid.
func (u *handlers) checkQuery(w http.ResponseWriter, r *http.Request, _ *views.Visit) error {
	front.Quiet(r)
	form, err := u.Front.ReceiveForm(w, r)
	if err != nil {
		return err
	}
	defer form.Close()
	judged, err := u.Service.CheckQuery(r.Context(), views.Asked(r, form.Value("query")))
	if err != nil {
		return err
	}
	answer := struct {
		service.QueryValidation
		Declare []views.Declaration `json:"declare"`
	}{QueryValidation: judged}
	if judged.Undeclared != nil {
		answer.Declare = u.declarations(*judged.Undeclared)
	}
	return front.WriteJSON(w, http.StatusOK, answer)
}

// downloadQuery returns the complete answer as a file.
func (u *handlers) downloadQuery(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	text, format := strings.ReplaceAll(form.Value("query"), "\r\n", "\n"), form.Value("format")
	form.Close() // before the query runs
	prepared, err := u.Service.Prepare(r.Context(), views.Asked(r, text))
	if err != nil {
		return err
	}
	extension := format
	if f := prepared.Form(); format == "turtle" {
		extension = "ttl"
	} else if format == "json" && (f == syntax.Construct || f == syntax.Describe) {
		extension = "jsonld"
	}
	name := "query-" + v.Now.UTC().Format("20060102-150405") + "." + extension
	return u.Front.Download(w, r, text, format, name)
}

func (u *handlers) explain(r *http.Request, q *sparql.Query, text string, names []turtle.Prefix) (plan *QueryPlan, warnings []QueryWarning, err error) {
	x, err := u.Service.Explain(r.Context(), q, text)
	if err != nil {
		return nil, nil, err
	}
	limits := u.Service.QueryLimits()
	return planModel(x, text, limits.Time, limits.Memory, names), warningModels(x.Warnings, names), nil
}
