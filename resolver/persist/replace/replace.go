// Package replace replaces a store's file with a backup.
package replace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
)

// Done describes a restore.
type Done struct {
	engine.Report                     // of the file that is in place now
	Kept          string              // path of the previous file, or "" if there was none
	Unread        error               // why the previous file's revocations and removed keys are not in the new one, or nil
	Unsynced      *file.UnsyncedError // why a power cut may bring the previous file back, or nil
}

// DamagedError reports that a backup can't be restored. Nothing was changed.
type DamagedError struct{ Path, Detail string }

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the backup %s is damaged or was not made by segraph: %s", e.Path, e.Detail)
}

// File replaces the file at data by a copy of the backup at from, in one step. Before that it verifies the copy and
// adds an entry to its journal, by actor and with the reason, which may be "". Tokens that the previous file revoked, and
// keys that it removed, are revoked and removed in the copy, which also gets the entries of issued tokens, and of erasures with
// the names that a centre has not confirmed. The previous file is kept beside the new one. Nobody may have the file open.
//
// Errors are a *DamagedError, a *file.FormError, a *file.LockedError, or those of the system.
func File(ctx context.Context, from, data, actor, reason string) (done Done, err error) {
	if data, err = file.FollowLinks(data); err != nil { // replace the file, not the link to it
		return done, err
	}
	old, unread := ended(ctx, data)
	if locked := (*file.LockedError)(nil); errors.As(unread, &locked) {
		return done, locked // it may revoke more before it ends
	}
	unlock, err := file.Lock(data)
	if err != nil {
		return done, err
	}
	defer unlock.Close()
	fresh, report, err := verified(ctx, from, data, actor, reason, old)
	if err != nil {
		return done, ofBackup(err, from)
	}
	keep := data + file.BeforeRestore + time.Now().UTC().Format(file.ReplacedAt)
	if err = file.GiveTo(data, fresh); err == nil {
		err = file.Replace(data, fresh, keep, unlock)
	}
	if err != nil && !errors.As(err, &done.Unsynced) {
		return done, errors.Join(fmt.Errorf("putting the backup in place: %w", err), os.Remove(fresh))
	}
	done.Report = report
	if _, err := os.Lstat(keep); err == nil { // there was a previous file
		done.Kept, done.Unread = keep, unread
	}
	return done, nil
}

// ofBackup attributes to a backup the damage found in its copy.
func ofBackup(err error, from string) error {
	var damaged interface{ Damaged() string }
	var form *file.FormError
	switch {
	case errors.As(err, &damaged):
		return &DamagedError{from, damaged.Damaged()}
	case errors.As(err, &form):
		return &file.FormError{Path: from, Found: form.Found}
	}
	return fmt.Errorf("restoring %s: %w", from, err)
}

// verified copies a backup, from, beside the file at data, verifies the copy, and returns its path. In the copy it appends the
// entry of the restore, by an actor for a reason or "", retires the transparency log, ends what old ended, and restarts the outbox. It also removes files that
// killed processes left there.
func verified(ctx context.Context, from, data, actor, reason string, old endings) (path string, report engine.Report, err error) {
	file.RemoveLeftovers(data)
	in, err := os.Open(from)
	if err != nil {
		return "", report, err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(data), filepath.Base(data)+file.Restoring)
	if err != nil {
		return "", report, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(out.Name()))
		}
	}()
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, sum), in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return "", report, err
	}
	hash := hex.EncodeToString(sum.Sum(nil))
	if err := matchesDescription(from, hash); err != nil {
		return "", report, err
	}
	if _, err := persist.CheckFile(ctx, out.Name()); err != nil {
		return "", report, err
	}
	s, err := persist.Open(out.Name(), persist.Options{Options: engine.Options{TextIndex: engine.TextIndexAsIs}})
	if err != nil {
		return "", report, err
	}
	detail := "from " + filepath.Base(from)
	if reason != "" {
		detail += ": " + reason
	}
	err = s.Note(ctx, journal.Entry{LogID: journal.NewLogID(), Action: journal.Restore, Time: time.Now().UTC(), Actor: actor, SHA256: hash, Detail: detail})
	if err == nil {
		err = translog.Retire(ctx, s.Store)
	}
	if err == nil {
		err = old.endIn(ctx, s, actor)
	}
	if err == nil {
		err = s.Outbox.Start(ctx, nil) // graph stores may have what came after the backup: they get everything
	}
	if err == nil {
		report, err = s.Inspect(ctx)
	}
	return out.Name(), report, errors.Join(err, s.Close())
}

// matchesDescription returns a *file.DamagedError if the description beside the backup at path says
// another SHA-256 than sum, in hexadecimal. Without a description there is nothing to compare.
func matchesDescription(path, sum string) error {
	text, err := os.ReadFile(path + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var info backup.Info
	if err == nil {
		info, err = backup.ParseInfo(text)
	}
	if err != nil {
		return fmt.Errorf("reading the description of the backup: %w", err)
	}
	if info.SHA256 != sum {
		return &file.DamagedError{Path: path, Detail: fmt.Sprintf("its SHA-256 is %s but its description says %s", sum, info.SHA256)}
	}
	return nil
}
