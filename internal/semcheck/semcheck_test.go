package semcheck_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/semcheck"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/vocabulary"
)

const ex = "http://example.org/"

func iri(name string) rdf.Term { return rdf.NewIRI(ex + name) }

// document returns triples with the same subject; pairs alternates predicates and objects.
func document(subject rdf.Term, pairs ...rdf.Term) (out []rdf.Quad) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, rdf.Quad{S: subject, P: pairs[i], O: pairs[i+1]})
	}
	return out
}

func check(t *testing.T, quads []rdf.Quad, limit int) semcheck.Report {
	t.Helper()
	var b []byte
	for _, q := range quads {
		b = append(q.AppendNQuads(b), '\n')
	}
	text := store.Text{Content: b, Format: turtle.NQuads}
	r, _, err := semcheck.Check(t.Context(), text.Reader, limit)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func codes(r semcheck.Report) []string {
	out := []string{}
	for _, i := range r.Issues {
		out = append(out, i.Code)
	}
	return out
}

func TestEachPropertyIsHeldToItsRule(t *testing.T) {
	dateTime := func(s string) rdf.Term { return rdf.NewLiteral(s, rdf.XSDDateTime) }
	float := func(s string) rdf.Term { return rdf.NewLiteral(s, rdf.XSDFloat) }
	for _, c := range []struct {
		name       string
		properties []string
		value      rdf.Term
		want       string
	}{
		{"type: resource", []string{rdf.RDFType}, iri("Robot"), ""},
		{"type: blank node", []string{rdf.RDFType}, rdf.NewBlank("b"), ""},
		{"type: literal", []string{rdf.RDFType}, rdf.NewString("Robot"), "SEM_RDF_TYPE_LITERAL"},
		{"resource", resources, iri("x"), ""},
		{"resource: blank node", resources, rdf.NewBlank("b"), ""},
		{"resource: literal", resources, rdf.NewString(ex + "x"), "SEM_OBJECT_PROPERTY_LITERAL"},
		{"time", times, dateTime("2026-06-04T11:53:18.739212+00:00"), ""},
		{"time: without a zone", times, dateTime("2026-06-04T11:53:18"), ""},
		{"time: resource", times, iri("now"), "SEM_DATETIME_NOT_LITERAL"},
		{"time: blank node", times, rdf.NewBlank("b"), "SEM_DATETIME_NOT_LITERAL"},
		{"time: text", times, rdf.NewString("2026-06-04T11:53:18"), "SEM_DATETIME_WRONG_DATATYPE"},
		{"time: date", times, rdf.NewLiteral("2026-06-04", rdf.XSDDate), "SEM_DATETIME_WRONG_DATATYPE"},
		{"time: with a language", times, rdf.NewLang("2026-06-04T11:53:18", "en"), "SEM_DATETIME_WRONG_DATATYPE"},
		{"time: no such day", times, dateTime("2026-02-30T11:53:18Z"), "SEM_DATETIME_INVALID_LEXICAL"},
		{"time: a space for the T", times, dateTime("2026-02-03 11:53:18"), "SEM_DATETIME_INVALID_LEXICAL"},
		{"time: empty", times, dateTime(""), "SEM_DATETIME_INVALID_LEXICAL"},
		{"intensity", intensities, float("0.5"), ""},
		{"intensity: 0", intensities, rdf.NewLiteral("0", rdf.XSDInteger), ""},
		{"intensity: 1.0", intensities, rdf.NewLiteral("1.0", rdf.XSDDecimal), ""},
		{"intensity: 1e-1", intensities, rdf.NewLiteral("1e-1", rdf.XSDDouble), ""},
		{"intensity: text", intensities, rdf.NewString("0.7"), ""},
		{"intensity: resource", intensities, iri("much"), "SEM_INTENSITY_NOT_LITERAL"},
		{"intensity: words", intensities, rdf.NewString("much"), "SEM_INTENSITY_NOT_NUMERIC"},
		{"intensity: ill-typed", intensities, rdf.NewLiteral("0.5", rdf.XSDInteger), "SEM_INTENSITY_NOT_NUMERIC"},
		{"intensity: hexadecimal", intensities, float("0x1p-2"), "SEM_INTENSITY_NOT_NUMERIC"},
		{"intensity: empty", intensities, float(""), "SEM_INTENSITY_NOT_NUMERIC"},
		{"intensity: text in a language", intensities, rdf.NewLang("0.5", "en"), "SEM_INTENSITY_NOT_NUMERIC"},
		{"intensity: a year", intensities, rdf.NewLiteral("0", rdf.XSD+"gYear"), "SEM_INTENSITY_NOT_NUMERIC"},
		{"intensity: a boolean", intensities, rdf.NewLiteral("1", rdf.XSDBoolean), "SEM_INTENSITY_NOT_NUMERIC"},
		{"intensity: of an unknown datatype", intensities, rdf.NewLiteral("0.5", "http://e/dt"), "SEM_INTENSITY_NOT_NUMERIC"},
		{"intensity: a derived integer", intensities, rdf.NewLiteral("1", rdf.XSD+"byte"), ""},
		{"intensity: above", intensities, float("1.01"), "SEM_INTENSITY_OUT_OF_RANGE"},
		{"intensity: below", intensities, float("-0.1"), "SEM_INTENSITY_OUT_OF_RANGE"},
		{"intensity: infinite", intensities, float("INF"), "SEM_INTENSITY_OUT_OF_RANGE"},
		{"intensity: not a number", intensities, float("NaN"), "SEM_INTENSITY_OUT_OF_RANGE"},
		{"intensity: huge exponent", intensities, rdf.NewLiteral("1e999999999", rdf.XSDDouble), "SEM_INTENSITY_OUT_OF_RANGE"},
		{"category", categories, iri("joy"), ""},
		{"category: literal", categories, rdf.NewString("joy"), "SEM_EMOTION_CATEGORY_LITERAL"},
		{"unknown property", []string{ex + "p"}, rdf.NewString("x"), ""},
	} {
		for _, property := range c.properties {
			t.Run(c.name+" "+property, func(t *testing.T) {
				subject, kind := iri("s"), iri("Kind")
				r := check(t, document(subject, rdf.NewIRI(rdf.RDFType), kind, rdf.NewIRI(property), c.value), 10)
				if c.want == "" {
					if r.Total != 0 || r.Errors != 0 || len(r.Issues) != 0 {
						t.Fatalf("got %v", codes(r))
					}
					return
				}
				if !slices.Equal(codes(r), []string{c.want}) || r.Total != 1 || r.Errors != 1 {
					t.Fatalf("got %v, want %s", codes(r), c.want)
				}
				i := r.Issues[0]
				value := c.value.Value()
				if c.value.IsBlank() {
					value = "_:" + value
				}
				if i.Severity != "error" || *i.FocusNode != ex+"s" || *i.Predicate != property || *i.Value != value ||
					i.Message == "" || *i.Line != 2 || i.Column == nil {
					t.Errorf("got %+v", i)
				}
			})
		}
	}
}

var (
	resources = []string{
		vocabulary.Prov + "wasAssociatedWith", vocabulary.Prov + "used", vocabulary.Prov + "wasInfluencedBy",
		vocabulary.Prov + "wasGeneratedBy", vocabulary.Prov + "generated", vocabulary.Prov + "specializationOf",
		vocabulary.Segb + "triggeredByActivity", vocabulary.Segb + "producedEntityResult",
	}
	times       = []string{vocabulary.Prov + "startedAtTime", vocabulary.Prov + "endedAtTime", vocabulary.Prov + "generatedAtTime"}
	intensities = []string{vocabulary.Onyx + "hasEmotionIntensity"}
	categories  = []string{vocabulary.Onyx + "hasEmotionCategory"}
)

func TestASubjectOfTheVocabularyWithoutATypeIsAWarning(t *testing.T) {
	for _, property := range slices.Concat(resources, times, intensities, categories) {
		value := iri("x")
		switch {
		case slices.Contains(times, property):
			value = rdf.NewLiteral("2026-06-04T11:53:18Z", rdf.XSDDateTime)
		case slices.Contains(intensities, property):
			value = rdf.NewLiteral("0.5", rdf.XSDFloat)
		}
		r := check(t, document(rdf.NewBlank("b0"), rdf.NewIRI(property), value), 10)
		if !slices.Equal(codes(r), []string{"SEM_SUBJECT_WITHOUT_TYPE"}) || r.Errors != 0 || r.Total != 1 {
			t.Fatalf("%s: got %+v", property, r)
		}
		i := r.Issues[0]
		if i.Severity != "warning" || *i.FocusNode != "_:b0" || i.Predicate != nil || i.Value != nil {
			t.Errorf("%s: got %+v", property, i)
		}
	}
	if r := check(t, document(iri("s"), iri("p"), iri("o")), 10); r.Total != 0 {
		t.Errorf("other properties want a type: %v", codes(r))
	}
}

func TestAnEmptyDocumentIsAnError(t *testing.T) {
	r := check(t, nil, 10)
	if !slices.Equal(codes(r), []string{"SEM_EMPTY_GRAPH"}) || r.Errors != 1 {
		t.Errorf("got %+v", r)
	}
}

func TestIssuesAreCutAtTheLimitAndStillCounted(t *testing.T) {
	var d []rdf.Quad
	for i := range 50 {
		d = append(d, rdf.Quad{S: rdf.NewBlank(fmt.Sprint("b", i)), P: rdf.NewIRI(vocabulary.ProvUsed), O: rdf.NewString(strings.Repeat("é", 5000))})
	}
	r := check(t, d, 7)
	if len(r.Issues) != 7 || r.Total != 100 || r.Errors != 50 {
		t.Errorf("%d issues of %d, %d errors", len(r.Issues), r.Total, r.Errors)
	}
	if got := *r.Issues[0].Value; got != strings.Repeat("é", semcheck.MaxValue)+"…" {
		t.Errorf("a value of %d bytes", len(got))
	}
}

func TestAnIssueHasAllItsMembersInJSON(t *testing.T) {
	r := check(t, nil, 1)
	got, err := json.Marshal(r.Issues)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"severity":"error","code":"SEM_EMPTY_GRAPH","message":"The Turtle document has no triples.",` +
		`"focus_node":null,"predicate":null,"value":null,"line":null,"column":null}]`
	if string(got) != want {
		t.Errorf("got %s", got)
	}
}
