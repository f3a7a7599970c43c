package rdf

import (
	"strings"
	"testing"
)

// All examples of RFC 3986, sections 5.4.1 and 5.4.2, verbatim.
func TestResolveIRIFollowsTheExamplesOfRFC3986(t *testing.T) {
	const base = "http://a/b/c/d;p?q"
	normal := [][2]string{
		{"g:h", "g:h"}, {"g", "http://a/b/c/g"}, {"./g", "http://a/b/c/g"},
		{"g/", "http://a/b/c/g/"}, {"/g", "http://a/g"}, {"//g", "http://g"},
		{"?y", "http://a/b/c/d;p?y"}, {"g?y", "http://a/b/c/g?y"},
		{"#s", "http://a/b/c/d;p?q#s"}, {"g#s", "http://a/b/c/g#s"},
		{"g?y#s", "http://a/b/c/g?y#s"}, {";x", "http://a/b/c/;x"},
		{"g;x", "http://a/b/c/g;x"}, {"g;x?y#s", "http://a/b/c/g;x?y#s"},
		{"", "http://a/b/c/d;p?q"}, {".", "http://a/b/c/"}, {"./", "http://a/b/c/"},
		{"..", "http://a/b/"}, {"../", "http://a/b/"}, {"../g", "http://a/b/g"},
		{"../..", "http://a/"}, {"../../", "http://a/"}, {"../../g", "http://a/g"},
	}
	abnormal := [][2]string{
		{"../../../g", "http://a/g"}, {"../../../../g", "http://a/g"},
		{"/./g", "http://a/g"}, {"/../g", "http://a/g"}, {"g.", "http://a/b/c/g."},
		{".g", "http://a/b/c/.g"}, {"g..", "http://a/b/c/g.."}, {"..g", "http://a/b/c/..g"},
		{"./../g", "http://a/b/g"}, {"./g/.", "http://a/b/c/g/"},
		{"g/./h", "http://a/b/c/g/h"}, {"g/../h", "http://a/b/c/h"},
		{"g;x=1/./y", "http://a/b/c/g;x=1/y"}, {"g;x=1/../y", "http://a/b/c/y"},
		{"g?y/./x", "http://a/b/c/g?y/./x"}, {"g?y/../x", "http://a/b/c/g?y/../x"},
		{"g#s/./x", "http://a/b/c/g#s/./x"}, {"g#s/../x", "http://a/b/c/g#s/../x"},
		{"http:g", "http:g"}, // for strict parsers
	}
	for _, example := range append(normal, abnormal...) {
		if got, err := ResolveIRI(base, example[0]); err != nil || got != example[1] {
			t.Errorf("<%s> against <%s> = <%s>, %v; want <%s>", example[0], base, got, err, example[1])
		}
	}
}

func TestResolveIRI(t *testing.T) {
	tests := []struct{ name, base, ref, want string }{
		{"an absolute IRI keeps its dot segments", "http://a/b", "http://x/../y/./z", "http://x/../y/./z"},
		{"a base without a path", "http://a", "g", "http://a/g"},
		{"a base without a path, and one up", "http://a", "../g", "http://a/g"},
		{"a base without a path but a query", "http://a?q", "g", "http://a/g"},
		{"the base's fragment is not used", "http://a/b#f", "", "http://a/b"},
		{"the base's fragment is replaced", "http://a/b?q#f", "#g", "http://a/b?q#g"},
		{"a slash in the base's query is no path", "http://a/b/c?x/y", "g", "http://a/b/g"},
		{"a slash in the base's fragment is no path", "http://a/b/c#x/y", "g", "http://a/b/g"},
		{"the base's own dot segments stay where its path stays", "http://a/b/../c", "#s", "http://a/b/../c#s"},
		{"and go where its path is used", "http://a/b/../c", "g", "http://a/g"},
		{"empty segments stay", "http://ab//de//ghi", "../xyz", "http://ab//de/xyz"},
		{"a query alone", "http://a/b/c", "?", "http://a/b/c?"},
		{"a fragment alone", "http://a/b?q", "#", "http://a/b?q#"},
		{"a colon after a slash is no scheme", "http://a/b", "./x:y", "http://a/x:y"},
		{"a colon after a digit first is no scheme", "http://a/b", "1:y", "http://a/1:y"},
		{"an authority's dot segments go", "http://a/b", "//h/x/../y", "http://h/y"},
		{"nothing is encoded", "http://a/ü", "é%2f", "http://a/é%2f"},
		{"a base without authority", "urn:a:b", "c", "urn:c"},
		{"a base without authority, rooted", "file:/a/b", "../../c", "file:/c"},
		{"step A of section 5.2.4", "urn:a:b", "../c", "urn:c"},
		{"step D of section 5.2.4", "urn:a:b", "..", "urn:"},
		{"a fragment of a urn", "urn:a:b", "#c", "urn:a:b#c"},
		{"file", "file:///a/b", "c", "file:///a/c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := ResolveIRI(tt.base, tt.ref); err != nil || got != tt.want {
				t.Errorf("<%s> against <%s> = <%s>, %v; want <%s>", tt.ref, tt.base, got, err, tt.want)
			}
		})
	}
}

func TestResolveIRIRefusesWhatHasNoMeaning(t *testing.T) {
	for _, tt := range [][3]string{
		{"", "g", "not absolute"},
		{"b/c", "g", "not absolute"},
		{"//host/c", "g", "not absolute"},
		{"file:/a", "..//host/c", "host name"},
		{"file:/a", "/.//host/c", "host name"},
	} {
		got, err := ResolveIRI(tt[0], tt[1])
		if err == nil || !strings.Contains(err.Error(), tt[2]) {
			t.Errorf("<%s> against <%s> = <%s>, %v; want an error with %q", tt[1], tt[0], got, err, tt[2])
		}
	}
	var none BaseIRI
	if got, err := none.Resolve("g"); err == nil {
		t.Errorf("<g> without a base = <%s>; want an error", got)
	}
	if got, err := none.Resolve("urn:g"); err != nil || got != "urn:g" {
		t.Errorf("<urn:g> without a base = <%s>, %v", got, err)
	}
}

func TestIsAbsoluteIRI(t *testing.T) {
	for iri, want := range map[string]bool{
		"http://a": true, "urn:x": true, "a+b-c.1:": true, "H:": true, "x:#": true,
		"": false, ":": false, "a": false, "1a:b": false, "+a:b": false, "a/b:c": false,
		"#a:b": false, "é:b": false, "@:": false, "[:": false, "`a:": false, "{:": false,
	} {
		if IsAbsoluteIRI(iri) != want || HasScheme([]byte(iri)) != want {
			t.Errorf("IsAbsoluteIRI(%q) = %v, want %v", iri, !want, want)
		}
	}
}

// Resolving 2 MB of dot segments must not take quadratic time.
func TestResolveIRIIsLinear(t *testing.T) {
	ref := strings.Repeat("a/", 500_000) + strings.Repeat("../", 500_000) + "x"
	if got, err := ResolveIRI("http://h/b/c", ref); err != nil || got != "http://h/b/x" {
		t.Errorf("got %d bytes, %v; want http://h/b/x", len(got), err)
	}
}

func TestBaseIRIAppendAllocatesNothing(t *testing.T) {
	base, err := ParseBaseIRI("http://example.org/a/b")
	if err != nil {
		t.Fatal(err)
	}
	dst, ref := make([]byte, 0, 100), []byte("../c?d#e")
	if n := testing.AllocsPerRun(100, func() { dst, _ = base.Append(dst[:0], ref) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if string(dst) != "http://example.org/c?d#e" {
		t.Errorf("got %s", dst)
	}
}
