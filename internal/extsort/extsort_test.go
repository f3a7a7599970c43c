package extsort

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTextsAreSortedInMemoryAndBeyond(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 11, 1000} {
		s := New(10)
		var want, got []string
		for range n {
			text := fmt.Sprintf("%x", rand.IntN(n)) // some are equal, and one may be empty
			if text == "0" {
				text = ""
			}
			want = append(want, text)
			if err := s.Add(text); err != nil {
				t.Fatal(err)
			}
		}
		for text, err := range s.All() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, text)
		}
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%d texts are sorted as %q, want %q", n, got, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Long texts go to the file before there are many.
func TestFewBytesAreInMemory(t *testing.T) {
	s := New(100)
	defer s.Close()
	for i := range 20 {
		if err := s.Add(strings.Repeat(string(rune('z'-i)), mostBytes/5)); err != nil {
			t.Fatal(err)
		}
		if len(s.texts) > 5 {
			t.Fatalf("%d texts of %d bytes are in memory", len(s.texts), s.bytes)
		}
	}
	n, last := 0, ""
	for text, err := range s.All() {
		if err != nil || text < last {
			t.Fatalf("%d: %v", n, err)
		}
		n, last = n+1, text
	}
	if n != 20 {
		t.Errorf("%d texts are sorted", n)
	}
}

// A disk that takes no more ends Add, and one that returns less ends All.
func TestADiskThatFailsEndsSorting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	full, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s := New(1)
	s.file = full // can't be written
	if err := s.Add("b"); err != nil {
		t.Fatal(err)
	}
	if err := s.Add("a"); err == nil {
		t.Error("a text is added that has no room")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s = New(1)
	defer s.Close()
	for _, text := range []string{"c", "b", "a"} {
		if err := s.Add(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.file.Truncate(3); err != nil {
		t.Fatal(err)
	}
	var last error
	for _, err := range s.All() {
		last = err
	}
	if last == nil {
		t.Error("a text is missing")
	}
}
