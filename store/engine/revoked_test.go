package engine

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

func revokeEntry(r journal.Revoked) journal.Entry {
	return journal.Entry{LogID: journal.NewLogID(), Action: journal.Revoke, Time: time.Now().UTC(), Actor: "eva", Revoked: r}
}

// revokedIn returns the tokens and users that a store lists as revoked.
func revokedIn(t *testing.T, s *Store) (out []journal.Revoked) {
	t.Helper()
	entries, err := s.Revocations(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Revoked)
	}
	return out
}

func TestRevocationsSurviveARestartABackupAndAClearedGraph(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "segraph.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 6, 4, 12, 0, 0, 0, time.UTC)
	want := []journal.Revoked{{TokenID: "id 1"}, {TokenID: "id 2"}, {Username: "ari", UpTo: at.Add(time.Minute)}}
	for _, r := range []journal.Revoked{want[1], want[0], {Username: "ari", UpTo: at}, want[0], want[2], {Username: "ari", UpTo: at}} { // a start sees only the last of ari
		if _, err := s.Revoke(context.Background(), revokeEntry(r)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Clear(context.Background(), true, journal.Entry{LogID: journal.NewLogID(), Action: journal.Clear, Time: at, Actor: "eva"}); err != nil {
		t.Fatal(err)
	}
	if got := revokedIn(t, s); !slices.Equal(got, want) {
		t.Errorf("the store revokes %+v, want %+v", got, want)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(path, Options{ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	if got := revokedIn(t, s); !slices.Equal(got, want) {
		t.Errorf("after a restart: %+v, want %+v", got, want)
	}
	if err := errors.Join(s.Check(context.Background()), s.Close()); err != nil {
		t.Error(err)
	}
}

// TestARevocationThatIsLostOrInventedIsFound changes the bucket without the store's
// knowledge.
func TestARevocationThatIsLostOrInventedIsFound(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*bolt.Bucket) error{
		"is not revoked":        func(b *bolt.Bucket) error { return b.Delete([]byte("jone")) },
		`"jone" is not revoked`: func(b *bolt.Bucket) error { return b.Put([]byte("jone"), []byte{0, 0, 0, 0, 0, 0, 0, 2}) },
		`"jnone" is not`:        func(b *bolt.Bucket) error { return b.Put([]byte("jnone"), b.Get([]byte("jone"))) },
	} {
		s, err := Open(filepath.Join(t.TempDir(), "segraph.db"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"one", "two"} {
			if _, err := s.Revoke(context.Background(), revokeEntry(journal.Revoked{TokenID: id})); err != nil {
				t.Fatal(err)
			}
		}
		flushed(t, s)
		if err := s.file.DB.Update(func(tx *bolt.Tx) error { return change(tx.Bucket([]byte(revokedName))) }); err != nil {
			t.Fatal(err)
		}
		if err := s.Check(context.Background()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("check says %v, want %q", err, name)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestRevocationsAreBounded(t *testing.T) {
	t.Parallel()
	s, err := Open(filepath.Join(t.TempDir(), "segraph.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := s.Revoke(context.Background(), revokeEntry(journal.Revoked{TokenID: "one"})); err != nil {
		t.Fatal(err)
	}
	flushed(t, s)
	if err := s.file.DB.Update(func(tx *bolt.Tx) error { return tx.Bucket([]byte(revokedName)).SetSequence(maxRevoked) }); err != nil {
		t.Fatal(err)
	}
	var refused *store.UnfitError
	if _, err := s.Revoke(context.Background(), revokeEntry(journal.Revoked{TokenID: "two"})); !errors.As(err, &refused) {
		t.Errorf("above the limit: %v", err)
	}
	if _, err := s.Revoke(context.Background(), revokeEntry(journal.Revoked{TokenID: "one"})); err != nil {
		t.Errorf("one that is already revoked: %v", err)
	}
	if got := len(revokedIn(t, s)); got != 1 {
		t.Errorf("%d are revoked", got)
	}
}
