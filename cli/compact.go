package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/file"
)

func compact() verb {
	return verb{
		name:    "compact",
		args:    "[FILE]",
		summary: "Rewrite the store's file without its free pages.",
		detail: `Deleting leaves free pages in the file. Later writes use them, but the file never shrinks. This
removes terms that nothing uses, and writes a new file without free pages and old content of the log
region. It verifies the new file from end to end, and replaces the old one in one step. The old file
is that of --data, unless FILE names another. It stays if it has nothing to remove. The disk needs
room for both. Stop the service first.`,
		settings: []string{"data", "text-index"},
		run:      runCompact,
	}
}

// runCompact writes the file again without free pages, and keeps the old one if that is no larger.
func runCompact(ctx context.Context, p *program, c *config.Config) error {
	path, err := oneFile(c)
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	s, err := persist.Open(path, persist.Options{Options: engine.Options{Existing: true, NoJournal: true, TextIndex: app.TextIndex(c)}}) // open for writing, to keep other writers out
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	fresh := fmt.Sprintf("%s%s%d", path, file.Compacting, os.Getpid())
	before, after, replaced, err := compactTo(ctx, s, path, fresh)
	if err = errors.Join(err, s.Close()); err != nil {
		err = fmt.Errorf("compacting %s: %w", path, err)
	}
	if rerr := os.Remove(fresh); !errors.Is(rerr, os.ErrNotExist) { // it was not renamed
		err = errors.Join(err, rerr)
	}
	if err != nil {
		return err
	}
	words := fmt.Sprintf("%s takes %s bytes on disk now, %s before\n", path, grouped(after), grouped(before))
	if !replaced {
		words = fmt.Sprintf("%s takes %s bytes on disk; a new file would take %s, so the old file is kept\n", path, grouped(before), grouped(after))
	}
	_, err = io.WriteString(p.stdout, words)
	return err
}

// compactTo copies the store to fresh, and replaces the store's file with it if that is
// smaller on disk, or if the store's file has old content. It returns the sizes on disk of
// the old file and of fresh. It is an error if the two do not hold the same.
func compactTo(ctx context.Context, s *persist.Store, path, fresh string) (before, after int64, replaced bool, err error) {
	if _, err := s.Collect(ctx); err != nil {
		return 0, 0, false, err
	}
	if err := s.IndexTexts(ctx); err != nil {
		return 0, 0, false, err
	}
	old, err := s.Inspect(ctx)
	if err != nil {
		return 0, 0, false, err
	}
	if err := s.Compact(fresh); err != nil {
		return 0, 0, false, err
	}
	now, err := persist.CheckFile(ctx, fresh)
	if err != nil {
		return 0, 0, false, err
	}
	if now != old {
		return 0, 0, false, fmt.Errorf("the new file holds %s triples and %s journal entries, but the old one has %s and %s: the old file is kept",
			grouped(now.Triples), grouped(int64(now.Head.Seq)), grouped(old.Triples), grouped(int64(old.Head.Seq)))
	}
	if before, err = file.OnDisk(path); err == nil {
		after, err = file.OnDisk(fresh)
	}
	replaced = after < before
	if err == nil && !replaced {
		replaced, err = s.HasOldContent(ctx)
	}
	if err != nil || !replaced {
		return before, after, false, err
	}
	if err := file.GiveTo(path, fresh); err != nil {
		return before, after, false, err
	}
	return before, after, true, file.Replace(path, fresh, "", s)
}
