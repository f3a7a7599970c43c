package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/log/journal"
)

// Backups manages the backups of a store. Its methods are safe for concurrent use.
type Backups interface {
	// Make makes a backup. It waits while another one is being made.
	Make(ctx context.Context, why backup.Reason) (backup.Info, error)
	// Open opens a backup for reading. It returns backup.ErrNone if there is none of that
	// name.
	Open(name string) (*os.File, backup.Info, error)
	// List returns all backups, newest first.
	List() ([]backup.Info, error)
	// Verify reads a backup completely, and records that it is whole. The errors are those of Open,
	// or one with a method Damaged.
	Verify(ctx context.Context, name string) (backup.Info, error)
	// Add adds a backup that was made elsewhere, of at most size bytes, and verifies it.
	Add(ctx context.Context, in io.Reader, size int64) (backup.Info, error)
	// Compare compares a backup with the current state of the store. The errors are those of Open.
	Compare(name string) (backup.Comparison, error)
	// Kept returns the files that restores replaced and kept, newest first.
	Kept() ([]backup.Kept, error)
	// RemoveKept removes one of them, or returns backup.ErrNone.
	RemoveKept(name string) error
	// Next returns when the next scheduled backup is made, or the zero time if none is.
	Next() time.Time
	// Keeps reports whether a backup is made before the graph is deleted.
	Keeps() bool
}

// Backup opens the backup with the given name, or makes one if name is "". The caller
// closes the file. If there is no such backup, the error is an *Error.
func (s *Service) Backup(ctx context.Context, name string) (file *os.File, info backup.Info, err error) {
	if name == "" {
		info, err := s.MakeBackup(ctx)
		if err != nil {
			return nil, info, err
		}
		name = info.Name
	}
	file, info, err = s.config.Backups.Open(name)
	return file, info, ofBackup(err)
}

// ofBackup turns an error of package backup into a refusal, unless it is the server's fault.
func ofBackup(err error) error {
	var damaged interface{ Damaged() string }
	var form *file.FormError
	switch {
	case errors.As(err, &form):
		return refuse(Conflict, "the backup is of another version of segraph, and this one cannot read it")
	case errors.Is(err, backup.ErrEmptied):
		return refuse(Conflict, "a person was erased meanwhile, and all backups were removed; send this one only if it does not hold that person")
	case errors.Is(err, backup.ErrBusy):
		return refuse(Unavailable, "another backup is being received; send this one when it is there").retry(time.Minute)
	case errors.Is(err, backup.ErrNone):
		return refuse(NotFound, "there is no snapshot with this name, or newer ones have replaced it; GET /admin/backups lists them")
	case errors.As(err, &damaged):
		return refuse(Conflict, "the backup is damaged: %s", damaged.Damaged())
	case err != nil:
		return fmt.Errorf("open a backup: %w", err)
	}
	return nil
}

// MakeBackup makes a backup, or returns the newest if nothing has changed since.
func (s *Service) MakeBackup(ctx context.Context) (backup.Info, error) {
	return s.config.Backups.Make(ctx, backup.Request)
}

// VerifyBackup reads the backup with the given name completely, or the newest if name is "". If there is
// none, it makes one. The error is an *Error if there is no such backup, or it is damaged.
func (s *Service) VerifyBackup(ctx context.Context, name string) (backup.Info, error) {
	if name == "" {
		list, err := s.ListBackups()
		list = slices.DeleteFunc(list, func(b backup.Info) bool { return b.Reason == backup.Sent }) // it may be old
		if err == nil && len(list) == 0 {
			list = make([]backup.Info, 1)
			list[0], err = s.MakeBackup(ctx)
		}
		if err != nil {
			return backup.Info{}, err
		}
		name = list[0].Name
	}
	info, err := s.config.Backups.Verify(ctx, name)
	return info, ofBackup(err)
}

// AddBackup adds a backup that an admin sent, of at most size bytes, and verifies it. The error is an *Error
// if it is damaged or no backup.
func (s *Service) AddBackup(ctx context.Context, in io.Reader, size int64) (backup.Info, error) {
	info, err := s.config.Backups.Add(ctx, in, size)
	var damaged interface{ Damaged() string }
	if errors.As(err, &damaged) {
		return info, refuse(Conflict, "this is no backup, or not a whole one: %s", damaged.Damaged())
	}
	return info, ofBackup(err)
}

// CompareBackup compares the backup with the given name with the store. The error is an *Error if there is no such
// backup.
func (s *Service) CompareBackup(name string) (backup.Comparison, error) {
	c, err := s.config.Backups.Compare(name)
	return c, ofBackup(err)
}

// NextBackup returns when the next scheduled backup is made, or the zero time if none is.
func (s *Service) NextBackup() time.Time {
	return s.config.Backups.Next()
}

// KeptFiles returns the files that restores replaced and kept, newest first.
func (s *Service) KeptFiles() ([]backup.Kept, error) {
	return s.config.Backups.Kept()
}

// RemoveKept removes a file that a restore kept. The error is an *Error if there is none of that name.
func (s *Service) RemoveKept(name string) error {
	return ofBackup(s.config.Backups.RemoveKept(name))
}

// CanRestore returns an *Error if this service restores no backups, as in a live demo.
func (s *Service) CanRestore() error {
	if s.config.Restart == nil {
		return refuse(Unavailable, "this service can't restart itself, so it can't restore a backup: download it, and use segraph restore")
	}
	return nil
}

// RestoreBackup verifies the backup with the given name, and has the service start again with a copy of it in
// the place of its file. The journal keeps the reason. The error is an *Error if there is no such backup, or it is
// damaged.
func (s *Service) RestoreBackup(ctx context.Context, actor auth.Actor, name, reason string) error {
	if err := s.CanRestore(); err != nil {
		return err
	}
	if reason = strings.TrimSpace(reason); !isLine(reason, MaxReason) {
		return refuse(Invalid, "say why the backup is restored, in 1 to %d characters and on one line", MaxReason)
	}
	if err := s.checkReason(reason); err != nil {
		return err
	}
	if _, err := s.VerifyBackup(ctx, name); err != nil {
		return err
	}
	in, _, err := s.config.Backups.Open(name)
	if err != nil {
		return ofBackup(err)
	}
	defer in.Close()
	if !s.config.Restart(in.Name(), s.unforgotten(actor.Username, journal.ErasedText), reason) {
		return refuse(Conflict, "another backup is being restored")
	}
	return nil
}

// Restored returns what a restore since the start of the process did, or nil.
func (s *Service) Restored() *backup.Restored { return s.config.Restored }

// ListBackups returns all backups, newest first.
func (s *Service) ListBackups() ([]backup.Info, error) {
	return s.config.Backups.List()
}

// Deletions returns the backups made before deletions of the graph, newest first, and
// reports whether each deletion makes one.
func (s *Service) Deletions() (made []backup.Info, makes bool, err error) {
	all, err := s.ListBackups()
	if err != nil {
		return nil, false, err
	}
	for _, info := range all {
		if info.Reason == backup.DeleteAll {
			made = append(made, info)
		}
	}
	return made, s.config.Backups.Keeps(), nil
}
