package provenance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

// claims returns a text in which n triples, numbered from first, have annotations, triple
// terms with and without blank nodes, and strings with a base direction.
func claims(first, n int) string {
	var b strings.Builder
	b.WriteString("@prefix : <http://ex/> .\n")
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&b, ":s%d :size %d ~ :r%d {| :by :robot |} , \"a%d\"@ar--rtl ~ [] .\n", i, i, i, i)
		fmt.Fprintf(&b, ":d%d :doubts <<( :s%d :size <<( _:x :p %d )>> )>> , <<( :s%d :size %d )>> .\n", i, i, i, i, i)
	}
	return b.String()
}

// A log with triple terms is returned as it was published, whether its list is stored as
// a whole or in pieces.
func TestALogWithTripleTermsComesBack(t *testing.T) {
	s := openStore(t)
	publish(t, s, claims(0, 3))
	for _, n := range []int{1, 40} {
		text := claims(2, n)
		want := quads(t, turtle.Turtle, text)
		id := publish(t, s, text)
		if l := logged(t, s, id); !l.Kept || !canon.Isomorphic(l.Quads, want) {
			t.Errorf("with %d claims: kept %v, %v", n, l.Kept, l.Quads)
		}
		for _, f := range []turtle.Format{turtle.Turtle, turtle.NTriples} {
			if got, err := textOf(t, s, id, f); err != nil || !canon.Isomorphic(quads(t, f, got), want) {
				t.Errorf("with %d claims: %v\n%s", n, err, got)
			}
		}
	}
	if got := contributors(t, s, quads(t, turtle.Turtle, "@prefix : <http://ex/> . :d2 :doubts <<( :s2 :size 2 )>> .")[0], 10); len(got) != 3 {
		t.Errorf("%d logs contributed a triple of all three", len(got))
	}
	mustCheck(t, s)
}

// Withdrawing a log removes its triples with triple terms. Those that another log
// contributed too stay, unless the triple term has a blank node: then they are different
// triples.
func TestALogWithTripleTermsIsWithdrawn(t *testing.T) {
	for _, n := range []int{1, 40} {
		s := openStore(t)
		a := publish(t, s, claims(0, n))
		onlyA := allQuads(t, s)
		b := publish(t, s, claims(0, n+1))
		if added := len(allQuads(t, s)) - len(onlyA); added != 2*n+7 {
			t.Fatalf("the second log added %d triples to %d", added, len(onlyA))
		}
		gone, err := s.Withdraw(t.Context(), b, entryOf(journal.Withdraw))
		if err != nil || gone.Removed != 2*n+7 || gone.Stayed != 5*n {
			t.Fatalf("with %d claims: %+v, %v", n, gone, err)
		}
		if got := allQuads(t, s); !slices.Equal(got, onlyA) {
			t.Fatalf("%d triples are left of %d", len(got), len(onlyA))
		}
		if gone, err = s.Withdraw(t.Context(), a, entryOf(journal.Withdraw)); err != nil || gone.Stayed != 0 {
			t.Fatalf("the first log: %+v, %v", gone, err)
		}
		if got := allQuads(t, s); len(got) != 0 {
			t.Fatalf("at the end there is %v", got)
		}
		mustCheck(t, s)
	}
}

// A graph with triple terms that have blank nodes costs little when it is sent again:
// they do not split runs of unchanged triples.
func TestClaimsSentAgainCostLittle(t *testing.T) {
	s := openStore(t)
	text := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "<http://ex/s%d> <http://ex/n> 1 , 2 , 3 , 4 , 5 ; <http://ex/doubts> <<( _:x <http://ex/p> %d )>> .\n", i, i)
		}
		return b.String()
	}
	pieces := func() (shared int) {
		err := s.View(func(snap *engine.Snapshot) error {
			for range kv.All(snap.KV().Bucket(engine.GraphPath(0, "pieces")...)) {
				shared++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return shared
	}
	publish(t, s, text(600))
	first := pieces()
	publish(t, s, text(600))
	if more := pieces() - first; more > first/3 {
		t.Errorf("the first log made %d pieces, and the same again %d", first, more)
	}
	mustCheck(t, s)
}

// A log that names somebody only in a triple term, also inside another one, or by its graph, names them: for legal holds and a person's logs.
func TestALogNamesWhomItsTripleTermsName(t *testing.T) {
	s := openStore(t)
	publish(t, s, "<urn:r> <urn:says> <<( <urn:s> <urn:p> <<( <urn:q> <urn:knows> <urn:her#page> )>> )>> .")
	publish(t, s, "<urn:r> <urn:says> <<( <urn:hers> <urn:p> 1 )>> .")
	if _, err := s.Load(t.Context(), strings.NewReader("<urn:her> { <urn:s> <urn:p> 1 }"), turtle.TriG, turtle.Options{}, entryOf(journal.Insert), nil); err != nil {
		t.Fatal(err)
	}
	x := store.Expiry{Rules: []store.ExpiryRule{{Before: time.Now().Add(time.Hour)}}, People: []string{"urn:her"}}
	if old := expired(t, s, x, 9); len(old) != 1 || old[0].Seq != 2 {
		t.Errorf("not held are %v", old)
	}
	if logs, err := s.Select(t.Context(), store.Selection{Naming: []rdf.Term{rdf.NewIRI("urn:her#page")}}, 9); err != nil || len(logs) != 1 {
		t.Errorf("selected are %v, %v", logs, err)
	}
}
