package format

import (
	"bytes"
	"errors"
	"io"

	"github.com/segraph/segraph/store/jsonld"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// jsonReader reads JSON-LD. It holds the whole document in memory, because a member at its
// end can change the meaning of its beginning.
type jsonReader struct {
	in      io.Reader
	options jsonld.Options
	checker *turtle.Checker

	read   bool
	quads  []rdf.Quad
	next   int
	failed error // what Read returns after the quads
}

func newJSONReader(r io.Reader, o turtle.Options) *jsonReader {
	return &jsonReader{in: r, checker: turtle.NewChecker(o),
		options: jsonld.Options{Base: o.Base, Scope: o.Scope, Direction: jsonld.DirLangString, Strict: true, MaxDepth: o.MaxDepth}}
}

func (r *jsonReader) Read() (rdf.Quad, error) {
	if !r.read {
		r.read = true
		r.failed = r.readAll()
	}
	if r.next == len(r.quads) {
		return rdf.Quad{}, r.failed
	}
	r.next++
	return r.quads[r.next-1], nil
}

func (r *jsonReader) readAll() error {
	text, err := io.ReadAll(r.in)
	if err != nil {
		return err
	}
	err = jsonld.Read(bytes.NewReader(text), r.options, func(q rdf.Quad) error {
		r.quads = append(r.quads, q)
		return r.checker.Check(q, 1, 1)
	})
	if err == nil {
		return io.EOF
	}
	r.quads = nil
	if invalid := (*jsonld.Error)(nil); errors.As(err, &invalid) {
		line, column := place(text, int(invalid.Offset))
		return &turtle.SyntaxError{Line: line, Column: column, Msg: invalid.Error()}
	}
	return err
}

// place returns the line and column at an offset in bytes, both from 1.
func place(text []byte, offset int) (line, column int) {
	before := text[:min(offset, len(text))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, max(1, bytes.Count(before[start:], nil)-1)
}

// Place returns the beginning of the document: JSON-LD says nothing in an order of its own.
func (r *jsonReader) Place() (line, column int) { return 1, 1 }

func (r *jsonReader) Prefixes() []turtle.Prefix { return nil }

func (r *jsonReader) Warnings() ([]turtle.Warning, int) { return r.checker.Warnings() }
