package front

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

// QueryRequest is a query sent by a client.
type QueryRequest struct {
	service.Query
	Formats  []string // values of the parameter format; some clients send several names of one form, and without any, Accept decides
	ToPeople bool     // the answer is a file for a person, who may open it in a spreadsheet
}

// BaseIRI returns the base for relative IRIs of a query without BASE. It depends on the Host alone, not on the scheme or the path,
// so that an IRI is the same for all ways to send a query. The server has already refused a Host that is invalid in an IRI.
func BaseIRI(r *http.Request) string { return "http://" + r.Host + "/query" }

// Answer runs a query and sends its answer. To HEAD it sends the type of the preferred form, without running the query.
func (f *Front) Answer(w http.ResponseWriter, r *http.Request, query QueryRequest) error {
	if r.Method == http.MethodHead { // GET answers in another form if this one can't hold the answer, and may add a version to the type
		q, err := f.service.Prepare(r.Context(), query.Query)
		if err != nil {
			return err
		}
		forms, err := f.chooseForms(w, r, q.Form(), query)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", forms[0].ContentType)
		w.WriteHeader(http.StatusOK)
		return nil
	}
	answer, err := f.service.Answer(r.Context(), query.Query, func(q *sparql.Query) ([]service.Form, error) {
		return f.chooseForms(w, r, q.Form(), query)
	})
	if err != nil {
		return err
	}
	return errors.Join(Send(headed{w, answer}, answer), answer.Close())
}

// headed sets the type of an answer when its first bytes are written.
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

// chooseForms returns the forms that an answer may have, the client's preferred one
// first, and the content coding. The parameter format takes precedence over Accept. The
// error is a *Problem or a *service.Error.
func (f *Front) chooseForms(w http.ResponseWriter, r *http.Request, form syntax.Form, query QueryRequest) ([]service.Form, error) {
	w.Header().Add("Vary", "Accept")
	var forms []service.Form
	if len(query.Formats) > 0 {
		named, err := f.service.Named(form, query.Formats)
		if err != nil {
			return nil, err
		}
		forms = []service.Form{named}
	} else if forms = acceptedForms(r, f.service.Forms(form)); len(forms) == 0 {
		var offers []string
		for _, form := range f.service.Forms(form) {
			offers = append(offers, form.Media...)
		}
		return nil, NotAcceptable(offers)
	}
	coded, err := ChooseCoding(w, r)
	for i := range forms {
		if query.ToPeople {
			forms[i] = forms[i].Harmless()
		}
		forms[i].Coding, forms[i].Version = coded, acceptedVersion(r, forms[i].Media[0])
	}
	return forms, err
}

// acceptedForms returns the forms that Accept allows, best first.
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
	return chosen
}

// Download answers a page's request with the whole answer to a query, as a file. format
// is a value of the parameter format of GET /query. In CSV, cells that a spreadsheet
// would evaluate get a leading '. GET /query returns them unchanged.
func (f *Front) Download(w http.ResponseWriter, r *http.Request, text, format, name string) error {
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	return f.Answer(w, r, QueryRequest{Query: service.Query{Text: text, Base: BaseIRI(r)}, Formats: strings.Fields(format), ToPeople: true})
}
