//go:build amd64 || arm64

package file

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/powercut"
	"github.com/segraph/segraph/internal/suite"
)

// The bytes and syncs that File counts equal those that a tracer sees: for commits of
// many sizes, for commits that make the file longer, and for opening, which writes
// nothing to a file with a copy of its newer meta page. The traced program is this test in
// another process, one step at a time.
func TestWrittenIsWhatTheTracerSees(t *testing.T) {
	if step := os.Getenv("SEGRAPH_TEST_STEP"); step != "" {
		fmt.Printf("\nwritten %v\n", writtenIn(t, step, os.Getenv("SEGRAPH_TEST_FILE")))
		return
	}
	suite.NotShort(t)
	dir, r := t.TempDir(), &powercut.Recording{}
	tracer, err := powercut.NewTracer(dir, r)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"create", "open", "commit", "free", "open"} {
		since := r.Len()
		cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "SEGRAPH_TEST_STEP="+step, "SEGRAPH_TEST_FILE="+filepath.Join(dir, "x.db"))
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		wait, err := tracer.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		if code, err := wait(); code != 0 || err != nil {
			t.Fatalf("%s: exit %d, %v\n%s", step, code, err, &out)
		}
		if step == "create" || step == "free" { // these also write without File
			continue
		}
		bytes, syncs := r.Written("x.db", since)
		if want := fmt.Sprintf("\nwritten {%d %d}\n", bytes, syncs); (bytes == 0) != (step == "open") || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s, and the tracer sees %s", step, &out, want)
		}
	}
}

// writtenIn opens a file, does a step, and returns the counts of writes.
func writtenIn(t *testing.T, step, path string) Written {
	if step == "free" {
		f := manyFreed(t, path)
		if !f.unlisted {
			t.Fatal("the list of free pages is there")
		}
		return f.Written()
	}
	f := mustOpen(t, path)
	if step == "commit" {
		random := make([]byte, 3<<20)
		for i, size := range []int{1, 300, 5000, 70_000, len(random), 10} {
			err := f.Update(func(tx *bolt.Tx) error {
				b, err := tx.CreateBucketIfNotExists([]byte("b"))
				for key := range byte(i + 1) {
					if err == nil {
						err = b.Put([]byte{key}, random[:size])
					}
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return f.Written()
}
