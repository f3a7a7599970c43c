package engine

import (
	"context"
	"sync/atomic"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/rdf"
)

// undirected counts the strings with a language tag, from number 0 on, that are known to
// have no base direction. The count only grows while the file is open: numbers are
// assigned in ascending order, and an id never changes its term.
type undirected struct{ n atomic.Uint64 }

// atLeast records that the first n strings have no base direction.
func (u *undirected) atLeast(n uint64) {
	for old := u.n.Load(); old < n && !u.n.CompareAndSwap(old, n); {
		old = u.n.Load()
	}
}

// firstDirected returns the number of the dictionary's first string that may have a base
// direction, and reports whether there is one. It reads only strings that no snapshot of
// the store has looked at. It stops early and reports true if ctx ends or a string can't
// be read. It may run while other goroutines use the snapshot.
func (s *Snapshot) firstDirected(ctx context.Context) (number uint64, found bool) {
	number = s.undirected.n.Load()
	next, err := s.numbers()
	if err != nil {
		return number, true
	}
	defer func() { s.undirected.atLeast(number) }()
	terms, text := s.dictionary(nil), []byte(nil)
	for ; number < next[dict.TagLang]; number++ {
		if number%4096 == 0 && ctx.Err() != nil {
			return number, true
		}
		id, _ := dict.NumberRange(dict.TagLang, number, number)
		all, t, err := terms.Append(text[:0], id)
		if err != nil || t.Direction() != "" {
			return number, true
		}
		text = all
	}
	return number, false
}

// MayHaveRDF12 reports whether a graph may have a triple term or a string with a base
// direction. It may run while other goroutines use the snapshot.
func (s *Snapshot) MayHaveRDF12(ctx context.Context) bool {
	if file.HasTriples(s.bolt) {
		return true
	}
	_, found := s.firstDirected(ctx)
	return found
}

// rdfVersion returns the lowest version of RDF that can hold a graph. If the dictionary
// has a string with a base direction, rdfVersion may read all strings of the graph with a
// language tag and a greater number.
func (s *Snapshot) rdfVersion(ctx context.Context, g dict.ID) (rdf.Version, error) {
	if has, err := s.hasTriples(g); has || err != nil {
		return rdf.RDF12, err
	}
	number, found := s.firstDirected(ctx)
	if !found {
		return rdf.RDF11, nil
	}
	first, last := dict.NumberRange(dict.TagLang, number, dict.MaxNumber)
	lo, _ := index.Prefix(uint64(first))
	_, hi := index.Prefix(uint64(last))
	scan, object := s.Range(g, OSP, lo, hi), uint64(0)
	for tuples := scan.Next(); tuples != nil; tuples = scan.Next() {
		if err := ctx.Err(); err != nil {
			return rdf.RDF12, err
		}
		for _, t := range tuples {
			if t[0] == object {
				continue
			}
			object = t[0]
			if v, err := s.VersionOf(dict.ID(object)); v != rdf.RDF11 || err != nil {
				return v, err
			}
		}
	}
	return rdf.RDF11, scan.Err()
}

// VersionOf returns the lowest version of RDF that has the term of an id.
func (s *Snapshot) VersionOf(id dict.ID) (rdf.Version, error) {
	switch {
	case id.IsTriple():
		return rdf.RDF12, nil
	case id.Tag() != dict.TagLang:
		return rdf.RDF11, nil
	}
	t, err := s.Term(id)
	return t.Version(), err
}
