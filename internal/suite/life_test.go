package suite

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestLifeIsAsLongAsAskedAndAlwaysTheSame(t *testing.T) {
	const triples = 5_000
	var one, again bytes.Buffer
	if err := Life(&one, triples); err != nil {
		t.Fatal(err)
	}
	if err := Life(&again, triples); err != nil || !bytes.Equal(one.Bytes(), again.Bytes()) {
		t.Errorf("the second result differs, %v", err)
	}
	lines := slices.Collect(strings.Lines(one.String()))
	if n := len(lines); n < triples || n > triples+200 {
		t.Errorf("%d triples, want %d", n, triples)
	}
	slices.Sort(lines)
	if n := len(slices.Compact(lines)); n < triples {
		t.Errorf("%d of its triples differ", n)
	}
}
