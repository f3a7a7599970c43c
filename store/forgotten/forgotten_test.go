package forgotten

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/rdf"
)

const maria = "http://example.org/id/maria"

// The file beside the store has no IRI that was erased, nobody else can read it, and what it
// says outlives the process. Another list has other HMACs.
func TestTheListHasNoErasedIRI(t *testing.T) {
	dir := t.TempDir()
	var texts [][]byte
	for _, name := range []string{"a.db", "b.db"} {
		store := filepath.Join(dir, name)
		l, err := Open(store)
		if err != nil || l.Len() != 0 {
			t.Fatalf("a new list has %d IRIs, %v", l.Len(), err)
		}
		for _, err := range []error{l.Add([]string{maria}, ""), l.Add([]string{maria, "http://example.org/id/paul"}, "urn:x:1"), l.Add([]string{maria, "http://example.org/id/ana（b）"}, "urn:x:2")} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if l, err = Open(store); err != nil || l.Len() != 3 {
			t.Fatalf("it has %d IRIs, want 3: %v", l.Len(), err)
		}
		for iri, want := range map[string]rdf.Term{
			maria: {}, maria + "#page": {}, maria + "/x?y": {}, maria + "2": rdf.NewIRI(maria + "2"),
			"http://example.org/id/paul": rdf.NewIRI("urn:x:1"), "http://example.org/id/paul#me": rdf.NewIRI("urn:x:1#me"),
			"http://example.org/id/": rdf.NewIRI("http://example.org/id/"),
		} {
			if got := l.Term(rdf.NewIRI(iri)); got != want {
				t.Errorf("%s becomes %v, want %v", iri, got, want)
			}
		}
		for text, want := range map[string]bool{
			"ASK { <" + maria + "> ?p ?o }": true, "ASK { <" + maria + "s> ?p ?o }": false, "maria": false,
			"(see " + maria + "), or " + maria + "s": true, "(" + maria + ")": true, maria + ".": true, "['" + maria + "', it said.": true, maria + "#page?!": true, maria + "s.": false,
			"“" + maria + "”": true, "«" + maria + "» est": true, "„" + maria + "“, sagt er": true, "*" + maria + "*": true, "**" + maria + "**.": true, "_" + maria + "_": true,
			"“see”“" + maria + "s”“" + maria + "”": true, "[Maria](" + maria + ")": true, "by=" + maria: true, "彼女は" + maria + "。": true, "a\u3000" + maria + "\u00a0b": true, "（" + maria + "）": true,
			"“" + maria + "s”": false, "*" + maria + "s*": false, maria + "’s": true, "http://example.org/id/ana（b）": true, "http://example.org/id/ana（c）": false,
			"PREFIX h: <http://example.org/id/> ASK { h:maria ?p ?o }": true, "prefix : <http://example.org/id/>\nASK{?s ?p :maria}": true,
			"PREFIX h: <http://example.org/id/> ASK { h:marias ?p ?o }": false, "PREFIX h: <http://example.org/> ASK { h:maria ?p ?o }": false, "ASK { h:maria ?p ?o }": false,
			maria + "'s robot": true, "<" + maria + ">'s": true, "see " + maria + ",http://ex/x": true, "http://ex/x;" + maria + ";y": true, "a=1&b=" + maria + "&c=2": true, maria + "+said": true,
			"http://x/?iri=" + maria: true, "http://x/?iri=http%3A%2F%2Fexample.org%2Fid%2Fmaria&n=1": true, "http%253A%252F%252Fexample.org%252Fid%252Fmaria": true, "50% of " + maria: true,
			"http://x/?iri=" + maria + "s": false, "http%3A%2F%2Fexample.org%2Fid%2Fmarias": false, "see:" + maria: true, maria + "-2": false, maria + "@home": false, maria + "/x,http://ex/y": true,
			"BASE <http://example.org/id/> SELECT * { <maria> ?p ?o }": true, "BASE <http://example.org/id/> SELECT * { <marias> ?p ?o }": false, "@base <http://example.org/> . @base <id/x> . <maria#x> a <y> .": true,
			"BASE <http://example.org/> PREFIX h: <id/> ASK { ?s ?p h:maria }": true, `ASK { <http://example.org/id/m\u0061ria> ?p ?o }`: true, `ASK { <http://example.org/id/m\U00000061rias> ?p ?o }`: false,
			`PREFIX e: <http://example.org/> ASK { e:id\/maria ?p ?o }`: true, `PREFIX e: <http://example.org/> ASK { e:id\/maria2 ?p ?o }`: false, "PREFIX h: <http://example.org/id/> ASK { ?s h:maria/h:p ?o }": true,
		} {
			if l.In(text) != want {
				t.Errorf("%q: want %v", text, want)
			}
			if in, err := json.Marshal(map[string]string{"query": text + "\n"}); err != nil || l.In(string(in)) != want {
				t.Errorf("%s: want %v, %v", in, want, err)
			}
			if blank := l.Blank(text, "(erased)"); l.In(blank) || (blank == text) == want {
				t.Errorf("%q becomes %q", text, blank)
			}
		}
		if got := l.Blank("("+maria+") and http://example.org/id/paul#x, too", "(erased)"); got != "((erased)) and urn:x:1#x, too" {
			t.Errorf("a text becomes %q", got)
		}
		for end, want := range map[string]bool{"": true, "s": false, `\/x`: true} {
			if text := `{"iri":"http:\/\/example.org\/id\/maria` + end + `"}`; l.In(text) != want || (l.Blank(text, "(erased)") == text) == want {
				t.Errorf("%s: want %v", text, want)
			}
		}
		if got := l.Blank("“"+maria+"” and "+maria+"s, "+maria+".", "(erased)"); got != "“(erased)” and "+maria+"s, (erased)." {
			t.Errorf("a text with a longer IRI becomes %q", got)
		}
		if got := l.Blank(maria+"/x?a=1,b; q="+maria+"&n", "(erased)"); got != "(erased),b; q=(erased)&n" {
			t.Errorf("a text with several becomes %q", got)
		}
		if err := l.Add([]string{"urn:x:1"}, ""); err != nil { // a pseudonym
			t.Fatal(err)
		}
		for of, want := range map[rdf.Term]rdf.Term{
			rdf.NewIRI("http://example.org/id/paul#me"): {}, rdf.NewLiteral(maria, rdf.XSDAnyURI): {}, rdf.NewLiteral("x", maria): {}, rdf.NewLiteral(maria, rdf.XSDString): rdf.NewLiteral(maria, rdf.XSDString),
			rdf.NewLiteral("http://example.org/id/ana（b）", rdf.XSDAnyURI): rdf.NewLiteral("urn:x:2", rdf.XSDAnyURI),
		} {
			if got := l.Term(of); got != want {
				t.Errorf("%v becomes %v, want %v", of, got, want)
			}
		}
		if err := l.Add([]string{"mari"}, ""); err != nil || l.In("mari: PREFIX x: <mari:a> x:b") {
			t.Errorf("a name that is no IRI is found before a colon, %v", err)
		}
		if _, found := l.Of("mari/2"); found {
			t.Error("a name that is no IRI is found as part of another")
		}
		if _, found := l.Of("\t" + maria + " "); !found {
			t.Error("white space hides an IRI")
		}
		info, err := os.Stat(l.Path())
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("its mode is %v, %v", info.Mode(), err)
		}
		text, err := os.ReadFile(l.Path())
		if err != nil || bytes.Contains(text, []byte("maria")) {
			t.Errorf("%s %v", text, err)
		}
		texts = append(texts, text)
	}
	for _, line := range strings.Fields(string(texts[0]))[3:] {
		if bytes.Contains(texts[1], []byte(line)) && !strings.HasPrefix(line, "urn:") {
			t.Errorf("both lists have %s", line)
		}
	}
}

// Names that are no IRIs are found only as whole, and make nobody look at more IRIs.
func TestNamesThatAreNoIRIsAreFoundAsWhole(t *testing.T) {
	l := Only([]string{maria, "mari", "a b", "x"}, "")
	for text, want := range map[string]string{
		"mari": "mari", `{"mari":"mari"}`: `{"mari":"mari"}`, "http://other/mari": "http://other/mari", "mari_speech": "mari_speech", maria + " mari": "- mari", maria + "#mari": "-",
	} {
		if got := l.Blank(text, "-"); got != want || l.In(text) != (text != want) {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	for name, want := range map[string]bool{"mari": true, "mari/2": false, "a b": true, "x": true, "x#y": false, "mar": false, "http://other/mari": false, maria: true, maria + "/mari": true} {
		if _, found := l.Of(name); found != want {
			t.Errorf("%q: want %v", name, want)
		}
	}
	if l.Begins() != maria {
		t.Errorf("it looks at all IRIs that begin with %q", l.Begins())
	}
}

// In ends, and finds what a naive search finds, though some names are no IRIs, or overlap. Blank leaves nothing that In finds.
func TestRandomNamesAreFoundInRandomTexts(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"m", "ma", ":", "/", "#", "+", ",", ".", ";", " ", "x:", "x:m", "ma:", "'", "=", "?", "&", "í", "1", "(", "“", "_", "]", "<", ">", "PREFIX a: <", "a:", "BASE <"}
	text := func(most int) (out string) {
		for range random.IntN(most) + 1 {
			out += words[random.IntN(len(words))]
		}
		return out
	}
	check := func(text string, names ...string) {
		l := Only(names, "")
		found := make(chan bool, 1)
		go func() { found <- l.In(text) }()
		in := false
		select {
		case in = <-found:
		case <-time.After(10 * time.Second):
			t.Fatalf("%q in %q: In does not end", names, text)
		}
		for _, name := range names {
			if rdf.IsIRI(name) && slices.Contains(strings.Fields(text), name) && !in {
				t.Errorf("%q is not found in %q", name, text)
			}
		}
		if in && !strings.Contains(text, "<") && !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(text, name) }) {
			t.Errorf("one of %q is found in %q", names, text)
		}
		if blank := l.Blank(text, "-"); l.In(blank) || blank == text && in {
			t.Errorf("%q without %q is %q", text, names, blank)
		}
	}
	check("is one person with maria: same badge", "http://ex/maria", "maria")
	check("maria://x", "maria")
	check("x:m+x:q", "x:m", "m+x:q")
	for range 20_000 {
		names := []string{text(3), text(4)}
		check(text(12), names...)
		check(text(4)+" "+names[0]+" "+text(4), names...)
	}
}

// A list whose first write failed can be written later, and is read again.
func TestAListThatCouldNotBeWrittenIsWrittenLater(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "later")
	store := filepath.Join(folder, "a.db")
	l, err := Open(store)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Add([]string{maria}, ""); err == nil || l.Len() != 0 {
		t.Fatalf("without a folder the list has %d IRIs, %v", l.Len(), err)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := l.Add([]string{maria}, ""); err != nil {
		t.Fatal(err)
	}
	if l, err = Open(store); err != nil || l.Len() != 1 {
		t.Errorf("it has %d IRIs, want 1: %v", l.Len(), err)
	}
}

// If the file has the names though writing it failed, as when the folder can't be synced, it gets the old text back: a start would
// erase who was refused.
func TestANameThatWasRefusedIsNotInTheFile(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read each folder")
	}
	folder := t.TempDir()
	store := filepath.Join(folder, "a.db")
	l, err := Open(store)
	for n, names := range [][]string{{maria}, {maria + "a"}} { // a new file, and an old one
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(folder, 0o300); err != nil {
			t.Fatal(err)
		}
		if err := l.Add(names, ""); err == nil || l.Len() != n {
			t.Errorf("the list has %d IRIs, %v", l.Len(), err)
		}
		if err := os.Chmod(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if again, err := Open(store); err != nil || again.Len() != n {
			t.Errorf("the file has %d IRIs, want %d, %v", again.Len(), n, err)
		}
		err = l.Add([]string{maria}, "")
	}
}

// A list that was cut off or changed is refused: a start without it would bring people back.
func TestADamagedListIsRefused(t *testing.T) {
	store := filepath.Join(t.TempDir(), "a.db")
	l, err := Open(store)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Add([]string{maria}, ""); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	for n := range text {
		if n == len(header)+1+44+1 { // a whole list without IRIs
			continue
		}
		if err := os.WriteFile(l.Path(), text[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(store); err == nil {
			t.Fatalf("a list of the first %d bytes of %d is read", n, len(text))
		}
	}
}

func TestAnIRIOfManySlashesIsLookedUpInTime(t *testing.T) {
	l, err := Open(filepath.Join(t.TempDir(), "x.db"))
	if err == nil {
		err = l.Add([]string{"http://ex/maria"}, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if l.Has("http://ex/" + strings.Repeat("/", 256<<10)) {
		t.Error("it is found")
	}
	if took := time.Since(began); took > 5*time.Second { // a minute if each part is hashed from its beginning
		t.Errorf("it took %v", took)
	}
	if !l.Has("http://ex/maria/" + strings.Repeat("/", 1<<20)) {
		t.Error("what begins with an erased IRI is not found")
	}
}

func TestAnIRIThatEndsWithASeparatorIsFound(t *testing.T) {
	for _, iri := range []string{"https://maria.example/", "http://ex/maria#", "http://ex/maria?", "http://ex/maria//"} {
		if l := Only([]string{iri}, ""); !l.Has(iri) || !l.Has(iri+"/x") || l.Has("http://ex/other/") {
			t.Errorf("%s is not found, or another", iri)
		}
	}
}
