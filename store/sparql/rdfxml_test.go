package sparql_test

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
)

// readRDFXML reads the part of RDF/XML used by the result sets in the folder sort and the
// data in the folder subquery: nodes with properties, rdf:about, rdf:resource,
// rdf:nodeID, rdf:datatype and rdf:parseType="Resource".
func readRDFXML(t *testing.T, r io.Reader, base string) (triples []rdf.Triple) {
	t.Helper()
	blanks := 0
	type element struct {
		name string
		node bool
		term rdf.Term // of a node: itself; of a property: its object
		text strings.Builder
		tag  string // datatype of a property's literal
	}
	blank := func() rdf.Term {
		blanks++
		return rdf.NewBlank("node" + strconv.Itoa(blanks))
	}
	var stack []*element
	in := xml.NewDecoder(r)
	for {
		token, err := in.Token()
		if err == io.EOF {
			return triples
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			e := &element{name: x.Name.Space + x.Name.Local}
			// Elements in rdf:RDF, the outermost, are nodes; elements in a node are
			// properties, and so on.
			e.node = len(stack) > 0 && !stack[len(stack)-1].node
			for _, a := range x.Attr {
				switch a.Name.Space + a.Name.Local {
				case rdf.RDF + "resource", rdf.RDF + "about":
					iri, err := rdf.ResolveIRI(base, a.Value)
					if err != nil {
						t.Fatal(err)
					}
					e.term = rdf.NewIRI(iri)
				case rdf.RDF + "nodeID":
					e.term = rdf.NewBlank(a.Value)
				case rdf.RDF + "datatype":
					e.tag = a.Value
				case rdf.RDF + "parseType": // Resource: an omitted node
					e.term = blank()
					stack = append(stack, e)
					e = &element{node: true, term: e.term}
				}
			}
			if e.node && e.name != "" {
				if e.term.IsZero() {
					e.term = blank()
				}
				if e.name != rdf.RDF+"Description" {
					triples = append(triples, rdf.Triple{S: e.term, P: rdf.NewIRI(rdf.RDFType), O: rdf.NewIRI(e.name)})
				}
				if len(stack) > 1 {
					stack[len(stack)-1].term = e.term
				}
			}
			stack = append(stack, e)
		case xml.CharData:
			if len(stack) > 0 {
				stack[len(stack)-1].text.Write(x)
			}
		case xml.EndElement:
			if e := stack[len(stack)-1]; e.node && e.name == "" {
				stack = stack[:len(stack)-1]
			}
			e := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if !e.node && len(stack) > 0 {
				if e.term.IsZero() {
					e.term = rdf.NewLiteral(e.text.String(), e.tag)
				}
				triples = append(triples, rdf.Triple{S: stack[len(stack)-1].term, P: rdf.NewIRI(e.name), O: e.term})
			}
		}
	}
}
