package persist

import (
	"fmt"
	"slices"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// A copy of a file with deferred decisions is as complete as one of a closed file.
func TestACopyOfAFileAfterAKillIsComplete(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	for decisions := 2; decisions < 14; decisions++ {
		s := openStore(t)
		_, r := resolved(t, s)
		publish(t, s, sample)
		hears(t, r, 0, decisions)
		when := fmt.Sprintf("after %d decisions", 2*decisions)
		path := leftBy(t, s)
		if _, err := CheckFile(t.Context(), path); err != nil {
			t.Errorf("%s: %v", when, err)
		}
		c := reopen(t, path)
		if got, was := allQuads(t, c), allQuads(t, s); !slices.Equal(got, was) {
			t.Errorf("%s: the copy has %d quads of %d", when, len(got), len(was))
		}
		if got, was := recordsOf(t, c.Contexts()), recordsOf(t, s.Contexts()); !slices.Equal(got, was) {
			t.Errorf("%s: the copy has %d records of %d", when, len(got), len(was))
		}
		mustCheck(t, c)
	}
}
