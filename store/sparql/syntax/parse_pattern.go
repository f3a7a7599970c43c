package syntax

// group parses GroupGraphPattern.
func (p *parser) group(want string) *Group {
	g := &Group{Pos: p.tok.Pos}
	if !p.at("{") {
		p.unexpected(want)
		return g
	}
	if !p.enter() {
		return g
	}
	defer p.leave()
	p.next()
	if p.atWord("SELECT") {
		g.Patterns = append(g.Patterns, p.subSelect())
	} else {
		p.groupBody(g)
	}
	want = `a triple pattern, a keyword such as OPTIONAL or FILTER, "{"`
	if n := len(g.Patterns); n > 0 {
		if _, ok := g.Patterns[n-1].(*BGP); ok {
			want = `".", ";" or "," between triples, a keyword such as OPTIONAL or FILTER, "{"`
		}
	}
	p.close("}", g.Pos, want)
	return g
}

func (p *parser) subSelect() *SubSelect {
	q := &Query{Pos: p.tok.Pos, Limit: NoLimit}
	p.next()
	p.selectClause(q)
	p.whereClause(q)
	p.solutionModifier(q)
	p.valuesClause(q)
	return &SubSelect{Pos: q.Pos, Query: q}
}

// groupBody parses GroupGraphPatternSub into g. A filter does not end a basic graph
// pattern (section 5.1), so triples after it belong to the pattern before it.
func (p *parser) groupBody(g *Group) {
	var open *BGP // the pattern to add triples to, or nil
	if p.atTriples() {
		open = p.triplesBlock(g, open)
	}
	for p.err == nil {
		if p.acceptWord("FILTER") {
			g.Filters = append(g.Filters, p.constraint("a condition after FILTER: (expression) or a function"))
		} else if pattern := p.patternNotTriples(); pattern != nil {
			g.Patterns = append(g.Patterns, pattern)
			open = nil
		} else {
			return
		}
		p.accept(".")
		if p.atTriples() {
			open = p.triplesBlock(g, open)
		}
	}
}

// triplesBlock parses TriplesBlock into open, or into a new basic graph pattern of g.
func (p *parser) triplesBlock(g *Group, open *BGP) *BGP {
	if open == nil {
		open = &BGP{Pos: p.tok.Pos}
		g.Patterns = append(g.Patterns, open)
	}
	b := block{triples: open.Triples, paths: true}
	p.triples(&b)
	open.Triples = b.triples
	return open
}

// patternNotTriples parses GraphPatternNotTriples except Filter. It returns nil for
// anything else.
func (p *parser) patternNotTriples() Pattern {
	at := p.tok.Pos
	switch {
	case p.at("{"):
		return p.groupOrUnion()
	case p.acceptWord("OPTIONAL"):
		return &Optional{at, p.group(`"{" after OPTIONAL`)}
	case p.acceptWord("MINUS"):
		return &Minus{at, p.group(`"{" after MINUS`)}
	case p.acceptWord("GRAPH"):
		name := p.varOrIRI("a variable or an IRI after GRAPH")
		return &Graph{at, name, p.group(`"{" after the name of the graph`)}
	case p.acceptWord("SERVICE"):
		s := &Service{Pos: at, Silent: p.acceptWord("SILENT")}
		if p.service == nil {
			p.service = s
		}
		s.Name = p.varOrIRI("a variable or an IRI after SERVICE")
		s.Group = p.group(`"{" after the name of the service`)
		return s
	case p.acceptWord("BIND"):
		return p.bind(at)
	case p.acceptWord("VALUES"):
		return p.dataBlock(at)
	}
	return nil
}

// groupOrUnion parses GroupOrUnionGraphPattern.
func (p *parser) groupOrUnion() Pattern {
	first := p.group("")
	if !p.atWord("UNION") {
		return first
	}
	u := &Union{Pos: first.Pos, Groups: []*Group{first}}
	for p.acceptWord("UNION") {
		u.Groups = append(u.Groups, p.group(`"{" after UNION`))
	}
	return u
}

// bind parses Bind after BIND.
func (p *parser) bind(at Pos) *Bind {
	open := p.tok.Pos
	p.expect("(", "after BIND")
	b := &Bind{Pos: at, Expr: p.expression()}
	p.expectWord("AS", "and a variable after the expression of BIND")
	b.Var = p.variable("a variable after AS")
	p.close(")", open, "")
	return b
}
