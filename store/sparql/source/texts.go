package source

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/trigram"
)

// TextIndex is a Reader with an index of texts.
type TextIndex interface {
	Reader
	// TextRanges returns disjoint ranges of ids, in ascending order. Every term whose
	// text satisfies q is in one of them. If strings is set, only strings count, with
	// or without a language; otherwise all terms that STR accepts. ok is false if the
	// index cannot tell.
	TextRanges(q *trigram.Query, strings bool) (ranges []IDRange, ok bool, err error)
}

// textRanges returns the TextRanges of a dataset. ok is false if it has no index of
// texts.
func textRanges(ds Reader, t *algebra.Text) (ranges []IDRange, ok bool, err error) {
	if x, ok := Base(ds).(TextIndex); ok {
		return x.TextRanges(t.Query, t.Strings)
	}
	return nil, false, nil
}
