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
	// Base is the base IRI, which a Turtle or TriG text may override. Without one, a
	// relative IRI is an error. A Base that is not absolute is an error of the first
	// Read. N-Triples and N-Quads do not use it.
	Base string
	// MaxDepth is how deep [ ] and ( ) may nest; 0 means 1,000.
	MaxDepth int
	// MaxToken is the largest size in bytes of an IRI, a name or a literal in the text; 0
	// means 16 MiB. A Reader holds one of them in memory at a time.
	MaxToken int
	// Scope is put before every blank node label, so that documents that are put together
	// do not share nodes. Two scopes should have the same length, or end in a character
	// that neither has elsewhere. With "" labels are unique within the document only.
	Scope string
	// CheckIRIs enables warnings about IRIs that RFC 3987 does not allow and language
	// tags that BCP 47 does not, though Turtle's grammar does; see Reader.Warnings.
	CheckIRIs bool
	// StrictIRIs makes the first of these a *SyntaxError.
	StrictIRIs bool
	// Directions accepts the base directions of RDF 1.2, as in "…"@ar--rtl. The term is
	// an rdf.NewLang with the whole tag "ar--rtl". The writers, which write RDF 1.1,
	// refuse it.
	Directions bool
}

const (
	defaultDepth = 1000
	defaultToken = 16 << 20
)

// Reader reads the quads of a text, in order, as soon as they are complete. It holds a
// window of the input and the open brackets: its memory grows neither with the input's
// size nor with the number of blank nodes, but only with the declared prefixes.
//
// Literals keep their lexical form, datatype and language tag as written; lexical forms
// are not validated. An IRI is kept unchanged, or resolved if it is relative. A blank
// node label is kept as written, with two exceptions: Options.Scope is put before it; and
// since unlabelled nodes get a0, a1 and so on, a label of that form gets a leading "_",
// as does one that already has such underscores.
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

	state              state
	subject, predicate rdf.Term  // of the current statement; in a collection, its current cell
	graph              rdf.Term  // graph of new quads; the zero Term means the default graph
	inGraph            bool      // between the braces of TriG
	stack              []bracket // open [ and (

	out    []rdf.Quad // quads read and not given out yet are out[given:]
	given  int
	failed error // what Read gives once out is empty
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
		lexer:    lexer{window: window{src: r, maxToken: o.MaxToken}, directions: o.Directions},
		format:   f,
		maxDepth: o.MaxDepth,
		terms:    newTerms(o.Scope),
		warnings: warnings{wanted: o.CheckIRIs || o.StrictIRIs, strict: o.StrictIRIs},
	}
	if o.Base != "" && (f == Turtle || f == TriG) {
		out.base, out.failed = rdf.ParseBaseIRI(o.Base)
	}
	return out
}

// Read returns the next quad. Its graph name is zero in the default graph. At the end the
// error is io.EOF. It is a *SyntaxError for invalid text, and wraps the error of the
// underlying reader if that fails. After an error Read returns it again.
func (r *Reader) Read() (rdf.Quad, error) {
	for r.given == len(r.out) {
		if r.failed != nil {
			return rdf.Quad{}, r.failed
		}
		r.out, r.given = r.out[:0], 0
		if r.byLine() {
			r.failed = r.readLine()
		} else {
			r.failed = r.readTurtle()
		}
	}
	q := r.out[r.given]
	r.given++
	return q, nil
}

// Place returns the line and column, both from 1, the column in characters, of the end of
// the last quad that Read returned: of the last character of its object. If a comment
// follows a literal, it may be that of the comment.
func (r *Reader) Place() (line, column int) {
	n := -min(1, r.pos)
	// Behind a literal the blanks are skipped, too, to see whether a language or a
	// datatype comes.
	for r.pos+n > 0 && strings.IndexByte(" \t\r\n", r.buf[r.pos+n]) >= 0 {
		n--
	}
	return r.window.place(n)
}

// Prefixes returns the prefixes declared so far, in the order of their first declaration,
// each with the namespace of its last.
func (r *Reader) Prefixes() []Prefix { return slices.Clone(r.prefixes.declared) }

// Base returns the base IRI in force, "" for none.
func (r *Reader) Base() string { return r.base.String() }

// Parse parses a whole text.
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

// FormatOf returns the format of a file according to its extension, ignoring case: .ttl,
// .nt, .trig or .nq.
func FormatOf(filename string) (Format, bool) {
	for f, extension := range []string{Turtle: ".ttl", NTriples: ".nt", TriG: ".trig", NQuads: ".nq"} {
		if n := len(filename) - len(extension); n >= 0 && strings.EqualFold(filename[n:], extension) {
			return Format(f), true
		}
	}
	return 0, false
}

func (r *Reader) emit(s, p, o rdf.Term) {
	r.out = append(r.out, rdf.Quad{S: s, P: p, O: o, G: r.graph})
}
