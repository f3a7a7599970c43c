package resolver

import (
	"testing"

	"github.com/segraph/segraph/resolver/text"
)

func TestARememberedLikenessIsTheSimilarity(t *testing.T) {
	c := readOnly(nil)
	texts := []*text.Text{text.New("where is the museum"), text.New("where is a museum"), text.New("open this door please")}
	for range 2 { // the second time from memory
		for _, a := range texts {
			for _, b := range texts {
				if got, want := c.likeness(a, b), text.Similarity(a, b); got != want {
					t.Errorf("%q and %q: %v, want %v", a.Normal, b.Normal, got, want)
				}
			}
		}
	}
}
