package service

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/format"
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

// Form is one form that an answer can have, such as JSON or Turtle.
type Form struct {
	Media       []string // its media type, then more general ones that a client may ask for
	ContentType string   // the chosen media type
	Coding      string   // the chosen content coding, or ""
	// Version is the highest version of RDF that the client accepts, if the media type has
	// versions. An answer that needs a higher one is refused.
	Version rdf.Version

	name   string   // its value of the parameter format
	more   []string // other accepted values, which known clients send
	writer func(io.Writer, []syntax.Prefix) answerWriter
}

// Forms returns the formats available for a kind of query, the default first. For clients
// of SEGB the default is Turtle for every kind.
func (s *Service) Forms(f syntax.Form) []Form {
	segb := s.config.SEGB
	if f == syntax.Construct || f == syntax.Describe {
		return graphForms()
	}
	forms := []Form{
		{Media: []string{results.JSON.MediaType(), "application/json"}, writer: rowWriter(results.JSON)},
		{Media: []string{results.XML.MediaType(), "application/xml", "text/xml"}, writer: rowWriter(results.XML)},
		{Media: []string{results.CSV.MediaType()}, writer: rowWriter(results.CSV)},
		{more: []string{"tab-separated-values"}, Media: []string{results.TSV.MediaType()}, writer: rowWriter(results.TSV)},
	}
	inTurtle := Form{more: []string{"turtle"}, Media: []string{results.Turtle.MediaType()}, writer: rowWriter(results.Turtle)}
	switch {
	case segb && f == syntax.Ask:
		inTurtle.writer = func(w io.Writer, _ []syntax.Prefix) answerWriter {
			return askRow{rows{results.NewWriter(w, results.Turtle)}}
		}
		forms = append([]Form{inTurtle}, forms...)
	case segb:
		forms = append([]Form{inTurtle}, forms...)
	case f == syntax.Select:
		forms = append(forms, inTurtle)
	}
	for i := range forms {
		format, _ := results.FormatOf(forms[i].Media[0])
		forms[i].name = format.String()
	}
	return forms
}

// hasVersions reports whether the media type has the parameter version.
func (a Form) hasVersions() bool {
	f, ok := FormatOf(a.Media[0])
	return ok && f.Versions
}

// mayRefuse reports whether the form can't hold every answer: XML has no control
// characters, RDF/XML not every predicate, and JSON-LD no triple terms.
func (a Form) mayRefuse() bool {
	f, ok := FormatOf(a.Media[0])
	return ok && (f.Format == turtle.RDFXML || f.Format == turtle.JSONLD) || a.Media[0] == results.XML.MediaType()
}

// HasVersions reports whether a media type has the parameter version. The rows of a query
// have it, too (SPARQL 1.2 Query Results JSON Format, section 2, and XML Format), but are
// not refused if they need a higher version than the client accepts.
func HasVersions(media string) bool {
	f, ok := FormatOf(media)
	return ok && f.Versions || media == results.JSON.MediaType() || media == results.XML.MediaType()
}

// versioned looks for features of RDF 1.2 in an answer.
type versioned struct {
	answerWriter
	accepted rdf.Version // higher ones are refused
	rdf12    bool        // a feature was found
	makes    bool        // the query itself may make one
	source   func() bool // reports whether the dataset may have one; nil if that is unknown
}

// Source implements sparql.Sourced.
func (w *versioned) Source(mayHaveRDF12 func() bool) { w.source = mayHaveRDF12 }

// mayBecomeRDF12 reports whether the rest of the answer may use features of RDF 1.2.
func (w *versioned) mayBecomeRDF12() bool { return w.makes || w.source == nil || w.source() }

// makesRDF12 matches every query that can itself make a triple term or a base direction.
// It also matches some that can't.
var makesRDF12 = regexp.MustCompile(`(?i)<<|\{\||~|@[a-z0-9-]+--|triple|strlangdir`)

// see notes a term's version of RDF. It returns an error if the client does not accept it.
func (w *versioned) see(t rdf.Term) error {
	v := t.Version()
	w.rdf12 = w.rdf12 || v != rdf.RDF11
	if !w.accepted.Admits(v) {
		return inForm(fmt.Errorf("Accept asks for version=%v, and %s is of RDF 1.2; ask for version=1.2", w.accepted, t))
	}
	return nil
}

func (w *versioned) Row(terms []rdf.Term) error {
	for _, t := range terms {
		if err := w.see(t); err != nil {
			return err
		}
	}
	return w.answerWriter.Row(terms)
}

func (w *versioned) Triple(t rdf.Triple) error {
	if err := w.see(t.O); err != nil {
		return err
	}
	return w.answerWriter.Triple(t)
}

// graphForms returns the forms of the answer to CONSTRUCT and DESCRIBE.
func graphForms() []Form {
	forms := make([]Form, len(Formats))
	for i, f := range Formats {
		forms[i] = Form{name: f.name, more: f.more, Media: []string{f.Media}, writer: graphWriter(f.Format)}
		if f.Format == turtle.JSONLD {
			forms[i].Media = append(forms[i].Media, "application/json")
		}
	}
	return forms
}

// Named returns the form that the first known value of the parameter format names.
// Unknown values are ignored if another one is known. The error is an *Error.
func (s *Service) Named(f syntax.Form, values []string) (Form, error) {
	forms := s.Forms(f)
	if i := slices.IndexFunc(forms, func(form Form) bool { return slices.ContainsFunc(values, form.isNamed) }); i >= 0 {
		return forms[i].As(forms[i].Media[0]), nil
	}
	names := make([]string, len(forms))
	for i, form := range forms {
		names[i] = form.name
	}
	e := refuse(Invalid, "for %s, format must be %s", strings.ToUpper(f.String()), Alternatives(names))
	e.Parameter = "format"
	return Form{}, e
}

// isNamed reports whether a value of the parameter format is a name or a media type of a.
func (a Form) isNamed(format string) bool {
	format = strings.ToLower(format)
	return format == a.name || slices.Contains(a.more, format) || slices.Contains(a.Media, format)
}

// As returns the form with one of its media types chosen.
func (a Form) As(media string) Form {
	a.ContentType = media
	if strings.HasPrefix(media, "text/") {
		a.ContentType += "; charset=utf-8"
	}
	return a
}

// formError reports that an answer can't be written in a form.
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

// Harmless returns the form with cells that no spreadsheet evaluates, if it has cells.
func (a Form) Harmless() Form {
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

// askRow writes the answer to ASK as one row with the variable "boolean".
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
	format.Writer
}

// graphWriter returns a constructor of writers that use the prefixes of the query, since
// its author knows them.
func graphWriter(f turtle.Format) func(io.Writer, []syntax.Prefix) answerWriter {
	return func(w io.Writer, declared []syntax.Prefix) answerWriter {
		prefixes := make([]turtle.Prefix, len(declared))
		for i, p := range declared {
			prefixes[i] = turtle.Prefix(p)
		}
		return graph{Writer: format.NewWriter(w, f, prefixes)}
	}
}

func (w graph) Triple(t rdf.Triple) error {
	return inForm(w.Write(rdf.Quad{S: t.S, P: t.P, O: t.O}))
}

// Close writes what the writer still holds. The error is a *formError if the form can't
// hold it.
func (w graph) Close() error { return inForm(w.Writer.Close()) }

// noRows makes a writer of graphs refuse rows.
type noRows struct{}

func (noRows) Head([]string) error  { return errForm }
func (noRows) Row([]rdf.Term) error { return errForm }
func (noRows) Boolean(bool) error   { return errForm }

// errForm reports a fault of the store: its answer is not of the query's form.
var errForm = errors.New("the store returned an answer of another form than the query's")
