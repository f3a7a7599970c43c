package readers

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/sparql/results/internal/scan"
	"github.com/segraph/segraph/store/turtle"
)

// resultSetNS is the vocabulary of result sets in the W3C's SPARQL 1.0 tests.
const resultSetNS = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"

func readTurtle(r io.Reader) (*results.Reader, error) {
	in := turtle.NewReader(r, turtle.Turtle, turtle.Options{})
	var triples []rdf.Triple
	for {
		q, err := in.Read()
		if err == io.EOF {
			return FromGraph(triples)
		}
		if err != nil {
			var syntax *turtle.SyntaxError
			if errors.As(err, &syntax) {
				err = &results.SyntaxError{Line: syntax.Line, Column: syntax.Column, Msg: syntax.Msg}
			}
			return nil, err
		}
		triples = append(triples, q.Triple())
	}
}

// FromGraph returns a Reader of an answer described by a graph. The graph uses either the
// vocabulary of the W3C's SPARQL 1.0 tests (one rs:ResultSet, its rows sorted by rs:index
// if they have one), or resources of the class ns:Result, as results.Writer writes in
// Turtle. The latter does not keep the order of variables, or variables that are never
// bound, so an empty graph is an answer without variables and rows. The graph is held in
// memory. The error is a *results.SyntaxError.
func FromGraph(triples []rdf.Triple) (*results.Reader, error) {
	g := graph{bySubject: map[rdf.Term][]rdf.Triple{}}
	for _, t := range triples {
		if g.bySubject[t.S] == nil {
			g.subjects = append(g.subjects, t.S)
		}
		g.bySubject[t.S] = append(g.bySubject[t.S], t)
	}
	read := g.rowResources
	for _, s := range g.subjects {
		if slices.Contains(g.objects(s, rdf.RDFType), rdf.NewIRI(resultSetNS+"ResultSet")) {
			read = func() (*results.Reader, error) { return g.resultSet(s) }
		}
	}
	r, err := read()
	if err != nil {
		return nil, &results.SyntaxError{Msg: err.Error()}
	}
	return r, nil
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

// object returns the only object of a predicate, or an error if the resource does not
// have exactly one.
func (g *graph) object(s rdf.Term, predicate string) (rdf.Term, error) {
	found := g.objects(s, predicate)
	if len(found) != 1 {
		return rdf.Term{}, fmt.Errorf("%s has %d objects of <%s>, want 1", s, len(found), predicate)
	}
	return found[0], nil
}

// table holds the rows of an answer.
type table [][]rdf.Term

func (t *table) next(row []rdf.Term) error {
	if len(*t) == 0 {
		return io.EOF
	}
	copy(row, (*t)[0])
	*t = (*t)[1:]
	return nil
}

func (g *graph) resultSet(s rdf.Term) (*results.Reader, error) {
	if answers := g.objects(s, resultSetNS+"boolean"); len(answers) > 0 {
		value := answers[0].Value()
		if len(answers) > 1 || answers[0].Datatype() != rdf.XSDBoolean || value != "true" && value != "false" {
			return nil, errors.New("rs:boolean is neither true nor false")
		}
		return results.NewBoolean(value == "true"), nil
	}
	var c scan.Columns
	for _, name := range g.objects(s, resultSetNS+"resultVariable") {
		if err := c.Add([]byte(name.Value())); err != nil {
			return nil, err
		}
	}
	type solution struct {
		row   []rdf.Term
		index int
	}
	var found []solution
	indexed := 0
	for _, node := range g.objects(s, resultSetNS+"solution") {
		row := solution{row: make([]rdf.Term, len(c.Vars))}
		for _, binding := range g.objects(node, resultSetNS+"binding") {
			if err := g.bind(&c, binding, row.row); err != nil {
				return nil, err
			}
		}
		if len(g.objects(node, resultSetNS+"index")) > 0 {
			index, err := g.object(node, resultSetNS+"index")
			if err != nil {
				return nil, err
			}
			if row.index, err = strconv.Atoi(index.Value()); err != nil {
				return nil, fmt.Errorf("rs:index: %w", err)
			}
			indexed++
		}
		found = append(found, row)
	}
	if indexed > 0 && indexed < len(found) {
		return nil, fmt.Errorf("%d of %d rows have an rs:index", indexed, len(found))
	}
	slices.SortStableFunc(found, func(a, b solution) int { return cmp.Compare(a.index, b.index) })
	var rows table
	for _, solution := range found {
		rows = append(rows, solution.row)
	}
	return results.NewRows(c.Vars, rows.next), nil
}

func (g *graph) bind(c *scan.Columns, binding rdf.Term, row []rdf.Term) error {
	name, err := g.object(binding, resultSetNS+"variable")
	if err != nil {
		return err
	}
	cell, err := c.Cell([]byte(name.Value()), row)
	if err != nil {
		return err
	}
	*cell, err = g.object(binding, resultSetNS+"value")
	return err
}

func (g *graph) rowResources() (*results.Reader, error) {
	var c scan.Columns
	var found []map[int]rdf.Term
	for _, s := range g.subjects {
		if !slices.Contains(g.objects(s, rdf.RDFType), rdf.NewIRI(results.ResultNamespace+"Result")) {
			return nil, fmt.Errorf("%s is neither an rs:ResultSet nor of the class <%sResult>", s, results.ResultNamespace)
		}
		row := map[int]rdf.Term{}
		for _, t := range g.bySubject[s] {
			if t.P.Value() == rdf.RDFType {
				continue
			}
			local, ok := strings.CutPrefix(t.P.Value(), results.ResultNamespace)
			name, err := url.PathUnescape(local)
			if !ok || err != nil {
				return nil, fmt.Errorf("%s is not the property of a variable", t.P)
			}
			if _, ok := c.Index[name]; !ok {
				if err := c.Add([]byte(name)); err != nil {
					return nil, err
				}
			}
			if i := c.Index[name]; row[i].IsZero() {
				row[i] = t.O
			} else {
				return nil, fmt.Errorf("the variable %.80q has two values in one row", name)
			}
		}
		found = append(found, row)
	}
	rows := make(table, len(found))
	for i, row := range found {
		rows[i] = make([]rdf.Term, len(c.Vars))
		for j, t := range row {
			rows[i][j] = t
		}
	}
	return results.NewRows(c.Vars, rows.next), nil
}
