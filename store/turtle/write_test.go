package turtle_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

func formats() []turtle.Format {
	return []turtle.Format{turtle.Turtle, turtle.NTriples, turtle.TriG, turtle.NQuads}
}

// written returns the output of a Writer for quads.
func written(t testing.TB, quads []rdf.Quad, f turtle.Format, prefixes []turtle.Prefix) string {
	t.Helper()
	var text strings.Builder
	w := turtle.NewWriter(&text, f, prefixes)
	for _, q := range quads {
		if err := w.Write(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestWriterGroupsRunsOfQuads(t *testing.T) {
	const input = `
<urn:s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:n:T> .
<urn:s> <urn:n:p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .
<urn:s> <urn:n:p> "a\nb" .
_:x <urn:n:p> _:y .
<urn:s> <urn:n:p> "again"@en .
<urn:s> <urn:n:p> "g" <urn:g> .
<urn:s> <urn:n:p> "h" <urn:g> .
<urn:t> <urn:n:p> "i" <urn:g> .
<urn:t> <urn:n:q> "j" <urn:g> .
<urn:t> <urn:n:q> "k" _:g .
<urn:t> <urn:n:q> "l" .
`
	quads, err := turtle.Parse([]byte(input), turtle.NQuads, turtle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	prefixes := []turtle.Prefix{{Label: "n", Namespace: "urn:n:"}, {Label: "", Namespace: "urn:"}}
	const head = "@prefix n: <urn:n:> .\n@prefix : <urn:> .\n\n"
	const first = `:s a n:T ;
    n:p 1 , "a\nb" .
_:x n:p _:y .
:s n:p "again"@en .
`
	if got, want := written(t, quads[:5], turtle.Turtle, prefixes), head+first; got != want {
		t.Errorf("Turtle: got\n%s\nwant\n%s", got, want)
	}
	const rest = `:g {
    :s n:p "g" , "h" .
    :t n:p "i" ;
        n:q "j" .
}
_:g {
    :t n:q "k" .
}
:t n:q "l" .
`
	if got, want := written(t, quads, turtle.TriG, prefixes), head+first+rest; got != want {
		t.Errorf("TriG: got\n%s\nwant\n%s", got, want)
	}
	if got, want := written(t, quads, turtle.NQuads, prefixes), input[1:]; got != want {
		t.Errorf("N-Quads: got\n%s\nwant\n%s", got, want)
	}
	if got, want := written(t, quads[:5], turtle.NTriples, prefixes), strings.SplitAfter(input[1:], "@en .\n")[0]; got != want {
		t.Errorf("N-Triples: got\n%s\nwant\n%s", got, want)
	}
}

func TestWriterOfNothingWritesThePrefixes(t *testing.T) {
	prefixes := []turtle.Prefix{{Label: "a", Namespace: "urn:1:"}, {Label: "b", Namespace: "urn:2:"}, {Label: "a", Namespace: "urn:3:"}}
	for f, want := range map[turtle.Format]string{
		turtle.Turtle:   "@prefix b: <urn:2:> .\n@prefix a: <urn:3:> .\n\n",
		turtle.TriG:     "@prefix b: <urn:2:> .\n@prefix a: <urn:3:> .\n\n",
		turtle.NTriples: "", turtle.NQuads: "",
	} {
		if got := written(t, nil, f, prefixes); got != want {
			t.Errorf("format %d: %q, want %q", f, got, want)
		}
	}
	if got := written(t, nil, turtle.Turtle, nil); got != "" {
		t.Errorf("without prefixes: %q", got)
	}
}

func TestWriterRefusesWhatCannotBeReadBack(t *testing.T) {
	iri := rdf.NewIRI("urn:x")
	for name, q := range map[string]rdf.Quad{
		"no subject":             {P: iri, O: iri},
		"literal subject":        {S: rdf.NewString("a"), P: iri, O: iri},
		"no predicate":           {S: iri, O: iri},
		"blank predicate":        {S: iri, P: rdf.NewBlank("a"), O: iri},
		"literal predicate":      {S: iri, P: rdf.NewString("a"), O: iri},
		"no object":              {S: iri, P: iri},
		"relative IRI":           {S: iri, P: iri, O: rdf.NewIRI("a/b")},
		"empty IRI":              {S: iri, P: iri, O: rdf.NewIRI("")},
		"space":                  {S: iri, P: iri, O: rdf.NewIRI("urn:a b")},
		"newline":                {S: iri, P: iri, O: rdf.NewIRI("urn:a\nb")},
		"angle bracket":          {S: rdf.NewIRI("urn:a>b"), P: iri, O: iri},
		"backslash":              {S: iri, P: rdf.NewIRI(`urn:a\b`), O: iri},
		"IRI not UTF-8":          {S: iri, P: iri, O: rdf.NewIRI("urn:a\xff")},
		"string not UTF-8":       {S: iri, P: iri, O: rdf.NewString("a\xff")},
		"surrogate":              {S: iri, P: iri, O: rdf.NewString("a\xed\xa0\x80")},
		"relative datatype":      {S: iri, P: iri, O: rdf.NewLiteral("a", "b")},
		"empty language":         {S: iri, P: iri, O: rdf.NewLang("a", "")},
		"language with a digit":  {S: iri, P: iri, O: rdf.NewLang("a", "1")},
		"language with a space":  {S: iri, P: iri, O: rdf.NewLang("a", "en gb")},
		"language that ends odd": {S: iri, P: iri, O: rdf.NewLang("a", "en-")},
		"langString, no tag":     {S: iri, P: iri, O: rdf.NewLiteral("a", rdf.RDFLangString)},
		"dirLangString, no tag":  {S: iri, P: iri, O: rdf.NewLiteral("a", rdf.RDFDirLangString)},
		"literal graph":          {S: iri, P: iri, O: iri, G: rdf.NewString("a")},
		"relative graph":         {S: iri, P: iri, O: iri, G: rdf.NewIRI("a")},
	} {
		for _, f := range formats() {
			var text strings.Builder
			w := turtle.NewWriter(&text, f, nil)
			err := w.Write(q)
			if err == nil {
				t.Errorf("%s in format %d: no error", name, f)
			}
			if again := w.Write(rdf.Quad{S: iri, P: iri, O: iri}); again != err {
				t.Errorf("%s in format %d: the next error is %v", name, f, again)
			}
			if closed := w.Close(); closed != err || text.Len() > 0 {
				t.Errorf("%s in format %d: Close gives %v, the text is %q", name, f, closed, text.String())
			}
		}
	}
}

func TestWriterRefusesNamedGraphsWhereThereAreNone(t *testing.T) {
	iri := rdf.NewIRI("urn:x")
	for _, f := range formats() {
		err := turtle.NewWriter(&strings.Builder{}, f, nil).Write(rdf.Quad{S: iri, P: iri, O: iri, G: iri})
		if refused := err != nil; refused != (f == turtle.Turtle || f == turtle.NTriples) {
			t.Errorf("format %d: %v", f, err)
		}
	}
}

func TestWriterLeavesOutPrefixesThatNoReaderTakes(t *testing.T) {
	iri := rdf.NewIRI("urn:x")
	for _, p := range []turtle.Prefix{
		{Label: "a b", Namespace: "urn:"}, {Label: "1", Namespace: "urn:"}, {Label: "_", Namespace: "urn:"}, {Label: "a.", Namespace: "urn:"},
		{Label: "a:", Namespace: "urn:"}, {Label: "\xff", Namespace: "urn:"}, {Label: "a\xff", Namespace: "urn:"},
		{Label: "a", Namespace: ""}, {Label: "a", Namespace: "b"}, {Label: "a", Namespace: "urn:a b"},
	} {
		all, quads := []turtle.Prefix{p, {Label: "good", Namespace: "urn:x:"}}, []rdf.Quad{{S: iri, P: iri, O: iri}}
		text := written(t, quads, turtle.Turtle, all)
		var graph strings.Builder
		if err := turtle.WriteGraph(&graph, turtle.NewMemorySource([]rdf.Triple{{S: iri, P: iri, O: iri}}), all); err != nil {
			t.Errorf("WriteGraph with %+v: %v", p, err)
		}
		for _, text := range []string{text, graph.String()} {
			if strings.Count(text, "@prefix") != 1 {
				t.Errorf("%+v: %s", p, text)
			}
			mustReadBack(t, text, turtle.Turtle, quads)
		}
	}
	for _, label := range []string{"", "a", "A1", "a.b", "a-_", "é·"} {
		prefix := []turtle.Prefix{{Label: label, Namespace: "urn:"}}
		text := written(t, []rdf.Quad{{S: iri, P: iri, O: iri}}, turtle.Turtle, prefix)
		if !strings.Contains(text, label+":x "+label+":x "+label+":x .") {
			t.Errorf("label %q: %s", label, text)
		}
		mustReadBack(t, text, turtle.Turtle, []rdf.Quad{{S: iri, P: iri, O: iri}})
	}
}

func TestWriterGivesTheWritersError(t *testing.T) {
	full := errors.New("no room")
	w := turtle.NewWriter(&failingWriter{left: 100_000, err: full}, turtle.NTriples, nil)
	var err error
	for range 10_000 {
		if err = w.Write(rdf.Quad{S: rdf.NewIRI("urn:x"), P: rdf.NewIRI("urn:x"), O: rdf.NewString("text")}); err != nil {
			break
		}
	}
	if !errors.Is(err, full) || !errors.Is(w.Close(), full) {
		t.Errorf("got %v, then %v", err, w.Close())
	}
	w = turtle.NewWriter(&failingWriter{err: full}, turtle.Turtle, nil)
	if err := w.Write(rdf.Quad{S: rdf.NewIRI("urn:x"), P: rdf.NewIRI("urn:x"), O: rdf.NewString("text")}); err != nil {
		t.Error(err)
	}
	if err := w.Close(); !errors.Is(err, full) {
		t.Errorf("Close: %v", err)
	}
}

func TestWriterEndsWithClose(t *testing.T) {
	var text strings.Builder
	w := turtle.NewWriter(&text, turtle.TriG, nil)
	iri := rdf.NewIRI("urn:x")
	q := rdf.Quad{S: iri, P: iri, O: iri, G: iri}
	if err := errors.Join(w.Write(q), w.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(q); err == nil {
		t.Error("Write after Close is no error")
	}
	if want := "<urn:x> {\n    <urn:x> <urn:x> <urn:x> .\n}\n"; text.String() != want {
		t.Errorf("got %q, want %q", text.String(), want)
	}
}

// Different blank nodes stay different, whatever their labels.
func TestWriterMapsLabelsThatCannotBeWritten(t *testing.T) {
	labels := []string{"a", "b0", "0", "_", "a.b", "é", "a·", "x-", "x--", "x---", "x--a", "x--a-20b", "a b", "a-20b", "", ".", "a.", "-a", "·a", "a:b", "a\x00", "a\xff", "a\n", "日本", "a×"}
	p := rdf.NewIRI("urn:p")
	for _, f := range formats() {
		var quads []rdf.Quad
		for i, label := range labels {
			quads = append(quads, rdf.Quad{S: rdf.NewBlank(label), P: p, O: rdf.NewString(fmt.Sprint(i))},
				rdf.Quad{S: rdf.NewBlank(label), P: p, O: rdf.NewBlank(labels[(i+1)%len(labels)])})
		}
		text := written(t, quads, f, nil)
		mustReadBack(t, text, f, quads)
		for _, label := range []string{"_:a ", "_:b0 ", "_:a.b ", "_:é "} {
			if !strings.Contains(text, label) {
				t.Errorf("%q was not kept in format %d", label, f)
			}
		}
	}
}

func TestWriterUsesTheLongestNamespace(t *testing.T) {
	prefixes := []turtle.Prefix{
		{Label: "a", Namespace: "http://e/"}, {Label: "b", Namespace: "http://e/x/"}, {Label: "c", Namespace: "http://e/x/room"}, {Label: "d", Namespace: "http://e/x#"},
	}
	for iri, want := range map[string]string{
		"http://e/":         "a:",
		"http://e/x":        "a:x",
		"http://e/x/":       "b:",
		"http://e/x/y":      "b:y",
		"http://e/x/roo":    "b:roo",
		"http://e/x/room":   "c:",
		"http://e/x/room1":  "c:1",
		"http://e/x/room[":  "<http://e/x/room[>",
		"http://e/x/room/1": "<http://e/x/room/1>",
		"http://e/x#y":      "d:y",
		"http://e":          "<http://e>",
		"http://f/x":        "<http://f/x>",
		"urn:x":             "<urn:x>",
	} {
		q := rdf.Quad{S: rdf.NewIRI(iri), P: rdf.NewIRI(rdf.RDFType), O: rdf.NewIRI("urn:o")}
		text := written(t, []rdf.Quad{q}, turtle.Turtle, prefixes)
		if got := strings.Fields(text[strings.LastIndex(text, "\n\n"):])[0]; got != want {
			t.Errorf("<%s>: %s, want %s", iri, got, want)
		}
	}
}

// If every term has its own namespace, the cache of namespaces must stay bounded, and
// results must be right after it was cleared.
func TestWriterForgetsNamespaces(t *testing.T) {
	var quads []rdf.Quad
	for i := range 20_000 {
		quads = append(quads, rdf.Quad{S: rdf.NewIRI(fmt.Sprint("http://e/", i, "/x")), P: rdf.NewIRI("http://e/p"), O: rdf.NewIRI("http://e/15000/y")})
	}
	text := written(t, quads, turtle.Turtle, []turtle.Prefix{{Label: "e", Namespace: "http://e/"}, {Label: "f", Namespace: "http://e/15000/"}})
	if !strings.Contains(text, "\nf:x e:p f:y .\n") || strings.Count(text, "f:y") != len(quads) {
		t.Errorf("prefixes were not used: %.300s", text)
	}
	mustReadBack(t, text, turtle.Turtle, quads)
}

func TestWriterWritesLongLiterals(t *testing.T) {
	suite.NotShort(t)
	long := strings.Repeat("0123456789\n", 500_000)
	quads := []rdf.Quad{
		{S: rdf.NewIRI("urn:s"), P: rdf.NewIRI("urn:p"), O: rdf.NewString(long)},
		{S: rdf.NewIRI("urn:s"), P: rdf.NewIRI("urn:p"), O: rdf.NewString("short")},
	}
	for _, f := range formats() {
		got, err := turtle.Parse([]byte(written(t, quads, f, nil)), f, turtle.Options{})
		if err != nil || !slices.Equal(got, quads) {
			t.Errorf("format %d: %d quads, %v", f, len(got), err)
		}
	}
}
