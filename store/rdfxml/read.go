package rdfxml

import (
	"bytes"
	"io"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Reader reads the triples of a document, in order, as soon as they are complete.
//
// Literals keep their lexical form; the content of an element with rdf:parseType="Literal"
// becomes Exclusive Canonical XML with comments. IRIs are resolved and kept otherwise
// unchanged. Blank nodes are labelled as package turtle labels them.
//
// A Reader must be used by one goroutine.
type Reader struct {
	scan     *scanner
	maxDepth int
	blanks   turtle.Blanks

	frames   []frame
	bindings bindings
	ids      map[string]struct{} // IRIs of rdf:ID
	prefixes []turtle.Prefix     // declared on the root element
	ended    bool                // the root element has ended

	out    []rdf.Triple // out[given:] are the triples to return next
	given  int
	failed error // what Read returns after these
}

// NewReader returns a Reader of the document in r. The document is in UTF-8, UTF-16 with a
// byte order mark, or ISO-8859-1 if it says so.
func NewReader(r io.Reader, o Options) *Reader {
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultDepth
	}
	if o.MaxToken <= 0 {
		o.MaxToken = defaultToken
	}
	out := &Reader{scan: newScanner(r, o.MaxToken), maxDepth: o.MaxDepth, blanks: turtle.NewBlanks(o.Scope), ids: make(map[string]struct{})}
	root := frame{kind: document}
	if o.Base != "" {
		root.base, out.failed = rdf.ParseBaseIRI(o.Base)
	}
	out.frames = append(out.frames, root)
	return out
}

// Read returns the next triple. The error is io.EOF at the end of the document and a
// *turtle.SyntaxError for an invalid document, or wraps that of the underlying reader.
// After an error, Read returns it again.
func (r *Reader) Read() (rdf.Triple, error) {
	for r.given == len(r.out) {
		if r.failed != nil {
			return rdf.Triple{}, r.failed
		}
		r.out, r.given = r.out[:0], 0
		r.failed = r.step()
	}
	r.given++
	return r.out[r.given-1], nil
}

// Place returns the line and column of the tag or text that was read last, both from 1.
func (r *Reader) Place() (line, column int) { return r.scan.at.line, r.scan.at.column }

// Prefixes returns the prefixes that the root element declares.
func (r *Reader) Prefixes() []turtle.Prefix { return r.prefixes }

// Parse returns the triples of a whole document.
func Parse(text []byte, o Options) ([]rdf.Triple, error) {
	r := NewReader(bytes.NewReader(text), o)
	var triples []rdf.Triple
	for {
		t, err := r.Read()
		if err == io.EOF {
			return triples, nil
		}
		if err != nil {
			return nil, err
		}
		triples = append(triples, t)
	}
}

// role is what an open element is in the grammar of RDF/XML (section 7.2).
type role uint8

const (
	document   role = iota // around the root element
	nodeList               // rdf:RDF
	node                   // a node element, or a property element with parseType="Resource"
	property               // a property element with text or one node element
	collection             // a property element with parseType="Collection"
	literal                // a property element with parseType="Literal"
	empty                  // a property element that must be empty
)

// frame is an open element. Elements in a literal have none.
type frame struct {
	kind     role
	name     string // qualified name
	bindings int    // length of Reader.bindings outside the element
	base     rdf.BaseIRI
	language string

	subject   rdf.Term // of a node, or of the triple of a property
	predicate rdf.Term
	id        rdf.Term // the statement that reifies the property's triple, or zero
	items     int      // rdf:li elements so far
	datatype  string
	text      []byte   // of a property
	filled    bool     // the property has a node element
	cell      rdf.Term // last cell of the collection, or zero
	xml       *fragment
}

func (r *Reader) top() *frame { return &r.frames[len(r.frames)-1] }

func (r *Reader) emit(s, p, o rdf.Term) { r.out = append(r.out, rdf.Triple{S: s, P: p, O: o}) }

// state emits the triple of a property element, and the statement that reifies it.
func (r *Reader) state(f *frame, object rdf.Term) {
	r.emit(f.subject, f.predicate, object)
	if f.id.IsZero() {
		return
	}
	r.emit(f.id, rdfType, rdf.NewIRI(rdf.RDF+"Statement"))
	r.emit(f.id, rdf.NewIRI(rdf.RDF+"subject"), f.subject)
	r.emit(f.id, rdf.NewIRI(rdf.RDF+"predicate"), f.predicate)
	r.emit(f.id, rdf.NewIRI(rdf.RDF+"object"), object)
}

// step reads a token and emits what it completes.
func (r *Reader) step() error {
	t, err := r.scan.next()
	if err != nil {
		return err
	}
	if f := r.top(); f.kind == literal && !f.xml.ends(t) {
		return r.inLiteral(f, t)
	}
	switch t.kind {
	case startTag:
		e, err := r.open(t)
		if err != nil {
			return err
		}
		if err := r.start(e); err != nil {
			return err
		}
		if t.empty {
			return r.end(t.name)
		}
	case endTag:
		return r.end(t.name)
	case text:
		return r.text(t.text)
	case endOfText:
		if !r.ended {
			return r.scan.errorf("expected %s, found the end of the document", r.missing())
		}
		return io.EOF
	}
	return nil
}

// missing names what must still follow in a document that is cut off.
func (r *Reader) missing() string {
	if f := r.top(); f.kind != document {
		return "</" + f.name + ">"
	}
	return "an element"
}

// text adds text to a property; elsewhere only white space is allowed.
func (r *Reader) text(s string) error {
	f := r.top()
	if f.kind == property && !f.filled {
		if len(f.text)+len(s) > r.scan.maxToken {
			return r.scan.errorf("a literal is longer than %d bytes", r.scan.maxToken)
		}
		f.text = append(f.text, s...)
		return nil
	}
	if rest := strings.TrimLeft(s, " \t\r\n"); rest != "" {
		return r.scan.errorf("text is not allowed here: %.40q", rest)
	}
	return nil
}

// end ends the innermost element.
func (r *Reader) end(name string) error {
	f := r.top()
	if f.kind == document || f.name != name {
		return r.scan.errorf("expected %s, found </%s>", r.missing(), name)
	}
	switch f.kind {
	case property:
		if !f.filled {
			o, err := r.literal(f)
			if err != nil {
				return err
			}
			r.state(f, o)
		}
	case literal:
		r.state(f, rdf.NewLiteral(string(f.xml.text), rdf.RDF+"XMLLiteral"))
	case collection:
		if f.cell.IsZero() {
			r.state(f, rdfNil)
		} else {
			r.emit(f.cell, rdfRest, rdfNil)
		}
	}
	r.bindings = r.bindings[:f.bindings]
	r.frames = r.frames[:len(r.frames)-1]
	r.ended = len(r.frames) == 1
	return nil
}

// literal returns the literal that a property's text stands for.
func (r *Reader) literal(f *frame) (rdf.Term, error) {
	switch {
	case f.datatype == rdf.RDFLangString:
		return rdf.Term{}, r.scan.errorf("a literal of datatype rdf:langString has an xml:lang instead of rdf:datatype")
	case f.datatype != "":
		return rdf.NewLiteral(string(f.text), f.datatype), nil
	case f.language != "":
		return rdf.NewLang(string(f.text), f.language), nil
	}
	return rdf.NewString(string(f.text)), nil
}
