package httpapi

import (
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// getQuery and postQuery are the query operation of the SPARQL 1.1 Protocol, section 2.1.
func (a *API) getQuery(w http.ResponseWriter, r *http.Request) error {
	q, err := readQueryParameters(r)
	if err != nil {
		return err
	}
	return a.answerQuery(w, r, q)
}

func (a *API) postQuery(w http.ResponseWriter, r *http.Request) error {
	q, err := a.readQueryBody(r)
	if err != nil {
		return err
	}
	return a.answerQuery(w, r, q)
}

// answerQuery runs a query and sends its answer.
func (a *API) answerQuery(w http.ResponseWriter, r *http.Request, asked queryRequest) error {
	if r.Method == http.MethodHead { // what could be told by running it is the length alone
		q, err := a.service.Prepare(r.Context(), asked.Query)
		if err != nil {
			return err
		}
		forms, err := a.chooseForms(w, r, q.Form(), asked)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", forms[0].ContentType)
		w.WriteHeader(http.StatusOK)
		return nil
	}
	answer, err := a.service.Answer(r.Context(), asked.Query, func(q *sparql.Query) ([]service.Form, error) {
		return a.chooseForms(w, r, q.Form(), asked)
	})
	if err != nil {
		return err
	}
	return errors.Join(send(headed{w, answer}, answer), answer.Close())
}

// headed sets the type of an answer when its first bytes come.
type headed struct {
	http.ResponseWriter
	answer *service.Answer
}

func (w headed) Write(p []byte) (int, error) {
	if form, ok := w.answer.Form(); ok {
		w.Header().Set("Content-Type", form.ContentType)
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w headed) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// chooseForms returns the forms that an answer may have, the client's choice first, and how it is
// coded: the parameter format comes first, then Accept. A client that takes none of the forms gets
// the default, which says of itself what it is (RFC 9110, section 12.4.1).
func (a *API) chooseForms(w http.ResponseWriter, r *http.Request, f syntax.Form, asked queryRequest) ([]service.Form, error) {
	w.Header().Add("Vary", "Accept")
	forms := acceptedForms(r, a.service.Forms(f))
	if len(asked.formats) > 0 {
		named, err := a.service.Named(f, asked.formats)
		if err != nil {
			return nil, err
		}
		forms = []service.Form{named}
	}
	coded, err := chooseCoding(w, r)
	for i := range forms {
		if asked.toPeople {
			forms[i] = forms[i].Harmless()
		}
		forms[i].Coding = coded
	}
	return forms, err
}

// acceptedForms returns the forms that Accept takes, the best first, or the first of all.
func acceptedForms(r *http.Request, forms []service.Form) []service.Form {
	var own, general []string
	for _, form := range forms {
		own, general = append(own, form.Media[0]), append(general, form.Media[1:]...)
	}
	var chosen []service.Form
	taken := make([]bool, len(forms))
	for _, media := range accepted(r, append(own, general...)...) {
		i := slices.IndexFunc(forms, func(form service.Form) bool { return slices.Contains(form.Media, media) })
		if !taken[i] {
			taken[i] = true
			chosen = append(chosen, forms[i].As(media))
		}
	}
	if len(chosen) == 0 {
		chosen = append(chosen, forms[0].As(forms[0].Media[0]))
	}
	return chosen
}

// Download answers a request of a page with the whole answer to a query, as a file: format is one that the
// parameter of GET /query takes. Cells of CSV that a spreadsheet would run have a ' in front, other than in the
// answers of GET /query, which are to the letter.
func (a *API) Download(w http.ResponseWriter, r *http.Request, text, format, name string) error {
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	return a.answerQuery(w, r, queryRequest{Query: service.Query{Text: text, Base: BaseIRI(r)}, formats: strings.Fields(format), toPeople: true})
}
