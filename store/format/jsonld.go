package format

import (
	"errors"
	"io"

	"github.com/segraph/segraph/store/jsonld"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// jsonReader reads JSON-LD.
type jsonReader struct {
	*jsonld.Reader
	checker *turtle.Checker
	version rdf.Version
}

// Loaded remembers the contexts that NewJSONReader has loaded.
type Loaded = jsonld.Loaded

// NewJSONReader is like NewReader for JSON-LD. It remembers in loaded which contexts o.Context
// returned. loaded may be nil.
func NewJSONReader(r io.Reader, o turtle.Options, loaded *Loaded) Reader {
	return &jsonReader{
		Reader: jsonld.NewReader(r, jsonld.Options{
			Base: o.Base, Scope: o.Scope, Strict: true,
			MaxDepth: o.MaxDepth, MaxString: o.MaxToken, Context: o.Context, Loaded: loaded,
		}),
		checker: turtle.NewChecker(o), version: o.Version,
	}
}

// Read returns the next quad. It returns errors of JSON-LD as *turtle.SyntaxError, and refuses what the version lacks.
func (r *jsonReader) Read() (rdf.Quad, error) {
	q, err := r.Reader.Read()
	if err != nil {
		if invalid := (*jsonld.Error)(nil); errors.As(err, &invalid) {
			err = &turtle.SyntaxError{Line: invalid.Line, Column: invalid.Column, Msg: invalid.Message()}
		}
		return q, err
	}
	line, column := r.Place()
	if !r.version.Admits(q.O.Version()) {
		return q, &turtle.SyntaxError{Line: line, Column: column, Msg: "RDF 1.1 has no base direction"}
	}
	return q, r.checker.Check(q, line, column)
}

func (r *jsonReader) Prefixes() []turtle.Prefix { return nil }

func (r *jsonReader) Warnings() ([]turtle.Warning, int) { return r.checker.Warnings() }
