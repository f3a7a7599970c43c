package httpapi

import (
	"context"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/jsonld"
	"github.com/segraph/segraph/store/memory"
	"github.com/segraph/segraph/store/rdfxml"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
)

// The three W3C tests of service descriptions have no files: a GET without parameters
// returns RDF, its sd:endpoint is the requested address, and its terms are those of the
// vocabulary. Here are these, and what this service says.
//
// The versions are those of SPARQL 1.2 Service Description, section 3.4.
func TestTheServiceDescribesItself(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, `<http://e/a> <http://e/p> "published" .`)
	addQuads(t, s, "http://e/g", `<http://e/a> <http://e/p> "named" .`)
	for _, ui := range []bool{false, true} {
		path := "/query"
		if ui {
			path = "/api/query"
		}
		w := s.do(t, call{method: "GET", path: path, ui: ui})
		if got := w.Header().Get("Content-Type"); w.Code != 200 || got != "text/turtle; charset=utf-8" || w.Header().Get("Vary") != "Accept" {
			t.Fatalf("%s: %d %v", path, w.Code, w.Header())
		}
		for query, want := range map[string]bool{
			"ASK { [] a sd:Service ; sd:endpoint <http://example.com" + path + "> }":                                                                                                                                     true,
			"ASK { [] sd:supportedLanguage sd:SPARQL11Query ; sd:defaultEntailmentRegime <http://www.w3.org/ns/entailment/Simple> }":                                                                                     true,
			"ASK { [] sd:supportedLanguage sd:SPARQLQuery ; sd:supportedVersion <http://www.w3.org/ns/sparql#version-1.2>, <http://www.w3.org/ns/sparql#version-1.2-basic>, <http://www.w3.org/ns/sparql#version-1.1> }": true,
			"ASK { [] sd:supportedLanguage ?l FILTER(?l NOT IN (sd:SPARQLQuery, sd:SPARQL11Query)) }":                                                                                                                    false,
			"ASK { [] sd:resultFormat f:SPARQL_Results_JSON, f:SPARQL_Results_XML, f:Turtle, f:TriG, f:N-Quads, f:RDF_XML, f:JSON-LD }":                                                                                  true,
			"ASK { [] sd:inputFormat f:Turtle, f:N-Triples, f:RDF_XML, f:JSON-LD }":                                                                                                                                      true,
			"ASK { [] sd:defaultDataset [ a sd:Dataset ; sd:defaultGraph [ a sd:Graph ] ] }":                                                                                                                             true,
			"ASK { [] sd:namedGraph [ a sd:NamedGraph ; sd:name <urn:segraph:contexts> ; sd:graph [ a sd:Graph ] ] }":                                                                                                    true,
			"ASK { [] sd:namedGraph [ sd:name <http://e/g> ] }":                                                                                                                                                          true,
			"ASK { { [] sd:feature [] } UNION { [] sd:supportedLanguage sd:SPARQL11Update } UNION { [] sd:inputFormat f:TriG } }":                                                                                        false,
			"ASK { ?s ?p ?o FILTER(?p != rdf:type && !STRSTARTS(STR(?p), STR(sd:))) }":                                                                                                                                   false,
			"ASK { { SELECT (COUNT(*) AS ?n) { [] sd:namedGraph [] } } FILTER(?n != 2) }":                                                                                                                                false,
			"ASK { { SELECT (COUNT(*) AS ?n) { [] sd:endpoint [] } } FILTER(?n != 1) }":                                                                                                                                  false,
			"ASK { [] a ?class FILTER(?class NOT IN (sd:Service, sd:Dataset, sd:Graph, sd:NamedGraph)) }":                                                                                                                false,
			"ASK { [] sd:resultFormat ?f FILTER(!STRSTARTS(STR(?f), STR(f:))) }":                                                                                                                                         false,
			"ASK { [] sd:defaultDataset ?d . FILTER NOT EXISTS { ?d a sd:Dataset ; sd:defaultGraph [] ; sd:namedGraph [ sd:name [] ] } }":                                                                                false,
			"ASK { ?g a sd:NamedGraph FILTER NOT EXISTS { ?g sd:name ?name ; sd:graph [ a sd:Graph ] } }":                                                                                                                false,
			"ASK { [] a sd:Service ; sd:url [] }":                                                                                                                                                                        false,
		} {
			if got := askText(t, w.Body.String(), query); got != want {
				t.Errorf("%s: %s is %v\n%s", path, query, got, w.Body)
			}
		}
	}
}

// askText runs an ASK over Turtle.
func askText(t *testing.T, text, query string) bool {
	t.Helper()
	quads, err := turtle.Parse([]byte(text), turtle.Turtle, turtle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const prefixes = "PREFIX sd: <http://www.w3.org/ns/sparql-service-description#> PREFIX f: <http://www.w3.org/ns/formats/> " +
		"PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> "
	q, err := sparql.Prepare(context.Background(), prefixes+query, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	yes, err := q.Ask(context.Background(), memory.New(quads), budget.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return yes
}

func TestTheDescriptionComesInEachFormat(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, "")
	parsed := func(f turtle.Format) func(string) (int, error) {
		return func(text string) (int, error) {
			quads, err := turtle.Parse([]byte(text), f, turtle.Options{})
			return len(quads), err
		}
	}
	n, err := parsed(turtle.Turtle)(s.do(t, call{method: "GET", path: "/query"}).Body.String())
	if err != nil || n < 20 {
		t.Fatalf("%d triples, %v", n, err)
	}
	for media, count := range map[string]func(string) (int, error){
		"application/n-triples": parsed(turtle.NTriples), "application/trig": parsed(turtle.TriG), "application/n-quads": parsed(turtle.NQuads),
		"application/ld+json": func(text string) (n int, err error) {
			r := jsonld.NewReader(strings.NewReader(text), jsonld.Options{Strict: true})
			for _, err = r.Read(); err == nil; _, err = r.Read() {
				n++
			}
			return n, nil
		},
		"application/rdf+xml": func(text string) (n int, err error) {
			r := rdfxml.NewReader(strings.NewReader(text), rdfxml.Options{})
			for _, err = r.Read(); err == nil; _, err = r.Read() {
				n++
			}
			return n, nil
		},
	} {
		w := s.do(t, call{method: "GET", path: "/query", header: map[string]string{"Accept": "text/html;q=0.5, " + media}})
		got, err := count(w.Body.String())
		if w.Code != 200 || w.Header().Get("Content-Type") != media || err != nil || got != n {
			t.Errorf("%s: %d %v, %d triples, want %d (%v)\n%s", media, w.Code, w.Header(), got, n, err, w.Body)
		}
	}
}

// A graph store that answers the queries knows no SPARQL 1.2.
func TestTheDescriptionOfAGraphStoreSaysNoSPARQL12(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.StoreName = "virtuoso" })
	text := s.do(t, call{method: "GET", path: "/query"}).Body.String()
	if askText(t, text, "ASK { [] sd:supportedVersion ?v FILTER(CONTAINS(STR(?v), '1.2')) }") || !askText(t, text, "ASK { [] sd:supportedVersion <http://www.w3.org/ns/sparql#version-1.1> }") {
		t.Error(text)
	}
}
