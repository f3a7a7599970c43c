package source

import "iter"

// TripleTerm is a triple term of a dataset, and its subject, predicate and object.
type TripleTerm struct {
	ID    ID
	Parts [3]ID
}

// TripleIndex is a Reader that can find triple terms by their parts.
type TripleIndex interface {
	Reader
	// TripleParts returns the ids of the subject, predicate and object of a triple
	// term. ok is false for the id of another kind of term.
	TripleParts(id ID) (spo [3]ID, ok bool, err error)
	// TripleTerms yields all triple terms with the given parts, in any order, without
	// duplicates. 0 for s, p or o matches any term. The terms belong to no graph, and a
	// term may no longer be part of any triple. TripleTerms reads an index, so its work
	// grows with the number of results. It ends after the first error.
	TripleTerms(s, p, o ID) iter.Seq2[TripleTerm, error]
	// EachTripleTerm calls f with the ids of the same terms, in batches. f must neither
	// use the dataset nor keep the slice. EachTripleTerm ends after the first error and
	// returns it.
	EachTripleTerm(s, p, o ID, f func(ids []ID) error) error
}
