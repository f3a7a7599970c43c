package service

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/segraph/segraph/resolver"
)

// TestTheBeginningOfAnAnswerIsHeldBack checks that nothing is passed on up to the limit,
// then everything, and later bytes directly.
func TestTheBeginningOfAnAnswerIsHeldBack(t *testing.T) {
	var out bytes.Buffer
	begun := 0
	h := &headBuffer{to: &out, begin: func() { begun++ }, maxKept: 4}
	for i, want := range []string{"", "", "abcdef", "abcdefgh"} {
		n, err := h.Write([]byte("abcdefgh")[2*i : 2*i+2])
		if n != 2 || err != nil || out.String() != want {
			t.Errorf("write %d: %d, %v, %q", i, n, err, &out)
		}
	}
	if err := h.release(); err != nil || begun != 1 || out.String() != "abcdefgh" {
		t.Errorf("%v, begun %d times, %q", err, begun, &out)
	}
	short := &headBuffer{to: &out, begin: func() { begun++ }, maxKept: 4}
	if _, err := io.WriteString(short, "ij"); err != nil || out.String() != "abcdefgh" {
		t.Errorf("%v, %q", err, &out)
	}
	if err := errors.Join(short.release(), short.release()); err != nil || begun != 2 || out.String() != "abcdefghij" {
		t.Errorf("%v, begun %d times, %q", err, begun, &out)
	}
}

func TestOnlyCasesOfTheDemoAreRejected(t *testing.T) {
	own, other := "http://e/own", "http://e/other"
	demo := map[string]bool{own: true}
	for name, c := range map[string]struct {
		all  []resolver.ObservationView
		want bool
	}{
		"none":         {nil, false},
		"the demo's":   {[]resolver.ObservationView{{ObservationURI: &own}, {ObservationURI: &own}}, true},
		"another":      {[]resolver.ObservationView{{ObservationURI: &own}, {ObservationURI: &other}}, false},
		"without URI":  {[]resolver.ObservationView{{ObservationURI: &own}, {}}, false},
		"only another": {[]resolver.ObservationView{{ObservationURI: &other}}, false},
	} {
		if got := observedInDemo(c.all, demo); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestQueriesThatMayMakeRDF12AreKnown(t *testing.T) {
	for text, want := range map[string]bool{
		`CONSTRUCT { ?s ?p ?o } { ?s ?p ?o } # -- all of them`:                                  false,
		`CONSTRUCT { ?s ?p "a"@en-GB, "--ltr" } { ?s ?p <http://e/a--ltr> FILTER (1 < 2) }`:     false,
		`CONSTRUCT { ?s ?p ?o } { ?s ?p ?o FILTER (1 - -1 < 2 && !(?o = STRLANG("a", "en"))) }`: false,
		`CONSTRUCT { ?s ?p "a"@en-GB--ltr } { ?s ?p ?o }`:                                       true,
		`DESCRIBE ?d { ?s ?p ?o BIND (strLangDir("b", "en", "ltr") AS ?d) }`:                    true,
		`SELECT (Triple(?s, ?p, ?o) AS ?d) { ?s ?p ?o }`:                                        true,
		`CONSTRUCT { ?s ?p <<( ?s ?p ?o )>> } { ?s ?p ?o }`:                                     true,
		`CONSTRUCT { << ?s ?p ?o >> ?p ?o } { ?s ?p ?o }`:                                       true,
		`CONSTRUCT { ?s ?p ?o ~ ?r } { ?s ?p ?o }`:                                              true,
		`CONSTRUCT { ?s ?p ?o {| ?p ?o |} } { ?s ?p ?o }`:                                       true,
	} {
		if makesRDF12.MatchString(text) != want {
			t.Errorf("%s may make RDF 1.2: %t", text, !want)
		}
	}
}
