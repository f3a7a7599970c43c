package service

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/turtle"
)

// The table has values of the parameter format, and the Content-Type that each form of query
// then has, or "" if it is refused.
func TestTheParameterFormatNamesAForm(t *testing.T) {
	const (
		json = "application/sparql-results+json"
		xml  = "application/sparql-results+xml"
		csv  = "text/csv; charset=utf-8"
		tsv  = "text/tab-separated-values; charset=utf-8"
		ttl  = "text/turtle; charset=utf-8"
	)
	plain, segb := &Service{}, &Service{config: Config{SEGB: true}}
	for _, x := range []struct {
		values                        []string
		selects, asks, asksSEGB, made string
	}{
		{[]string{"json"}, json, json, json, "application/ld+json"},
		{[]string{"JSON"}, json, json, json, "application/ld+json"},
		{[]string{"application/json"}, json, json, json, "application/ld+json"},
		{[]string{json}, json, json, json, ""},
		{[]string{"xml"}, xml, xml, xml, "application/rdf+xml"},
		{[]string{"text/xml"}, xml, xml, xml, ""},
		{[]string{"csv"}, csv, csv, csv, ""},
		{[]string{"tsv"}, tsv, tsv, tsv, ""},
		{[]string{"tab-separated-values"}, tsv, tsv, tsv, ""},
		{[]string{"ttl"}, ttl, "", ttl, ttl},
		{[]string{"turtle"}, ttl, "", ttl, ttl},
		{[]string{"text/turtle"}, ttl, "", ttl, ttl},
		{[]string{"n3"}, "", "", "", ttl},
		{[]string{"nt"}, "", "", "", "application/n-triples"},
		{[]string{"trig"}, "", "", "", "application/trig"},
		{[]string{"nq"}, "", "", "", "application/n-quads"},
		{[]string{"json-ld"}, "", "", "", "application/ld+json"},
		{[]string{"table"}, "", "", "", ""},
		{[]string{""}, "", "", "", ""},
		{[]string{"table", "csv"}, csv, csv, csv, ""}, // some clients send a list of guesses
		{[]string{"csv", "json"}, json, json, json, "application/ld+json"},
	} {
		for _, y := range []struct {
			s    *Service
			form syntax.Form
			want string
		}{{plain, syntax.Select, x.selects}, {plain, syntax.Ask, x.asks}, {segb, syntax.Ask, x.asksSEGB}, {plain, syntax.Construct, x.made}, {segb, syntax.Describe, x.made}} {
			got, err := y.s.Named(y.form, x.values)
			if got.ContentType != y.want || (err == nil) != (y.want != "") {
				t.Errorf("%s with format %q: %q, %v; want %q", y.form, x.values, got.ContentType, err, y.want)
			}
			var refused *Error
			if err != nil && (!errors.As(err, &refused) || refused.Parameter != "format" || !strings.Contains(refused.Detail, "format must be ")) {
				t.Errorf("%s with format %q: %v", y.form, x.values, err)
			}
		}
	}
	for s, want := range map[*Service]string{plain: json, segb: "text/turtle"} {
		for _, form := range []syntax.Form{syntax.Select, syntax.Ask} {
			if got := s.Forms(form)[0].Media[0]; got != want {
				t.Errorf("%s has the default %s, want %s", form, got, want)
			}
		}
	}
}

// An answer has rows, a boolean or triples. Each form must write its own, and report the
// others as the store's fault.
func TestAFormWritesOnlyItsKindOfAnswer(t *testing.T) {
	triple := rdf.Triple{S: rdf.NewIRI("http://e/a"), P: rdf.NewIRI("http://e/b"), O: rdf.NewString("=1+1")}
	for _, s := range []*Service{{}, {config: Config{SEGB: true}}} {
		for _, form := range []syntax.Form{syntax.Select, syntax.Ask, syntax.Construct, syntax.Describe} {
			made := form == syntax.Construct || form == syntax.Describe
			for _, f := range s.Forms(form) {
				var out bytes.Buffer
				w := f.writer(&out, nil)
				var errs [3]error
				switch {
				case made:
					errs[0], errs[1], errs[2] = w.Head([]string{"x"}), w.Row([]rdf.Term{triple.O}), w.Boolean(true)
				case form == syntax.Ask:
					errs = [3]error{errForm, errForm, w.Triple(triple)}
					if err := w.Boolean(true); err != nil {
						t.Errorf("%s %s: %v", form, f.Media[0], err)
					}
				default:
					errs = [3]error{errForm, errForm, w.Triple(triple)}
					if err := errors.Join(w.Head([]string{"x"}), w.Row([]rdf.Term{triple.O})); err != nil {
						t.Errorf("%s %s: %v", form, f.Media[0], err)
					}
				}
				if made {
					if err := w.Triple(triple); err != nil {
						t.Errorf("%s %s: %v", form, f.Media[0], err)
					}
				}
				for i, err := range errs {
					if !errors.Is(err, errForm) || ErrorOf(err) != nil {
						t.Errorf("%s %s takes what it can't hold (%d): %v", form, f.Media[0], i, err)
					}
				}
				if err := w.Close(); err != nil || out.Len() == 0 {
					t.Errorf("%s %s: %d bytes, %v", form, f.Media[0], out.Len(), err)
				}
			}
		}
	}
}

func TestOnlyCellsThatASpreadsheetRunsAreChanged(t *testing.T) {
	s := &Service{}
	for name, want := range map[string]string{"csv": "'=1+1", "tsv": `"=1+1"`, "json": `"=1+1"`} {
		form, err := s.Named(syntax.Select, []string{name})
		if err != nil {
			t.Fatal(err)
		}
		for harmless, f := range map[bool]Form{true: form.Harmless(), false: form} {
			var out bytes.Buffer
			w := f.writer(&out, nil)
			if err := errors.Join(w.Head([]string{"x"}), w.Row([]rdf.Term{rdf.NewString("=1+1")}), w.Close()); err != nil {
				t.Fatal(err)
			}
			has := strings.Contains(out.String(), want)
			if name == "csv" && has != harmless || name != "csv" && !has {
				t.Errorf("%s, harmless %t: %s", name, harmless, out.String())
			}
		}
	}
}

// An answer for a client of RDF 1.1 must break off at the first term of RDF 1.2.
func TestAnAnswerForRDF11HasNoTermOfRDF12(t *testing.T) {
	a, text := rdf.NewIRI("http://e/a"), rdf.NewString("x")
	inside := rdf.NewTripleTerm(rdf.Triple{S: a, P: a, O: text})
	for _, x := range []struct {
		what    string
		terms   []rdf.Term
		version rdf.Version
	}{
		{"plain terms", []rdf.Term{a, text, rdf.NewLang("x", "en"), {}}, rdf.RDF11},
		{"a triple term", []rdf.Term{a, inside}, rdf.RDF12},
		{"a base direction", []rdf.Term{rdf.NewDirLang("x", "ar", "rtl"), a}, rdf.RDF12Basic},
	} {
		for _, accepted := range []rdf.Version{rdf.RDF11, rdf.RDF12Basic, rdf.RDF12} {
			refuses := !accepted.Admits(x.version)
			var out bytes.Buffer
			form, err := (&Service{}).Named(syntax.Select, []string{"json"})
			if err != nil {
				t.Fatal(err)
			}
			w := &versioned{answerWriter: form.writer(&out, nil), accepted: accepted}
			if err := w.Head([]string{"x", "y", "z", "u"}[:len(x.terms)]); err != nil {
				t.Fatal(err)
			}
			err = w.Row(x.terms)
			var inForm *formError
			if refused := errors.As(err, &inForm); refused != refuses || w.rdf12 != (x.version != rdf.RDF11) || err != nil && !refused {
				t.Errorf("%s, up to RDF %v: found %t, %v", x.what, accepted, w.rdf12, err)
			}
			graph := &versioned{answerWriter: graphForms()[0].writer(&out, nil), accepted: accepted}
			err = graph.Triple(rdf.Triple{S: a, P: a, O: x.terms[len(x.terms)-1]})
			if x.what == "a triple term" && errors.As(err, &inForm) != refuses {
				t.Errorf("%s in a graph, up to RDF %v: %v", x.what, accepted, err)
			}
		}
	}
	for _, x := range []struct {
		makes  bool
		source func() bool
		may    bool
	}{{false, nil, true}, {true, func() bool { return false }, true}, {false, func() bool { return false }, false}, {false, func() bool { return true }, true}} {
		w := &versioned{makes: x.makes}
		if w.Source(x.source); w.mayBecomeRDF12() != x.may {
			t.Errorf("makes %t: the rest may be of RDF 1.2: %t", x.makes, !x.may)
		}
	}
}

func TestEachFormatOfRDFIsFoundByItsNames(t *testing.T) {
	types := map[string]bool{}
	for _, f := range Formats {
		if got, ok := FormatOf(f.Media); !ok || got.Format != f.Format || RDFOf(f.Format).Media != f.Media || types[f.Media] {
			t.Errorf("%s is found as %s", f.Media, got.Media)
		}
		types[f.Media] = true
		text, versions := strings.HasPrefix(f.Media, "text/"), f.Format != turtle.RDFXML && f.Format != turtle.JSONLD
		if strings.Contains(f.ContentType(), "charset=utf-8") != text || f.Versions != versions {
			t.Errorf("%s is sent as %s", f.Media, f.ContentType())
		}
		if f.ContentTypeOf(rdf.RDF11, rdf.RDF12) != f.ContentType() || strings.HasSuffix(f.ContentTypeOf(rdf.RDF12Basic, rdf.RDF12), "; version=1.2") != versions ||
			strings.HasSuffix(f.ContentTypeOf(rdf.RDF12Basic, rdf.RDF12Basic), "; version=1.2-basic") != versions {
			t.Errorf("%s of RDF 1.2 is sent as %s", f.Media, f.ContentTypeOf(rdf.RDF12, rdf.RDF12))
		}
		if !strings.HasPrefix(f.IRI, "http://www.w3.org/ns/formats/") {
			t.Errorf("%s has the IRI %s", f.Media, f.IRI)
		}
	}
	if _, ok := FormatOf("text/html"); ok {
		t.Error("HTML is a format of RDF")
	}
	if got := strings.Join(MediaTypes(PublishedFormats()), " "); got != "text/turtle application/n-triples application/rdf+xml application/ld+json" {
		t.Errorf("logs may be %s", got)
	}
}
