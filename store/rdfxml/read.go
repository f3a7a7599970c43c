package rdfxml

import (
	"hash/maphash"
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
	version  rdf.Version
	blanks   turtle.Blanks

	elements []openElement
	bindings bindings
	excess   turtle.Excess       // of IRIs made from bases and namespaces
	ids      map[uint64]struct{} // hashes of the IRIs of rdf:ID: a base makes these far longer than the text
	seed     maphash.Seed
	prefixes []turtle.Prefix // declared on the root element
	ended    bool            // the root element has ended
	inner    *stated         // of the innermost open triple term, or nil

	out    []rdf.Triple // out[given:] are the triples to return next
	given  int
	failed error // the error that Read returns after these
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
	out := &Reader{scan: newScanner(r, o.MaxToken), maxDepth: o.MaxDepth, version: o.Version, blanks: turtle.NewBlanks(o.Scope), ids: map[uint64]struct{}{}, seed: maphash.MakeSeed()}
	root := openElement{kind: document}
	if o.Base != "" {
		root.base, out.failed = rdf.ParseBaseIRI(o.Base)
	}
	out.elements = append(out.elements, root)
	return out
}

// Read returns the next triple. The error is io.EOF at the end of the document, a
// *turtle.SyntaxError for an invalid document, or an error that wraps the underlying
// reader's. After an error, Read returns it again.
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

// role is the role of an open element in the grammar of RDF/XML (section 7.2).
type role uint8

const (
	document   role = iota // the document, which contains the root element
	nodeList               // rdf:RDF
	node                   // a node element, or a property element with parseType="Resource"
	property               // a property element with text or one node element
	collection             // a property element with parseType="Collection"
	literal                // a property element with parseType="Literal"
	tripleTerm             // a property element with parseType="Triple"
	empty                  // a property element that must be empty
)

// openElement is an element whose end was not read yet. Elements in a literal have none.
type openElement struct {
	kind     role
	name     string // qualified name
	bindings int    // number of Reader.bindings outside the element
	scope

	subject   rdf.Term // of a node, or of the triple of a property
	predicate rdf.Term
	id        rdf.Term // of rdf:ID: the statement that reifies the property's triple; or zero
	reifier   rdf.Term // of rdf:annotation, or zero
	items     int      // rdf:li elements so far
	datatype  string
	text      []byte   // of a property
	filled    bool     // the property or triple term has a node element
	cell      rdf.Term // last cell of the collection, or zero
	xml       *fragment
}

func (r *Reader) top() *openElement { return &r.elements[len(r.elements)-1] }

// stated collects the triples in the content of a triple term. There must be exactly
// one.
type stated struct {
	outer  *stated // of the triple term around it, or nil
	triple rdf.Triple
	more   bool // another triple was found
}

// emit adds a triple to the triples to return, or to the triple term being read.
func (r *Reader) emit(s, p, o rdf.Term) {
	t, in := rdf.Triple{S: s, P: p, O: o}, r.inner
	switch {
	case in == nil:
		r.out = append(r.out, t)
	case in.triple == rdf.Triple{}:
		in.triple = t
	case in.triple != t:
		in.more = true
	}
}

// state emits the triple of a property element, and what its rdf:ID and its
// rdf:annotation add: a reified statement and a reifier.
func (r *Reader) state(f *openElement, object rdf.Term) error {
	r.emit(f.subject, f.predicate, object)
	if !f.id.IsZero() {
		r.emit(f.id, rdfType, rdf.NewIRI(rdf.RDF+"Statement"))
		r.emit(f.id, rdf.NewIRI(rdf.RDF+"subject"), f.subject)
		r.emit(f.id, rdf.NewIRI(rdf.RDF+"predicate"), f.predicate)
		r.emit(f.id, rdf.NewIRI(rdf.RDF+"object"), object)
	}
	if f.reifier.IsZero() {
		return nil
	}
	term, err := r.tripleTerm(rdf.Triple{S: f.subject, P: f.predicate, O: object})
	if err == nil {
		r.emit(f.reifier, rdf.NewIRI(rdf.RDFReifies), term)
	}
	return err
}

func (r *Reader) tripleTerm(t rdf.Triple) (rdf.Term, error) {
	if t.O.TripleDepth() >= rdf.MaxTripleDepth {
		return rdf.Term{}, r.scan.errorf("triple terms are nested deeper than %d", rdf.MaxTripleDepth)
	}
	return rdf.NewTripleTerm(t), nil
}

// endTriple ends a property element with a triple term. Without rdf:version, it emits
// nothing, as the W3C test rdf12-xml-tt-01 requires.
func (r *Reader) endTriple(f *openElement) error {
	in := r.inner
	r.inner = in.outer
	if !f.rdf12 {
		return nil
	}
	switch {
	case in.more:
		return r.scan.errorf("a property element with rdf:parseType=\"Triple\" states one triple, found another")
	case in.triple == rdf.Triple{}:
		return r.scan.errorf("a property element with rdf:parseType=\"Triple\" states one triple, found none")
	}
	term, err := r.tripleTerm(in.triple)
	if err != nil {
		return err
	}
	return r.state(f, term)
}

// step reads a token and emits the triples that it completes.
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

// missing describes what the document lacks if it ends here.
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
	if err := r.endContent(f); err != nil {
		return err
	}
	r.bindings.cut(f.bindings)
	r.elements = r.elements[:len(r.elements)-1]
	r.ended = len(r.elements) == 1
	return nil
}

// endContent emits the triples that the end of an element completes.
func (r *Reader) endContent(f *openElement) error {
	switch {
	case f.kind == property && !f.filled:
		o, err := r.literal(f)
		if err != nil {
			return err
		}
		return r.state(f, o)
	case f.kind == literal && len(f.xml.text) > r.scan.maxToken: // after its last text, which may be escaped
		return r.scan.errorf("a literal is longer than %d bytes", r.scan.maxToken)
	case f.kind == literal:
		return r.state(f, rdf.NewLiteral(string(f.xml.text), rdf.RDF+"XMLLiteral"))
	case f.kind == tripleTerm:
		return r.endTriple(f)
	case f.kind == collection && f.cell.IsZero():
		return r.state(f, rdfNil)
	case f.kind == collection:
		r.emit(f.cell, rdfRest, rdfNil)
	}
	return nil
}

// literal returns the literal that is the value of a property with text.
func (r *Reader) literal(f *openElement) (rdf.Term, error) {
	switch f.datatype {
	case "":
		return f.plain(string(f.text)), nil
	case rdf.RDFLangString, rdf.RDFDirLangString:
		return rdf.Term{}, r.scan.errorf("a literal of datatype rdf:langString or rdf:dirLangString takes xml:lang instead of rdf:datatype")
	}
	return rdf.NewLiteral(string(f.text), f.datatype), nil
}
