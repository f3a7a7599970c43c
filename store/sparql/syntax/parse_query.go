package syntax

import (
	"slices"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// updateWords begin the operations of SPARQL 1.1 Update (section 19.8, rules 30 to 41).
var updateWords = []string{"INSERT", "DELETE", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD", "WITH"}

// updateWord returns the token in upper case if it is one of updateWords, or "".
func updateWord(t token) string {
	if word := strings.ToUpper(t.text); t.kind == tokenWord && slices.Contains(updateWords, word) {
		return word
	}
	return ""
}

// queryUnit parses QueryUnit: the whole text.
func (p *parser) queryUnit() *Query {
	p.readPrologue()
	if word := updateWord(p.tok); word != "" {
		p.err = &UpdateError{Line: p.tok.Line, Column: p.tok.Column, Word: word}
		return nil
	}
	q := &Query{Pos: p.tok.Pos, Limit: NoLimit, Prologue: p.prologue}
	switch {
	case p.acceptWord("SELECT"):
		p.selectClause(q)
		p.datasetClauses(q)
		p.whereClause(q)
	case p.acceptWord("CONSTRUCT"):
		q.Form = Construct
		p.construct(q)
	case p.acceptWord("DESCRIBE"):
		q.Form = Describe
		p.describe(q)
	case p.acceptWord("ASK"):
		q.Form = Ask
		p.datasetClauses(q)
		p.whereClause(q)
	default:
		p.unexpected("SELECT, CONSTRUCT, ASK or DESCRIBE")
	}
	p.solutionModifier(q)
	p.valuesClause(q)
	if p.tok.kind != tokenEnd {
		p.unexpected("the end of the query")
	}
	q.Service = p.service
	return q
}

// readPrologue parses Prologue, including VERSION of SPARQL 1.2. An announced version is a
// hint: a query may use all of SPARQL 1.2. A label that section 4.1.5 of SPARQL 1.2 does not
// define is an error here: the query may mean something else than this parser understands.
func (p *parser) readPrologue() {
	for {
		switch {
		case p.acceptWord("BASE"):
			if iri, ok := p.iriReference("an IRI in angle brackets after BASE"); ok {
				// It was resolved, so it is absolute.
				p.base, _ = rdf.ParseBaseIRI(iri)
			}
		case p.acceptWord("PREFIX"):
			p.prefix()
		case p.acceptWord("VERSION"):
			if p.tok.kind != tokenString || p.tok.long {
				p.unexpected(`a version such as "1.2", in one quote on each side`)
			}
			if _, known := rdf.VersionOf(p.tok.value); !known { // SPARQL and RDF have the same labels
				p.failf(p.tok.Pos, "SPARQL has no version %.100q; those known here are %s", p.tok.value, rdf.VersionLabels)
			}
			p.prologue.Versions = append(p.prologue.Versions, p.tok.value)
			p.next()
		default:
			p.prologue.Base = p.base.String()
			p.prologue.Prefixes = p.lastOfEach(p.prologue.Prefixes)
			return
		}
	}
}

// prefix parses PrefixDecl after PREFIX.
func (p *parser) prefix() {
	label := p.tok
	if label.kind != tokenName || label.text != label.prefix+":" {
		p.unexpected("a prefix with its colon")
	}
	p.next()
	namespace, ok := p.iriReference("an IRI in angle brackets for the prefix " + label.text)
	if !ok {
		return
	}
	p.prefixes[label.prefix] = namespace
	p.prologue.Prefixes = append(p.prologue.Prefixes, Prefix{label.prefix, namespace})
}

// lastOfEach returns only the last declaration of each label.
func (p *parser) lastOfEach(prefixes []Prefix) []Prefix {
	if len(prefixes) == len(p.prefixes) { // each label was declared once
		return prefixes
	}
	last := make(map[string]int, len(p.prefixes))
	for i, prefix := range prefixes {
		last[prefix.Label] = i
	}
	var out []Prefix
	for i, prefix := range prefixes {
		if last[prefix.Label] == i {
			out = append(out, prefix)
		}
	}
	return out
}

// datasetClauses parses DatasetClause*.
func (p *parser) datasetClauses(q *Query) {
	for p.acceptWord("FROM") {
		if p.acceptWord("NAMED") {
			q.FromNamed = append(q.FromNamed, p.iri("the IRI of a graph after FROM NAMED"))
		} else {
			q.From = append(q.From, p.iri("NAMED or the IRI of a graph after FROM"))
		}
	}
}

func (p *parser) whereClause(q *Query) {
	want := `WHERE or "{"`
	if p.acceptWord("WHERE") {
		want = `"{" after WHERE`
	}
	q.Where = p.group(want)
}

// selectClause parses SelectClause after SELECT.
func (p *parser) selectClause(q *Query) {
	if q.Distinct = p.acceptWord("DISTINCT"); !q.Distinct {
		q.Reduced = p.acceptWord("REDUCED")
	}
	if q.Star = p.accept("*"); q.Star {
		return
	}
	for {
		switch {
		case p.tok.kind == tokenVar:
			q.Projection = append(q.Projection, SelectItem{Var: p.variable("")})
		case p.at("("):
			open := p.tok.Pos
			p.next()
			item := SelectItem{Expr: p.expression()}
			p.expectWord("AS", "and a variable after an expression in SELECT")
			item.Var = p.variable("a variable after AS")
			p.close(")", open, "")
			q.Projection = append(q.Projection, item)
		case len(q.Projection) == 0:
			want := `what to select: variables, "*" or (expression AS ?variable)`
			if p.tok.kind == tokenWord && isBuiltIn(p.tok.text) {
				want = "(expression AS ?variable), with its brackets"
			}
			p.unexpected(want)
			return
		default:
			return
		}
	}
}

// construct parses ConstructQuery after CONSTRUCT, up to the solution modifier.
func (p *parser) construct(q *Query) {
	if open := p.tok.Pos; p.accept("{") {
		q.Template = p.template(open)
		p.datasetClauses(q)
		p.whereClause(q)
		return
	}
	p.datasetClauses(q)
	p.expectWord("WHERE", `or a template in "{" and "}"`)
	open := p.tok.Pos
	p.expect("{", "after WHERE")
	q.Template = p.template(open)
	q.Where = &Group{Pos: open}
	if len(q.Template) > 0 {
		q.Where.Patterns = []Pattern{&BGP{Pos: q.Template[0].Position(), Triples: q.Template}}
	}
}

// describe parses DescribeQuery after DESCRIBE, up to the solution modifier.
func (p *parser) describe(q *Query) {
	if q.Star = p.accept("*"); !q.Star {
		q.Describe = append(q.Describe, p.varOrIRI(`what to describe: variables, IRIs or "*"`))
		for p.tok.kind == tokenVar || p.atIRI() {
			q.Describe = append(q.Describe, p.varOrIRI(""))
		}
	}
	p.datasetClauses(q)
	if p.atWord("WHERE") || p.at("{") {
		p.whereClause(q)
	}
}
