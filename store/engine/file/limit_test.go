//go:build unix

package file

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/errno"
)

// TestAFileThatMayNotGrowStoresNothingAndGoesOn writes in a process whose files have a
// limit, as some file systems have: that is a full disk, and no failed one.
func TestAFileThatMayNotGrowStoresNothingAndGoesOn(t *testing.T) {
	if path := os.Getenv("TEST_FILE"); path != "" {
		growToTheLimit(t, path)
		return
	}
	// The unit of ulimit is 512 or 1,024 bytes, so the limit is 20 or 40 MiB.
	test := exec.Command("sh", "-c", `ulimit -f 40960 && exec "$0" -test.run '^TestAFileThatMayNotGrowStoresNothingAndGoesOn$'`, os.Args[0])
	test.Env = append(os.Environ(), "TEST_FILE="+filepath.Join(t.TempDir(), "file"))
	out, err := test.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Errorf("%v: %s", exit, out)
	} else if err != nil {
		t.Fatal(err)
	}
}

func growToTheLimit(t *testing.T, path string) {
	f, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	put := func(name string, size int) error {
		return f.Update(func(tx *bolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists([]byte("test"))
			if err != nil {
				return err
			}
			return b.Put([]byte(name), make([]byte, size))
		})
	}
	if err := put("small", 100); err != nil {
		t.Fatal(err)
	}
	err = put("large", 60<<20)
	var failed *CommitError
	if !errors.As(err, &failed) || failed.InDoubt || !errno.DiskFull(err) {
		t.Errorf("beyond the limit: %v", err)
	}
	if err := put("another", 100); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
