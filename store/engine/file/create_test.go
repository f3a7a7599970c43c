package file

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// Many processes start at once without a file. One creates and opens it, and the others
// are refused.
func TestOneOfManyThatStartAtOnceMakesTheFile(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	for range suite.Size(4, 2) {
		dir := t.TempDir()
		path := filepath.Join(dir, "x.db")
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
		onlyFile(t, path)
	}
}

// The process with the right to create the file may put another file there meanwhile, as
// a restore does. That file stays.
func TestCreationLeavesAnothersFile(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "x.db"), filepath.Join(dir, "other.db")
	f := mustOpen(t, other)
	defer f.Close()
	held, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := Open(path, Options{LockTimeout: 500 * time.Millisecond})
		done <- err
	}()
	if err := errors.Join(Replace(path, other, ""), held.Close()); err != nil {
		t.Fatal(err)
	}
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
	onlyFile(t, path)
}

// While one process holds a path without a file, no other process can create the file or
// hold the path.
func TestAPathWithoutAFileIsLocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	held, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	var locked *LockedError
	if _, err := Open(path, Options{LockTimeout: time.Millisecond}); !errors.As(err, &locked) || locked.Path != path {
		t.Errorf("Open gave %v", err)
	}
	if _, err := Lock(path); !errors.As(err, &locked) {
		t.Errorf("Hold gave %v", err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if names, _ := os.ReadDir(filepath.Dir(path)); len(names) > 0 {
		t.Errorf("left are %v", names)
	}
	mustOpen(t, path).Close()
	onlyFile(t, path)
}

// onlyFile fails unless the file at path is alone in its folder.
func onlyFile(t *testing.T, path string) {
	t.Helper()
	if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != 1 || names[0].Name() != filepath.Base(path) {
		t.Errorf("the folder of %s has %v, %v", path, names, err)
	}
}

// An empty file is left when something emptied a store. Open refuses it like a damaged
// one, and does not write to it.
func TestAnEmptyFileIsRefused(t *testing.T) {
	for _, o := range []Options{{}, {ReadOnly: true}, {Existing: true}} {
		path := filepath.Join(t.TempDir(), "x.db")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		var damaged *DamagedError
		_, err := Open(path, o)
		if !errors.As(err, &damaged) || !strings.Contains(err.Error(), "empty") || !strings.Contains(err.Error(), "remove it to start with an empty store") {
			t.Errorf("%+v: Open gave %v", o, err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() != 0 {
			t.Errorf("%+v: the file is now %v, %v", o, info, err)
		}
		onlyFile(t, path)
	}
}

func TestAnOptionKeepsAMissingFileMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	if f, err := Open(path, Options{Existing: true}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Open gave %v, %v", f, err)
	}
	if names, _ := os.ReadDir(filepath.Dir(path)); len(names) > 0 {
		t.Errorf("the folder has %v", names)
	}
}

// The next process that opens the file for writing removes what killed commands left, and
// nothing else, even if the path looks like a glob pattern.
func TestLeftoversOfKilledCommandsAreRemoved(t *testing.T) {
	const name = "x[1]*.db"
	left := []string{name + ".new-123", name + ".new-4", name + ".restoring-5", name + ".compacting-678", name + claimSuffix}
	kept := []string{"x1.db.new-1", name + ".new-mine", name + ".old", name + ".restoring-", name + ".compacting-1x"}
	for _, there := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if there {
			mustOpen(t, path).Close()
		}
		for _, name := range append(slices.Clone(left), kept...) {
			text := "text"
			if strings.HasSuffix(name, claimSuffix) {
				text = ""
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if there { // a read-only open removes nothing
			f, err := Open(path, Options{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
			if names, _ := os.ReadDir(dir); len(names) != len(left)+len(kept)+1 {
				t.Errorf("there are %v", names)
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
}

// A user's file that has the name of a claim stays.
func TestAUsersFileWithTheNameOfAClaimStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	mustOpen(t, path).Close()
	if err := os.WriteFile(path+claimSuffix, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, path).Close()
	if text, err := os.ReadFile(path + claimSuffix); string(text) != "mine" {
		t.Errorf("there is %q, %v", text, err)
	}
}

// Temporary removes what killed processes left, but not what running processes have open.
func TestTemporaryFilesOfKilledProcessesAreRemoved(t *testing.T) {
	if !locks {
		t.Skip("without locks it is unknown which processes run")
	}
	dir := t.TempDir()
	running, err := Temporary(dir, ".segraph-", ".part")
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	kept := []string{".segraph-.part", ".segraph-mine.part", "segraph-1.part"}
	for _, name := range append([]string{".segraph-1.part", ".segraph-22.part"}, kept...) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	next, err := Temporary(dir, ".segraph-", ".part")
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	names := namesIn(dir)
	if len(names) != len(kept)+2 || !slices.Contains(names, filepath.Base(running.Name())) {
		t.Errorf("there are %v", names)
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

// TestOnlyRegularFilesAreAccepted checks that anything else at the path stays: a device
// looks like an empty file.
func TestOnlyRegularFilesAreAccepted(t *testing.T) {
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip("no sockets in folders here: ", err)
	}
	defer l.Close()
	for path, want := range map[string]string{dir: "folder", socket: "not a regular file"} {
		if f, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%s) = %v, %v", path, f, err)
		}
	}
	if info, err := os.Stat(socket); err != nil || info.Mode().IsRegular() {
		t.Errorf("the socket is now %v, %v", info, err)
	}
}
