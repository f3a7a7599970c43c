package answers

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/turtle"
)

// resultSetNS is the vocabulary of result sets in the W3C's SPARQL 1.0 tests.
const resultSetNS = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"

func readTurtle(text []byte) (*Answer, error) {
	quads, err := turtle.Parse(text, turtle.Turtle, turtle.Options{})
	if err != nil {
		return nil, err
	}
	var triples []rdf.Triple
	for _, q := range quads {
		triples = append(triples, q.Triple())
	}
	return FromGraph(triples)
}

// FromGraph returns the answer that a graph describes: with the vocabulary of the W3C's
// SPARQL 1.0 tests (one rs:ResultSet, its rows sorted by rs:index if they have one), or as
// resources of the class ns:Result, which results.Writer writes in Turtle. Resources of
// that class do not tell the order of variables, nor variables that are never bound.
func FromGraph(triples []rdf.Triple) (*Answer, error) {
	g := graph{bySubject: map[rdf.Term][]rdf.Triple{}}
	for _, t := range triples {
		if g.bySubject[t.S] == nil {
			g.subjects = append(g.subjects, t.S)
		}
		g.bySubject[t.S] = append(g.bySubject[t.S], t)
	}
	for _, s := range g.subjects {
		if g.object(s, rdf.RDFType) == rdf.NewIRI(resultSetNS+"ResultSet") {
			return g.resultSet(s)
		}
	}
	return g.rowResources()
}

// graph holds triples by subject, with the subjects in order of appearance.
type graph struct {
	subjects  []rdf.Term
	bySubject map[rdf.Term][]rdf.Triple
}

func (g *graph) objects(s rdf.Term, predicate string) (objects []rdf.Term) {
	for _, t := range g.bySubject[s] {
		if t.P.Value() == predicate {
			objects = append(objects, t.O)
		}
	}
	return objects
}

// object returns the only object of a predicate, or the zero Term if there is not one.
func (g *graph) object(s rdf.Term, predicate string) rdf.Term {
	if found := g.objects(s, predicate); len(found) == 1 {
		return found[0]
	}
	return rdf.Term{}
}

// resultSet reads the answer s, an rs:ResultSet.
func (g *graph) resultSet(s rdf.Term) (*Answer, error) {
	a := &Answer{}
	if value := g.object(s, resultSetNS+"boolean"); !value.IsZero() {
		a.IsBoolean, a.Boolean = true, value.Value() == "true"
		return a, nil
	}
	for _, name := range g.objects(s, resultSetNS+"resultVariable") {
		a.Vars = append(a.Vars, name.Value())
	}
	solutions := g.objects(s, resultSetNS+"solution")
	index := func(solution rdf.Term) int {
		n, _ := strconv.Atoi(g.object(solution, resultSetNS+"index").Value())
		return n
	}
	slices.SortStableFunc(solutions, func(a, b rdf.Term) int { return cmp.Compare(index(a), index(b)) })
	for _, solution := range solutions {
		values := map[string]rdf.Term{}
		for _, binding := range g.objects(solution, resultSetNS+"binding") {
			values[g.object(binding, resultSetNS+"variable").Value()] = g.object(binding, resultSetNS+"value")
		}
		if err := a.add(values); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// rowResources reads an answer whose rows are resources of the class ns:Result.
func (g *graph) rowResources() (*Answer, error) {
	a := &Answer{}
	var rows []map[string]rdf.Term
	for _, s := range g.subjects {
		if g.object(s, rdf.RDFType) != rdf.NewIRI(results.ResultNamespace+"Result") {
			return nil, fmt.Errorf("%s is neither an rs:ResultSet nor of the class <%sResult>", s, results.ResultNamespace)
		}
		row := map[string]rdf.Term{}
		for _, t := range g.bySubject[s] {
			if t.P.Value() == rdf.RDFType {
				continue
			}
			local, ok := strings.CutPrefix(t.P.Value(), results.ResultNamespace)
			name, err := url.PathUnescape(local)
			if !ok || err != nil || !row[name].IsZero() {
				return nil, fmt.Errorf("%s is not the property of a variable, or has two values in one row", t.P)
			}
			if !slices.Contains(a.Vars, name) {
				a.Vars = append(a.Vars, name)
			}
			row[name] = t.O
		}
		rows = append(rows, row)
	}
	for _, row := range rows {
		if err := a.add(row); err != nil {
			return nil, err
		}
	}
	return a, nil
}
