package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/log/journal"
)

// folder creates a folder of files and makes it the working directory.
func folder(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

func TestLoadTakesEveryFormatAndDumpGivesIt(t *testing.T) {
	folder(t, map[string]string{
		"a.ttl":  "@prefix ex: <http://example.org/> . ex:s ex:p 1, \"x\"@en .",
		"b.nt":   "<http://example.org/s> <http://example.org/p> \"2\" .\n",
		"c.trig": "<http://example.org/s> <http://example.org/p> \"3\" .",
		"d.nq":   "<http://example.org/s> <http://example.org/p> \"2\" .\n",
		"e.txt":  "<http://example.org/s> <http://example.org/p> \"5\" .\n",
	})
	got := segraph("", nil, "load", "a.ttl", "b.nt", "c.trig", "d.nq")
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("load: %+v", got)
	}
	for i, want := range []string{"a.ttl: 2 triples read, 2 of them new, in ", "b.nt: 1 triple read, 1 ", "c.trig: 1 triple read, 1 ", "d.nq: 1 triple read, 0 "} {
		if line := strings.Split(got.stdout, "\n")[i]; !strings.HasPrefix(line, want) {
			t.Errorf("load says %q, want %q…", line, want)
		}
	}
	if got := segraph("", nil, "load", "--format=ntriples", "e.txt"); got.code != 0 {
		t.Errorf("load --format: %+v", got)
	}
	if got := segraph("<http://example.org/s> <http://example.org/p> \"6\" .", nil, "load", "-", "--format=turtle"); got.code != 0 || !strings.HasPrefix(got.stdout, "stdin: 1 ") {
		t.Errorf("load of stdin: %+v", got)
	}
	got = segraph("", nil, "dump", "--format", "ntriples")
	if got.code != 0 || got.stderr != "" || strings.Count(got.stdout, "\n") != 6 {
		t.Errorf("dump: %+v", got)
	}
	for _, object := range []string{`"1"^^<http://www.w3.org/2001/XMLSchema#integer>`, `"x"@en`, `"2"`, `"3"`, `"5"`, `"6"`} {
		if !strings.Contains(got.stdout, "<http://example.org/s> <http://example.org/p> "+object+" .\n") {
			t.Errorf("the dump lacks %s:\n%s", object, got.stdout)
		}
	}
}

func TestLoadStoresAFileWholeOrNotAtAll(t *testing.T) {
	folder(t, map[string]string{
		"good.nt": "<urn:s> <urn:p> \"good\" .\n",
		"bad.nt":  strings.Repeat("<urn:s> <urn:p> \"bad\" .\n", 3) + "<urn:s> <urn:p> bad .\n",
		"last.nt": "<urn:s> <urn:p> \"last\" .\n",
	})
	got := segraph("", nil, "load", "good.nt", "bad.nt", "last.nt")
	if got.code != exitFailed || !strings.Contains(got.stderr, "bad.nt") || !strings.Contains(got.stderr, "line 4, column 17") {
		t.Errorf("load: %+v, want exit 1 and the place of the error", got)
	}
	if dump := segraph("", nil, "dump", "--format", "nquads").stdout; dump != "<urn:s> <urn:p> \"good\" .\n" {
		t.Errorf("stored is %q, want what stood before the file with the error", dump)
	}
}

func TestLoadLooksAtAllFilesFirst(t *testing.T) {
	folder(t, map[string]string{"a.nt": "<urn:s> <urn:p> <urn:o> .\n"})
	got := segraph("", nil, "load", "a.nt", "missing.nt")
	if got.code != exitFailed || !strings.Contains(got.stderr, "missing.nt") {
		t.Errorf("load: %+v", got)
	}
	if _, err := os.Stat("segraph.db"); err == nil {
		t.Error("the first file was loaded, or the store made, though the last is missing")
	}
}

func TestDumpToAFileReplacesItWhole(t *testing.T) {
	folder(t, map[string]string{"a.nt": "<urn:s> <urn:p> \"new\" .\n", "old.nt": "old", "b.nt": "<urn:s> <urn:p> \"more\" .\n"})
	if got := segraph("", nil, "load", "a.nt", "b.nt"); got.code != 0 {
		t.Fatalf("load: %+v", got)
	}
	if err := os.Symlink("old.nt", "link.nt"); err != nil {
		t.Fatal(err)
	}
	if got := segraph("", nil, "dump", "--out", "link.nt"); got != (outcome{}) {
		t.Fatalf("dump: %+v", got)
	}
	if text, err := os.ReadFile("old.nt"); err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("the file behind the link holds %q, %v", text, err)
	}
	if got := segraph("", nil, "dump", "--format", "turtle", "--out", os.DevNull); got != (outcome{}) {
		t.Errorf("dump to a device: %+v", got)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("the device was replaced by a file: %v %v", info, err)
	}
	if got := segraph("", nil, "dump", "--format", "turtle", "--out", "segraph.db"); got.code != exitUsage {
		t.Errorf("dump over the store: %+v", got)
	}
	if got := segraph("", nil, "dump", "--out", "no/such/folder.nt"); got.code != exitFailed || !strings.Contains(got.stderr, "no/such") {
		t.Errorf("dump into no folder: %+v", got)
	}
	if left, _ := filepath.Glob(".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestReplaceFileKeepsTheOldOneOnError(t *testing.T) {
	folder(t, map[string]string{"a.nt": "old"})
	err := replaceFile("a.nt", func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of the new one")
		return errors.New("the disk is full")
	})
	if err == nil || !strings.Contains(err.Error(), "disk is full") {
		t.Errorf("error %v", err)
	}
	if text, _ := os.ReadFile("a.nt"); string(text) != "old" {
		t.Errorf("the file holds %q", text)
	}
	if left, _ := os.ReadDir("."); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// A dump reports what the format can't express instead of leaving it out silently.
func TestDumpSaysWhatAFormatCannotHold(t *testing.T) {
	folder(t, map[string]string{"a.nq": "<http://ex/s> <http://ex/p> \"1\" <http://ex/g> .\n<http://ex/s> <http://ex/p> \"2\" .\n"})
	if got := segraph("", nil, "load", "a.nq"); got.code != 0 {
		t.Fatalf("load: %+v", got)
	}
	got := segraph("", nil, "dump")
	if got.code != 0 || strings.Contains(got.stdout, `"1"`) || !strings.Contains(got.stderr, "1 triples in named graphs were omitted") {
		t.Errorf("dump as Turtle: %+v", got)
	}
	got = segraph("", nil, "dump", "--format=nquads")
	if got.code != 0 || strings.Count(got.stdout, "\n") != 2 || got.stderr != "" {
		t.Errorf("dump as N-Quads: %+v", got)
	}
}

func TestDumpOfNoStoreMakesNone(t *testing.T) {
	folder(t, nil)
	if got := segraph("", nil, "dump"); got.code != exitFailed || !strings.Contains(got.stderr, "segraph.db") {
		t.Errorf("dump: %+v", got)
	}
	if left, _ := os.ReadDir("."); len(left) > 0 {
		t.Errorf("dump made %v", left)
	}
}

// Input that can be read only once is also checked completely before any of it is stored.
func TestLoadOfAPipeIsWholeOrNotAtAll(t *testing.T) {
	folder(t, nil)
	t.Setenv("TMPDIR", t.TempDir())
	got := segraph("<urn:s> <urn:p> \"a\" .\n<urn:s> <urn:p> b .\n", nil, "load", "-", "--format", "nquads")
	if got.code != exitFailed || !strings.Contains(got.stderr, "stdin: line 2") {
		t.Errorf("load: %+v, want exit 1 and the place of the error", got)
	}
	if dump := segraph("", nil, "dump", "--format", "nquads"); dump != (outcome{}) {
		t.Errorf("stored is %+v, want nothing", dump)
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The journal records a load: who, when, how many triples, and the hash of the input.
func TestLoadIsInTheJournal(t *testing.T) {
	text := "<urn:s> <urn:p> \"a\" , \"b\" .\n"
	folder(t, map[string]string{"a.ttl": text})
	if got := segraph("", nil, "load", "a.ttl"); got.code != 0 {
		t.Fatalf("load: %+v", got)
	}
	f, err := file.Open("segraph.db", file.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var entries []journal.Entry
	err = f.DB.View(func(tx *bolt.Tx) (err error) { entries, err = storetest.Entries(kv.OnBolt(tx)); return err })
	if err != nil || len(entries) != 1 {
		t.Fatalf("the journal has %d entries, %v; want one", len(entries), err)
	}
	e := entries[0]
	if sum := sha256.Sum256([]byte(text)); e.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("the entry's hash is %s, want %x", e.SHA256, sum)
	}
	if e.Action != journal.Insert || e.Triples != 2 || e.Added != 2 || e.Actor != operator() || len(e.LogID) != 36 || time.Since(e.Time) > time.Hour {
		t.Errorf("the entry is %+v", e)
	}
}

func TestLoadWarnsOfIRIsThatOthersRefuseOrRefusesThem(t *testing.T) {
	var many strings.Builder
	for n := range 12 {
		fmt.Fprintf(&many, "<u:s> <u:p> <u:%%g%d> .\n", n)
	}
	folder(t, map[string]string{"a.ttl": "<u:s> <u:p>\n <http://a/%zz>, \"x\"@e .", "good.ttl": "<u:s> <u:p> 1 .", "many.nt": many.String()})
	odd := []string{"a.ttl: line 2, column 2: <http://a/%zz> is not an IRI (RFC 3987)", "a.ttl: line 2, column 21: @e is not a language tag (BCP 47)"}

	got := segraph("", nil, "load", "--strict-iris", "good.ttl", "a.ttl")
	if got.code != 1 || !strings.Contains(got.stderr, "loading a.ttl: line 2, column 2: <http://a/%zz> is not an IRI") || strings.Count(got.stdout, "triple read") != 1 {
		t.Errorf("strict: %+v", got)
	}
	if got := segraph("", []string{"SEGRAPH_STRICT_IRIS=true"}, "load", "--format", "turtle", "-"); got.code != 0 {
		t.Errorf("nothing, strictly: %+v", got)
	}
	got = segraph("", nil, "load", "good.ttl", "a.ttl")
	if got.code != 0 || strings.Count(got.stderr, "warning") != 2 || !strings.Contains(got.stdout, "a.ttl: 2 triples read, 2 of them new") {
		t.Errorf("%+v", got)
	}
	for _, line := range odd {
		if !strings.Contains(got.stderr, "segraph: warning: "+line) {
			t.Errorf("it lacks %q: %s", line, got.stderr)
		}
	}
	got = segraph("<u:s> <u:p> <u:%> .", nil, "load", "--format", "ntriples", "-") // input that can't be read twice
	if got.code != 0 || !strings.Contains(got.stderr, "line 1, column 13: <u:%> is not an IRI") {
		t.Errorf("stdin: %+v", got)
	}
	got = segraph("", nil, "load", "many.nt")
	if got.code != 0 || strings.Count(got.stderr, "is not an IRI") != 10 || !strings.Contains(got.stderr, ": 2 more IRIs or language tags") {
		t.Errorf("many: %+v", got)
	}
}

// Several centres may read one stream, and must have the same. So the file of such a centre takes nothing that is not from
// the stream.
func TestTheFileOfAStreamsCentreTakesNothingElse(t *testing.T) {
	folder(t, map[string]string{"a.nt": "<urn:s> <urn:p> <urn:o> .\n", "a.jsonl": "{}\n"})
	s, err := persist.Open("segraph.db", persist.Options{})
	if err == nil {
		err = errors.Join(s.Update(t.Context(), centre.Place{Stream: "s", Seq: 1}.Put), s.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"load", "a.nt"}, {"resolve", "a.jsonl"}} {
		if got := segraph("", nil, args...); got.code == 0 || !strings.Contains(got.stderr, "from a stream") {
			t.Errorf("%v: %+v", args, got)
		}
	}
}
