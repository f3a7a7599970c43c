package translog

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
)

// handoverOf returns the key that a rotation's entry names. It verifies the entry with
// the old key.
func handoverOf(t *testing.T, s *engine.Store, r Rotated, before tlog.Tree) (key string) {
	t.Helper()
	var e journal.Entry
	err := s.View(func(snap *engine.Snapshot) (err error) { e, err = journal.Get(snap.KV(), r.Seq); return err })
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(r.From)
	if err != nil {
		t.Fatal(err)
	}
	n, err := note.Open([]byte(e.Handover), note.VerifierList(verifier))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(n.Text, "\n")
	if lines[0] != handover || lines[1] != e.Key || lines[2] != e.Origin || lines[4] != before.Hash.String() || e.Action != journal.Rotate || e.Actor != "ari" {
		t.Errorf("%q in %+v", n.Text, e)
	}
	return lines[1]
}

// TestTheOldKeyNamesTheNewOne follows a log through a rotation with the old key alone.
func TestTheOldKeyNamesTheNewOne(t *testing.T) {
	_, own, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.db")
	o := Options{KeyFile: path + ".key"}
	for _, next := range []ed25519.PrivateKey{nil, own} {
		s := open(t, path)
		fill(t, s, 300)
		l := New(s, o)
		name, before := checkpoint(t, l, s)
		old, err := l.Checkpoint(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r, err := Rotate(t.Context(), s, o, next, "ari")
		if err != nil || r.Origin != name || r.From == r.To || int64(r.Seq) != before.N+1 {
			t.Fatalf("%+v, %v", r, err)
		}
		if key := handoverOf(t, s, r, before); key != r.To {
			t.Errorf("the old key names %s, want %s", key, r.To)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open(t, path)
		l = New(s, o)
		same, now := checkpoint(t, l, s) // verified with the new key
		if same != name || now.N != before.N+1 {
			t.Errorf("%s with %d entries, and it was %s", same, now.N, name)
		}
		if err := follow(t, l, before, now); err != nil {
			t.Errorf("the log did not go on: %v", err)
		}
		signed, err := l.Checkpoint(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for key, text := range map[string][]byte{r.From: signed, r.To: old} {
			verifier, err := note.NewVerifier(key)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := note.Open(text, note.VerifierList(verifier)); err == nil {
				t.Errorf("%s verifies a checkpoint of the other key", key)
			}
		}
		info, err := os.Stat(o.KeyFile)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the key's file: %v, %v", info, err)
		}
		if _, err := os.Stat(o.KeyFile + nextSuffix); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the new key is still in a second file: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if key, err := read(o.KeyFile); err != nil || !key.Equal(own) {
		t.Errorf("the file does not have the given key: %v", err)
	}
}

// TestAKilledRotationLeavesTheLogWithOneKey puts the files into the states between the
// steps.
func TestAKilledRotationLeavesTheLogWithOneKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	o := Options{KeyFile: path + ".key"}
	s := open(t, path)
	name, _ := checkpoint(t, New(s, o), s)
	again := func(state string) {
		t.Helper()
		if now, _ := checkpoint(t, New(s, o), s); now != name {
			t.Errorf("%s: the log is %s, and was %s", state, now, name)
		}
	}
	if err := write(o.KeyFile+nextSuffix, ed25519.NewKeyFromSeed(make([]byte, 32))); err != nil {
		t.Fatal(err)
	}
	again("the new key is written")
	old, err := os.ReadFile(o.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Rotate(t.Context(), s, o, nil, "ari"); err != nil {
		t.Fatal(err)
	}
	for _, left := range [][]byte{old, nil} { // nil: the old file is lost as well
		err := os.Rename(o.KeyFile, o.KeyFile+nextSuffix)
		if left != nil {
			err = errors.Join(err, os.WriteFile(o.KeyFile, left, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		again("the entry is written")
	}
	if err := os.WriteFile(o.KeyFile+nextSuffix, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(s, o).Checkpoint(t.Context()); err == nil || !strings.Contains(err.Error(), nextSuffix) {
		t.Errorf("a new key that can't be read: %v", err)
	}
}

func TestOnlyTheKeyOfTheLogNamesAnotherOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	o := Options{KeyFile: path + ".key"}
	s := open(t, path)
	refused := func(o Options, next ed25519.PrivateKey, want string) {
		t.Helper()
		if _, err := Rotate(t.Context(), s, o, next, "ari"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
	refused(o, nil, "no transparency log")
	name, _ := checkpoint(t, New(s, o), s)
	key, err := read(o.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	other := ed25519.NewKeyFromSeed(make([]byte, 32))
	der, err := x509.MarshalPKCS8PrivateKey(other)
	if err != nil {
		t.Fatal(err)
	}
	configured := Options{Key: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))}
	refused(configured, nil, "is not that of the log")
	refused(o, key, "is the one that the log has")
	refused(Options{KeyFile: path + ".lost"}, nil, "no such file")
	if _, err := os.Stat(path + ".lost"); err == nil {
		t.Error("a key was made in place of the lost one")
	}
	if _, err := Rotate(t.Context(), s, o, other, "ari"); err != nil {
		t.Fatal(err)
	}
	if r, err := Rotate(t.Context(), s, configured, key, "ari"); err != nil || r.Origin != name { // and back, as configured
		t.Errorf("%+v, %v", r, err)
	}
	refused(o, nil, "is not that of the log") // the file still has the other one
	if err := Retire(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	refused(configured, nil, "restored")
}
