package evidence

import (
	"strings"
	"testing"
)

// TestNoTwoProgramsReadAnEntryDifferently: encoding/json takes the last of two members, and
// ignores the case of their names.
func TestNoTwoProgramsReadAnEntryDifferently(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"action":"insert","triples":3,"revoked":{"jti":"x"},"a":[{"b":1},{"b":2}]}`: true,
		`{"action":"insert","action":"clear"}`:                                        false,
		`{"action":"insert","Action":"clear"}`:                                        false,
		`{"action":"insert","actıon":"clear"}`:                                        false,
		`{"revoked":{"jti":"x","jti":"y"}}`:                                           false,
		`{"a":[{"b":1,"b":2}]}`:                                                       false,
		`{"":1}`:                                                                      false,
	} {
		if got := unambiguous([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestSmallInputDoesNotFillTheMemory has a page that is full, and a document whose terms are
// too large.
func TestSmallInputDoesNotFillTheMemory(t *testing.T) {
	t.Parallel()
	w := &writer{full: true}
	if w.line("x"); w.Len() > 0 {
		t.Error("a page that is full becomes larger")
	}
	s := &signature{document: []byte("@prefix x: <http://example.org/" + strings.Repeat("x", 1<<20) + "> . x:a x:b x:c" + strings.Repeat(", x:d", 300) + " .")}
	if _, err := s.graph("rdfc-1.0"); err == nil {
		t.Error("a document of 300 MiB of terms is read")
	}
}
