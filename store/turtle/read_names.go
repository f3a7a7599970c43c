package turtle

import (
	"bytes"
	"fmt"

	"github.com/segraph/segraph/store/rdf"
)

// prefixes holds the declared prefixes of a text.
type prefixes struct {
	declared []Prefix
	index    map[string]int // index in declared, by label
	// recent finds the few prefixes of most names without a map lookup. Its index depends
	// on the label's length and first letter. n means declared[n-1]; 0 means none.
	recent [64]int
}

// declare sets the namespace of a label, and replaces an earlier one.
func (p *prefixes) declare(label, namespace string) {
	if i, ok := p.index[label]; ok {
		p.declared[i].Namespace = namespace
		return
	}
	if p.index == nil {
		p.index = make(map[string]int)
	}
	p.index[label] = len(p.declared)
	p.declared = append(p.declared, Prefix{label, namespace})
}

// namespace returns the namespace of a label. ok is false if the label is not declared.
func (p *prefixes) namespace(label []byte) (namespace string, ok bool) {
	place := &p.recent[0]
	if len(label) > 0 {
		place = &p.recent[(int(label[0])*7+len(label))%len(p.recent)] // a cheap hash
	}
	if n := *place; n > 0 && p.declared[n-1].Label == string(label) {
		return p.declared[n-1].Namespace, true
	}
	i, ok := p.index[string(label)]
	if !ok {
		return "", false
	}
	*place = i + 1
	return p.declared[i].Namespace, true
}

// iri reads an IRIREF and returns the IRI, resolved.
func (r *Reader) iri() (string, error) {
	b, err := r.iriRef()
	if err != nil {
		return "", err
	}
	if !rdf.HasScheme(b) {
		if r.byLine() {
			return "", r.errorf(r.start-r.pos, "<%s> is a relative IRI; this format has absolute ones only, such as <http://example.org/a>", shorten(b))
		}
		good, err := r.checkReference(b)
		if err != nil {
			return "", err
		}
		if r.terms.buf, err = r.base.Append(r.terms.buf[:0], b); err != nil {
			return "", r.errorf(r.start-r.pos, "<%s> is %v", shorten(b), err)
		}
		if n := len(r.terms.buf); !r.composed(n) {
			return "", r.notComposed(n)
		}
		b = r.terms.buf
		if !good { // already reported
			return r.terms.text(b), nil
		}
	}
	return r.makeIRI(b)
}

// word reads a PNAME_LN or PNAME_NS and returns its IRI. If the word has no colon, such
// as "a" and "true", it returns it as bare.
func (r *Reader) word() (iri string, bare []byte, err error) {
	n, _, err := r.name(0, nameChar)
	if err != nil {
		return "", nil, err
	}
	if c, err := r.peek(n); err != nil {
		return "", nil, err
	} else if c != ':' {
		// "true.foo" without a colon is "true", the end of a statement, and "foo".
		if dot := bytes.IndexByte(r.buf[r.pos:r.pos+n], '.'); dot > 0 {
			n = dot
		}
		bare, err = r.take(n)
		return "", bare, err
	}
	label := r.buf[r.pos : r.pos+n]
	namespace, ok := r.prefixes.namespace(label)
	if !ok {
		undeclared := string(label) + ":"
		label = shorten(label)
		line, column := r.window.place(0)
		return "", nil, &SyntaxError{line, column, fmt.Sprintf("undeclared prefix '%s:'; declare it before its first use: @prefix %s: <...> .", label, label), undeclared}
	}
	local, err := r.local(n + 1)
	if err != nil {
		return "", nil, err
	}
	if n := len(namespace) + len(local); !r.composed(n) {
		return "", nil, r.notComposed(n)
	}
	r.terms.buf = append(append(r.terms.buf[:0], namespace...), local...)
	iri, err = r.makeIRI(r.terms.buf)
	return iri, nil, err
}

// local reads the token whose PN_LOCAL, which may be empty, begins at n. It returns the
// PN_LOCAL without the "\" of escapes.
func (r *Reader) local(n int) ([]byte, error) {
	start := n
	ok, err := r.startsName(n, localStart)
	if err != nil {
		return nil, err
	}
	if c, _ := r.peek(n); c == '%' || c == '\\' { // startsName has peeked without an error
		ok = true
	}
	escaped := false
	if ok {
		if n, escaped, err = r.name(n, localChar); err != nil {
			return nil, err
		}
	}
	b, err := r.take(n)
	if err != nil {
		return nil, err
	}
	if !escaped {
		return b[start:], nil
	}
	r.scratch = r.scratch[:0]
	for _, c := range b[start:] {
		if c != '\\' {
			r.scratch = append(r.scratch, c)
		}
	}
	return r.scratch, nil
}

// maxComposed limits the bytes of an IRI made from a prefix or a base. Otherwise a few
// bytes of text could repeatedly produce megabytes.
const maxComposed = 64 << 10

// composed reports whether an IRI of n bytes may be made from a prefix or a base: it is
// not too long, and not one too many. It counts IRIs that no triple has, too.
func (r *Reader) composed(n int) bool {
	return n <= maxComposed && r.excess.Add(ExcessOf(1, n), r.read)
}

// notComposed returns the error for an IRI of n bytes that composed refused.
func (r *Reader) notComposed(n int) error {
	if n > maxComposed {
		return r.errorf(r.start-r.pos, "with its prefix or base this IRI is longer than %d bytes; shorten it", maxComposed)
	}
	return r.errorf(r.start-r.pos, TooLong)
}
