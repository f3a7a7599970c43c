package syntax

import "github.com/segraph/segraph/store/rdf"

// This file parses what SPARQL 1.2 adds about triple terms (section 19.8).

// tripleTerm parses TripleTerm. It is a *Term if it has no variables and is valid.
func (p *parser) tripleTerm() Node {
	t := &TripleTerm{Pos: p.tok.Pos}
	if !p.enter() {
		return t
	}
	defer p.leave()
	p.parts(t, nil)
	p.close(")>>", t.Pos, "")
	return p.constant(t)
}

// parts parses the subject, predicate and object of a triple term or, if b is not nil,
// of a reified triple.
func (p *parser) parts(t *TripleTerm, b *block) {
	p.next()
	t.Subject = p.subjectOrObject(b)
	t.Predicate = p.simpleVerb()
	t.Object = p.subjectOrObject(b)
}

// constant returns t as a *Term if it has no variables and RDF allows the triple.
// Otherwise it returns t.
func (p *parser) constant(t *TripleTerm) Node {
	s, isTerm := t.Subject.(*Term)
	if !isTerm || !s.IsIRI() {
		return t
	}
	predicate, isTerm := t.Predicate.(*Term)
	if !isTerm {
		return t
	}
	o, isTerm := t.Object.(*Term)
	if !isTerm {
		return t
	}
	return &Term{t.Pos, p.makeTriple(t.Pos, rdf.Triple{S: s.Term, P: predicate.Term, O: o.Term})}
}

// makeTriple returns the triple term that states t.
func (p *parser) makeTriple(at Pos, t rdf.Triple) rdf.Term {
	if t.O.TripleDepth() >= rdf.MaxTripleDepth {
		p.failf(at, "triple terms are nested deeper than %d", rdf.MaxTripleDepth)
		return rdf.Term{}
	}
	term := rdf.NewTripleTerm(t)
	p.grow(len(term.Value()))
	return term
}

// reifiedTriple parses ReifiedTriple and returns its reifier.
func (p *parser) reifiedTriple(b *block) Node {
	t := &TripleTerm{Pos: p.tok.Pos}
	if !p.enter() {
		return t
	}
	defer p.leave()
	p.parts(t, b)
	var reifier Node
	if at := p.tok.Pos; p.accept("~") {
		reifier = p.reifier(at)
	} else {
		reifier = p.newBlank(t.Pos)
	}
	p.close(">>", t.Pos, `"~" and a reifier`)
	b.reified = append(b.reified, TriplePattern{reifier, reifies(t.Pos), nil, p.constant(t)})
	return reifier
}

// subjectOrObject parses the subject or the object of a triple term or, if b is not nil, of a
// reified triple. Those of a reified triple may be reified triples.
func (p *parser) subjectOrObject(b *block) Node {
	if n := p.simpleNode(); n != nil {
		return n
	}
	switch at := p.tok.Pos; {
	case p.accept("["):
		p.close("]", at, "")
		return p.newBlank(at)
	case b != nil && p.at("<<"):
		return p.reifiedTriple(b)
	}
	p.unexpected("a variable, an IRI, a literal, a blank node or a triple term")
	return &Var{Pos: p.tok.Pos} // any node: the error has ended the parse
}

// reifier parses Reifier after its "~", which is at at.
func (p *parser) reifier(at Pos) Node {
	switch {
	case p.tok.kind == tokenVar, p.atIRI():
		return p.varOrIRI("")
	case p.tok.kind == tokenBlank:
		return p.blankLabel()
	case p.at("["):
		at = p.tok.Pos
		p.next()
		p.close("]", at, "")
	}
	return p.newBlank(at)
}

// reifies returns the predicate that connects a reifier with a triple term.
func reifies(at Pos) *Term { return &Term{at, rdf.NewIRI(rdf.RDFReifies)} }

// annotations parses Annotation or AnnotationPath: reifiers of t, the triple just
// parsed, and annotation blocks about them. A block without a reifier before it gets a
// new one.
func (p *parser) annotations(b *block, t TriplePattern) {
	var reifier Node
	for p.err == nil {
		at := p.tok.Pos
		switch {
		case !p.at("~") && !p.at("{|"):
			return
		case t.Path != nil:
			p.failf(at, "only a triple can be annotated, not a path")
		case p.accept("~"):
			reifier = p.reifier(at)
			p.reify(b, reifier, t, at)
		case !p.enter(): // which has reported the depth
		default:
			p.next()
			if reifier == nil {
				reifier = p.newBlank(at)
				p.reify(b, reifier, t, at)
			}
			p.propertyList(b, reifier)
			p.close("|}", at, `";" or ","`)
			p.leave()
			reifier = nil
		}
	}
}

// reify adds the triple that says that reifier reifies t. The tree shares the parts of
// t, but a walk visits them again, so the budget counts them again.
func (p *parser) reify(b *block, reifier Node, t TriplePattern, at Pos) {
	term := &TripleTerm{at, t.Subject, t.Predicate, t.Object}
	p.grow(nodes(term) * tokenSize)
	b.add(reifier, reifies(at), nil, p.constant(term))
}

func nodes(n Node) int {
	if t, ok := n.(*TripleTerm); ok {
		return 1 + nodes(t.Subject) + nodes(t.Predicate) + nodes(t.Object)
	}
	return 1
}

// grow charges the budget for memory.
func (p *parser) grow(bytes int) {
	if err := p.budget.Grow(int64(bytes)); err != nil && p.err == nil {
		p.err, p.tok = err, token{Pos: p.tok.Pos}
	}
}

// tripleCall parses ExprTripleTerm as a call of TRIPLE.
func (p *parser) tripleCall() Expr {
	c := &Call{Pos: p.tok.Pos, Op: OpTriple}
	if !p.enter() {
		return nil
	}
	defer p.leave()
	p.next()
	subject := p.varOrIRI("a variable or an IRI as the subject of a triple term")
	predicate := p.simpleVerb()
	var object Expr
	switch {
	case p.atLiteral():
		object = p.literal()
	case p.at("<<("):
		object = p.tripleCall()
	default:
		object = p.varOrIRI("a variable, an IRI, a literal or a triple term as the object of a triple term")
	}
	p.close(")>>", c.Pos, "")
	c.Args = []Expr{subject, predicate, object}
	return c
}

// tripleData parses TripleTermData: a triple term of VALUES, without variables.
func (p *parser) tripleData() rdf.Term {
	open := p.tok.Pos
	if !p.enter() {
		return rdf.Term{}
	}
	defer p.leave()
	p.next()
	t := rdf.Triple{S: p.iri("the IRI of a subject").Term}
	l := p.link("the IRI of a predicate, or a")
	t.P = rdf.NewIRI(l.IRI)
	switch {
	case p.atLiteral():
		t.O = p.literal().Term
	case p.at("<<("):
		t.O = p.tripleData()
	default:
		t.O = p.iri("an IRI, a literal or a triple term as the object").Term
	}
	p.close(")>>", open, "")
	return p.makeTriple(open, t)
}
