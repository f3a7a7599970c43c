package file

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/suite"
)

// A 32-bit program reports that a file is too large for it, while a 64-bit one opens the
// file.
func TestAFileTooLargeFor32BitsIsRefusedWithTheReason(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	mustOpen(t, path).Close()
	for _, size := range []int64{1<<31 - 1, 1 << 31, 2_307_052_996} {
		if err := os.Truncate(path, size); err != nil { // the file has a hole after its pages
			t.Fatal(err)
		}
		f, err := Open(path, Options{})
		if err == nil {
			f.Close()
		}
		var large *TooLargeError
		if refused := errors.As(err, &large); err != nil && !refused || refused != (MaxSize > 0 && size > MaxSize) {
			t.Errorf("%d bytes, with a limit of %d: Open gave %v", size, int64(MaxSize), err)
		}
		err = checkSize(path, size, 1<<31-1)
		if want := size >= 1<<31; (err != nil) != want || want && !strings.Contains(err.Error(), "at most 2 GiB, about 55 million triples") {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// A file at its size limit loses nothing and refuses to grow. A write that does not make
// it larger still succeeds.
func TestAFileAtItsLimitTakesNoMoreAndLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	mustOpen(t, path).Close()
	const most = 24 << 20
	f, err := Open(path, Options{most: most})
	if err != nil {
		t.Fatal(err)
	}
	put := func(i int, value []byte) error {
		tx, err := f.Begin(true)
		if err != nil {
			return err
		}
		b, err := tx.CreateBucketIfNotExists([]byte("things"))
		if err == nil {
			err = b.Put(binary.BigEndian.AppendUint64(nil, uint64(i)), value)
		}
		if err != nil {
			return errors.Join(err, tx.Rollback())
		}
		return f.Commit(tx)
	}
	n := 0
	for ; err == nil && n < 1000; n++ {
		err = put(n, bytes.Repeat([]byte{byte(n)}, 1<<20))
	}
	n-- // were stored
	var failed *CommitError
	if !errors.As(err, &failed) || failed.InDoubt || !IsAtLimit(err) {
		t.Fatalf("after %d MiB: %v", n, err)
	}
	if err := put(0, []byte("small")); err != nil {
		t.Errorf("a write that does not make the file larger: %v", err)
	}
	if err := f.Check(t.Context()); err != nil {
		t.Error(err)
	}
	f.Close()
	if info, err := os.Stat(path); err != nil || info.Size() > most {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
	f = mustOpen(t, path)
	defer f.Close()
	err = f.DB.View(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte("things"))
		for i := 1; i < n; i++ {
			if !bytes.Equal(b.Get(binary.BigEndian.AppendUint64(nil, uint64(i))), bytes.Repeat([]byte{byte(i)}, 1<<20)) {
				t.Errorf("value %d of %d is lost", i, n)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The test builds this test binary as a real 32-bit program, and runs these tests and
// those of creating and replacing files.
func TestA32BitProgramKnowsItsLimit(t *testing.T) {
	suite.Slow(t, "it compiles the standard library for a 32-bit processor")
	t.Parallel()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" || suite.Race {
		t.Skip("needs linux/amd64, which also runs programs for 386, without the race detector")
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", "-v", "-run", "32Bits|AtItsLimit|EmptyFile|InItsPlace|MakesTheFile", ".")
	cmd.Env = append(os.Environ(), "GOARCH=386", "CGO_ENABLED=0", "GOGC=400") // it compiles the standard library
	out, err := cmd.CombinedOutput()
	if err != nil && strings.Contains(string(out), "exec format error") {
		suite.Missing(t, "a kernel that runs 32-bit programs")
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: TestAFileTooLargeFor32BitsIsRefusedWithTheReason") {
		t.Errorf("%v\n%s", err, out)
	}
}
