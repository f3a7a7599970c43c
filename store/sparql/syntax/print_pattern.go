package syntax

import "github.com/segraph/segraph/store/rdf"

// group writes a group, without a line break after it.
func (p *printer) group(g *Group) {
	p.write("{\n")
	p.indent++
	for _, pattern := range g.Patterns {
		p.pattern(pattern)
	}
	for _, filter := range g.Filters {
		p.start()
		p.write("FILTER ")
		p.constraint(filter)
		p.write("\n")
	}
	p.indent--
	p.start()
	p.write("}")
}

// pattern writes a pattern as whole lines.
func (p *printer) pattern(pattern Pattern) {
	switch x := pattern.(type) {
	case *BGP:
		p.triples(x.Triples)
	case *Group:
		p.keyword("", nil, x)
	case *Optional:
		p.keyword("OPTIONAL ", nil, x.Group)
	case *Minus:
		p.keyword("MINUS ", nil, x.Group)
	case *Graph:
		p.keyword("GRAPH ", x.Name, x.Group)
	case *Service:
		if x.Silent {
			p.keyword("SERVICE SILENT ", x.Name, x.Group)
		} else {
			p.keyword("SERVICE ", x.Name, x.Group)
		}
	case *Union:
		p.start()
		for i, g := range x.Groups {
			if i > 0 {
				p.write(" UNION ")
			}
			p.group(g)
		}
		p.write("\n")
	case *Bind:
		p.start()
		p.write("BIND ")
		p.as(x.Expr, x.Var)
		p.write("\n")
	case *InlineData:
		p.inlineData(x)
	case *SubSelect:
		p.query(x.Query)
	}
}

// keyword prints a group with a keyword before it and, for GRAPH and SERVICE, a name.
func (p *printer) keyword(keyword string, name Node, g *Group) {
	p.start()
	p.write(keyword)
	if name != nil {
		p.node(name)
		p.write(" ")
	}
	p.group(g)
	p.write("\n")
}

// triples writes triples, one per line.
func (p *printer) triples(triples []TriplePattern) {
	for _, t := range triples {
		p.start()
		p.node(t.Subject)
		p.write(" ")
		if t.Path != nil {
			p.path(t.Path, pathAlternative)
		} else {
			p.predicate(t.Predicate)
		}
		p.write(" ")
		p.node(t.Object)
		p.write(" .\n")
	}
}

func (p *printer) predicate(n Node) {
	if t, ok := n.(*Term); ok {
		p.link(t.Value())
		return
	}
	p.node(n)
}

func (p *printer) link(iri string) {
	if iri == rdf.RDFType {
		p.write("a")
		return
	}
	p.write(p.iri(iri))
}

// Precedence of paths. Each constant is the least precedence that an operand of the
// named operator needs to be written without brackets.
const (
	pathAlternative = iota // any path
	pathSequence           // of "|"
	pathElement            // of "/"
	pathRepeat             // of "^"
	pathPrimary            // of "*", "+" and "?"
)

// path prints a path, in brackets if it binds less than its place asks for.
func (p *printer) path(path Path, place int) {
	binds := pathPrimary
	switch path.(type) {
	case *AlternativePath:
		binds = pathAlternative
	case *SequencePath:
		binds = pathSequence
	case *InversePath:
		binds = pathElement
	case *RepeatPath:
		binds = pathRepeat
	}
	if binds < place {
		p.write("(")
		defer p.write(")")
	}
	switch x := path.(type) {
	case *Link:
		p.link(x.IRI)
	case *AlternativePath:
		p.paths(x.Paths, "|", pathSequence)
	case *SequencePath:
		p.paths(x.Paths, "/", pathElement)
	case *InversePath:
		p.write("^")
		p.path(x.Path, pathRepeat)
	case *RepeatPath:
		p.path(x.Path, pathPrimary)
		p.write(string(x.Op))
	case *NegatedSet:
		p.negatedSet(x)
	}
}

// paths prints paths with a sign between them. place is where each stands; see path.
func (p *printer) paths(paths []Path, sign string, place int) {
	for i, path := range paths {
		if i > 0 {
			p.write(sign)
		}
		p.path(path, place)
	}
}

// negatedSet prints a negated property set, always in brackets.
func (p *printer) negatedSet(s *NegatedSet) {
	p.write("!(")
	for i, link := range s.Links {
		if i > 0 {
			p.write("|")
		}
		if link.Inverse {
			p.write("^")
		}
		p.link(link.IRI)
	}
	p.write(")")
}

// inlineData writes VALUES as whole lines.
func (p *printer) inlineData(d *InlineData) {
	p.start()
	p.write("VALUES (")
	for i, v := range d.Vars {
		if i > 0 {
			p.write(" ")
		}
		p.node(v)
	}
	p.write(") {\n")
	p.indent++
	for _, row := range d.Rows {
		p.start()
		p.write("(")
		for i, value := range row {
			if i > 0 {
				p.write(" ")
			}
			p.write(p.term(value))
		}
		p.write(")\n")
	}
	p.indent--
	p.line("}")
}
