package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/segraph/segraph/store/rdf"
)

// Limits of JSON.
const (
	maxColumns = 4096     // variables
	maxHeld    = 64 << 20 // bytes of one row, and of any other member of the answer
)

// Reader reads one answer. It must be used by one goroutine. It keeps a window of the
// text and one row in memory, and up to 64 MiB of JSON rows that precede their head.
//
// Terms are read exactly as written. Blank node labels are kept; they are only meaningful
// within one answer.
type Reader struct {
	columns
	in   bounded
	json *json.Decoder
	held int64           // bytes before the rows, if they preceded the head and json reads them again
	raw  json.RawMessage // the last value

	boolean *bool
	row     []rdf.Term
	err     error
}

// bounded reads a text. It stops where room ends.
type bounded struct {
	io.Reader
	room   int
	failed error // of the underlying reader
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.room <= 0 {
		return 0, fmt.Errorf("more than the %d bytes that may come before the head, or be one row", maxHeld)
	}
	n, err := b.Reader.Read(p[:min(len(p), b.room)])
	b.room -= n
	if err != nil && err != io.EOF {
		b.failed = err
	}
	return n, err
}

// NewReader returns a Reader of an answer in JSON. It reads the head, or all of an answer
// to ASK. It skips unknown members. The error is a *SyntaxError for malformed text, or wraps
// that of r.
func NewReader(r io.Reader) (*Reader, error) {
	j := &Reader{in: bounded{Reader: r}}
	j.json = json.NewDecoder(transform.NewReader(&j.in, transform.Chain(unicode.BOMOverride(transform.Nop), encoding.UTF8Validator)))
	if err := j.begin(); err != nil {
		return nil, j.syntax(err)
	}
	j.row = make([]rdf.Term, len(j.vars))
	return j, nil
}

// Vars returns the variables, without "?", in order. It is empty for an answer to ASK.
func (r *Reader) Vars() []string { return r.vars }

// Boolean returns the answer to ASK. isBoolean is false if the answer consists of rows.
func (r *Reader) Boolean() (value, isBoolean bool) {
	return r.boolean != nil && *r.boolean, r.boolean != nil
}

// Next returns the next row: a term for each variable, in the order of Vars, or the zero
// Term if unbound. The slice is valid until the next call. The error is io.EOF at the end
// of a well-formed answer, and at once for an answer to ASK. It is a *SyntaxError if the
// text is malformed or truncated. After an error, Next returns it again.
func (r *Reader) Next() ([]rdf.Term, error) {
	if r.err == nil && r.boolean != nil {
		r.err = io.EOF
	}
	if r.err == nil {
		clear(r.row)
		more, err := r.next(r.row)
		if r.err = r.syntax(err); err == nil && !more {
			r.err = io.EOF
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return r.row, nil
}

// syntax returns an error as one of this package.
func (r *Reader) syntax(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &kind):
		err = fmt.Errorf("a value of another kind than expected: %s", kind.Value)
	case r.in.failed != nil:
		return fmt.Errorf("reading results: %w", r.in.failed)
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		err = errors.New("found the end of the text")
	case err == encoding.ErrInvalidUTF8:
		err = errors.New("the text is not UTF-8")
	}
	return &SyntaxError{Offset: r.held + r.json.InputOffset(), Err: err}
}

// head is the head of an answer.
type head struct{ Vars []string }

// errRows ends members where the rows, or what is around them, begin.
var errRows = errors.New("rows")

// begin reads up to the first row, or to the end of an answer to ASK.
func (r *Reader) begin() error {
	var h *head
	var held json.RawMessage
	var at int64 // of held
	seen := map[string]bool{}
	err := r.members(func(name string) error {
		to, known := map[string]any{"head": &h, "boolean": &r.boolean, "results": &held}[name]
		switch {
		case known && seen[name]:
			return fmt.Errorf("the member %q occurs twice", name)
		case name == "results" && seen["head"] && !seen["boolean"]:
			return errRows
		}
		seen[name] = known
		err := r.value(to)
		if name == "results" {
			at = r.json.InputOffset() - int64(len(r.raw))
		}
		return err
	})
	if err == nil {
		err = r.end()
	}
	switch {
	case err != nil && err != errRows:
		return err
	case h == nil:
		return errors.New(`the answer has no member "head"`)
	case err == nil && held == nil && r.boolean == nil:
		return errors.New(`the answer has neither "results" nor "boolean"`)
	case held != nil && r.boolean != nil:
		return errors.New(`the answer has both "results" and "boolean"`)
	}
	if held != nil {
		r.json, r.held = json.NewDecoder(bytes.NewReader(held)), at
	}
	return r.enter(h)
}

// enter takes the variables of the head, and reads the results up to the first row.
func (r *Reader) enter(h *head) error {
	for _, name := range h.Vars {
		if len(r.vars) == maxColumns {
			return fmt.Errorf("more than %d variables", maxColumns)
		}
		if err := r.add(name); err != nil {
			return err
		}
	}
	if r.boolean != nil {
		r.vars = nil
		return nil
	}
	err := r.members(func(name string) error {
		if name == "bindings" {
			return errRows
		}
		return r.value(nil)
	})
	switch err {
	case nil:
		return errors.New(`the results have no member "bindings"`)
	case errRows:
		return r.delim('[')
	}
	return err
}

// members reads an object. It calls each with the name of each member; each reads the value.
func (r *Reader) members(each func(name string) error) error {
	if err := r.delim('{'); err != nil {
		return err
	}
	for r.json.More() {
		t, err := r.json.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string) // the decoder refuses another name
		if err := each(name); err != nil {
			return err
		}
	}
	return r.delim('}')
}

// delim reads a bracket.
func (r *Reader) delim(want json.Delim) error {
	r.in.room = maxHeld
	t, err := r.json.Token()
	if err == nil && t != want {
		return fmt.Errorf(`expected "%v", found %.40q`, want, fmt.Sprint(t))
	}
	return err
}

// surrogates matches escapes of pairs of surrogates, and of halves, which JSON allows and
// Unicode does not. It also matches backslashes, so that no escape begins in the middle of another.
var surrogates = regexp.MustCompile(`(?i)\\\\|\\ud[89ab]..\\ud[c-f]..|\\ud[89a-f]..`)

// value reads any value. It stores it in the pointer to, unless that is nil.
func (r *Reader) value(to any) error {
	if err := r.json.Decode(&r.raw); err != nil {
		return err
	}
	if bytes.Contains(r.raw, []byte(`\u`)) {
		for _, s := range surrogates.FindAll(r.raw, -1) {
			if len(s) == len(`\ud800`) {
				return fmt.Errorf("%s is half of a surrogate pair", s)
			}
		}
	}
	if to == nil {
		return nil
	}
	return json.Unmarshal(r.raw, to)
}

// next reads the next row. If there is none, more is false, and it has read the rest of the text.
func (r *Reader) next(row []rdf.Term) (more bool, err error) {
	if !r.json.More() {
		err := r.delim(']')
		if err == nil {
			err = r.rest("bindings")
		}
		if err == nil && r.held == 0 {
			err = r.rest("head", "results", "boolean")
		}
		if err == nil {
			err = r.end()
		}
		return false, err
	}
	return true, r.members(func(name string) error {
		place, err := r.cell(name, row)
		if err != nil {
			return err
		}
		var t jsonTerm
		if err := r.value(&t); err != nil {
			return err
		}
		*place, err = t.term(0)
		return err
	})
}

// rest reads the rest of an object, which must not have some names.
func (r *Reader) rest(not ...string) error {
	for r.json.More() {
		t, err := r.json.Token()
		if name, _ := t.(string); err == nil && slices.Contains(not, name) {
			err = fmt.Errorf("the member %q comes twice, or too late", name)
		}
		if err == nil {
			err = r.value(nil)
		}
		if err != nil {
			return err
		}
	}
	return r.delim('}')
}

// end checks that the text ends.
func (r *Reader) end() error {
	t, err := r.json.Token()
	switch err {
	case io.EOF:
		return nil
	case nil:
		return fmt.Errorf("expected the end of the text, found %.40q", fmt.Sprint(t))
	}
	return err
}

// jsonTerm is a term, or the parts of it that JSON has.
type jsonTerm struct {
	Type      *string
	Value     json.RawMessage
	Language  *string `json:"xml:lang"`
	Direction string  `json:"its:dir"`
	Datatype  *string
}

// term returns the term. depth is its nesting in triple terms.
func (t *jsonTerm) term(depth int) (rdf.Term, error) {
	if t.Type == nil || t.Value == nil {
		return rdf.Term{}, errors.New(`a term without the members "type" and "value"`)
	}
	l := literal{direction: t.Direction}
	if t.Language != nil {
		l.language = *t.Language
	}
	if t.Datatype != nil {
		l.datatype = *t.Datatype
	}
	nameless := t.Language != nil && l.language == "" || t.Datatype != nil && l.datatype == ""
	if t.Value[0] == '{' {
		if *t.Type != "triple" || l != (literal{}) || nameless {
			return rdf.Term{}, errors.New("a term whose value is a triple must have the type triple, and no language or datatype")
		}
		return tripleOf(t.Value, depth)
	}
	var value string
	if err := json.Unmarshal(t.Value, &value); err != nil {
		return rdf.Term{}, err
	}
	if nameless {
		return rdf.Term{}, fmt.Errorf("%w: %.80q", ErrNameless, value)
	}
	return newTerm(*t.Type, value, l)
}

// tripleOf reads the value of a triple term.
func tripleOf(text []byte, depth int) (rdf.Term, error) {
	if depth == rdf.MaxTripleDepth {
		return rdf.Term{}, fmt.Errorf("triple terms are nested more than %d deep", rdf.MaxTripleDepth)
	}
	if most := maxHeld / (depth + 1); len(text) > most { // there is a copy for each term around it
		return rdf.Term{}, fmt.Errorf("a triple term in %d others is longer than %d bytes", depth, most)
	}
	var t struct{ Subject, Predicate, Object *jsonTerm }
	if err := json.Unmarshal(text, &t); err != nil {
		return rdf.Term{}, err
	}
	var parts [3]rdf.Term
	for i, part := range []*jsonTerm{t.Subject, t.Predicate, t.Object} {
		if part == nil {
			continue
		}
		var err error
		if parts[i], err = part.term(depth + 1); err != nil {
			return rdf.Term{}, err
		}
	}
	return newTriple(parts)
}

// ErrNameless reports a literal with an empty language tag or datatype in an answer in
// JSON. RDF has no such literal (RDF 1.1 Concepts, section 3.3): the program that wrote
// it had lost the name, so the original literal is unknown.
var ErrNameless = errors.New("a literal whose language tag or datatype is empty")
