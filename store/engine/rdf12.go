package engine

import (
	"context"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
)

// MayHaveRDF12 reports whether a graph may have a triple term or a string with a base
// direction. It may run while other goroutines use the snapshot.
func (s *Snapshot) MayHaveRDF12() bool { return file.Has(s.tx(), file.Triples|file.Directions) }

// rdfVersion returns the lowest version of RDF that can hold a graph. If the dictionary
// has a string with a base direction, rdfVersion may read all strings of the graph with a
// language tag.
func (s *Snapshot) rdfVersion(ctx context.Context, g dict.ID) (rdf.Version, error) {
	if has, err := s.hasTriples(g); has || err != nil {
		return rdf.RDF12, err
	}
	if !file.Has(s.tx(), file.Directions) {
		return rdf.RDF11, nil
	}
	first, last := ids.Range(ids.TagLang)
	lo, _ := index.Prefix(uint64(first))
	_, hi := index.Prefix(uint64(last))
	var object dict.ID
	for t, err := range s.Range(g, OSP, lo, hi).All(ctx) {
		if err != nil {
			return rdf.RDF12, err
		}
		if t[2] == object {
			continue
		}
		object = t[2]
		if v, err := s.VersionOf(object); v != rdf.RDF11 || err != nil {
			return v, err
		}
	}
	return rdf.RDF11, nil
}

// VersionOf returns the lowest version of RDF that has the term of an id.
func (s *Snapshot) VersionOf(id dict.ID) (rdf.Version, error) {
	switch {
	case id.IsTriple():
		return rdf.RDF12, nil
	case id.Tag() != ids.TagLang:
		return rdf.RDF11, nil
	}
	t, err := s.Term(id)
	return t.Version(), err
}
