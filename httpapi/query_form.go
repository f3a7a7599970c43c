package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/turtle"
)

// answerWriter writes the answer to a query of any form.
type answerWriter interface {
	sparql.Answer
	Triple(rdf.Triple) error
	Close() error
}

// answerForm is one form that an answer can have.
type answerForm struct {
	name   string   // in the parameter format; "" for those that only have another one's name
	more   []string // other names there, which clients are known to send
	media  []string // its media type, then more general ones that it is sent as where they are asked for
	writer func(io.Writer, []syntax.Prefix) answerWriter

	contentType string // as chosen
	coding      string // of the content, as chosen; "" for none
}

// formsOf returns the forms of the answers to a form of query, the default first. With segb that
// is Turtle for every form of query.
func formsOf(f syntax.Form, segb bool) []answerForm {
	if f == syntax.Construct || f == syntax.Describe {
		return []answerForm{
			{name: "ttl", more: []string{"turtle", "n3"}, media: []string{mediaTurtle}, writer: graphWriter(turtle.Turtle)},
			{name: "nt", more: []string{"ntriples", "n-triples"}, media: []string{mediaNTriples}, writer: graphWriter(turtle.NTriples)},
			{name: "json", more: []string{"jsonld", "json-ld"}, media: []string{"application/ld+json", "application/json"}, writer: newJSONLD},
		}
	}
	forms := []answerForm{
		{media: []string{results.JSON.MediaType(), "application/json"}, writer: rowWriter(results.JSON)},
		{media: []string{results.XML.MediaType(), "application/xml", "text/xml"}, writer: rowWriter(results.XML)},
		{media: []string{results.CSV.MediaType()}, writer: rowWriter(results.CSV)},
		{more: []string{"tab-separated-values"}, media: []string{results.TSV.MediaType()}, writer: rowWriter(results.TSV)},
	}
	inTurtle := answerForm{more: []string{"turtle"}, media: []string{results.Turtle.MediaType()}, writer: rowWriter(results.Turtle)}
	switch {
	case segb && f == syntax.Ask:
		inTurtle.writer = func(w io.Writer, _ []syntax.Prefix) answerWriter {
			return askRow{rows{results.NewWriter(w, results.Turtle)}}
		}
		forms = append([]answerForm{inTurtle}, forms...)
	case segb:
		forms = append([]answerForm{inTurtle}, forms...)
	case f == syntax.Select:
		forms = append(forms, inTurtle)
	}
	for i := range forms {
		format, _ := results.FormatOf(forms[i].media[0])
		forms[i].name = format.String()
	}
	return forms
}

// chooseForms returns the forms that an answer may have, the best first: the parameter format comes first, of which one
// value must be a form's name and others are passed over, then Accept. A client that takes none of the forms gets the
// default, which says of itself what it is (RFC 9110, section 12.4.1).
func (a *API) chooseForms(r *http.Request, f syntax.Form, formats []string) ([]answerForm, error) {
	forms := formsOf(f, a.config.SEGB)
	if len(formats) > 0 {
		i := slices.IndexFunc(forms, func(form answerForm) bool { return slices.ContainsFunc(formats, form.isNamed) })
		if i < 0 {
			var names []string
			for _, form := range forms {
				names = append(names, form.name)
			}
			return nil, wrong(fault{[]string{"query", "format"},
				sentence(fmt.Sprintf("the answer to %s comes with format=%s", strings.ToUpper(f.String()), strings.Join(names, "|")))})
		}
		return []answerForm{forms[i].as(forms[i].media[0])}, nil
	}
	var own, general []string
	for _, form := range forms {
		own, general = append(own, form.media[0]), append(general, form.media[1:]...)
	}
	var chosen []answerForm
	taken := make([]bool, len(forms))
	for _, media := range accepted(r, append(own, general...)...) {
		i := slices.IndexFunc(forms, func(form answerForm) bool { return slices.Contains(form.media, media) })
		if !taken[i] {
			taken[i] = true
			chosen = append(chosen, forms[i].as(media))
		}
	}
	if len(chosen) == 0 {
		chosen = append(chosen, forms[0].as(forms[0].media[0]))
	}
	return chosen, nil
}

// isNamed tells whether a value of the parameter format means a: its name, or a media type of it.
func (a answerForm) isNamed(format string) bool {
	format = strings.ToLower(format)
	return format == a.name || slices.Contains(a.more, format) || slices.Contains(a.media, format)
}

// as chooses the media type that a form is sent as.
func (a answerForm) as(media string) answerForm {
	a.contentType = media
	if strings.HasPrefix(media, "text/") {
		a.contentType += "; charset=utf-8"
	}
	return a
}

// formError says that an answer can't be written in a form.
type formError struct{ err error }

func (e *formError) Error() string { return e.err.Error() }
func (e *formError) Unwrap() error { return e.err }

func inForm(err error) error {
	if err == nil {
		return nil
	}
	return &formError{err}
}

// rows writes answers to SELECT and ASK.
type rows struct{ *results.Writer }

func rowWriter(f results.Format) func(io.Writer, []syntax.Prefix) answerWriter {
	return func(w io.Writer, _ []syntax.Prefix) answerWriter { return rows{results.NewWriter(w, f)} }
}

// harmless is the form with cells that no spreadsheet runs, where it is one of cells.
func (a answerForm) harmless() answerForm {
	write := a.writer
	a.writer = func(w io.Writer, prefixes []syntax.Prefix) answerWriter {
		out := write(w, prefixes)
		if r, ok := out.(rows); ok {
			r.Guard = true
		}
		return out
	}
	return a
}

func (w rows) Head(variables []string) error { return inForm(w.Writer.Head(variables)) }
func (w rows) Row(terms []rdf.Term) error    { return inForm(w.Writer.Row(terms)) }
func (w rows) Boolean(value bool) error      { return inForm(w.Writer.Boolean(value)) }
func (w rows) Triple(rdf.Triple) error       { return errForm }

// askRow writes the answer to ASK as a row with one variable, boolean.
type askRow struct{ rows }

func (w askRow) Boolean(value bool) error {
	if err := w.Head([]string{"boolean"}); err != nil {
		return err
	}
	return w.Row([]rdf.Term{rdf.NewLiteral(rdf.FormatBoolean(value), rdf.XSDBoolean)})
}

// graph writes answers to CONSTRUCT and DESCRIBE as RDF.
type graph struct {
	noRows
	*turtle.Writer
}

// graphWriter writes with the prefixes of the query, which are the names that its author knows.
func graphWriter(f turtle.Format) func(io.Writer, []syntax.Prefix) answerWriter {
	return func(w io.Writer, declared []syntax.Prefix) answerWriter {
		prefixes := make([]turtle.Prefix, len(declared))
		for i, p := range declared {
			prefixes[i] = turtle.Prefix(p)
		}
		return graph{Writer: turtle.NewWriter(w, f, prefixes)}
	}
}

func (w graph) Triple(t rdf.Triple) error {
	return inForm(w.Write(rdf.Quad{S: t.S, P: t.P, O: t.O}))
}

// noRows is what writers of graphs make of rows.
type noRows struct{}

func (noRows) Head([]string) error  { return errForm }
func (noRows) Row([]rdf.Term) error { return errForm }
func (noRows) Boolean(bool) error   { return errForm }

// errForm is the store's fault: a kind of answer that the query does not ask for.
var errForm = errors.New("the store gave an answer of another form than the query's")
