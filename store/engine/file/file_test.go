package file

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/suite"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("SEGRAPH_TEST_HOLD"); path != "" {
		hold(path)
		return
	}
	os.Exit(m.Run())
}

// hold runs in another process. It opens the file, at once or on command, prints the
// result, and holds the file until the test closes its input.
func hold(path string) {
	if os.Getenv("SEGRAPH_TEST_WAIT") != "" {
		_, _ = os.Stdin.Read(make([]byte, 1))
	}
	f, err := Open(path, Options{})
	fmt.Printf("open %T %v\n", err, err)
	_, _ = os.Stdin.Read(make([]byte, 1))
	if f != nil {
		f.Close()
	}
}

// process is another process that opens a file.
type process struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startProcess(t *testing.T, path string, env ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0])}
	p.Env = append(append(os.Environ(), suite.LetProcessesEnd(), "SEGRAPH_TEST_HOLD="+path), env...)
	p.Stderr = os.Stderr
	var err error
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.in.Close(); p.Wait() })
	return p
}

// says returns the next line of the process's output.
func (p *process) says(t *testing.T) string {
	t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func mustOpen(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path, smallLog)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestNewFileKeepsItsIdentity(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.db")
	f := mustOpen(t, path)
	id := f.ID()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f = mustOpen(t, path)
	defer f.Close()
	if f.ID() != id {
		t.Errorf("identity was %s and is %s", id, f.ID())
	}
	if err := f.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v: others can read it", info.Mode())
	}
	if names, _ := filepath.Glob(path + "*"); len(names) != 1 {
		t.Errorf("files left behind: %v", names)
	}
}

func TestReadOnlyDoesNotCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.db")
	if f, err := Open(path, Options{ReadOnly: true}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Open = %v, %v", f, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made")
	}
}

func TestASecondProcessLearnsWhichOneHasTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "locked.db")
	other := startProcess(t, path)
	if line := other.says(t); line != "open <nil> <nil>" {
		t.Fatalf("the other process says %q", line)
	}
	start := time.Now()
	_, err := Open(path, Options{})
	var locked *LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("Open gave %v", err)
	}
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("took %v, want 2 s at most", d)
	}
	if _, err := os.Stat(procLocks); err == nil && !strings.Contains(locked.Error(), fmt.Sprint(other.Process.Pid)) {
		t.Errorf("%q does not name process %d", locked, other.Process.Pid)
	}
}

// put changes a value of the bucket "meta" of a closed file, or removes it if v is nil.
func put(t *testing.T, path string, key, v []byte) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		if v == nil {
			return tx.Bucket(metaName).Delete(key)
		}
		return tx.Bucket(metaName).Put(key, v)
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestFilesOfOtherFormsAreRefusedWithWords tries forms of earlier and later programs. The
// file stays as it is.
func TestFilesOfOtherFormsAreRefusedWithWords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	mustOpen(t, path).Close()
	for form, names := range map[string]string{"": "an early development version", "development 2": `"development 2"`, "development 999": `"development 999"`, "1": `"1"`, Form + "0": Form + "0"} {
		value := []byte(form)
		if form == "" {
			value = nil
		}
		put(t, path, formKey, value)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{}, {ReadOnly: true}} {
			_, err := Open(path, o)
			var refused *FormError
			if !errors.As(err, &refused) || refused.Found != form {
				t.Fatalf("form %q: Open gave %v", form, err)
			}
			for _, part := range []string{path, names, `"` + Form + `"`, "segraph dump", "segraph load", "contexts, cases, the journal, notes, keys of robots and revoked tokens", "SECRET_KEY"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("form %q: %q is not in %v", form, part, err)
				}
			}
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
			t.Errorf("form %q: the file was changed, %v", form, err)
		}
	}
}

func TestUnknownFeaturesAreRefusedWithWords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	mustOpen(t, path).Close()
	put(t, path, featuresKey, binary.BigEndian.AppendUint64(nil, uint64(features|1<<9)))
	for _, o := range []Options{{}, {ReadOnly: true}} {
		_, err := Open(path, o)
		var unknown *FeatureError
		if !errors.As(err, &unknown) || unknown.Bit != 9 || !strings.Contains(err.Error(), "feature 9") || !strings.Contains(err.Error(), useNewer) {
			t.Errorf("%v: %v", o, err)
		}
	}
}

func TestAForeignFileIsRefusedWithTheReason(t *testing.T) {
	dir := t.TempDir()
	var damaged *DamagedError
	for name, content := range map[string][]byte{"text": []byte("hello\n"), "zeros": make([]byte, 1<<16), "short": make([]byte, 100)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, Options{}); !errors.As(err, &damaged) {
			t.Errorf("%s: Open gave %v", name, err)
		}
	}
	other := filepath.Join(dir, "other.db")
	db, err := bolt.Open(other, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	if _, err := Open(other, Options{}); !errors.As(err, &damaged) {
		t.Errorf("another program's file: Open gave %v", err)
	}
}

// A reader can end while another transaction begins: that may wait for a map that moves once nobody reads.
func TestAReaderEndsWhileATransactionBegins(t *testing.T) {
	f := mustOpen(t, filepath.Join(t.TempDir(), "x.db"))
	defer f.Close()
	tx, err := f.Begin(false)
	if err != nil {
		t.Fatal(err)
	}
	f.beginning.Lock()
	defer f.beginning.Unlock()
	ended := make(chan struct{})
	go func() { f.End(tx); close(ended) }()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the reader waits")
	}
}

// Scrub needs no page of the transaction before the newest, which a commit that failed may have spoiled.
func TestScrubMendsTheOlderTransaction(t *testing.T) {
	f := mustOpen(t, filepath.Join(t.TempDir(), "x.db"))
	defer f.Close()
	for range 2 {
		if err := f.Update(func(tx *bolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists([]byte("b"))
			return errors.Join(err, b.Put([]byte("k"), make([]byte, 100)))
		}); err != nil {
			t.Fatal(err)
		}
	}
	metas := readMetas(f.pages)
	if _, err := f.pages.WriteAt(make([]byte, pageHeader), int64(metas[1].root)*metas[1].pageSize); err != nil {
		t.Fatal(err)
	}
	if err := f.Scrub(t.Context(), func() func() { return func() {} }, unwanted); err != nil {
		t.Error(err)
	}
	if err := f.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestScrubEndsBesideOverlappingReads has a reader at any time, and commits that make all of them old.
func TestScrubEndsBesideOverlappingReads(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	f := mustOpen(t, filepath.Join(t.TempDir(), "x.db"))
	ctx, end := context.WithTimeout(t.Context(), readersOverlap+15*time.Second)
	defer end()
	var writing sync.Mutex
	var others sync.WaitGroup
	for i := range 2 {
		others.Go(func() {
			time.Sleep(time.Duration(i) * 150 * time.Millisecond)
			for ctx.Err() == nil {
				if tx, err := f.Begin(false); err == nil {
					time.Sleep(300 * time.Millisecond)
					f.End(tx)
				}
			}
		})
	}
	others.Go(func() {
		for ; ctx.Err() == nil; time.Sleep(40 * time.Millisecond) {
			writing.Lock()
			err := f.Update(func(tx *bolt.Tx) error { _, err := tx.CreateBucketIfNotExists([]byte("b")); return err })
			writing.Unlock()
			if err != nil {
				t.Error(err)
			}
		}
	})
	time.Sleep(500 * time.Millisecond)
	if err := f.Scrub(ctx, func() func() { writing.Lock(); return writing.Unlock }, unwanted); err != nil {
		t.Error(err)
	}
	end()
	others.Wait()
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// unwanted is for Scrub: nobody wants to write.
func unwanted() bool { return false }

// TestScrubLetsOthersWrite has a reader that does not end, so that Scrub holds the lock for long.
func TestScrubLetsOthersWrite(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	for _, wanted := range []bool{true, false} {
		t.Run(fmt.Sprint(wanted), func(t *testing.T) {
			t.Parallel()
			f := mustOpen(t, filepath.Join(t.TempDir(), "x.db"))
			tx, err := f.Begin(false)
			for i := 0; i < 4 && err == nil; i++ {
				err = f.Update(func(tx *bolt.Tx) error { _, err := tx.CreateBucketIfNotExists([]byte("b")); return err })
			}
			if err != nil {
				t.Fatal(err)
			}
			longest := time.Duration(0)
			ctx, end := context.WithTimeout(t.Context(), readersOverlap+readersHold/2)
			defer end()
			lock := func() func() {
				begin := time.Now()
				return func() { longest = max(longest, time.Since(begin)) }
			}
			err = f.Scrub(ctx, lock, func() bool { return wanted })
			most := readersHold * 3 / 4
			if wanted {
				most = readersHold / 3
			}
			if longest > most || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("it held the lock for %v: %v", longest, err)
			}
			f.End(tx)
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
