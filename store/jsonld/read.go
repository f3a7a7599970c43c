package jsonld

import (
	"io"

	"github.com/segraph/segraph/store/jsonscan"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Reader reads the quads of a document, node by node. The context, the types and the
// @id of an object apply to all its members, but may come after them in the text. So a
// Reader finds all members of an object before it reads their values.
//
// If the io.Reader is an io.Seeker that can seek, a Reader reads the text twice: once
// to check its syntax, and once to return quads, seeking back and forth. Its memory
// then grows with the depth of the document and with the number of members of the open
// objects, but not with the document's size. Otherwise it keeps the text of one item of
// the outer array in memory or, if the document is an object, the whole text.
//
// A Reader keeps some values in memory as a whole, up to maxValues: those of @type, @reverse,
// @included, @nest and @json, and of terms with a container other than @list and @set. Of an
// object, the members that are neither arrays nor objects count, too.
//
// A Reader must be used by one goroutine.
type Reader struct {
	expander *expander
	emitter  *emitter
	text     *text
	begun    bool
	opened   []openValue
	queue    []rdf.Quad
	taken    int            // number of quads of the queue that Read has returned
	place    jsonscan.Place // of the object that the queue comes from
	failed   error          // the error that Read returns after the queue; io.EOF at the end
}

// NewReader returns a Reader of the document in r.
func NewReader(r io.Reader, o Options) *Reader {
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultDepth
	}
	if o.MaxString <= 0 {
		o.MaxString = defaultString
	}
	if o.Loaded == nil {
		o.Loaded = &Loaded{}
	}
	t := &text{Text: jsonscan.New(r)}
	t.MaxDepth, t.MaxString = o.MaxDepth, o.MaxString
	out := &Reader{
		expander: &expander{options: o, loaded: o.Loaded},
		emitter:  &emitter{strict: o.Strict, blanks: turtle.NewBlanks(o.Scope)},
		text:     t,
	}
	out.emitter.emit = func(q rdf.Quad) { out.queue = append(out.queue, q) }
	return out
}

// Read returns the next quad, or io.EOF after the last. Errors of the document are of type
// *Error. After an error, Read always returns the same one.
func (r *Reader) Read() (rdf.Quad, error) {
	for r.taken == len(r.queue) && r.failed == nil {
		clear(r.queue)
		r.queue, r.taken = r.queue[:0], 0
		step := r.step
		if !r.begun {
			r.begun, step = true, r.begin
		}
		err := step()
		if r.expander.tooLong() { // which may have caused another error
			err = errorf("context overflow", "the contexts make the terms far longer than the document; use a shorter @vocab, @base, prefix, @language or @type")
		}
		if err == nil {
			err = r.emitter.err
		}
		if err == nil && r.text.Err() != nil {
			err = syntax(r.text.Err())
		}
		if err != nil {
			r.failed, r.queue = r.located(err), r.queue[:0]
		}
	}
	if r.taken == len(r.queue) {
		return rdf.Quad{}, r.failed
	}
	r.taken++
	return r.queue[r.taken-1], nil
}

// Place returns the line and column, from 1, of the JSON object that the last quad came
// from.
func (r *Reader) Place() (line, column int) { return max(1, r.place.Line), max(1, r.place.Column) }

// located adds the place and path to an error that has none. The steps of an error begin at r.place.
func (r *Reader) located(err error) error {
	e, ok := err.(*Error)
	if !ok || e.Line > 0 {
		return err
	}
	var path []any
	for _, f := range r.opened {
		if f.step != nil {
			path = append(path, f.step)
		}
	}
	place := r.text.Position(r.text.find(r.place.Offset, e.outwardIn()))
	e.Line, e.Column, e.Path = place.Line, place.Column, pathText(append(path, e.outwardIn()...))
	return e
}
