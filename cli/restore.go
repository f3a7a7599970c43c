package cli

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

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
)

func restore() verb {
	return verb{
		name:    "restore",
		args:    "BACKUP",
		summary: "Replace the store's file with a backup.",
		detail: `Copies BACKUP next to the file of --data, verifies the copy from end to end, and puts it in place in one
step. If this is interrupted, either the old file or the new one is there. The old file is kept next to
it, damaged or not, with "before-restore" and the time in its name. BACKUP stays as it is.

Tokens that the old file lists as revoked stay revoked, and removed keys stay removed, if the old file
can be read. The restore gets a journal entry. Stop the service first.`,
		settings: []string{"data"},
		run:      runRestore,
	}
}

func runRestore(ctx context.Context, p *program, c *config.Config) error {
	if len(c.Args) != 1 {
		return &config.Error{Msg: "which backup?", Hint: "Write `segraph restore BACKUP --data FILE`."}
	}
	from := c.Args[0]
	if sameFile(from, c.Data) {
		return &config.Error{Msg: "the backup is the store's own file " + c.Data, Hint: "Name another file."}
	}
	if _, err := os.Stat(from); err != nil {
		return fmt.Errorf("reading the backup: %w", err)
	}
	data, err := file.FollowLinks(c.Data) // replace the file, not the link to it
	if err != nil {
		return err
	}
	revoked, unread := revocationsOf(ctx, data)
	removed, _ := removedKeys(ctx, data) // unread says whether the file can be read
	unlock, err := file.Lock(data)
	if err != nil {
		return err
	}
	defer unlock.Close()
	fresh, report, err := copyForRestore(ctx, from, data, revoked, removed)
	if err != nil {
		return ofBackup(err, from)
	}
	keep := data + ".before-restore-" + time.Now().UTC().Format("20060102T150405.000Z")
	err = file.GiveTo(data, fresh)
	if err == nil {
		err = file.Replace(data, fresh, keep, unlock)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("putting the backup in place: %w", err), os.Remove(fresh))
	}
	words := fmt.Sprintf("%s was restored from %s: %s, %s\n", c.Data, from, triples(report.Triples), entries(report.Head))
	if _, err := os.Lstat(keep); err == nil {
		words += fmt.Sprintf("the previous file was kept as %s\n", keep)
		if unread != nil {
			words += "it can't be read, so tokens revoked and keys removed since the backup must be revoked and removed again\n"
		}
	}
	_, err = io.WriteString(p.stdout, words)
	return err
}

// damagedBackup reports that a backup can't be restored. Nothing was changed.
type damagedBackup struct{ path, detail string }

func (e *damagedBackup) Error() string {
	return fmt.Sprintf("the backup %s is damaged or was not made by segraph: %s", e.path, e.detail)
}

// ofBackup attributes to a backup the damage found in its copy.
func ofBackup(err error, from string) error {
	var damaged interface{ Damaged() string }
	var form *file.FormError
	switch {
	case errors.As(err, &damaged):
		return &damagedBackup{from, damaged.Damaged()}
	case errors.As(err, &form):
		return &file.FormError{Path: from, Found: form.Found}
	}
	return fmt.Errorf("restoring %s: %w", from, err)
}

// copyForRestore copies a backup beside the file at data. In the copy it enters the
// restore in the journal, revokes the given tokens and removes the given keys. It
// verifies the copy and returns its path. It also removes files left by killed commands.
func copyForRestore(ctx context.Context, from, data string, revoked []journal.Entry, removed []journal.SigningKey) (path string, report engine.Report, err error) {
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
	err = s.Note(ctx, journal.Entry{LogID: journal.NewLogID(), Action: journal.Restore, Time: time.Now().UTC(), Actor: operator(),
		SHA256: hash, Detail: "from " + filepath.Base(from)})
	if err == nil {
		err = translog.Retire(ctx, s.Store)
	}
	if err == nil {
		err = revokeAgain(ctx, s, revoked)
	}
	if err == nil {
		err = removeAgain(ctx, s, removed)
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
