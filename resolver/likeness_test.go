package resolver

import (
	"fmt"
	"testing"

	"github.com/segraph/segraph/resolver/text"
)

// There are more pairs than slots, so that some are found in memory and some replace
// another pair.
func TestARememberedLikenessIsTheSimilarity(t *testing.T) {
	remembered := newLikenesses(16 << 20)
	texts := make([]*text.Text, 130)
	for i := range texts {
		texts[i] = text.New(fmt.Sprintf("where is the %d museum", i*i))
	}
	for _, a := range texts {
		for _, b := range texts {
			if got, want := remembered.of(a, b), text.Similarity(a, b); got != want {
				t.Fatalf("%q and %q: %v, want %v", a.Normal, b.Normal, got, want)
			}
		}
	}
	if len(texts)*len(texts) <= len(remembered.slots) {
		t.Error("there are no more pairs than slots")
	}
}
