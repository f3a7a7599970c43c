package turtle

import "github.com/segraph/segraph/store/rdf"

// Expectations in error messages.
const (
	wantSubject   = `a subject (an IRI, a prefixed name, "_:", "[" or "(")`
	wantPredicate = `a predicate (an IRI, a prefixed name or "a")`
	wantObject    = `an object (an IRI, a prefixed name, a literal, "_:", "[" or "(")`
	wantItem      = `an item or ")"`
)

// wants says what is expected in each role.
var wants = [...]string{asSubject: wantSubject, asObject: wantObject, asItem: wantItem}

// node reads a subject, an object or an item of a collection. c is its first byte.
func (r *Reader) node(c byte, as role) error {
	want := wants[as]
	var t rdf.Term
	var err error
	if c == '<' && (r.pos+1 == r.end || r.buf[r.pos+1] == '<') { // usually not: this is quick
		if opens, err := r.opensTriple(); err != nil {
			return err
		} else if opens {
			return r.placeTriple(as)
		}
	}
	switch {
	case c == '<' || startsWord(c):
		iri, bare, err := r.named(c, want)
		switch {
		case err != nil:
			return err
		case bare == nil:
			t = rdf.NewIRI(iri)
		case as == asSubject:
			return r.keyword(bare)
		case string(bare) == "true":
			t = rdf.NewLiteral("true", rdf.XSDBoolean)
		case string(bare) == "false":
			t = rdf.NewLiteral("false", rdf.XSDBoolean)
		default:
			return r.strayWord(want, bare)
		}
	case c == '_':
		t, err = r.blank()
	case c == '[' || c == '(':
		return r.open(c, as)
	case as == asSubject:
		return r.unexpected(want)
	case c == '"' || c == '\'':
		t, err = r.literal()
	case startsNumber(c):
		t, err = r.numeric(want)
	default:
		return r.unexpected(want)
	}
	if err != nil {
		return err
	}
	r.place(t, as)
	return nil
}

// placeTriple reads a triple term or a reified triple. A reified triple may stand alone,
// without a predicate and object.
func (r *Reader) placeTriple(as role) error {
	t, err := r.angles(as, 0)
	if err != nil {
		return err
	}
	if r.place(t, as); as == asSubject {
		r.state = afterProperties
	}
	return nil
}

// startsWord reports whether a prefixed name or a keyword may begin with c.
func startsWord(c byte) bool { return isLetter(c) || c == ':' || c >= 0x80 }

// named reads an IRI or a word. It returns what word returns.
func (r *Reader) named(c byte, want string) (iri string, bare []byte, err error) {
	if c == '<' {
		iri, err = r.iri()
		return iri, nil, err
	}
	if ok, err := r.startsName(0, nameStart); err != nil {
		return "", nil, err
	} else if !ok && c != ':' {
		return "", nil, r.unexpected(want)
	}
	return r.word()
}

func (r *Reader) blank() (rdf.Term, error) {
	label, err := r.label()
	if err != nil {
		return rdf.Term{}, err
	}
	return r.terms.blank(label), nil
}

// numeric reads a number. want lists what may stand here, for the error message.
func (r *Reader) numeric(want string) (rdf.Term, error) {
	if r.buf[r.pos] == '.' {
		// This is more likely a misplaced "." than a number.
		if c, err := r.peek(1); err != nil {
			return rdf.Term{}, err
		} else if !isDigit(c) {
			return rdf.Term{}, r.unexpected(want)
		}
	}
	lexical, datatype, err := r.number()
	if err != nil {
		return rdf.Term{}, err
	}
	return rdf.NewLiteral(r.terms.lexical(lexical), datatype), nil
}

// literal reads a string with its language tag or datatype, if any.
func (r *Reader) literal() (rdf.Term, error) {
	b, err := r.quoted(!r.byLine())
	if err != nil {
		return rdf.Term{}, err
	}
	lexical := r.terms.lexical(b)
	c, err := r.following()
	switch {
	case err != nil:
		return rdf.Term{}, err
	case c == '@':
		language, err := r.language()
		if err != nil {
			return rdf.Term{}, err
		}
		term, fresh := r.terms.tagged(language)
		if fresh {
			err = r.checkLanguage(term.Tag())
		}
		return term.WithLexical(lexical), err
	case c == '^':
		datatype, err := r.datatype()
		if err != nil {
			return rdf.Term{}, err
		}
		if datatype == rdf.RDFLangString || datatype == rdf.RDFDirLangString {
			return rdf.Term{}, r.errorf(r.start-r.pos, `<%s> is the datatype of strings with a language tag, as in "chat"@fr`, datatype)
		}
		return rdf.NewLiteral(lexical, datatype), nil
	}
	return rdf.NewString(lexical), nil
}

// datatype reads "^^" and the IRI after it.
func (r *Reader) datatype() (string, error) {
	const want = `a datatype, as in "1"^^xsd:integer`
	if c, err := r.peek(1); err != nil {
		return "", err
	} else if c != '^' {
		return "", r.errorf(0, `a single "^": expected "^^" before a datatype`)
	}
	r.pos += 2
	c, err := r.following()
	switch {
	case err != nil:
		return "", err
	case c != '<' && (r.byLine() || !startsWord(c)):
		return "", r.unexpected(want)
	}
	iri, bare, err := r.named(c, want)
	if bare != nil {
		return "", r.strayWord(want, bare)
	}
	return iri, err
}

// following skips white space, which ends at the end of the line in formats with a
// statement on each, and returns the next byte.
func (r *Reader) following() (byte, error) {
	if r.byLine() {
		return r.nextOnLine()
	}
	return r.next()
}

// byLine reports whether the format has one statement per line.
func (r *Reader) byLine() bool { return r.format == NTriples || r.format == NQuads }
