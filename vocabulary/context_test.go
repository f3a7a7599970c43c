package vocabulary_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/jsonld"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// published returns the IRIs of vocabulary.go and whether each is a property, by prefixed
// name.
func published(t *testing.T) (iris map[string]string, property map[string]bool) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "vocabulary.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{}
	for _, p := range vocabulary.Prefixes() {
		labels[p.Namespace] = p.Label
	}
	text := func(e ast.Expr) string {
		s, err := strconv.Unquote(e.(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	namespaces := map[string]string{}
	iris, property = map[string]string{}, map[string]bool{}
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, s := range group.Specs {
			spec := s.(*ast.ValueSpec)
			sum, ok := spec.Values[0].(*ast.BinaryExpr)
			if !ok {
				namespaces[spec.Names[0].Name] = text(spec.Values[0])
				continue
			}
			namespace := namespaces[sum.X.(*ast.Ident).Name]
			name := labels[namespace] + ":" + text(sum.Y)
			iris[name] = namespace + text(sum.Y)
			property[name] = strings.HasPrefix(group.Doc.Text(), "Properties")
		}
	}
	return iris, property
}

// TestTheContextIsThatOfTheVocabulary expands each name of the vocabulary with the
// context, and looks up each term of the context in the vocabulary.
func TestTheContextIsThatOfTheVocabulary(t *testing.T) {
	iris, property := published(t)
	if len(iris) < 80 {
		t.Fatalf("vocabulary.go has only %d names", len(iris))
	}
	local := map[string][]string{} // prefixed names
	for name := range iris {
		_, short, _ := strings.Cut(name, ":")
		local[short] = append(local[short], name)
	}
	for name, iri := range iris {
		_, short, _ := strings.Cut(name, ":")
		terms := []string{name, short}
		if len(local[short]) > 1 {
			terms = terms[:1]
		}
		for _, term := range terms {
			text := fmt.Sprintf(`{"@context": "/context.jsonld", "id": "http://e/a", %q: {"id": "http://e/b"}}`, term)
			want := iri
			if !property[name] {
				text, want = fmt.Sprintf(`{"@context": "/context.jsonld", "id": "http://e/a", "type": %q}`, term), rdf.RDFType
			}
			q := only(t, text)
			if q.P.Value() != want || !property[name] && q.O.Value() != iri {
				t.Errorf("%s is read as %s, want %s", term, q, iri)
			}
		}
	}
	for term := range definitions(t) {
		name := term
		if names := local[term]; len(names) == 1 {
			name = names[0]
		}
		if _, ok := iris[name]; !ok {
			t.Errorf("the context has %q, but the vocabulary does not", term)
		}
	}
}

// only returns the only quad of a document.
func only(t *testing.T, text string) rdf.Quad {
	t.Helper()
	quads, err := read(text)
	if err != nil || len(quads) != 1 {
		t.Fatalf("%s: %d quads, error %v", text, len(quads), err)
	}
	return quads[0]
}

func read(text string) (quads []rdf.Quad, err error) {
	r := jsonld.NewReader(strings.NewReader(text), jsonld.Options{
		Strict: true, Context: func(string) ([]byte, error) { return vocabulary.Context, nil },
	})
	for {
		q, err := r.Read()
		if err == io.EOF {
			return quads, nil
		}
		if err != nil {
			return quads, err
		}
		quads = append(quads, q)
	}
}

// definitions returns the terms of the context that are neither keywords, aliases of
// keywords, nor prefixes. It checks the prefixes.
func definitions(t *testing.T) map[string]any {
	t.Helper()
	var c struct {
		Context map[string]any `json:"@context"`
	}
	if err := json.Unmarshal(vocabulary.Context, &c); err != nil {
		t.Fatal(err)
	}
	for _, p := range vocabulary.Prefixes() {
		if c.Context[p.Label] != p.Namespace {
			t.Errorf("the context has %v for the prefix %s", c.Context[p.Label], p.Label)
		}
		delete(c.Context, p.Label)
	}
	for _, other := range []string{"@version", "id", "type"} {
		delete(c.Context, other)
	}
	return c.Context
}

func TestTheContextRefusesWhatIsNoTime(t *testing.T) {
	for _, value := range []string{`"yesterday"`, `"2026-02-30T00:00:00Z"`, `["2026-06-04T11:53:18Z", "2026-06-04"]`, `5`, `""`} {
		text := fmt.Sprintf(`{"@context": "/context.jsonld", "id": "http://e/a", "startedAtTime": %s}`, value)
		_, err := read(text)
		if err == nil || !strings.Contains(err.Error(), "is not a valid xsd:dateTime") {
			t.Errorf("%s: %v", value, err)
		}
	}
}

func TestUnknownTermsOfKnownNamespaces(t *testing.T) {
	for iri, want := range map[string]string{
		vocabulary.Segb + "performedBy": vocabulary.Segb + "wasPerformedBy", vocabulary.Prov + "startedAt": vocabulary.Prov + "startedAtTime",
		vocabulary.Segb + "LoggedActivty": vocabulary.Segb + "LoggedActivity", "https://schema.org/text": "http://schema.org/text",
		vocabulary.Oro + "ListenningEvent": vocabulary.Oro + "ListeningEvent", vocabulary.Prov + "zzzzzzzzzzzz": "", "https://schema.org/zzzzzzzzzzzzzz": "",
		rdf.RDF + "typ": rdf.RDF + "type",
	} {
		if meant, unknown := vocabulary.Unknown(iri); !unknown || meant != want {
			t.Errorf("%s: %q, %v, want %q", iri, meant, unknown, want)
		}
	}
	iris, _ := published(t)
	for _, known := range []string{vocabulary.Prov + "qualifiedUsage", vocabulary.Schema + "additionalType", rdf.RDF + "_12", rdf.RDF + "reifies", "http://e/performedBy", vocabulary.Oro + "Elephant", vocabulary.OWL + "sameAs"} {
		iris[known] = known
	}
	for _, iri := range iris {
		if meant, unknown := vocabulary.Unknown(iri); unknown {
			t.Errorf("%s is unknown, meant is %q", iri, meant)
		}
	}
}

// A name has the same type of values with and without its prefix.
func TestTheContextGivesValuesTheirTypes(t *testing.T) {
	for term, want := range map[string]string{
		"startedAtTime": "xsd:dateTime", "prov:startedAtTime": "xsd:dateTime", "resultTime": "xsd:dateTime",
		"hasEmotionIntensity": "xsd:float", "wasPerformedBy": "@id", "about": "@id", "schema:about": "@id", "hasEmotionCategory": "@id",
		"text": "", "schema:text": "", "value": "", "label": "", "hasValue": "", "name": "",
	} {
		got := ""
		if m, ok := definitions(t)[term].(map[string]any); ok {
			got, _ = m["@type"].(string)
		}
		if got != want {
			t.Errorf("values of %s have the type %q, want %q", term, got, want)
		}
	}
	for term := range definitions(t) {
		if prefix, short, ok := strings.Cut(term, ":"); ok {
			all := definitions(t)
			if fmt.Sprint(all[short]) != fmt.Sprint(all[term]) {
				t.Errorf("%s and %s:%s differ", short, prefix, short)
			}
		}
	}
}
