package translog

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

// follow returns an error unless the log proves that its current tree begins with the one
// that a reader kept.
func follow(t testing.TB, l *Log, kept, now tlog.Tree) error {
	t.Helper()
	if now.N < kept.N {
		return errors.New("the log is shorter")
	}
	proof, err := tlog.ProveTree(now.N, kept.N, tlog.TileHashReader(now, tiles{t, l}))
	if err != nil {
		return err
	}
	return tlog.CheckTree(proof, now.N, now.Hash, kept.N, kept.Hash)
}

// clone copies an open file and its key.
func clone(t testing.TB, l *Log) *Log {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clone.db")
	var copied bytes.Buffer
	_, err := l.store.Backup(t.Context(), &copied)
	key, kerr := os.ReadFile(l.options.KeyFile)
	if err = errors.Join(err, kerr, os.WriteFile(path, copied.Bytes(), 0o600), os.WriteFile(path+".key", key, 0o600)); err != nil {
		t.Fatal(err)
	}
	return New(open(t, path), Options{KeyFile: path + ".key"})
}

// TestAReaderNoticesAForkedFile gives one server two histories: somebody with the file
// and the key continues a copy. Both sign under one name, so signatures alone show
// nothing.
func TestAReaderNoticesAForkedFile(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "x.db"))
	l := New(s, Options{KeyFile: s.Path() + ".key"})
	fill(t, s, 300)
	name, before := checkpoint(t, l, s)
	fork := clone(t, l)
	fill(t, s, 5)
	l.at = l.at.Add(-fresh)
	_, kept := checkpoint(t, l, s)
	if err := follow(t, l, before, kept); err != nil {
		t.Errorf("the log does not begin with its own past: %v", err)
	}
	for _, x := range []struct {
		what, want string
		more       int // entries that the fork writes
		size       int64
	}{
		{"rolled back", "shorter", 0, 301},
		{"as long as the log", "invalid transparency proof", 5, 306},
		{"longer than the log", "invalid transparency proof", 300, 606},
	} {
		fill(t, fork.store, x.more)
		fork.at = fork.at.Add(-fresh)
		same, now := checkpoint(t, fork, s) // verified with the key of the file that was copied
		if same != name || now.N != x.size || now.N == kept.N && now.Hash == kept.Hash {
			t.Errorf("%s: %s with %d entries, %x", x.what, same, now.N, now.Hash)
		}
		if err := follow(t, fork, kept, now); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", x.what, err, x.want)
		}
		if now.N < kept.N {
			continue
		}
		if err := follow(t, l, kept, now); now.N > kept.N && err == nil {
			t.Errorf("%s: proved with the tiles of the other history", x.what)
		}
		if err := follow(t, fork, before, now); err != nil {
			t.Errorf("%s: a reader who saw only what both have can't tell, and got %v", x.what, err)
		}
	}
	fill(t, s, 300)
	l.at = l.at.Add(-fresh)
	if _, now := checkpoint(t, l, s); now.N != 606 {
		t.Errorf("the log has %d entries", now.N)
	} else if err := follow(t, l, kept, now); err != nil {
		t.Errorf("the log that was not forked: %v", err)
	}
}
