package rdf

import "testing"

func TestVersionsIncludeLowerOnes(t *testing.T) {
	ascending := []string{"1.1", "1.2-basic", "1.2"}
	for i, label := range ascending {
		v, ok := VersionOf(label)
		if !ok || v.String() != label {
			t.Errorf("%q is version %v, %t", label, v, ok)
		}
		for j, other := range ascending {
			if data, _ := VersionOf(other); v.Admits(data) != (j <= i) {
				t.Errorf("%s admits %s: %t", label, other, j > i)
			}
		}
	}
	for _, label := range []string{"", "1.0", "1.2-Basic", "1.2 ", "2.0", "9.9"} {
		if v, ok := VersionOf(label); ok {
			t.Errorf("%q is version %v", label, v)
		}
	}
	s := NewIRI("http://e/s")
	for want, term := range map[Version]Term{
		RDF11:      NewLang("a", "en"),
		RDF12Basic: NewDirLang("a", "en", "rtl"),
		RDF12:      NewTripleTerm(Triple{s, s, NewLang("a", "en")}),
	} {
		if got := term.Version(); got != want {
			t.Errorf("%s: version %v, want %v", term, got, want)
		}
	}
}
