package turtle

import "github.com/segraph/segraph/store/rdf"

// Expectations in error messages.
const (
	wantTripleSubject  = `the subject of a triple term (an IRI, a prefixed name or "_:")`
	wantReifiedSubject = `the subject of a reified triple (an IRI, a prefixed name, "_:" or "<<")`
	wantTripleObject   = `the object of a triple term (an IRI, a prefixed name, a literal, "_:" or "<<(")`
	wantReifiedObject  = `the object of a reified triple (an IRI, a prefixed name, a literal, "_:", "<<" or "<<(")`
)

// opensTriple reports whether "<<" is at pos, where a "<" is.
func (r *Reader) opensTriple() (bool, error) {
	c, err := r.peek(1)
	return c == '<', err
}

// needFull returns an error for a triple term, or what makes one, if the options allow
// none.
func (r *Reader) needFull(what string) error {
	if !r.version.Admits(rdf.RDF12) {
		return r.errorf(0, "%s of RDF 1.2, which is not accepted here", what)
	}
	return nil
}

// angles reads a triple term, "<<( … )>>", or a reified triple, "<< … >>". For a reified
// triple it returns the reifier. depth is the number of triples that enclose it.
func (r *Reader) angles(as role, depth int) (rdf.Term, error) {
	if err := r.needFull(`"<<" begins a triple term or a reified triple`); err != nil {
		return rdf.Term{}, err
	}
	if depth == rdf.MaxTripleDepth {
		return rdf.Term{}, r.errorf(0, `"<<" is nested deeper than %d`, rdf.MaxTripleDepth)
	}
	c, err := r.peek(2)
	switch {
	case err != nil:
		return rdf.Term{}, err
	case c == '(' && as == asSubject:
		return rdf.Term{}, r.errorf(0, `a triple term, "<<( … )>>", can only be an object; write a subject as "<< … >>"`)
	case c == '(':
		r.pos += 3
		return r.tripleTerm(depth)
	case r.byLine(): // N-Triples and N-Quads have no other terms
		return rdf.Term{}, r.errorf(0, `expected "<<(": this format has no reified triples, only triple terms`)
	}
	r.pos += 2
	return r.reifiedTriple(depth)
}

// tripleTerm reads a triple term after "<<(".
func (r *Reader) tripleTerm(depth int) (rdf.Term, error) {
	t, err := r.spo(wantTripleSubject, wantTripleObject, depth)
	if err != nil {
		return rdf.Term{}, err
	}
	if err := r.closing(')', "a triple term"); err != nil {
		return rdf.Term{}, err
	}
	return rdf.NewTripleTerm(t), nil
}

// reifiedTriple reads a reified triple after "<<" and returns its reifier.
func (r *Reader) reifiedTriple(depth int) (rdf.Term, error) {
	t, err := r.spo(wantReifiedSubject, wantReifiedObject, depth)
	if err != nil {
		return rdf.Term{}, err
	}
	c, err := r.next()
	if err != nil {
		return rdf.Term{}, err
	}
	var reifier rdf.Term
	if c == '~' {
		r.pos++
		if reifier, err = r.reifier(); err != nil {
			return rdf.Term{}, err
		}
	} else {
		reifier = r.terms.blanks.Fresh()
	}
	if err := r.closing('>', "a reified triple"); err != nil {
		return rdf.Term{}, err
	}
	r.reify(reifier, t)
	return reifier, nil
}

// reify states that a term reifies a triple.
func (r *Reader) reify(reifier rdf.Term, t rdf.Triple) {
	if r.reified.IsZero() || r.stated != t {
		r.reified, r.stated = rdf.NewTripleTerm(t), t
	}
	r.emit(reifier, rdf.NewIRI(rdf.RDFReifies), r.reified)
}

// closing reads ">>", or ")>>" if first is ")".
func (r *Reader) closing(first byte, of string) error {
	c, err := r.following()
	if err != nil {
		return err
	}
	end := ">>"
	if first == ')' {
		end = ")>>"
	}
	if c != first {
		return r.errorf(0, "expected %q at the end of %s, found %s", end, of, r.found())
	}
	for n := 1; n < len(end); n++ {
		if c, err = r.peek(n); err != nil {
			return err
		} else if c != '>' {
			return r.errorf(0, "expected %q at the end of %s", end, of)
		}
	}
	r.pos += len(end)
	return nil
}

// spo reads the subject, predicate and object inside angle brackets.
func (r *Reader) spo(wantSubject, wantObject string, depth int) (t rdf.Triple, err error) {
	if t.S, err = r.part(asSubject, wantSubject, depth); err != nil {
		return t, err
	}
	c, err := r.following()
	if err != nil {
		return t, err
	}
	if c != '<' && (r.byLine() || !startsWord(c)) {
		return t, r.unexpected(wantPredicate)
	}
	iri, err := r.predicateIRI(c)
	if err != nil {
		return t, err
	}
	t.P = rdf.NewIRI(iri)
	t.O, err = r.part(asObject, wantObject, depth)
	return t, err
}

// part reads the subject or object of a triple term or a reified triple. The only blank
// node in brackets there is "[]".
func (r *Reader) part(as role, want string, depth int) (rdf.Term, error) {
	c, err := r.following()
	if err != nil {
		return rdf.Term{}, err
	}
	if c == '<' {
		if opens, err := r.opensTriple(); err != nil {
			return rdf.Term{}, err
		} else if opens {
			return r.inner(as, want, depth)
		}
	}
	switch {
	case c == '_':
		return r.blank()
	case c == '<':
		iri, err := r.iri()
		return rdf.NewIRI(iri), err
	case as == asObject && c == '"':
		return r.literal()
	case r.byLine(): // N-Triples and N-Quads have no other terms
	case c == '[':
		return r.anonymous(`"]": a node inside "<<" has no properties`)
	case startsWord(c):
		return r.wordTerm(as, want)
	case as == asObject && c == '\'':
		return r.literal()
	case as == asObject && startsNumber(c):
		return r.numeric(want)
	}
	return rdf.Term{}, r.unexpected(want)
}

// inner reads "<<" inside angle brackets. A triple term may contain triple terms, but
// no reified triples.
func (r *Reader) inner(as role, want string, depth int) (rdf.Term, error) {
	c, err := r.peek(2)
	if err != nil {
		return rdf.Term{}, err
	}
	if c != '(' && (want == wantTripleSubject || want == wantTripleObject) {
		return rdf.Term{}, r.errorf(0, `a reified triple, "<< … >>", can't be a part of a triple term, "<<( … )>>"`)
	}
	return r.angles(as, depth+1)
}

// wordTerm reads a prefixed name, or as an object also true or false.
func (r *Reader) wordTerm(as role, want string) (rdf.Term, error) {
	iri, bare, err := r.named(r.buf[r.pos], want)
	switch {
	case err != nil:
		return rdf.Term{}, err
	case bare == nil:
		return rdf.NewIRI(iri), nil
	case as == asObject && (string(bare) == "true" || string(bare) == "false"):
		return rdf.NewLiteral(string(bare), rdf.XSDBoolean), nil
	}
	return rdf.Term{}, r.strayWord(want, bare)
}

// reifier reads what follows "~": an IRI or a blank node, or nothing, which is a new
// blank node.
func (r *Reader) reifier() (rdf.Term, error) {
	const want = `a reifier (an IRI, a prefixed name, "_:" or "[]")`
	c, err := r.next()
	switch {
	case err != nil:
		return rdf.Term{}, err
	case c == '_':
		return r.blank()
	case c == '[':
		return r.anonymous(`"]": a reifier's properties stand in "{| … |}"`)
	case c == '<' || startsWord(c):
		iri, bare, err := r.named(c, want)
		if bare != nil {
			return rdf.Term{}, r.strayWord(want, bare)
		}
		return rdf.NewIRI(iri), err
	}
	return r.terms.blanks.Fresh(), nil
}

// afterObject reads what follows an object: an annotation or punctuation.
func (r *Reader) afterObject(c byte) error {
	if c == '~' {
		return r.annotate(c)
	}
	if c == '{' {
		if next, err := r.peek(1); err != nil {
			return err
		} else if next == '|' {
			return r.annotate(c)
		}
	}
	return r.punctuation(c)
}

// annotate reads "~" and a reifier, or "{|", after an object.
func (r *Reader) annotate(c byte) error {
	if err := r.needFull(`"~" and "{|" begin annotations`); err != nil {
		return err
	}
	triple := rdf.Triple{S: r.subject, P: r.predicate, O: r.object}
	if c == '~' {
		r.pos++
		reifier, err := r.reifier()
		if err != nil {
			return err
		}
		r.reify(reifier, triple)
		r.annotated, r.state = reifier, afterReifier
		return nil
	}
	if len(r.stack) == r.maxDepth {
		return r.errorf(0, `"{|" is nested deeper than %d`, r.maxDepth)
	}
	r.pos += 2
	if r.state != afterReifier {
		r.annotated = r.terms.blanks.Fresh()
		r.reify(r.annotated, triple)
	}
	r.stack = append(r.stack, bracket{asAnnotation, r.object, r.subject, r.predicate})
	r.subject, r.state = r.annotated, atPredicate
	return nil
}

// readVersion reads the version that a text announces. The announcement is a hint (RDF 1.2
// Turtle, section 2.1): the text may use all that Options.Version allows. A label that RDF
// 1.2 Concepts, section 2.1, does not define is an error here, because the text may mean
// something else than this reader understands. A label of a later version than
// Options.Version allows is an error too.
func (r *Reader) readVersion() error {
	c, err := r.following()
	if err != nil {
		return err
	}
	if c != '"' && (c != '\'' || r.byLine()) {
		return r.unexpected(`a version in quotes, as in "1.2"`)
	}
	label, err := r.quoted(false)
	if err != nil {
		return err
	}
	switch v, known := rdf.VersionOf(string(label)); {
	case !known:
		return r.errorf(r.start-r.pos, "RDF has no version %q; those known here are %s", shorten(label), rdf.VersionLabels)
	case !r.version.Admits(v):
		return r.errorf(r.start-r.pos, "the text announces RDF %s, and RDF %s was announced for it", v, r.version)
	}
	return nil
}
