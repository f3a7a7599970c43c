package cli

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
)

// TestNoCommandBringsBackWhoWasErased names somebody who was erased in all commands that write to the file.
func TestNoCommandBringsBackWhoWasErased(t *testing.T) {
	t.Chdir(t.TempDir())
	const observed = `{"event_kind":"human_utterance","observed_at":"2026-11-26T20:15:40Z","modality":"speech","subject_uri":"urn:x:maria","text":"Will it hang here?","robot_uri":"urn:x:ari"}`
	said := strings.ReplaceAll(visit, ":marianne", ":anne") // nobody whose IRI begins with hers
	for _, c := range []struct {
		stdin, args string
		code        int
		want        string // part of stdout or stderr
	}{
		{said, "load --format turtle -", 0, ""},
		{observed, "resolve -", 0, "created"},
		{`<urn:x:remark> <http://www.w3.org/2000/01/rdf-schema#comment> "so said Maria." .`, "load --format turtle -", 0, ""},
		{"", "erase urn:x:maria", 0, "\n  urn:x:remark: so said Maria.\n"},
		{"", "person urn:x:maria", 0, "\nlooks: 2\n"},
		{"", "erase --reason letter-of-Maria --yes urn:x:maria", 1, "must not name the person"},
		{"", "erase --reason asked --yes --two-persons urn:x:maria", 2, "another admin must confirm"},
		{"", "erase --reason asked --yes urn:x:maria", 0, "erased: log index"},
		{"", "check --forgotten urn:x:maria", 0, ""},
		{"", "erase --reason again --yes urn:x:maria#me", 1, "was erased already"},
		{"", "person urn:x:maria", 1, "somebody who was erased"},
		{"", "hold add --iri urn:x:maria --reason court", 1, "somebody who was erased"},
		{journal.PublicPEM(public(testKey(1))), "key add urn:x:maria -", 1, "The user was erased"},
		{observed, "resolve -", 0, "created"},
		{"", "check --forgotten urn:x:maria", 0, ""},
		{said, "load --format turtle -", 0, ""},
		{"", "check --forgotten urn:x:maria", 0, ""},
		{"", "check", 0, ""},
	} {
		if got := segraph(c.stdin, nil, strings.Fields(c.args)...); got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%s: %+v", c.args, got)
		}
	}
	if s, err := persist.Open("segraph.db", persist.Options{Options: engine.Options{ReadOnly: true}}); err != nil {
		t.Error(err)
	} else if mark, err := s.Forgotten.Old(); mark == nil || errors.Join(err, s.Close()) != nil {
		t.Errorf("a start would leave the service's own snapshots: %v", err)
	}
	if got := segraph("", nil, "query", "SELECT ?o { GRAPH ?g { ?s ?p ?o } FILTER(CONTAINS(STR(?o), 'hang')) }"); got.code != 0 || strings.Contains(got.stdout, "hang") {
		t.Errorf("what she said came back: %+v", got)
	}
}

// A backup that is restored has who was erased since, until a start: commands that read the file refuse, and say so.
func TestNoCommandShowsWhoWasErasedInARestoredFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args string
		code int
		want string // part of stdout or stderr
	}{
		{"load --format turtle -", 0, ""},
		{"backup old.db", 0, ""},
		{"erase --reason asked --yes urn:x:maria", 0, "erased: log index"},
		{"dump", 0, ""},
		{"restore old.db", 0, ""},
		{"dump", 1, "start segraph serve"},
		{"query ASK{}", 1, "start segraph serve"},
		{"person urn:x:other", 1, "start segraph serve"},
		{"backup new.db", 1, "start segraph serve"},
		{"hold list", 0, ""},
	} {
		if got := segraph("<urn:x:maria> <urn:x:p> <urn:x:other> .", nil, strings.Fields(c.args)...); got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%s: %+v", c.args, got)
		}
	}
}

// The person gets the receipt, or nothing was erased.
func TestAnErasureGivesItsReceipt(t *testing.T) {
	t.Chdir(t.TempDir())
	if got := segraph(visit, nil, "load", "--format", "turtle", "-"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	if err := os.MkdirAll("segraph.db.snapshots/segraph-a.db/which-is-not-empty", 0o700); err != nil {
		t.Fatal(err)
	}
	erase := func(out string) outcome {
		return segraph("", nil, "erase", "--reason", "asked", "--yes", "--out", out, "urn:x:maria")
	}
	for _, out := range []string{"segraph.db.snapshots", "missing/receipt.json"} {
		if got := erase(out); got.code == 0 || strings.Contains(got.stdout, "erased") {
			t.Errorf("--out %s: %+v", out, got)
		}
	}
	got := erase("receipt.json")
	if got.code == 0 || !strings.Contains(got.stdout, "erased: log index") || !strings.Contains(got.stderr, "the person is erased, but") {
		t.Errorf("a snapshot can't be removed: %+v", got)
	}
	if receipt, err := os.ReadFile("receipt.json"); err != nil || !strings.Contains(string(receipt), "urn:x:maria") {
		t.Errorf("the receipt: %s %v", receipt, err)
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// What was done is printed last, since printing may fail, and nothing makes the receipt again.
func TestAnErasureGivesItsReceiptIfPrintingFails(t *testing.T) {
	t.Chdir(t.TempDir())
	if got := segraph(strings.ReplaceAll(visit, ":marianne", ":anne"), nil, "load", "--format", "turtle", "-"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	var stderr bytes.Buffer
	code := Run([]string{"erase", "--reason", "asked", "--yes", "--out", "receipt.json", "urn:x:maria"}, strings.NewReader(""), full{}, &stderr, nil)
	if code != exitFailed || !strings.Contains(stderr.String(), "no space left") {
		t.Errorf("%d, %s", code, stderr.String())
	}
	if receipt, err := os.ReadFile("receipt.json"); err != nil || !strings.Contains(string(receipt), "urn:x:maria") {
		t.Errorf("the receipt: %s %v", receipt, err)
	}
	if got := segraph("", nil, "check", "--forgotten", "urn:x:maria"); got.code != 0 {
		t.Errorf("she is still found: %+v", got)
	}
}

// Without its key, an erasure would end the log, and so would a bundle.
func TestAnErasureDoesNotEndTheLog(t *testing.T) {
	t.Chdir(t.TempDir())
	if got := segraph(visit, nil, "load", "--format", "turtle", "-"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	sign(t)
	before := segraph("", nil, "audit", "key").stdout
	if err := os.Rename("segraph.db.key", "own.pem"); err != nil {
		t.Fatal(err)
	}
	erase := []string{"erase", "--reason", "asked", "--yes", "--out", "receipt.json", "urn:x:maria"}
	refused := func(env []string, want string) {
		t.Helper()
		for _, args := range [][]string{erase, {"evidence", "--iri", "urn:x:maria", "--out", "x.zip"}} {
			if got := segraph("", env, args...); got.code != exitFailed || !strings.Contains(got.stderr, want) || got.stdout != "" {
				t.Errorf("%v: %+v", args, got)
			}
		}
	}
	refused(nil, "reading the signing key")
	const other = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n-----END PRIVATE KEY-----\n"
	refused([]string{"SEGRAPH_SIGNING_KEY=" + other}, "the signing key is not that of the log segraph/")
	if got := segraph("", []string{"SEGRAPH_SIGNING_KEY_FILE=own.pem"}, erase...); got.code != 0 {
		t.Errorf("%+v", got)
	}
	if after := segraph("", nil, "audit", "key").stdout; after != before {
		t.Errorf("the log was %s, and is %s", before, after)
	}
}
