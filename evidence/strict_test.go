package evidence

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
)

// TestNoTwoProgramsReadAnEntryDifferently: encoding/json takes the last of two members, and
// ignores the case of their names.
func TestNoTwoProgramsReadAnEntryDifferently(t *testing.T) {
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

// TestASmallBundleDoesNotFillTheMemory has a zip file with one member many times, members
// that are too large, and a document whose terms are.
func TestASmallBundleDoesNotFillTheMemory(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for range 3 {
		w, err := z.Create(pageName)
		if err == nil {
			_, err = w.Write(make([]byte, 1<<20))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	m, failures, err := unzip(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || len(m) != 1 || len(failures) != 2 || failures[0].Problem != "the zip file has it twice" {
		t.Errorf("%d members, %v, %v", len(m), failures, err)
	}
	large := (&kit{TB: t}).zipOf(members{"entries/1": make([]byte, maxSmall+1)})
	if _, _, err := unzip(large, large.Size()); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("a large entry: %v", err)
	}
	if _, _, err := unzip(bytes.NewReader(nil), maxSize+1); err == nil {
		t.Error("a large file is read")
	}
	w := &writer{full: true}
	if w.line("x"); w.Len() > 0 {
		t.Error("a page that is full becomes larger")
	}
	s := &signature{document: []byte("@prefix x: <http://example.org/" + strings.Repeat("x", 1<<20) + "> . x:a x:b x:c" + strings.Repeat(", x:d", 300) + " .")}
	if _, err := s.graph("rdfc-1.0"); err == nil {
		t.Error("a document of 300 MiB of terms is read")
	}
}
