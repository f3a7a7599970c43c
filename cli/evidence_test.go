package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEvidenceIsMadeAndVerified makes bundles of a file, and verifies them without it.
func TestEvidenceIsMadeAndVerified(t *testing.T) {
	golden, err := filepath.Abs("../evidence/testdata/bundle.zip")
	if err != nil {
		t.Fatal(err)
	}
	goldenKeys, err := os.ReadFile(strings.TrimSuffix(golden, "zip") + "keys")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if got := segraph(greetings, nil, "load", "-", "--format", "turtle"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	run := func(code int, want string, args ...string) {
		t.Helper()
		if got := segraph("ASK { ?s ?p ?o }", nil, append([]string{"evidence"}, args...)...); got.code != code || !strings.Contains(got.stdout+got.stderr, want) {
			t.Errorf("%v: %+v, want %s", args, got, want)
		}
	}
	run(exitFailed, "has no transparency log yet", "--iri", "http://example.org/ari", "--out", "x.zip")
	sign(t)
	key := strings.TrimSpace(segraph("", nil, "audit", "key").stdout)
	run(exitOK, "", "--from", "2000-01-01T00:00:00Z", "--to", "2999-01-01T00:00:00Z", "--out", "all.zip")
	run(exitOK, "", "--query", "-", "--out", "query.zip")
	run(exitUsage, "but 0 are given", "--out", "x.zip")
	run(exitUsage, "but 2 are given", "--iri", "urn:a", "--case", "b", "--out", "x.zip")
	run(exitUsage, "to must be later", "--from", "2026-01-01T00:00:00Z", "--out", "x.zip")
	run(exitFailed, "there is no such log", "--log", "x", "--out", "x.zip")
	run(exitUsage, "--out is the store's own file", "--iri", "urn:a", "--out", "segraph.db")
	run(exitUsage, "unexpected argument", "prove")
	if err := os.Remove("segraph.db"); err != nil {
		t.Fatal(err)
	}
	run(exitOK, "all.zip holds: segraph/", "verify", "all.zip", "--key", key)
	run(exitOK, "query.zip holds: segraph/", "verify", "query.zip", "--key", key)
	keys := strings.Fields(string(goldenKeys)) // of a log and of its witness
	run(exitOK, " Cosigned by example.org/w at 2100-03-01 12:00:00.000 UTC.\n", "verify", golden, "--key", keys[0], "--witness", keys[1])
	run(exitDamaged, "checkpoint: the witness example.org/w+", "verify", "all.zip", "--key", key, "--witness", keys[1])
	run(exitFailed, "reading the key of a witness", "verify", "all.zip", "--key", key, "--witness", "x")
	run(exitUsage, "verifier key is missing", "verify", "all.zip")
	run(exitFailed, "must be a log's verifier key", "verify", "all.zip", "--key", "x")
	run(exitFailed, "no such file", "verify", "none.zip", "--key", key)
	run(exitOK, "all.zip holds: ", "verify", "all.zip", "--key", key, "--out", "new/all")
	if page, err := os.ReadFile("new/all/index.html"); err != nil || !bytes.Contains(page, []byte("<html")) {
		t.Errorf("extracted: %v, %.50q", err, page)
	}
	run(exitFailed, "the folder new/all is not empty", "verify", "all.zip", "--key", key, "--out", "new/all")
	run(exitFailed, "", "verify", "all.zip", "--key", key, "--out", "query.zip")
	changed(t, "all.zip", "index.html")
	run(exitDamaged, "does not hold", "verify", "all.zip", "--key", key, "--out", "false")
	if _, err := os.Stat("false"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a false bundle was extracted: %v", err)
	}
	run(exitDamaged, "all.zip does not hold:\nindex.html: it was changed", "verify", "all.zip", "--key", key)
	if _, err := os.Stat("x.zip"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a bundle that could not be made: %v", err)
	}
	if id := regexp.MustCompile(`\+[0-9a-f]{8}\+`); !id.MatchString(key) {
		t.Errorf("the key %q", key)
	}
}

// changed changes a byte in a zip file, after the name of a member.
func changed(t *testing.T, path, member string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[bytes.Index(b, []byte(member))+len(member)+20] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
