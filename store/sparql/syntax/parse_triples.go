package syntax

import "github.com/segraph/segraph/store/rdf"

// block collects consecutive triples.
type block struct {
	triples []TriplePattern
	paths   bool // predicates may be paths: in patterns, but not in templates
	// reified holds the triples that connect reifiers with the triple terms of
	// reified triples. It keeps them until the triple that contains the reified
	// triples is added.
	reified []TriplePattern
}

func (b *block) add(subject, predicate Node, path Path, object Node) {
	b.triples = append(b.triples, TriplePattern{subject, predicate, path, object})
	b.flush()
}

// flush adds the triples of reified.
func (b *block) flush() {
	b.triples = append(b.triples, b.reified...)
	b.reified = b.reified[:0]
}

// template parses ConstructTemplate after its "{", which is at open.
func (p *parser) template(open Pos) []TriplePattern {
	var b block
	if p.atTriples() {
		p.triples(&b)
	}
	p.close("}", open, `only triples, and "." between them,`)
	return b.triples
}

// atTriples reports whether the token begins TriplesSameSubject.
func (p *parser) atTriples() bool {
	return p.tok.kind == tokenVar || p.tok.kind == tokenBlank || p.atIRI() || p.atLiteral() || p.at("(") || p.at("[") || p.at("<<") || p.at("<<(")
}

// triples parses TriplesSameSubject ( "." TriplesSameSubject )* "."?.
func (p *parser) triples(b *block) {
	for {
		p.sameSubject(b)
		if !p.accept(".") || !p.atTriples() {
			return
		}
	}
}

// sameSubject parses TriplesSameSubject or TriplesSameSubjectPath. Only a list, [ … ]
// or << … >> may stand without a predicate, because it stands for triples itself.
func (p *parser) sameSubject(b *block) {
	complete := p.at("<<")
	subject, open := p.node(b, "a subject: a variable, an IRI, a literal or a blank node")
	b.flush()
	complete = p.nodeTriples(b, subject, open) || complete
	if !complete || p.atVerb(b) {
		p.propertyList(b, subject)
	}
}

// node parses GraphNode. Of a list or [ … ] it parses only the opening bracket, which
// it returns as open, and returns the blank node that stands for it. The caller then
// adds the triple that contains n, and calls nodeTriples to parse the rest, so that
// triples are in text order.
func (p *parser) node(b *block, want string) (n Node, open string) {
	if n := p.simpleNode(); n != nil {
		return n, ""
	}
	at := p.tok.Pos
	switch {
	case p.accept("("):
		if p.accept(")") {
			return &Term{at, rdf.NewIRI(rdf.RDFNil)}, ""
		}
		return p.newBlank(at), "("
	case p.accept("["):
		if p.accept("]") {
			return p.newBlank(at), ""
		}
		return p.newBlank(at), "["
	case p.at("<<"):
		return p.reifiedTriple(b), ""
	}
	p.unexpected(want)
	return &Var{Pos: at}, ""
}

// simpleNode parses a node that stands for no triples, or returns nil.
func (p *parser) simpleNode() Node {
	switch {
	case p.tok.kind == tokenVar:
		return p.variable("")
	case p.atIRI():
		return p.iri("")
	case p.atLiteral():
		return p.literal()
	case p.tok.kind == tokenBlank:
		return p.blankLabel()
	case p.at("<<("):
		return p.tripleTerm()
	}
	return nil
}

// nodeTriples parses the content of the brackets of n if open is not "". It reports
// whether it did.
func (p *parser) nodeTriples(b *block, n Node, open string) bool {
	if open == "" || !p.enter() {
		return false
	}
	defer p.leave()
	if open == "(" {
		p.collection(b, n)
	} else {
		p.propertyList(b, n)
		p.close("]", n.Position(), `";" or ","`)
	}
	return true
}

// cellSize is the approximate size in bytes of a list cell, without its token: two
// triples and a variable.
const cellSize = 640

// collection parses Collection after its "(". head is its first cell. The links between
// cells have the position of the list, because they are not in the text.
func (p *parser) collection(b *block, head Node) {
	at := head.Position()
	first, rest, end := &Term{at, rdf.NewIRI(rdf.RDFFirst)}, &Term{at, rdf.NewIRI(rdf.RDFRest)}, &Term{at, rdf.NewIRI(rdf.RDFNil)}
	for cell := head; p.err == nil; {
		p.grow(cellSize)
		item, open := p.node(b, `something in a list, or ")"`)
		b.add(cell, first, nil, item)
		p.nodeTriples(b, item, open)
		if p.at(")") || p.tok.kind == tokenEnd {
			b.add(cell, rest, nil, end)
			p.close(")", at, "")
			return
		}
		next := p.newBlank(p.tok.Pos)
		b.add(cell, rest, nil, next)
		cell = next
	}
}

// propertyList parses PropertyListNotEmpty or PropertyListPathNotEmpty.
func (p *parser) propertyList(b *block, subject Node) {
	for {
		predicate, path := p.verb(b)
		for {
			object, open := p.node(b, "an object: a variable, an IRI, a literal or a blank node")
			b.add(subject, predicate, path, object)
			p.nodeTriples(b, object, open)
			p.annotations(b, TriplePattern{subject, predicate, path, object})
			if !p.accept(",") {
				break
			}
		}
		if !p.accept(";") {
			return
		}
		for p.accept(";") {
		}
		if !p.atVerb(b) {
			return
		}
	}
}

// atVerb reports whether the token begins a predicate.
func (p *parser) atVerb(b *block) bool {
	return p.tok.kind == tokenVar || p.atIRI() || p.atA() || b.paths && (p.at("^") || p.at("!") || p.at("("))
}

// atA reports whether the token is "a", the only case-sensitive keyword.
func (p *parser) atA() bool { return p.tok.kind == tokenWord && p.tok.text == "a" }

// verb parses a predicate: a variable, an IRI or, if b allows it, a path.
func (p *parser) verb(b *block) (simple Node, path Path) {
	if p.tok.kind == tokenVar || !b.paths || !p.atVerb(b) {
		return p.simpleVerb(), nil
	}
	path = p.path()
	if link, ok := path.(*Link); ok {
		return &Term{link.Pos, rdf.NewIRI(link.IRI)}, nil
	}
	return nil, path
}

// simpleVerb parses a predicate that is a variable, an IRI or a.
func (p *parser) simpleVerb() Node {
	switch at := p.tok.Pos; {
	case p.tok.kind == tokenVar:
		return p.variable("")
	case p.atA():
		p.next()
		return &Term{at, rdf.NewIRI(rdf.RDFType)}
	}
	return p.iri("a predicate: a variable, an IRI or a")
}
