package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/eval"
)

// Explainer is a Querier that can tell how it goes about a query, as sparql.Query's Explain does.
// One that can't answers /query/explain with 501.
type Explainer interface {
	Explain(ctx context.Context, q *sparql.Query, l eval.Limits) (*sparql.Explanation, error)
}

func (a *API) getQueryExplain(w http.ResponseWriter, r *http.Request) error {
	q, err := readQueryParameters(r)
	if err != nil {
		return err
	}
	return a.explainQuery(w, r, q)
}

func (a *API) postQueryExplain(w http.ResponseWriter, r *http.Request) error {
	q, err := a.readQueryBody(r)
	if err != nil {
		return err
	}
	return a.explainQuery(w, r, q)
}

// explainQuery runs a query as answerQuery does, in a place for queries and under their limits, for
// what can be told of it. Who asks about a query that is past a limit wants to know where it was,
// so that is no error here.
func (a *API) explainQuery(w http.ResponseWriter, r *http.Request, asked queryRequest) error {
	h := w.Header()
	h.Add("Vary", "Accept")
	asText, err := explainAsText(r, asked.formats)
	if err != nil {
		return err
	}
	x, err := a.explainIn(r, asked.text, func(ctx context.Context) (*sparql.Query, error) { return a.prepare(ctx, r, asked) })
	if err != nil {
		return err
	}
	if !asText {
		return writeJSON(w, http.StatusOK, x)
	}
	text := x.String()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(http.StatusOK)
	if _, err := io.WriteString(w, text); err != nil {
		return errors.Join(errClientGone, err)
	}
	return nil
}

// Explain runs a query, of which the text is given too, as GET /query/explain does: in its turn and within the
// limits. A limit that was reached is told in the explanation. The error is a *Problem where the client is to be
// told of it, of status 501 where the store can't tell how it goes about queries.
func (a *API) Explain(r *http.Request, q *sparql.Query, text string) (*sparql.Explanation, error) {
	return a.explainIn(r, text, func(context.Context) (*sparql.Query, error) { return q, nil })
}

// explainIn explains the query that read returns, both in one place for queries.
func (a *API) explainIn(r *http.Request, text string, read func(context.Context) (*sparql.Query, error)) (*sparql.Explanation, error) {
	explainer, ok := a.config.Queries.(Explainer)
	if !ok {
		return nil, newProblem(http.StatusNotImplemented, "the graph store in use does not tell how it goes about a query")
	}
	place, err := a.placeToRead(r, text)
	if err != nil {
		return nil, err
	}
	q, err := read(place.ctx)
	if err != nil {
		place.end()
		return nil, err
	}
	if !place.taken {
		if place, err = a.beginQuery(r, text); err != nil {
			return nil, err
		}
	}
	defer place.end()
	x, err := explainer.Explain(place.ctx, q, a.queryLimits())
	if err != nil {
		return nil, queryProblem(fmt.Errorf("explain a query: %w", err))
	}
	return x, nil
}

// explainAsText decides the form: the parameter format comes first, then Accept, and else it is JSON.
func explainAsText(r *http.Request, formats []string) (bool, error) {
	if len(formats) == 0 {
		return negotiate(r, "application/json", "text/plain") == "text/plain", nil
	}
	switch formats[0] {
	case "json", "text":
		return formats[0] == "text", nil
	}
	return false, wrong(fault{[]string{"query", "format"}, "an explanation comes with format=json|text."})
}
