package engine

import (
	"errors"

	"github.com/segraph/segraph/store/engine/file"
)

// View calls do with a snapshot, which it closes afterwards. Damage of the file stops
// writing (see Guard).
func (s *Store) View(do func(*Snapshot) error) error {
	snap, err := s.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	return s.Guard(func() error { return do(snap) })
}

// Read returns what f reads in a snapshot; see Store.View.
func Read[T any](s *Store, f func(*Snapshot) (T, error)) (v T, err error) {
	err = s.View(func(snap *Snapshot) (err error) {
		v, err = f(snap)
		return err
	})
	return v, err
}

// Guard runs do, which reads a snapshot, and returns any damage as a *file.DamagedError: a
// panic of bbolt, a fault of the memory map (see file.Guard), or an error of an index, the
// dictionary or the journal. All that reads a snapshot needs it, since pages may be damaged
// while they are in use. Damage stops writing.
func (s *Store) Guard(do func() error) error {
	err := s.named(s.file.Guard(do))
	s.stopIfDamage(err)
	return err
}

// stopIfDamage stops writing if an error is damage of the file.
func (s *Store) stopIfDamage(err error) {
	var damaged *file.DamagedError
	if !s.readOnly && errors.As(err, &damaged) {
		s.stopWriting(isDamaged, damaged)
	}
}

// named adds the file's name to damage without one.
func (s *Store) named(err error) error {
	var named *file.DamagedError
	var damaged interface{ Damaged() string }
	if errors.As(err, &damaged) && !errors.As(err, &named) {
		return &file.DamagedError{Path: s.file.Path(), Detail: err.Error()}
	}
	return err
}
