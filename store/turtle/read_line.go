package turtle

import (
	"io"

	"github.com/segraph/segraph/store/rdf"
)

// readLine reads the next statement of N-Triples or N-Quads, which is on a line of its
// own (RDF 1.1 N-Triples section 7, RDF 1.1 N-Quads section 4).
func (r *Reader) readLine() error {
	c, err := r.next()
	if err != nil {
		return err
	}
	if c == 0 && r.ended() {
		return io.EOF
	}
	if c|0x20 == 'v' {
		return r.lineVersion()
	}
	s, err := r.lineNode(c, `a subject (an IRI in angle brackets or "_:")`)
	if err != nil {
		return err
	}
	if c, err = r.nextOnLine(); err != nil {
		return err
	}
	const wantPredicate = "a predicate (an IRI in angle brackets)"
	if c != '<' {
		return r.unexpected(wantPredicate)
	}
	p, err := r.lineNode(c, wantPredicate)
	if err != nil {
		return err
	}
	if c, err = r.nextOnLine(); err != nil {
		return err
	}
	o, err := r.lineObject(c)
	if err != nil {
		return err
	}
	if c, err = r.nextOnLine(); err != nil {
		return err
	}
	want := `"." after the object`
	var g rdf.Term
	if r.format == NQuads {
		want = `"." or the name of a graph after the object`
		if c == '<' || c == '_' {
			if g, err = r.lineNode(c, want); err != nil {
				return err
			}
			want = `"." after the name of the graph`
			if c, err = r.nextOnLine(); err != nil {
				return err
			}
		}
	}
	if c != '.' {
		return r.unexpected(want)
	}
	r.pos++
	if err = r.endLine(`"."`); err != nil {
		return err
	}
	r.out = append(r.out, rdf.Quad{S: s, P: p, O: o, G: g})
	return nil
}

// lineVersion reads a line with the version that the text announces.
func (r *Reader) lineVersion() error {
	n, _, err := r.name(0, nameChar)
	if err != nil {
		return err
	}
	word, err := r.take(n)
	if err != nil {
		return err
	}
	if string(word) != "VERSION" {
		return r.strayWord(`a subject (an IRI in angle brackets or "_:")`, word)
	}
	if err := r.readVersion(); err != nil {
		return err
	}
	return r.endLine("a version")
}

// lineObject reads the object that begins with c.
func (r *Reader) lineObject(c byte) (rdf.Term, error) {
	switch {
	case c == '"':
		return r.literal()
	case c == '<' && (r.pos+1 == r.end || r.buf[r.pos+1] == '<'):
		if opens, err := r.opensTriple(); err != nil {
			return rdf.Term{}, err
		} else if opens {
			return r.angles(asObject, 0)
		}
	}
	return r.lineNode(c, `an object (an IRI in angle brackets, "_:", a literal in double quotes or "<<(")`)
}

// lineNode reads the IRI or blank node that begins with c. want lists what may stand there, for
// the error message.
func (r *Reader) lineNode(c byte, want string) (rdf.Term, error) {
	switch c {
	case '<':
		iri, err := r.iri()
		return rdf.NewIRI(iri), err
	case '_':
		return r.blank()
	}
	return rdf.Term{}, r.unexpected(want)
}

// endLine reads the rest of a line after a statement: an optional comment.
func (r *Reader) endLine(after string) error {
	c, err := r.nextOnLine()
	if err != nil {
		return err
	}
	switch {
	case c == '\n' || c == '\r' || c == '#' || c == 0 && r.ended():
		return nil
	}
	return r.unexpected("the end of the line after " + after)
}
