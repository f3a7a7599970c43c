package canon

import "github.com/segraph/segraph/store/rdf"

// rdfNS begins the words of the basic encoding (RDF 1.2 Interoperability).
const rdfNS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

var (
	typeOf     = rdf.NewIRI(rdfNS + "type")
	tripleTerm = rdf.NewIRI(rdfNS + "TripleTerm")
	parts      = [...]rdf.Term{rdf.NewIRI(rdfNS + "ttSubject"), rdf.NewIRI(rdfNS + "ttPredicate"), rdf.NewIRI(rdfNS + "ttObject")}
)

// BasicName names RDFC-1.0 over Basic, with base directions as in N-Quads of RDF 1.2.
const BasicName = "rdfc-1.0+segraph1"

// BasicTerm returns the node of a triple term in Basic. It returns other terms unchanged.
func BasicTerm(t rdf.Term) rdf.Term {
	if !t.IsTriple() {
		return t
	}
	return rdf.NewBlank("\x00" + t.Fold().String()) // no parser returns such a label
}

// Basic returns the basic encoding of a dataset: each triple term of a graph becomes
// a blank node of the class rdf:TripleTerm, with its parts as rdf:ttSubject,
// rdf:ttPredicate and rdf:ttObject. Equal triple terms of a graph become one node. ok
// is false if the dataset has triple terms and uses one of these predicates itself:
// another dataset could then have the same encoding.
func Basic(quads []rdf.Quad) (out []rdf.Quad, ok bool) {
	type key struct{ graph, term rdf.Term }
	seen, reserved := map[key]bool{}, false
	var encode func(graph, t rdf.Term) rdf.Term
	encode = func(graph, t rdf.Term) rdf.Term {
		node := BasicTerm(t)
		if t.IsTriple() && !seen[key{graph, t}] {
			seen[key{graph, t}] = true
			x := t.Triple()
			out = append(out, rdf.Quad{S: node, P: typeOf, O: tripleTerm, G: graph})
			for i, part := range [...]rdf.Term{x.S, x.P, encode(graph, x.O)} {
				out = append(out, rdf.Quad{S: node, P: parts[i], O: part, G: graph})
			}
		}
		return node
	}
	for _, q := range quads {
		reserved = reserved || q.P == parts[0] || q.P == parts[1] || q.P == parts[2]
		q.O = encode(q.G, q.O.Fold())
		out = append(out, q)
	}
	return out, len(seen) == 0 || !reserved
}
