package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/trigram"
)

// TextIndex is a Dataset that knows which texts may be worth testing.
type TextIndex interface {
	Dataset
	// TextRanges returns, in order and apart, ranges of ids outside of which no term has
	// a text of which q is true: no string, with or without a language, if that is all
	// that counts, and else none that STR has a text for. It reports false if it does not
	// know better than to test all.
	TextRanges(q *trigram.Query, strings bool) (ranges []IDRange, ok bool, err error)
}

// textRanges returns those of a dataset with such an index.
func textRanges(ds Dataset, t *algebra.Text) (ranges []IDRange, ok bool, err error) {
	if m, isMerged := ds.(*merged); isMerged {
		ds = m.Dataset
	}
	if x, ok := ds.(TextIndex); ok {
		return x.TextRanges(t.Query, t.Strings)
	}
	return nil, false, nil
}
