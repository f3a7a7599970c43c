package cli

import (
	"context"
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
)

func backupVerb() verb {
	return verb{
		name:    "backup",
		args:    "OUT",
		summary: "Copy the store of a running service, or its file.",
		detail: `Writes a consistent copy of the whole store to OUT. If OUT is a file, the copy replaces it in one
step. If OUT is a folder, the copy gets a new name in it. With --url the copy comes from a
running service and needs an admin's token; an interrupted transfer continues where it stopped.
Without --url it is made from the file of --data, which no service may be using.

The copy is verified from end to end before it gets its name. It is a store's file like any other:
check it with ` + "`segraph check`" + `, and put it in place with ` + "`segraph restore`" + `.`,
		settings: []string{"data", "url", "token-file", "token"},
		run:      runBackup,
	}
}

// runBackup makes a copy, verifies it, and only then gives it its name.
func runBackup(ctx context.Context, p *program, c *config.Config) error {
	if len(c.Args) != 1 {
		return &config.Error{Msg: "where to?", Hint: "Write `segraph backup OUT`, where OUT is a file or a folder."}
	}
	out, err := newCopy(c.Args[0])
	if err != nil {
		return err
	}
	defer out.discard()
	name := fmt.Sprintf("segraph-%s.db", time.Now().UTC().Format("20060102T150405Z"))
	if c.URL != "" {
		name, out.digest, err = fetchBackup(ctx, p, c, out.File)
	} else {
		err = copyStore(ctx, c.Data, out.File)
	}
	if err != nil {
		return err
	}
	report, err := out.verify(ctx)
	if err != nil {
		return err
	}
	path, err := out.finish(ctx, name)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %s bytes, %s, %s\nsha256 %s\nhead   %s\n", path,
		grouped(out.size), triples(report.Triples), entries(report.Head), out.sum, report.Head)
	return err
}

// copyStore writes a consistent copy of the store's file.
func copyStore(ctx context.Context, data string, to io.Writer) error {
	return withStore(data, func(s *persist.Store) error {
		_, err := s.Backup(ctx, to)
		return err
	})
}

// storeCopy is a copy of a store, written to a temporary file in the target's folder.
type storeCopy struct {
	*os.File
	target string // a file or a folder
	folder bool
	size   int64
	sum    string // SHA-256, in hexadecimal
	digest string // what the service says that it is (RFC 9530), or ""
}

// newCopy makes a temporary file for the copy: beside target, or in it if it is a folder.
func newCopy(target string) (*storeCopy, error) {
	c := &storeCopy{target: target}
	dir := target
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		c.folder = true
	} else if err == nil && !info.Mode().IsRegular() {
		return nil, &config.Error{Msg: target + " is not a regular file", Hint: "Name a file or a folder."}
	} else if c.target, err = file.FollowLinks(target); err != nil {
		return nil, err
	} else {
		dir = filepath.Dir(c.target)
	}
	f, err := file.Temporary(dir, ".segraph-", ".part")
	if err != nil {
		return nil, fmt.Errorf("creating the copy: %w", err)
	}
	c.File = f
	return c, nil
}

// discard removes a copy that was not renamed.
func (c *storeCopy) discard() {
	_ = c.Close() // a second time on success
	_ = os.Remove(c.Name())
}

// verify syncs the copy, computes its SHA-256 and checks it completely.
func (c *storeCopy) verify(ctx context.Context) (engine.Report, error) {
	if err := c.Sync(); err != nil {
		return engine.Report{}, fmt.Errorf("writing the copy: %w", err)
	}
	if _, err := c.Seek(0, io.SeekStart); err != nil {
		return engine.Report{}, err
	}
	var err error
	if c.sum, c.size, err = backup.Sum(ctx, c.File); err != nil {
		return engine.Report{}, fmt.Errorf("reading the copy: %w", err)
	}
	got, _ := backup.ReprDigest(c.sum) // c.sum is in hex
	if c.digest != "" && c.digest != got {
		return engine.Report{}, fmt.Errorf("the download is damaged: its digest is %s, expected %s", got, c.digest)
	}
	report, err := persist.CheckFile(ctx, c.Name())
	if err != nil {
		return report, fmt.Errorf("checking the copy: %w", err)
	}
	return report, nil
}

// finish renames the copy to its final name and returns its path.
func (c *storeCopy) finish(ctx context.Context, name string) (string, error) {
	path := c.target
	if c.folder {
		path = filepath.Join(path, filepath.Base(name))
		switch there, err := sumOf(ctx, path); {
		case errors.Is(err, fs.ErrNotExist):
		case err == nil && there == c.sum:
			return path, nil // the service has not changed since this copy
		default:
			return "", errors.Join(fmt.Errorf("naming the copy: %s already exists with different content", path), err)
		}
	}
	// Never replace a store that is open.
	held, err := file.Lock(path)
	if err != nil {
		return "", err
	}
	defer held.Close()
	if err := file.Replace(path, c.Name(), "", held, c); err != nil && !errors.As(err, new(*file.UnsyncedError)) { // the copy is in place
		return "", fmt.Errorf("naming the copy: %w", err)
	}
	return path, nil
}

// sumOf returns the SHA-256 of a file, in hexadecimal.
func sumOf(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum, _, err := backup.Sum(ctx, f)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return sum, nil
}
