package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/segraph/segraph/internal/config"
	"github.com/segraph/segraph/store/cayley"
	"github.com/segraph/segraph/store/file"
)

func compact() verb {
	return verb{
		name:    "compact",
		args:    "[FILE]",
		summary: "Write the store's file anew, without its free pages.",
		detail: `What is deleted leaves free pages in the file, which later writes use again; the file itself never gets
smaller. This writes it anew, that of --data unless one is named, without them, verifies the new one from end to
end, and puts it in the place of the old in one step. The disk needs room for both. The service must not run on
the file meanwhile.`,
		settings: []string{"data"},
		run:      runCompact,
	}
}

func runCompact(ctx context.Context, p *program, c *config.Config) error {
	path, err := oneFile(c)
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	const mark = ".compacting-"
	for _, left := range leftovers(path + mark) {
		if err := os.Remove(left); err != nil {
			return fmt.Errorf("removing what is left of a compaction: %w", err)
		}
	}
	s, err := cayley.Open(path, cayley.Options{}) // for writing, so that nobody else does
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	fresh := fmt.Sprintf("%s%s%d", path, mark, os.Getpid())
	err = compactTo(ctx, s, path, fresh)
	if err = errors.Join(err, s.Close()); err != nil {
		if rerr := os.Remove(fresh); !errors.Is(rerr, os.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
		return fmt.Errorf("compacting %s: %w", path, err)
	}
	after, err := os.Stat(path)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s has %s bytes now\n", path, grouped(after.Size()))
	return err
}

// compactTo writes the store anew to fresh and puts that in its place, if it holds the same.
func compactTo(ctx context.Context, s *cayley.Store, path, fresh string) error {
	before, err := s.Inspect(ctx)
	if err != nil {
		return err
	}
	if err := s.Compact(fresh); err != nil {
		return err
	}
	after, err := cayley.CheckFile(ctx, fresh)
	if err != nil {
		return err
	}
	if after != before {
		return fmt.Errorf("the new file holds %+v and the old one %+v: the old one was left in place", after, before)
	}
	if err := file.GiveTo(path, fresh); err != nil {
		return err
	}
	return file.Replace(path, fresh, "")
}
