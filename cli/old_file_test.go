package cli

import (
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"
)

// TestAFileOfAnOlderProgramIsProved reads a file whose entries have hashes with padding, a
// member client_sha256, and each text beside them after its length. Commit 33b1c5ba made it.
func TestAFileOfAnOlderProgramIsProved(t *testing.T) {
	packed, err := os.Open("testdata/padded.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	t.Chdir(t.TempDir())
	in, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create("segraph.db")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	run := func(want string, args ...string) string {
		t.Helper()
		got := segraph("", nil, args...)
		if got.code != exitOK || !strings.Contains(got.stdout, want) {
			t.Errorf("%v: %+v, want %s", args, got, want)
		}
		return strings.TrimSpace(got.stdout)
	}
	const head = "4:fb646dc472fb482d40c4fe1e5390575469e8923402d8effb31e7035a28afde31"
	run("head "+head+"\ntree 4:a053393fd9fe1d42f05b6f89f4fb185b2c627a5dba6df3f0d1d3a7d78d7a8219\n", "audit", "verify")
	run("", "check")
	sign(t) // the old key is not here, so a new log begins
	run("the chain is intact", "audit", "verify", "--head", head)
	key := run("segraph/", "audit", "key")
	run("", "evidence", "--out", "x.zip", "--log", "01a20942-3a2d-746a-90be-1f657136c183,01a20942-3a43-7237-afa8-6a1fc82d2062")
	run("what was said is proved for 2 of 2", "evidence", "verify", "x.zip", "--key", key)
}
