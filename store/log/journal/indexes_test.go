package journal

import (
	"fmt"
	"slices"
	"testing"
)

// TestIndexesAreAddedAndParsed compares texts with sets of numbers.
func TestIndexesAreAddedAndParsed(t *testing.T) {
	t.Parallel()
	text, full, err := AddIndexes("", []uint64{4, 8, 9, 10})
	if text != "3,7-9" || full || err != nil {
		t.Errorf("%q %v %v", text, full, err)
	}
	if text, _, err = AddIndexes(text, []uint64{6, 5, 8}); text != "3-5,7-9" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	if seqs, err := parseIndexes(text); err != nil || !slices.Equal(seqs, []uint64{4, 5, 6, 8, 9, 10}) {
		t.Errorf("%v %v", seqs, err)
	}
	for _, wrong := range []string{"", "a", "3-", "4-3", "0-99999999", "1,,2", "-1"} {
		if seqs, err := parseIndexes(wrong); err == nil {
			t.Errorf("%q: %v", wrong, seqs)
		}
	}
	var odd []uint64
	for n := range uint64(5000) {
		odd = append(odd, 2*n+1)
	}
	if text, full, err := AddIndexes("", odd); !full || err != nil || len(text) > maxIndexes+20 {
		t.Error(fmt.Sprintf("%.40q", text), len(text), full, err)
	}
}
