package syntax_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// TestEveryNodeKnowsItsPlace checks, for every query of the suites, that the position of
// each node is the start of its text.
func TestEveryNodeKnowsItsPlace(t *testing.T) {
	ten, eleven, twelve := evaluationTests(t)
	nodes := 0
	for _, s := range append(append(ten, eleven...), twelve...) {
		q, err := syntax.ParseQuery(s.text, syntax.Options{Base: s.base})
		if err != nil {
			t.Fatal(err)
		}
		eachNode(reflect.ValueOf(q), func(node any, at syntax.Pos) {
			nodes++
			if at.Line < 1 || at.Column < 1 {
				t.Errorf("%s: a %T has no position", s.path, node)
				return
			}
			if rest := after(s.text, at.Line, at.Column); !beginsWith(node, rest) {
				t.Errorf("%s: a %T is said to be at line %d, column %d, before %.20q", s.path, node, at.Line, at.Column, rest)
			}
		})
	}
	t.Logf("%d nodes", nodes)
	if nodes < 6000 {
		t.Errorf("only %d nodes were looked at", nodes)
	}
}

// eachNode visits every node that has a position.
func eachNode(v reflect.Value, visit func(node any, at syntax.Pos)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			eachNode(v.Elem(), visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachNode(v.Index(i), visit)
		}
	case reflect.Struct:
		if at := v.FieldByName("Pos"); at.IsValid() {
			visit(v.Interface(), at.Interface().(syntax.Pos))
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "Pos" && f.Type.PkgPath() != "github.com/segraph/segraph/store/rdf" {
				eachNode(v.Field(i), visit)
			}
		}
	}
}

// beginsWith reports whether text may begin at the position of node.
func beginsWith(node any, text string) bool {
	any := func(starts ...string) bool {
		for _, s := range starts {
			if len(text) >= len(s) && strings.EqualFold(text[:len(s)], s) {
				return true
			}
		}
		return false
	}
	switch x := node.(type) {
	case syntax.Query:
		return any(x.Form.String())
	case syntax.SubSelect:
		return any("SELECT")
	case syntax.Group, syntax.Union:
		return any("{")
	case syntax.Optional:
		return any("OPTIONAL")
	case syntax.Minus:
		return any("MINUS")
	case syntax.Graph:
		return any("GRAPH")
	case syntax.Service:
		return any("SERVICE")
	case syntax.Bind:
		return any("BIND")
	case syntax.InlineData:
		return any("VALUES")
	case syntax.Exists:
		return any(map[bool]string{false: "EXISTS", true: "NOT"}[x.Not])
	case syntax.In:
		return any(map[bool]string{false: "IN", true: "NOT"}[x.Not])
	case syntax.Aggregate:
		return any(string(x.Op))
	case syntax.Var:
		if x.Blank {
			return any("_:"+x.Name, "[", "(", "<<", "~", "{|") || !any(" ", "}", "]") // a list cell has the position of its item
		}
		return any("?"+x.Name, "$"+x.Name)
	case syntax.TripleTerm:
		return any("<<", "~", "{|")
	case syntax.Call:
		switch x.Op {
		case syntax.OpTriple:
			return any("TRIPLE", "<<(")
		case syntax.OpFunction:
			return any("<") || strings.Contains(strings.SplitN(text, "(", 2)[0], ":")
		case syntax.OpUnaryMinus, syntax.OpUnaryPlus:
			return any(string(x.Op[len("unary "):]))
		case syntax.OpIRI, syntax.OpIsIRI:
			return any(string(x.Op), "URI", "ISURI")
		}
		return any(string(x.Op))
	case syntax.InversePath:
		return any("^")
	case syntax.NegatedSet:
		return any("!")
	case syntax.Link, syntax.NegatedLink, syntax.SequencePath, syntax.AlternativePath, syntax.RepeatPath:
		return text != "" && !any(" ", ")", "}", "/", "|", "*", "+")
	case syntax.Term:
		if x.IsLiteral() {
			return any(`"`, "'", "true", "false", x.Value())
		}
		if x.IsTriple() {
			return any("<<", "~", "{|")
		}
		switch x.Value() {
		case rdf.RDFReifies: // of << … >> or an annotation, or written out
			return any("<", "~", "{|", "rdf:reifies")
		case rdf.RDFType:
			return any("a", "<", "rdf:type")
		case rdf.RDFFirst, rdf.RDFRest, rdf.RDFNil: // of a list, without text of its own
			return !any(" ", "}", "]")
		}
		return any("<") || strings.Contains(strings.Fields(text)[0], ":")
	case syntax.BGP:
		return !any(" ", "}", ")", "{")
	}
	return false
}
