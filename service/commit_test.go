package service

import (
	"fmt"
	"strings"
	"testing"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/turtle"
)

// committed returns the entry of a document with a fixed secret.
func committed(t *testing.T, text string) journal.Entry {
	t.Helper()
	d, err := readDocument(t.Context(), []byte(text), turtle.Turtle, turtle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var e journal.Entry
	store.Commit(&e, []byte(text), d.parsed, canonSteps)
	return e
}

// TestALogCommitsToWhatItSays compares the commitments with canonical N-Quads written by hand.
func TestALogCommitsToWhatItSays(t *testing.T) {
	clique := &strings.Builder{}
	for i := range 10 {
		for j := range 10 {
			if i != j {
				fmt.Fprintf(clique, "_:b%d <http://e/p> _:b%d .\n", i, j)
			}
		}
	}
	large := &strings.Builder{}
	for i := range maxParsedTriples + 1 {
		fmt.Fprintf(large, "<http://e/s> <http://e/p> %d .\n", i)
	}
	for name, x := range map[string]struct{ text, quads, canon string }{
		"a tag in capitals": {`<http://e/a> <http://e/b> "Hi"@EN-gb , "Hi"@en-GB .`, "<http://e/a> <http://e/b> \"Hi\"@en-gb .\n", store.CanonRDFC},
		"blank nodes": {`[] <http://e/b> [ <http://e/c> 1 ] .`,
			"_:c14n0 <http://e/b> _:c14n1 .\n_:c14n1 <http://e/c> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n", store.CanonRDFC},
		"too alike": {clique.String(), "", store.CanonSteps},
		"too large": {large.String(), "", store.CanonLarge},
	} {
		e := committed(t, x.text)
		salt := e.Secret.Content()
		if e.Canon != x.canon || e.Commitment != salt.Commit([]byte(x.text)) {
			t.Errorf("%s: %+v", name, e)
		}
		want := ""
		if x.quads != "" {
			want = salt.Commit([]byte(x.quads))
		}
		if e.Graph != want {
			t.Errorf("%s: the graph's hash is %q, want %q", name, e.Graph, want)
		}
	}
	if a, b := committed(t, "<http://e/a> <http://e/b> 1 ."), committed(t, "<http://e/a> <http://e/b> 1 ."); a.Commitment == b.Commitment || a.Graph == b.Graph {
		t.Error("two logs that say the same have the same hashes: they can be guessed")
	}
}

// TestTermsOfRDF12HaveACanonicalForm compares the canonical N-Quads of triple terms and base
// directions with those written by hand.
func TestTermsOfRDF12HaveACanonicalForm(t *testing.T) {
	const word = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	for text, want := range map[string]string{
		`<http://e/a> <http://e/b> "x"@AR--rtl .`: "<http://e/a> <http://e/b> \"x\"@ar--rtl .\n",
		`<http://e/a> <http://e/b> <<( <http://e/c> <http://e/d> _:x )>> .`: "<http://e/a> <http://e/b> _:c14n0 .\n_:c14n0 " + word + "ttObject> _:c14n1 .\n_:c14n0 " +
			word + "ttPredicate> <http://e/d> .\n_:c14n0 " + word + "ttSubject> <http://e/c> .\n_:c14n0 " + word + "type> " + word + "TripleTerm> .\n",
	} {
		e := committed(t, text)
		if e.Canon != store.CanonRDF12 || e.Graph != e.Secret.Content().Commit([]byte(want)) {
			d, _ := readDocument(t.Context(), []byte(text), turtle.Turtle, turtle.Options{})
			var got strings.Builder
			d.parsed.WriteCanonical(&got, canonSteps)
			t.Errorf("%s: %+v\n%s", text, e, &got)
		}
	}
	e := committed(t, `<http://e/a> `+word+`ttObject> <<( <http://e/c> <http://e/d> 1 )>> .`)
	if e.Canon != store.CanonWords || e.Graph != "" {
		t.Errorf("a log with the words of the encoding: %+v", e)
	}
}
