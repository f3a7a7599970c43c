package engine

import (
	"errors"

	"github.com/segraph/segraph/store/engine/file"
)

// View calls do with a snapshot that it closes afterwards. An error that is damage of the
// file ends writing.
func (s *Store) View(do func(*Snapshot) error) error {
	snap, err := s.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	return s.Guard(func() error { return do(snap) })
}

// Guard runs do, which reads the file, and gives all damage that it meets as a
// *file.DamagedError, be it a panic of bbolt's, a fault of the map (see file.Guard), or
// what an index, the dictionary or the journal found in its own bytes. It belongs around
// whatever reads a snapshot: pages may be damaged while they are in use. Damage ends
// writing, whoever meets it: see commit.
func (s *Store) Guard(do func() error) error {
	err := s.named(s.file.Guard(do))
	s.met(err)
	return err
}

// met ends writing where an error is damage.
func (s *Store) met(err error) {
	var damaged *file.DamagedError
	if !s.readOnly && errors.As(err, &damaged) {
		s.stopWriting(isDamaged, damaged)
	}
}

// named returns the file's name to damage that has none.
func (s *Store) named(err error) error {
	var named *file.DamagedError
	var damaged interface{ Damaged() string }
	if errors.As(err, &damaged) && !errors.As(err, &named) {
		return &file.DamagedError{Path: s.file.Path(), Detail: err.Error()}
	}
	return err
}
