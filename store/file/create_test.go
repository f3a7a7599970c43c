package file

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// TestOneOfManyThatStartAtOnceMakesTheFile: on a missing path, and on an empty file, as a container's
// mount makes it.
func TestOneOfManyThatStartAtOnceMakesTheFile(t *testing.T) {
	for round := range suite.Size(4, 2) {
		dir := t.TempDir()
		path := filepath.Join(dir, "x.db")
		if round%2 == 1 {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var ps []*process
		for range 6 {
			ps = append(ps, startProcess(t, path, "SEGRAPH_TEST_WAIT=1"))
		}
		for _, p := range ps {
			if _, err := p.in.Write([]byte("\n")); err != nil {
				t.Fatal(err)
			}
		}
		open := 0
		for _, p := range ps {
			switch line := p.says(t); {
			case line == "open <nil> <nil>":
				open++
			case !strings.HasPrefix(line, "open *file.LockedError "):
				t.Error(line)
			}
		}
		if open != 1 {
			t.Errorf("%d of %d processes opened the file", open, len(ps))
		}
		for _, p := range ps {
			p.in.Close()
			p.Wait()
		}
		f := mustOpen(t, path)
		if err := f.Check(t.Context()); err != nil {
			t.Error(err)
		}
		f.Close()
		if names, _ := os.ReadDir(dir); len(names) != 1 {
			t.Errorf("files left behind: %v", names)
		}
	}
}

// TestCreationLeavesAnothersFile: while this one waits for the lock of an empty file, its holder puts a
// good file there and opens it.
func TestCreationLeavesAnothersFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	empty, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer empty.Close()
	if err := tryLock(empty, true); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := Open(path, Options{LockTimeout: 500 * time.Millisecond})
		done <- err
	}()
	other := filepath.Join(filepath.Dir(path), "other.db")
	f := mustOpen(t, other)
	defer f.Close()
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	empty.Close()
	var locked *LockedError
	if err := <-done; !errors.As(err, &locked) {
		t.Errorf("Open gave %v", err)
	}
	f.Close()
	again := mustOpen(t, path)
	defer again.Close()
	if again.ID() != f.ID() {
		t.Error("the file was replaced")
	}
}

// TestCreationStopsWhereTheEmptyFileWasReplaced, between the lock and the new name.
func TestCreationStopsWhereTheEmptyFileWasReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	empty, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer empty.Close()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	f := mustOpen(t, path)
	id := f.ID()
	f.Close()
	if err := create(path, empty); err != nil {
		t.Fatal(err)
	}
	f = mustOpen(t, path)
	defer f.Close()
	if f.ID() != id {
		t.Error("the file was replaced")
	}
	if names, _ := os.ReadDir(filepath.Dir(path)); len(names) != 1 {
		t.Errorf("files left behind: %v", names)
	}
}

// TestLeftoversOfKilledCreationsAreRemoved, and nothing else; also where the path would be a pattern.
func TestLeftoversOfKilledCreationsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x[1]*.db")
	kept := []string{"x1.db.new-1", "x[1]*.db.new-mine", "x[1]*.db.old"}
	for _, name := range append([]string{"x[1]*.db.new-123", "x[1]*.db.new-4"}, kept...) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mustOpen(t, path).Close()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != len(kept)+1 {
		t.Errorf("there are %v", names)
	}
	for _, name := range kept {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestALinkToANewFileStaysALink(t *testing.T) {
	dir := t.TempDir()
	link, target := filepath.Join(dir, "link.db"), filepath.Join(dir, "data", "real.db")
	if err := os.Mkdir(filepath.Dir(target), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	mustOpen(t, link).Close()
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is now %v, %v", info.Mode(), err)
	}
	mustOpen(t, target).Close()
}

// TestWhatIsNoRegularFileIsRefused, and stays: a device looks like an empty file.
func TestWhatIsNoRegularFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip("no sockets in folders here: ", err)
	}
	defer l.Close()
	for path, want := range map[string]string{dir: "folder", socket: "no regular file"} {
		if f, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%s) = %v, %v", path, f, err)
		}
	}
	if info, err := os.Stat(socket); err != nil || info.Mode().IsRegular() {
		t.Errorf("the socket is now %v, %v", info, err)
	}
}
