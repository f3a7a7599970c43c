package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

// documentOf returns the document of a text in TriG.
func documentOf(t *testing.T, text string) *store.Document {
	t.Helper()
	quads, err := turtle.Parse([]byte("PREFIX : <http://e/>\n"+text), turtle.TriG, turtle.Options{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	d := &store.Document{}
	for _, q := range quads {
		d.Add(q)
	}
	return d
}

func TestADocumentHasEachTermOnce(t *testing.T) {
	for _, x := range []struct {
		text         string
		terms, quads int // distinct ones
	}{
		{``, 0, 0},
		{`:a :b :c .`, 3, 1},
		{`:a :a :a .`, 1, 1},
		{`:a :b :c, :d . :a :e :c .`, 5, 3},
		{`:a :b :c . :a :b :c . :a :b :d .`, 4, 2},
		{`:a :b :c . GRAPH :g { :a :b :c }`, 4, 2},
		{`:a :b :c . GRAPH :a { :a :b :c }`, 3, 2},
		{`_:x :b _:y . _:y :b _:x .`, 3, 2},
		{`:a :b "x"@EN, "x"@en, "x"@En-GB .`, 4, 2},
		{`:a :b "1"^^:t, "1", 1, 01 .`, 6, 4},
		{`:a :b "x"@ar--rtl, "x"@ar--ltr, "x"@ar .`, 5, 3},
		{`:a :b <<( :a :b :c )>> .`, 4, 1},
		{`:a :b <<( :a :b <<( :a :b :c )>> )>>, <<( :a :b :c )>> .`, 5, 2},
	} {
		d := documentOf(t, x.text)
		if n := d.Distinct(); n != x.quads || len(d.Quads) != x.quads || len(d.Terms) != x.terms {
			t.Errorf("%s: %d terms and %d quads, want %d and %d", x.text, len(d.Terms), n, x.terms, x.quads)
		}
		size := 0
		for i, term := range d.Terms {
			size += len(term.Value()) + len(term.Datatype()) + len(term.Tag())
			parts, is := d.Triples[uint32(i)]
			if is != term.IsTriple() {
				t.Errorf("%s: the term %s has parts: %v", x.text, term, is)
			}
			if !is {
				continue
			}
			for at, part := range []rdf.Term{term.Triple().S, term.Triple().P, term.Triple().O} {
				if parts[at] >= uint32(i) || d.Terms[parts[at]] != part {
					t.Errorf("%s: part %d of %s is the term %d", x.text, at, term, parts[at])
				}
			}
		}
		if d.Size() != size {
			t.Errorf("%s: %d bytes, want %d", x.text, d.Size(), size)
		}
	}
}

// A document must give back the quads that were added, whatever their order, also after a reset.
func TestADocumentHasTheQuadsThatWereAdded(t *testing.T) {
	terms := []rdf.Term{rdf.NewIRI("http://e/a"), rdf.NewIRI("http://e/b"), rdf.NewBlank("a"), rdf.NewIRI("a")}
	objects := append([]rdf.Term{rdf.NewString("a"), rdf.NewLiteral("a", "http://e/a")}, terms...)
	objects = append(objects, rdf.NewTripleTerm(rdf.Triple{S: terms[2], P: terms[0], O: objects[0]}))
	rnd := rand.New(rand.NewPCG(1, 2))
	d := &store.Document{}
	for round := range 20 {
		if round%2 == 0 {
			d.Grow(30)
		}
		var want []rdf.Quad
		for range rnd.IntN(60) {
			q := rdf.Quad{S: terms[rnd.IntN(4)], P: terms[rnd.IntN(2)], O: objects[rnd.IntN(len(objects))]}
			if g := rnd.IntN(6); g < 4 {
				q.G = terms[g]
			}
			want = append(want, q)
			d.Add(q)
		}
		for i, q := range want {
			if got := d.Quad(i); got != q {
				t.Fatalf("round %d: quad %d is %v, want %v", round, i, got, q)
			}
		}
		distinct := map[rdf.Quad]bool{}
		for _, q := range want {
			distinct[q] = true
		}
		if n := d.Distinct(); n != len(distinct) {
			t.Fatalf("round %d: %d distinct quads, want %d", round, n, len(distinct))
		}
		for i := range d.Quads {
			delete(distinct, d.Quad(i))
		}
		if len(distinct) > 0 {
			t.Fatalf("round %d: the document lost %v", round, distinct)
		}
		if d.Reset(); len(d.Quads)+len(d.Terms)+len(d.Triples)+d.Size() != 0 || d.Prefixes != nil {
			t.Fatalf("round %d: after a reset the document has %d quads, %d terms and %d bytes", round, len(d.Quads), len(d.Terms), d.Size())
		}
	}
}

// The canonical form of a document must be that of package canon, for the same quads with
// their tags in lower case.
func TestADocumentIsWrittenInCanonicalForm(t *testing.T) {
	for _, x := range []struct{ text, algorithm string }{
		{``, store.CanonRDFC},
		{`:b :b :b . :a :b :c .`, store.CanonRDFC},
		{`:a :b "x", "x"@EN, "x "@en, "x\n", "x\u0001", "" .`, store.CanonRDFC},
		{`:a :b _:x . _:x :b _:y . _:y :c :d .`, store.CanonRDFC},
		{`:a :b [ :c [], [ :d "1"^^:t ] ] . [] :c [] .`, store.CanonRDFC},
		{`:a :b :c . GRAPH :g { :a :b :c . :a :b [] } GRAPH _:h { :a :b _:h } GRAPH :a { :a :b :c }`, store.CanonRDFC},
		{`<http://e/a> :b :c . <http://e/aa> :b :c . <http://e/a/> :b :c .`, store.CanonRDFC},
		{`:a :b :c, :c . :a :b :c .`, store.CanonRDFC},
		{`:a :b "x"@AR--rtl .`, store.CanonRDF12},
		{`:a :b <<( :a :b "x"@EN )>>, <<( _:x :b _:y )>> . _:y :c :d .`, store.CanonRDF12},
	} {
		d := documentOf(t, x.text)
		quads := make([]rdf.Quad, len(d.Quads))
		for i := range quads {
			quads[i] = d.Quad(i)
			quads[i].O = quads[i].O.Fold()
		}
		if x.algorithm == store.CanonRDF12 {
			quads, _ = canon.Basic(quads)
		}
		want, err := canon.NQuads(quads, canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if algorithm, ok := d.WriteCanonical(&got, canon.DefaultSteps); !ok || algorithm != x.algorithm || got.String() != string(want) {
			t.Errorf("%s: %v by %s\n%s\nwant by %s\n%s", x.text, ok, algorithm, got.String(), x.algorithm, want)
		}
		// The order in which terms and quads were added must not matter.
		turned := &store.Document{}
		for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(len(d.Quads)) {
			turned.Add(d.Quad(i))
		}
		var again bytes.Buffer
		if turned.WriteCanonical(&again, canon.DefaultSteps); again.String() != got.String() {
			t.Errorf("%s: in another order it is\n%s", x.text, again.String())
		}
	}
}

func TestADocumentMayHaveNoCanonicalForm(t *testing.T) {
	// Labelling blank nodes that are all alike takes more steps than allowed.
	alike := "GRAPH :g { " + strings.Repeat("[] :b [ :b [] ] . ", 20) + "}"
	rdfWord := "<http://www.w3.org/1999/02/22-rdf-syntax-ns#ttSubject>"
	many := &store.Document{}
	for i := range 50_001 {
		many.Add(rdf.Quad{S: rdf.NewBlank("x"), P: rdf.NewIRI("http://e/p"), O: rdf.NewIRI("http://e/" + strings.Repeat("x", i%251) + string(rune('A'+i/251)))})
	}
	basic := &store.Document{}
	for i := range 50_001 {
		basic.Add(rdf.Quad{S: rdf.NewIRI("http://e/s"), P: rdf.NewIRI("http://e/p"), O: rdf.NewIRI("http://e/" + strings.Repeat("x", i%251) + string(rune('A'+i/251)))})
	}
	basic.Add(documentOf(t, `:a :b <<( :a :b :c )>> .`).Quad(0))
	for _, x := range []struct {
		what  string
		d     *store.Document
		steps int
		why   string
	}{
		{"too few steps", documentOf(t, alike), 3, store.CanonSteps},
		{"too few steps with a triple term", documentOf(t, alike+" :a :b <<( :a :b :c )>> ."), 3, store.CanonSteps},
		{"a word of the encoding", documentOf(t, ":a "+rdfWord+" :b ; :c <<( :a :b :c )>> ."), canon.DefaultSteps, store.CanonWords},
		{"a word without a triple term", documentOf(t, ":a "+rdfWord+" :b ."), canon.DefaultSteps, ""},
		{"too many quads with blank nodes", many, canon.DefaultSteps, store.CanonLarge},
		{"too many quads beside a triple term", basic, canon.DefaultSteps, store.CanonLarge},
	} {
		var out bytes.Buffer
		why, ok := x.d.WriteCanonical(&out, x.steps)
		if ok != (x.why == "") || !ok && (why != x.why || out.Len() > 0) {
			t.Errorf("%s: %v, %s, %d bytes; want %q", x.what, ok, why, out.Len(), x.why)
		}
	}
}

// TestACanonicalFormTakesBoundedMemory has a term that is written once, and is in each of 4,000 lines.
func TestACanonicalFormTakesBoundedMemory(t *testing.T) {
	long := "<u:" + strings.Repeat("x", 60_000) + ">"
	for text, why := range map[string]string{
		"_:a " + long + " []" + strings.Repeat(",[]", 4000) + " .":                              store.CanonLarge,
		":a " + long + " <<(:a :b :c)>>, 1" + strings.Repeat(",1", 4000) + " .":                 store.CanonLarge,
		":a :b " + strings.Repeat(":c, ", 20_000) + `"` + strings.Repeat("x", 20<<20/2) + `" .`: store.CanonRDFC,
	} {
		d := documentOf(t, text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, _ := d.WriteCanonical(io.Discard, 20_000)
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; got != why || took > 100 {
			t.Errorf("%.20s: %s, %d MB", text, got, took)
		}
	}
}

func TestATextIsReadAgainAndAgain(t *testing.T) {
	text := &store.Text{Content: []byte("<http://e/a> <http://e/b> \"c\" .\n<http://e/a> <http://e/b> 1 ."), Format: turtle.Turtle}
	var runs [][]rdf.Quad
	for range 2 {
		var quads []rdf.Quad
		for r := text.Reader(); ; {
			q, err := r.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			quads = append(quads, q)
		}
		runs = append(runs, quads)
	}
	if len(runs[0]) != 2 || !slices.Equal(runs[0], runs[1]) {
		t.Errorf("the text has %v, and then %v", runs[0], runs[1])
	}
}

func TestErrorsOfAStoreAreRecognized(t *testing.T) {
	cause := errors.New("connection refused")
	err := error(&store.UnreadyError{Detail: "Virtuoso can't be reached", Err: cause})
	if !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, cause) || err.Error() != "Virtuoso can't be reached: connection refused" {
		t.Errorf("%v", err)
	}
	if err := (&store.UnreadyError{Detail: "starting"}); err.Error() != "starting" || !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	if err := (&store.RefusedError{Detail: "no room for a triple term"}); err.Error() != "the document can't be stored: no room for a triple term" {
		t.Errorf("%v", err)
	}
	if err := (&store.UnfitError{Detail: "it is of another file"}); err.Error() != "it is of another file" {
		t.Errorf("%v", err)
	}
}

// What replaces a person's IRI keeps no text about the person, and nothing that they said.
func TestAMappedDocumentHasNoTextsOfWhatIsReplaced(t *testing.T) {
	t.Parallel()
	iri, text := rdf.NewIRI, func(s string) rdf.Term { return rdf.NewLiteral(s, rdf.XSDString) }
	she, alias, says, sent, by, made, about := iri("urn:maria"), iri("urn:x"), iri("urn:says"), iri("urn:sent"), iri("urn:by"), iri("urn:made"), iri("urn:about")
	var d store.Document
	for _, q := range []rdf.Quad{
		{S: she, P: iri("urn:name"), O: text("Maria")},
		{S: she, P: iri("urn:age"), O: rdf.NewLiteral("81", rdf.XSDInteger)},
		{S: iri("urn:m1"), P: sent, O: she},
		{S: iri("urn:m1"), P: says, O: text("I am Maria")},
		{S: iri("urn:m1"), P: iri("urn:state"), O: text("happy")},
		{S: iri("urn:m2"), P: says, O: text("Good morning")},
		{S: iri("urn:m1"), P: by, O: iri("urn:a1")},
		{S: iri("urn:a1"), P: says, O: text("heard I am Maria")},
		{S: iri("urn:a2"), P: made, O: iri("urn:m1")},
		{S: iri("urn:a2"), P: says, O: text("thinks of Maria")},
		{S: iri("urn:m1"), P: made, O: iri("urn:m2")},
		{S: iri("urn:event"), P: about, O: she},
		{S: iri("urn:a3"), P: about, O: iri("urn:event")},
		{S: iri("urn:a3"), P: says, O: text("saw Maria fall")},
		{S: iri("urn:juan"), P: iri("urn:knows"), O: she},
		{S: iri("urn:a4"), P: about, O: iri("urn:juan")},
		{S: iri("urn:a4"), P: says, O: text("saw Juan")},
	} {
		d.Add(q)
	}
	d.Prefixes = []turtle.Prefix{{Label: "hers", Namespace: "urn:maria"}, {Label: "u", Namespace: "urn:"}}
	for _, to := range []rdf.Term{alias, {}} {
		out, lost := d.Map(func(term rdf.Term) rdf.Term {
			if term == she {
				return to
			}
			return term
		}, store.Sentences{Texts: []rdf.Term{says}, From: []rdf.Term{by}, To: []rdf.Term{made}, About: about})
		var left []string
		for i := range out.Quads {
			left = append(left, fmt.Sprint(out.Quad(i)))
		}
		want := 5
		if to.IsZero() {
			want = 9
		}
		if all := strings.Join(left, "\n"); lost != want || strings.Contains(strings.ToLower(all), "maria") || !strings.Contains(all, "Good morning") || !strings.Contains(all, "happy") || !strings.Contains(all, "saw Juan") {
			t.Errorf("to %v: %d are lost, left are\n%s", to, lost, all)
		}
		if !slices.Equal(out.Prefixes, d.Prefixes[1:]) {
			t.Errorf("left are the prefixes %v", out.Prefixes)
		}
	}
}
