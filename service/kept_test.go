package service

import (
	"errors"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
)

func TestAPageKeepsManyShortTextsAndFewLongOnes(t *testing.T) {
	t.Parallel()
	var kept Kept
	for range 100_000 {
		if err := kept.Add(rdf.NewString(strings.Repeat("x", 1000))); err != nil {
			t.Fatal(err)
		}
	}
	long, n := rdf.NewString(strings.Repeat("x", 15<<20)), 0
	var err error
	for ; err == nil && n < 10; n++ {
		err = kept.Add(long)
	}
	if e, ok := errors.AsType[*Error](err); n != 5 || !ok || e.Kind != TooLarge {
		t.Errorf("%v after %d", err, n)
	}
}
