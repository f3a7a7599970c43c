package cayley

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

const xsd = quad.IRI(rdf.XSD)

// lettered lists literals in Turtle that Cayley must receive unchanged, and their native
// values.
var lettered = []struct {
	turtle string
	value  quad.Value
	native quad.Value // nil: the same value
}{
	{`"plain"`, quad.String("plain"), nil},
	{`""`, quad.String(""), nil},
	{`"q\"\\\n\t\u0000é\U0001F600"`, quad.String("q\"\\\n\t\x00é😀"), nil},
	{`"x"^^xsd:string`, quad.String("x"), nil},
	{`"hello"@en-GB`, quad.LangString{Value: "hello", Lang: "en-GB"}, nil},
	{`"hello"@En-ie`, quad.LangString{Value: "hello", Lang: "En-ie"}, nil},
	{`1`, quad.TypedString{Value: "1", Type: xsd + "integer"}, quad.Int(1)},
	{`"01"^^xsd:integer`, quad.TypedString{Value: "01", Type: xsd + "integer"}, nil},
	{`"+1"^^xsd:integer`, quad.TypedString{Value: "+1", Type: xsd + "integer"}, nil},
	{`"1"^^xsd:int`, quad.TypedString{Value: "1", Type: xsd + "int"}, nil},
	{`"99999999999999999999"^^xsd:integer`, quad.TypedString{Value: "99999999999999999999", Type: xsd + "integer"}, nil},
	{`"many"^^xsd:integer`, quad.TypedString{Value: "many", Type: xsd + "integer"}, nil},
	{`1.50`, quad.TypedString{Value: "1.50", Type: xsd + "decimal"}, nil},
	{`1.5e0`, quad.TypedString{Value: "1.5e0", Type: xsd + "double"}, nil},
	{`1.5E0`, quad.TypedString{Value: "1.5E0", Type: xsd + "double"}, quad.Float(1.5)},
	{`"-INF"^^xsd:double`, quad.TypedString{Value: "-INF", Type: xsd + "double"}, quad.Float(math.Inf(-1))},
	{`"1.5E0"^^xsd:float`, quad.TypedString{Value: "1.5E0", Type: xsd + "float"}, nil},
	{`true`, quad.TypedString{Value: "true", Type: xsd + "boolean"}, quad.Bool(true)},
	{`"1"^^xsd:boolean`, quad.TypedString{Value: "1", Type: xsd + "boolean"}, nil},
	{`"2026-06-04T11:53:18.739212Z"^^xsd:dateTime`, quad.TypedString{Value: "2026-06-04T11:53:18.739212Z", Type: xsd + "dateTime"},
		quad.Time(time.Date(2026, 6, 4, 11, 53, 18, 739212000, time.UTC))},
	{`"2026-06-04T11:53:18.739212+00:00"^^xsd:dateTime`, quad.TypedString{Value: "2026-06-04T11:53:18.739212+00:00", Type: xsd + "dateTime"}, nil},
	{`"2026-06-04T11:53:18.730Z"^^xsd:dateTime`, quad.TypedString{Value: "2026-06-04T11:53:18.730Z", Type: xsd + "dateTime"}, nil},
	{`"2026-06-04"^^xsd:date`, quad.TypedString{Value: "2026-06-04", Type: xsd + "date"}, nil},
	{`"x"^^<http://ex/odd>`, quad.TypedString{Value: "x", Type: "http://ex/odd"}, nil},
	{`"x"^^<xsd:integer>`, quad.TypedString{Value: "x", Type: "xsd:integer"}, nil},
	{`<http://ex/o>`, quad.IRI("http://ex/o"), nil},
	{`<rdf:type>`, quad.IRI("rdf:type"), nil},
}

// same compares values like Cayley.
func same(a, b quad.Value) bool {
	if e, ok := a.(quad.Equaler); ok {
		return e.Equal(b)
	}
	return a == b
}

// objects returns the object of each stored quad by its predicate.
func objects(t *testing.T, qs graph.QuadStore) map[quad.Value]quad.Value {
	t.Helper()
	out := map[quad.Value]quad.Value{}
	it := qs.QuadsAllIterator()
	defer it.Close()
	for it.Next(t.Context()) {
		q := qs.Quad(it.Result())
		out[q.Predicate] = q.Object
	}
	if it.Err() != nil {
		t.Fatal(it.Err())
	}
	return out
}

func TestLiteralsReachCayleyUnchanged(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	text := "@prefix xsd: <" + rdf.XSD + "> .\n"
	for i, c := range lettered {
		text += fmt.Sprintf("<http://ex/s> <http://ex/p%d> %s .\n", i, c.turtle)
	}
	load(t, s, turtle.Turtle, text)
	qs := New(s, nil)
	got := objects(t, qs)
	for i, c := range lettered {
		v := got[quad.IRI(fmt.Sprintf("http://ex/p%d", i))]
		if !same(c.value, v) {
			t.Errorf("%s comes as %#v, want %#v", c.turtle, v, c.value)
		}
		for _, again := range []quad.Value{c.value, c.native} {
			if again == nil {
				continue
			}
			if back := qs.NameOf(qs.ValueOf(again)); !same(c.value, back) {
				t.Errorf("%#v is found as %#v, want %#v", again, back, c.value)
			}
		}
	}
}

func TestLiteralsLeaveCayleyUnchanged(t *testing.T) {
	t.Parallel()
	s, there := openStore(t), openStore(t)
	text := "@prefix xsd: <" + rdf.XSD + "> .\n"
	var quads []quad.Quad
	for i, c := range lettered {
		p := fmt.Sprintf("http://ex/p%d", i)
		text += fmt.Sprintf("<http://ex/s> <%s> %s .\n", p, c.turtle)
		for _, v := range []quad.Value{c.value, c.native} {
			if v != nil {
				q := quad.Quad{Subject: quad.IRI("http://ex/s"), Predicate: quad.IRI(p), Object: v}
				quads = append(quads, q)
			}
		}
	}
	change(t, s, false, quads...)
	load(t, there, turtle.Turtle, text)
	if got, want := exported(t, s), exported(t, there); got != want {
		t.Errorf("written through Cayley:\n%s\nloaded:\n%s", got, want)
	}
}

func TestNativeValuesBecomeCanonicalLiterals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value          quad.Value
		lexical, local string
	}{
		{quad.Int(-7), "-7", "integer"},
		{quad.Int(math.MinInt64), "-9223372036854775808", "integer"},
		{quad.Float(-12345e-6), "-1.2345E-2", "double"},
		{quad.Float(100), "1.0E2", "double"},
		{quad.Float(math.NaN()), "NaN", "double"},
		{quad.Float(math.Inf(1)), "INF", "double"},
		{quad.Bool(true), "true", "boolean"},
		{quad.Bool(false), "false", "boolean"},
		{quad.Time(time.Date(2026, 6, 4, 13, 53, 18, 1, time.FixedZone("", 7200))), "2026-06-04T11:53:18.000000001Z", "dateTime"},
	} {
		got, err := termOf(c.value)
		if want := rdf.NewLiteral(c.lexical, rdf.XSD+c.local); err != nil || got != want {
			t.Errorf("%#v becomes %v, %v, want %v", c.value, got, err, want)
		}
	}
}

func TestBlankNodesKeepTheirNames(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	load(t, s, turtle.Turtle, `[] <http://ex/p> [] .`)
	qs := New(s, nil)
	q := quad.Make(quad.BNode("alice"), quad.IRI("http://ex/knows"), quad.BNode("b1"), nil)
	change(t, s, false, q)
	it := qs.QuadIterator(quad.Subject, qs.ValueOf(quad.BNode("alice")))
	if !it.Next(t.Context()) || qs.Quad(it.Result()) != q {
		t.Errorf("read back: %v, %v", qs.Quad(it.Result()), it.Err())
	}
	// _:b1 is the name that the store assigned to the document's second blank node.
	if n := mustSize(t, qs, quad.Object, quad.BNode("b1")); n != 2 {
		t.Errorf("_:b1 is the object of %d quads, want the document's and the new one", n)
	}
}

func TestValuesThatCanNotBeStoredAreNoNodes(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]quad.Value{"empty IRI": quad.IRI(""), "empty blank": quad.BNode(""), "tag as datatype": quad.TypedString{Value: "x", Type: "@en"},
		"no tag": quad.TypedString{Value: "x", Type: rdf.RDFLangString}, "no tag or direction": quad.TypedString{Value: "x", Type: rdf.RDFDirLangString}} {
		if got, err := termOf(v); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	qs := New(openStore(t), nil)
	if qs.ValueOf(quad.IRI("")) != nil || qs.ValueOf(nil) != nil {
		t.Error("what can't be stored is a node")
	}
}

func TestEmptyTagsAndDatatypesMeanAString(t *testing.T) {
	t.Parallel()
	for _, v := range []quad.Value{quad.LangString{Value: "x"}, quad.TypedString{Value: "x"}, quad.TypedString{Value: "x", Type: xsd + "string"}} {
		if got, err := termOf(v); err != nil || got != rdf.NewString("x") {
			t.Errorf("%#v becomes %v, %v", v, got, err)
		}
	}
}

// Cayley has no triple terms: such a node is an error in the log, and has no name.
func TestTripleTermsHaveNoValue(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	load(t, s, turtle.Turtle, "<http://ex/r> <http://ex/p> <<( <http://ex/s> <http://ex/p> 1 )>> .")
	var log bytes.Buffer
	qs := New(s, slog.New(slog.NewTextHandler(&log, nil)))
	it := qs.QuadsAllIterator()
	for it.Next(t.Context()) {
		if q := qs.Quad(it.Result()); q.IsValid() {
			t.Errorf("%v is a quad", q)
		}
	}
	if !strings.Contains(log.String(), "triple terms of RDF 1.2") {
		t.Errorf("the log is %q", log.String())
	}
}
