package app

import (
	"io"
	"math"
	"path/filepath"
	"testing"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/fleet/box"
)

// TestACommandLeavesTheCentresOfABox opens a box's file with the settings of a command, which has none of forwarding.
func TestACommandLeavesTheCentresOfABox(t *testing.T) {
	path := filepath.Join(t.TempDir(), "box.db")
	confirmed := func(before func(*engine.Store) error) (n uint64) {
		t.Helper()
		s, err := persist.Open(path, persist.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err = before(s.Store); err == nil {
			err = s.View(func(snap *engine.Snapshot) error {
				n, err = box.Confirmed(snap.KV())
				return err
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := confirmed(func(s *engine.Store) error {
		_, err := box.SetCentres(t.Context(), s, []string{"centre+key"})
		return err
	}); n == math.MaxUint64 {
		t.Fatal("the file has no centre")
	}
	if err := Work(t.Context(), Options{Settings: &config.Config{Data: path, Contexts: resolver.Defaults()}, Stderr: io.Discard}); err != nil {
		t.Fatal(err)
	}
	if n := confirmed(func(*engine.Store) error { return nil }); n != 0 {
		t.Errorf("the centre has confirmed %d entries", n)
	}
}
