package turtle

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// Options configure a Reader. The zero Options suit most texts.
type Options struct {
	// Base is the base IRI, which a Turtle or TriG text may override. Without a base, a
	// relative IRI is an error. If Base is not absolute, the first Read returns an error.
	// N-Triples and N-Quads do not use it.
	Base string
	// MaxDepth limits the nesting of [ ], ( ) and {| |}; 0 means 1,000. The limit for
	// << >> is always 50.
	MaxDepth int
	// MaxToken is the largest size in bytes of an IRI, a name or a literal in the text; 0
	// means 16 MiB. A Reader holds one of them in memory at a time.
	MaxToken int
	// Scope is prepended to every blank node label, so that documents that are combined
	// do not share nodes. Two scopes should have the same length, or end in a character
	// that occurs nowhere else in them. With "", labels are unique only within the
	// document.
	Scope string
	// CheckIRIs enables warnings about IRIs and language tags that Turtle's grammar
	// allows but RFC 3987 or BCP 47 does not; see Reader.Warnings.
	CheckIRIs bool
	// StrictIRIs turns the first such warning into a *SyntaxError.
	StrictIRIs bool
	// Version is the version of RDF that the text may use. RDF11 refuses what RDF 1.2 adds:
	// triple terms, reified triples, annotations and base directions. RDF12Basic refuses
	// all of these but base directions. The error names what was found.
	Version rdf.Version
	// Context returns the text of a context that JSON-LD may name: see jsonld.Options. The
	// other formats do not use it.
	Context func(iri string) ([]byte, error)
}

const (
	defaultDepth = 1000
	defaultToken = 16 << 20
)

// Reader reads the quads of a text, in order, as soon as they are complete. It keeps only
// a window of the input, the open brackets and the declared prefixes in memory. So its
// memory grows neither with the size of the input nor with the number of blank nodes.
//
// Literals keep their lexical form, datatype and language tag as written. Lexical forms
// are not validated. An IRI is kept unchanged, or resolved if it is relative. A blank
// node label is kept as written, with two exceptions. Options.Scope is prepended to it.
// And because nodes without a label get the labels a0, a1 and so on, a label of that form
// gets a leading "_", even if it already begins with underscores.
//
// A Reader must be used by one goroutine.
type Reader struct {
	lexer
	format   Format
	maxDepth int

	terms    terms
	prefixes prefixes
	warnings warnings
	base     rdf.BaseIRI
	excess   Excess // of IRIs made from prefixes and bases

	state              state
	subject, predicate rdf.Term // of the current statement; in a collection, subject is the current cell
	graph              rdf.Term // graph of new quads; the zero Term means the default graph
	inGraph            bool     // between the braces of TriG
	object             rdf.Term // the last object, which an annotation is about
	annotated          rdf.Term // the reifier after "~"
	reified            rdf.Term // the triple term of stated; several terms may reify it
	stated             rdf.Triple
	stack              []bracket // open [, ( and {|

	out      []rdf.Quad // out[given:] are the quads to return next
	returned int
	failed   error // Read returns it after these
}

// NewReader returns a Reader of the text in r, in format f and UTF-8.
func NewReader(r io.Reader, f Format, o Options) *Reader {
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultDepth
	}
	if o.MaxToken <= 0 {
		o.MaxToken = defaultToken
	}
	out := &Reader{
		lexer:    lexer{window: window{src: r, maxToken: o.MaxToken}, version: o.Version},
		format:   f,
		maxDepth: o.MaxDepth,
		terms:    newTerms(o.Scope),
		warnings: warnings{wanted: o.CheckIRIs || o.StrictIRIs, strict: o.StrictIRIs},
		failed:   f.known(),
	}
	if o.Base != "" && (f == Turtle || f == TriG) {
		out.base, out.failed = rdf.ParseBaseIRI(o.Base)
	}
	return out
}

// Read returns the next quad. Its graph name is the zero Term in the default graph.
// The error is io.EOF at the end of the text, a *SyntaxError for invalid text, or an
// error that wraps the underlying reader's. After an error, Read returns it again.
func (r *Reader) Read() (rdf.Quad, error) {
	for r.returned == len(r.out) {
		if r.failed != nil {
			return rdf.Quad{}, r.failed
		}
		r.out, r.returned = r.out[:0], 0
		if r.byLine() {
			r.failed = r.readLine()
		} else {
			r.failed = r.readTurtle()
		}
	}
	q := r.out[r.returned]
	r.returned++
	return q, nil
}

// Place returns the position of the last quad that Read returned: the line and column
// of the last character of its object, both from 1, the column in characters. If a
// comment follows a literal, Place may return the end of the comment.
func (r *Reader) Place() (line, column int) {
	n := -min(1, r.pos)
	// After a literal, white space was skipped as well, to look for a language tag or a
	// datatype.
	for r.pos+n > 0 && strings.IndexByte(" \t\r\n", r.buf[r.pos+n]) >= 0 {
		n--
	}
	return r.window.place(n)
}

// Prefixes returns the prefixes declared so far, in order of their first declaration,
// each with the namespace of its last.
func (r *Reader) Prefixes() []Prefix { return slices.Clone(r.prefixes.declared) }

// Base returns the current base IRI, or "".
func (r *Reader) Base() string { return r.base.String() }

// Parse returns the quads of a whole text.
func Parse(text []byte, f Format, o Options) ([]rdf.Quad, error) {
	r := NewReader(bytes.NewReader(text), f, o)
	var quads []rdf.Quad
	for {
		q, err := r.Read()
		if err == io.EOF {
			return quads, nil
		}
		if err != nil {
			return nil, err
		}
		quads = append(quads, q)
	}
}

func (r *Reader) emit(s, p, o rdf.Term) {
	r.out = append(r.out, rdf.Quad{S: s, P: p, O: o, G: r.graph})
}
