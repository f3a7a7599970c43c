package service

import (
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
)

// The query that chooses logs may return many long IRIs.
func TestTheAnswersThatChooseLogsHaveBoundedTexts(t *testing.T) {
	t.Parallel()
	c := &firstColumn{}
	iri := []rdf.Term{rdf.NewIRI("http://e/" + strings.Repeat("x", 64<<10))}
	for n := 1; ; n++ {
		if err := c.Row(iri); err != nil {
			if refused := ErrorOf(err); refused == nil || refused.Kind != Invalid || n < 200 {
				t.Errorf("after %d answers: %v", n, err)
			}
			return
		}
		if n > 300 {
			t.Fatalf("%d MiB are kept", n*64>>10)
		}
	}
}
