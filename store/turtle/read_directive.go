package turtle

import "github.com/segraph/segraph/store/rdf"

// directive reads, from its "@" on, a directive in lower case, and its ".".
func (r *Reader) directive() error {
	n := 1
	c, err := r.peek(n)
	for ; err == nil && isLetter(c); c, err = r.peek(n) {
		n++
	}
	if err != nil {
		return err
	}
	word, err := r.take(n)
	if err != nil {
		return err
	}
	switch {
	case r.inGraph:
		return r.insideGraph(word)
	case string(word) == "@prefix":
		err = r.readPrefix()
	case string(word) == "@base":
		err = r.readBase()
	case string(word) == "@version":
		err = r.readVersion()
	default:
		return r.strayWord("@prefix, @base or @version (in lower case) or a subject", word)
	}
	if err != nil {
		return err
	}
	if c, err = r.next(); err != nil {
		return err
	}
	if c != '.' {
		return r.unexpected(`"." after @prefix, @base or @version`)
	}
	r.pos++
	return nil
}

// keyword handles a word at the start of a statement: a keyword of SPARQL, in any case
// and without a final ".".
func (r *Reader) keyword(word []byte) error {
	prefix, base := isKeyword(word, "prefix"), isKeyword(word, "base")
	graph := isKeyword(word, "graph") && r.format == TriG
	version := isKeyword(word, "version")
	switch {
	case (prefix || base || graph || version) && r.inGraph:
		return r.insideGraph(word)
	case prefix:
		return r.readPrefix()
	case base:
		return r.readBase()
	case version:
		return r.readVersion()
	case graph:
		return r.readGraph()
	}
	return r.strayWord(wantSubject, word)
}

func (r *Reader) insideGraph(word []byte) error {
	return r.errorf(r.start-r.pos, `%q can't stand inside a graph; is a "}" missing before it?`, shorten(word))
}

// isKeyword reports whether a word is a keyword, given in lower case. bytes.EqualFold would
// also equate a long s with s.
func isKeyword(word []byte, lower string) bool {
	if len(word) != len(lower) {
		return false
	}
	for i, c := range word {
		if c|0x20 != lower[i] {
			return false
		}
	}
	return true
}

// readPrefix reads a prefix label with its colon, and its namespace.
func (r *Reader) readPrefix() error {
	const want = `a prefix and its colon, as in "ex:"`
	c, err := r.next()
	if err != nil {
		return err
	}
	ok, err := r.startsName(0, nameStart)
	if err != nil {
		return err
	}
	if !ok && c != ':' {
		return r.unexpected(want)
	}
	n, _, err := r.name(0, nameChar)
	if err != nil {
		return err
	}
	if c, err = r.peek(n); err != nil {
		return err
	} else if c != ':' {
		return r.unexpected(want)
	}
	b, err := r.take(n + 1)
	if err != nil {
		return err
	}
	label := string(b[:n])
	namespace, err := r.readIRI()
	if err != nil {
		return err
	}
	r.prefixes.declare(label, namespace)
	return nil
}

func (r *Reader) readBase() error {
	iri, err := r.readIRI()
	if err != nil {
		return err
	}
	r.base, err = rdf.ParseBaseIRI(iri)
	return err
}

// readIRI reads the IRI of a directive, which can't be a prefixed name.
func (r *Reader) readIRI() (string, error) {
	if c, err := r.next(); err != nil {
		return "", err
	} else if c != '<' {
		return "", r.unexpected("an IRI in angle brackets")
	}
	return r.iri()
}

// readGraph reads the name of a graph after GRAPH, and "{".
func (r *Reader) readGraph() error {
	const want = `the name of a graph (an IRI, a prefixed name, "_:" or "[]")`
	c, err := r.next()
	if err != nil {
		return err
	}
	var name rdf.Term
	switch {
	case c == '_':
		name, err = r.blank()
	case c == '[':
		name, err = r.anonymous(`"]": a graph's name may have no properties here`)
	case c == '<' || startsWord(c):
		iri, bare, nameErr := r.named(c, want)
		if bare != nil {
			return r.strayWord(want, bare)
		}
		name, err = rdf.NewIRI(iri), nameErr
	default:
		return r.unexpected(want)
	}
	if err != nil {
		return err
	}
	if c, err = r.next(); err != nil {
		return err
	}
	if c != '{' {
		return r.unexpected(`"{" after the name of a graph`)
	}
	r.pos++
	r.openGraph(name)
	return nil
}

// anonymous reads "[]". The error is about want.
func (r *Reader) anonymous(want string) (rdf.Term, error) {
	r.pos++
	if c, err := r.next(); err != nil {
		return rdf.Term{}, err
	} else if c != ']' {
		return rdf.Term{}, r.unexpected(want)
	}
	r.pos++
	return r.terms.blanks.Fresh(), nil
}

func (r *Reader) openGraph(name rdf.Term) {
	r.graph, r.inGraph, r.state = name, true, atStatement
}

func (r *Reader) closeGraph() {
	r.graph, r.inGraph, r.state = rdf.Term{}, false, atStatement
}
