package engine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// change is a delta in the making.
type change struct {
	Records     []Record
	Add, Remove []rdf.Quad
}

func deltaOf(c change) *Delta {
	d := &Delta{Records: c.Records}
	for _, q := range c.Add {
		d.Add.Add(q)
	}
	for _, q := range c.Remove {
		d.Remove.Add(q)
	}
	return d
}

func iri(s string) rdf.Term { return rdf.NewIRI("http://ex/" + s) }

// inContexts returns a quad of the graph of contexts.
func inContexts(s, p, o string) rdf.Quad {
	return rdf.Quad{S: iri(s), P: iri(p), O: iri(o), G: contextsGraph}
}

// allQuads returns all quads of the store, sorted.
func allQuads(t testing.TB, s *Store) []string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Dump(t.Context(), &b, turtle.NQuads); err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(b.String()))
	slices.Sort(lines)
	return lines
}

// written returns quads as allQuads does.
func written(t testing.TB, quads []rdf.Quad) []string {
	t.Helper()
	var b bytes.Buffer
	w := turtle.NewWriter(&b, turtle.NQuads, nil)
	for _, q := range quads {
		if err := w.Write(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(b.String()))
	slices.Sort(lines)
	return lines
}

// records returns all records of a store.
func records(t testing.TB, s *Store) []string {
	t.Helper()
	var out []string
	err := s.ScanRecords(nil, nil, func(k, v []byte) bool {
		out = append(out, fmt.Sprintf("%x=%x", k, v))
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// decideLate applies a change that is late, and makes sure that it is.
func decideLate(t *testing.T, s *Store, name string) {
	t.Helper()
	err := s.Defer(t.Context(), deltaOf(change{
		Records: []Record{{Key: []byte(name), Value: []byte("value")}, {Key: []byte("last"), Value: []byte(name)}},
		Add:     []rdf.Quad{inContexts(name, "status", "active")},
	}))
	if err != nil {
		t.Fatal(err)
	}
	if !s.behind() {
		t.Fatal("nothing is late")
	}
}

func TestWhatIsLateIsSeenAtOnce(t *testing.T) {
	s := openStore(t)
	for i := range 3 {
		decideLate(t, s, fmt.Sprint("c", i))
		if got := allQuads(t, s); len(got) != i+1 || s.behind() {
			t.Errorf("after %d decisions the quads are %v, late: %v", i+1, got, s.behind())
		}
	}
	mustCheck(t, s)
}

// Records that are late, in the file, changed and removed while they are late are read as what they are, one by
// one and in order.
func TestLateRecordsAreReadAsTheyAre(t *testing.T) {
	s := openStore(t)
	apply := func(records ...Record) {
		t.Helper()
		if err := s.Defer(t.Context(), deltaOf(change{Records: records})); err != nil {
			t.Fatal(err)
		}
	}
	put := func(key, value string) Record {
		return Record{Key: []byte(key), Value: []byte(value)}
	}
	apply(put("b", "1"), put("d", "1"), put("f", "1"), put("h", "1"))
	settle(t, s)
	apply(put("a", "2"), put("d", "2"), Record{Key: []byte("f")}, put("i", ""))
	apply(put("a", "3"), put("e", "3"), Record{Key: []byte("z")})
	if !s.behind() {
		t.Fatal("nothing is late")
	}
	read := func(from, to string, most int) (out string) {
		t.Helper()
		err := s.ScanRecords([]byte(from), []byte(to), func(key, value []byte) bool {
			out += fmt.Sprintf("%s=%s ", key, value)
			most--
			return most > 0
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for range 2 { // late, then settled
		for _, c := range []struct {
			from, to string
			most     int
			want     string
		}{
			{"", "", 100, "a=3 b=1 d=2 e=3 h=1 i= "}, {"a", "d", 100, "a=3 b=1 "}, {"b", "", 2, "b=1 d=2 "}, {"c", "f", 100, "d=2 e=3 "},
			{"e", "", 1, "e=3 "}, {"f", "h", 100, ""}, {"i", "", 100, "i= "}, {"j", "", 100, ""},
		} {
			if got := read(c.from, c.to, c.most); got != c.want {
				t.Errorf("from %q to %q, %d at most: %q, want %q", c.from, c.to, c.most, got, c.want)
			}
		}
		for key, want := range map[string][]byte{"a": []byte("3"), "b": []byte("1"), "f": nil, "i": {}, "z": nil} {
			if got, err := s.GetRecord([]byte(key)); err != nil || !bytes.Equal(got, want) || (got == nil) != (want == nil) {
				t.Errorf("%s is %q, %v, want %q", key, got, err, want)
			}
		}
		settle(t, s)
	}
	mustCheck(t, s)
}

// settle leaves nothing late.
func settle(t *testing.T, s *Store) {
	t.Helper()
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	snap.Close()
	if s.behind() {
		t.Fatal("something is late")
	}
}

func TestWhatIsLateIsNeverMuch(t *testing.T) {
	s := openStore(t)
	most, changes := 0, suite.Times(400, 200)
	for i := range changes {
		var c change
		for j := range 50 {
			c.Add = append(c.Add, inContexts(fmt.Sprint("c", i), "p", fmt.Sprint("o", j)))
		}
		if err := s.Defer(t.Context(), deltaOf(c)); err != nil {
			t.Fatal(err)
		}
		err := s.file.DB.View(func(tx *bolt.Tx) error {
			late, err := readLate(tx)
			most = max(most, lateness(late))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if most < enoughLate || most > 2*enoughLate {
		t.Errorf("%d quads and records were late", most)
	}
	if got := allQuads(t, s); len(got) != 50*changes {
		t.Errorf("there are %d quads, want %d", len(got), 50*changes)
	}
	mustCheck(t, s)
}

// A file that a kill left is the same for whoever opens it to read as for whoever opens it to write.
func TestWhatAKillLeftLateIsThere(t *testing.T) {
	s := openStore(t)
	add(t, s, "<http://ex/a> <http://ex/p> 1 .")
	decideLate(t, s, "c")
	left, err := os.ReadFile(s.file.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{}, {ReadOnly: true}} {
		path := filepath.Join(t.TempDir(), "left.db")
		if err := os.WriteFile(path, left, 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := records(t, again); len(got) != 2 {
			t.Errorf("opened with %+v the records are %v", o, got)
		}
		if got := strings.Join(allQuads(t, again), ""); strings.Count(got, "\n") != 2 || !strings.Contains(got, store.ContextsGraph) || again.behind() {
			t.Errorf("opened with %+v the quads are %s", o, got)
		}
		mustCheck(t, again)
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
	// Where nobody may write it is read as it is, and left so.
	path := filepath.Join(t.TempDir(), "left.db")
	if err := os.WriteFile(path, left, 0o600); err != nil {
		t.Fatal(err)
	}
	asItIs, err := Open(path, Options{ReadOnly: true, AsIs: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := allQuads(t, asItIs); len(got) != 1 {
		t.Errorf("as it is the quads are %v", got)
	}
	if got := records(t, asItIs); len(got) != 0 {
		t.Errorf("as it is the records are %v", got)
	}
	if err := asItIs.Close(); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, left) {
		t.Errorf("reading a file as it is changed it: %v", err)
	}
}

func TestAWriteThatFailedLeavesNothingLate(t *testing.T) {
	s := openStore(t)
	decideLate(t, s, "c")
	fails := &write{do: func(*Tx, int) error { return fmt.Errorf("not today") }}
	if err := s.update(t.Context(), fails); err == nil {
		t.Fatal("no error")
	}
	if !s.behind() {
		t.Error("a write that failed settled what was late")
	}
	if got := allQuads(t, s); len(got) != 1 {
		t.Errorf("the quads are %v", got)
	}
}

func TestDocumentsComeBackFromTheirEncoding(t *testing.T) {
	term := rapid.Custom(func(t *rapid.T) rdf.Term {
		value := rapid.String().Draw(t, "value")
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return rdf.NewIRI(value)
		case 1:
			return rdf.NewString(value)
		case 2:
			return rdf.NewLang(value, rapid.SampledFrom([]string{"en", "de-AT"}).Draw(t, "language"))
		}
		return rdf.NewLiteral(value, rapid.SampledFrom([]string{rdf.XSDInteger, rdf.XSDDateTime, "http://ex/odd"}).Draw(t, "datatype"))
	})
	rapid.Check(t, func(t *rapid.T) {
		var d store.Document
		for range rapid.IntRange(0, 8).Draw(t, "quads") {
			q := rdf.Quad{S: term.Draw(t, "s"), P: term.Draw(t, "p"), O: term.Draw(t, "o")}
			if rapid.Bool().Draw(t, "named") {
				q.G = contextsGraph
			}
			d.Add(q)
		}
		text := appendDocument(nil, &d)
		var back store.Document
		rest, err := cutDocument(append(bytes.Clone(text), "rest"...), &back)
		if err != nil || string(rest) != "rest" || len(back.Quads) != len(d.Quads) {
			t.Fatalf("%d quads came back as %d, with %q left: %v", len(d.Quads), len(back.Quads), rest, err)
		}
		for i := range d.Quads {
			if d.Quad(i) != back.Quad(i) {
				t.Fatalf("%v came back as %v", d.Quad(i), back.Quad(i))
			}
		}
		// What is cut short or spoilt is an error, or another document, and never a panic.
		spoilt := bytes.Clone(text[:rapid.IntRange(0, len(text)).Draw(t, "cut")])
		if len(spoilt) > 0 {
			spoilt[rapid.IntRange(0, len(spoilt)-1).Draw(t, "at")] ^= rapid.Byte().Draw(t, "by")
		}
		var other store.Document
		if _, err := cutDocument(spoilt, &other); err == nil {
			for i := range other.Quads {
				other.Quad(i)
			}
		}
	})
}

// The published graph is never late: an export has what was answered before it began.
func TestMergesArePublishedAtOnce(t *testing.T) {
	s := openStore(t)
	decideLate(t, s, "c")
	merge := inContexts("c", "mergedInto", "d")
	merge.G = rdf.Term{}
	if err := s.Defer(t.Context(), deltaOf(change{Add: []rdf.Quad{merge}})); err != nil {
		t.Fatal(err)
	}
	if s.behind() {
		t.Error("a merge is late")
	}
	if text := exported(t, s, turtle.NTriples); !strings.Contains(text, "mergedInto") {
		t.Errorf("the export is %s", text)
	}
}
