package expr

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/value"
)

// Parts returns the ids of the parts of a triple term. ok is false for other terms.
func (t *Terms) Parts(id source.ID) (spo [3]source.ID, ok bool, err error) {
	if t.Kind(id) != rdf.KindTriple {
		return spo, false, nil
	}
	if id < source.LocalFirst {
		return t.ds.TripleParts(id)
	}
	triple := t.local[id-t.first].Triple()
	for i, part := range [...]rdf.Term{triple.S, triple.P, triple.O} {
		if spo[i], err = t.ID(part); err != nil {
			return spo, false, err
		}
	}
	return spo, true, nil
}

// OfParts returns the id of the triple term with the given parts, or 0 if RDF does not
// allow the triple.
func (t *Terms) OfParts(spo [3]source.ID) (source.ID, error) {
	if s := t.Kind(spo[0]); s != rdf.KindIRI && s != rdf.KindBlank || t.Kind(spo[1]) != rdf.KindIRI || spo[2] == 0 {
		return 0, nil
	}
	var triple rdf.Triple
	for i, to := range []*rdf.Term{&triple.S, &triple.P, &triple.O} {
		var err error
		if *to, err = t.Term(spo[i]); err != nil {
			return 0, err
		}
	}
	if err := value.CheckNesting(triple.O); err != nil {
		return 0, err
	}
	return t.ID(rdf.NewTripleTerm(triple))
}
