package syntax

import "github.com/segraph/segraph/store/rdf"

// path parses Path, which is PathAlternative.
func (p *parser) path() Path {
	at := p.tok.Pos
	paths := separated(p, "|", p.pathSequence)
	if len(paths) == 1 {
		return paths[0]
	}
	return &AlternativePath{at, paths}
}

func (p *parser) pathSequence() Path {
	at := p.tok.Pos
	paths := separated(p, "/", p.pathEltOrInverse)
	if len(paths) == 1 {
		return paths[0]
	}
	return &SequencePath{at, paths}
}

func (p *parser) pathEltOrInverse() Path {
	if at := p.tok.Pos; p.accept("^") {
		return &InversePath{at, p.pathElt()}
	}
	return p.pathElt()
}

func (p *parser) pathElt() Path {
	at := p.tok.Pos
	path := p.pathPrimary()
	if p.at("*") || p.at("+") || p.at("?") {
		path = &RepeatPath{at, path, p.tok.text[0]}
		p.next()
	}
	return path
}

// pathPrimary parses PathPrimary: an IRI, a, a negated set or a path in brackets.
func (p *parser) pathPrimary() Path {
	at := p.tok.Pos
	switch {
	case p.accept("!"):
		return p.negatedSet(at)
	case p.at("("):
		if !p.enter() {
			return nil
		}
		defer p.leave()
		p.next()
		path := p.path()
		p.close(")", at, `"/", "|", "*", "+", "?"`)
		return path
	}
	l := p.link(`a path: an IRI, a, "^", "!" or "("`)
	return &l
}

// link parses an IRI or "a".
func (p *parser) link(want string) Link {
	at := p.tok.Pos
	if p.atA() {
		p.next()
		return Link{at, rdf.RDFType}
	}
	return Link{at, p.iri(want).Value()}
}

// negatedSet parses PathNegatedPropertySet after its "!", whose position is at.
func (p *parser) negatedSet(at Pos) *NegatedSet {
	s := &NegatedSet{Pos: at}
	open := p.tok.Pos
	if !p.accept("(") {
		s.Links = append(s.Links, p.negatedLink(`an IRI, a, "^" or "(" after "!"`))
		return s
	}
	if p.accept(")") {
		return s
	}
	s.Links = append(s.Links, p.negatedLink(`an IRI, a, "^" or ")"`))
	for p.accept("|") {
		s.Links = append(s.Links, p.negatedLink(`an IRI, a or "^" after "|"`))
	}
	p.close(")", open, `"|"`)
	return s
}

// negatedLink parses PathOneInPropertySet.
func (p *parser) negatedLink(want string) NegatedLink {
	inverse := p.accept("^")
	return NegatedLink{p.link(want), inverse}
}
