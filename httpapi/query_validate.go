package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/segraph/segraph/internal/strictjson"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// QueryValidation is the answer of POST /query/validate.
type QueryValidation struct {
	Valid   bool   `json:"valid"`
	Kind    string `json:"query_kind"`              // as syntax.Kind has it
	Update  bool   `json:"allows_update_execution"` // never: reading is all there is
	Message string `json:"message"`                 // a sentence
	Line    *int   `json:"line"`                    // of what is wrong, from 1; null where nothing is
	Column  *int   `json:"column"`                  // from 1, in characters
	// Warnings are about what may not do what the author expects, in the order of the text. A query that is not valid for
	// one of them is refused for the first of its kind.
	Warnings []sparql.Warning `json:"warnings"`
	// Undeclared is the label of the prefix of which the declaration is missing, if that is what is wrong.
	Undeclared *string `json:"-"`
}

// postQueryValidate judges a query. It asks no store, so it works without one.
func (a *API) postQueryValidate(w http.ResponseWriter, r *http.Request) error {
	body, err := a.onlyJSON(r)
	if err != nil {
		return err
	}
	o, err := strictjson.Parse(body)
	if err != nil {
		return err
	}
	text := o.Text("query")
	if err := o.Err(); err != nil {
		return err
	}
	v, err := a.JudgeQuery(r, text)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, v)
}

// judge says whether GET /query would take a text. The error is that judging it was stopped, as a problem.
func judge(ctx context.Context, text string, o sparql.Options) (QueryValidation, error) {
	v := QueryValidation{Kind: syntax.Kind(text), Warnings: []sparql.Warning{}}
	q, err := sparql.Prepare(ctx, text, o)
	var limit *eval.LimitError
	var checked *sparql.CheckError
	switch {
	case err == nil:
		v.Valid, v.Message = true, "The query can be run."
		v.Warnings = append(v.Warnings, q.Warnings()...)
		return v, nil
	case errors.As(err, &checked):
		v.Warnings = checked.Warnings
	case ctx.Err() != nil, errors.As(err, &limit):
		return v, queryProblem(err)
	}
	v.Message = sentence(err.Error())
	if line, column := placeOf(err); line > 0 {
		v.Line, v.Column = &line, &column
	}
	var bad *syntax.Error
	if errors.As(err, &bad) {
		v.Undeclared = bad.Undeclared
	}
	return v, nil
}

// baseIRI is what relative IRIs of a query are resolved against where it has no BASE: the address
// at which queries are asked (RFC 3986, section 5.1.3). The server has refused a Host that could
// not stand in an IRI.
func baseIRI(r *http.Request) string { return "http://" + r.Host + "/query" }

// placeOf tells where in a query its fault is; 0 where the error has no place.
func placeOf(err error) (line, column int) {
	var (
		bad     *syntax.Error
		update  *syntax.UpdateError
		service *syntax.ServiceError
	)
	switch {
	case errors.As(err, &bad):
		return bad.Line, bad.Column
	case errors.As(err, &update):
		return update.Line, update.Column
	case errors.As(err, &service):
		return service.Line, service.Column
	}
	return 0, 0
}
