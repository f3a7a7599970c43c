package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/retries"
)

func check() verb {
	return verb{
		name:    "check",
		args:    "[FILE]",
		summary: "Verify a store's file completely.",
		detail: `Reads the whole file, that of --data unless one is named, and writes nothing. It checks every page and
the checksum of every block. Terms and ids must match, and no id may be used again. All indexes must
hold the same triples, and their counts must be right. The journal must be intact, and what each log
contributed must be readable. The graph of shared contexts must match the resolver's records. Stop the
service first, or check a backup. The service checks its pages itself after each start, and logs the
result.

If the file is damaged, the exit code is 4, with a message that says what is wrong. Keep the file, and
restore a backup with ` + "`segraph restore`" + `. A meta page that a power cut may have left unfinished is a
warning.

With --forgotten, it looks for a text instead, such as a person's IRI: in terms, values, old pages and
the log region, also where they are compressed; and in snapshots. It lists the places, and the exit
code is 1 if there are any. This says nothing of other spellings: look for names and sentences too.`,
		settings: []string{"data", "forgotten", "snapshot-dir"},
		run:      runCheck,
	}
}

func runCheck(ctx context.Context, p *program, c *config.Config) error {
	path, err := oneFile(c)
	if err != nil {
		return err
	}
	if c.Sought != "" {
		return checkSought(ctx, p, c, path)
	}
	begin := time.Now()
	s, err := persist.Open(path, persist.Options{Options: engine.Options{ReadOnly: true}})
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	report, err := s.Inspect(ctx)
	if err = errors.Join(err, s.Close()); err != nil {
		return fmt.Errorf("checking: %w", err)
	}
	words := fmt.Sprintf("%s is good: %s in %s, %s, %s (%s)\n", path, triples(report.Triples),
		several(int64(report.Graphs), "graph", "graphs"), several(report.Terms, "term", "terms"),
		entries(report.Head), time.Since(begin).Round(time.Millisecond))
	_, err = io.WriteString(p.stdout, words+metaWords(s))
	return err
}

// checkSought looks for a text in a file, in its snapshots, and in files that restores kept.
func checkSought(ctx context.Context, p *program, c *config.Config, path string) error {
	snapshots, err := filesIn(app.SnapshotFolder(c, path), "", ".db")
	if err != nil {
		return fmt.Errorf("looking for snapshots: %w", err)
	}
	data, err := file.FollowLinks(path)
	if err != nil {
		return err
	}
	kept, err := filesIn(filepath.Dir(data), filepath.Base(data)+file.BeforeRestore, "")
	if err != nil {
		return fmt.Errorf("looking for files that restores kept: %w", err)
	}
	var left []string
	for _, in := range [][2]string{ // folders, and how the names in them begin
		{filepath.Dir(data), filepath.Base(data) + file.Restoring},
		{filepath.Dir(data), filepath.Base(data) + file.Compacting},
		{app.SnapshotFolder(c, path), backup.NewPrefix},
	} {
		some, err := filesIn(in[0], in[1], "")
		if err != nil {
			return fmt.Errorf("looking for what killed processes left: %w", err)
		}
		left = append(left, some...)
	}
	found := 0
	for _, at := range slices.Concat([]string{path}, snapshots, kept) {
		s, err := persist.Open(at, persist.Options{Options: engine.Options{ReadOnly: true}})
		if err != nil {
			return fmt.Errorf("opening the store: %w", err)
		}
		places, err := s.Find(ctx, c.Sought, retries.Unpacked)
		if err = errors.Join(err, s.Close()); err != nil {
			return fmt.Errorf("reading %s: %w", at, err)
		}
		for _, x := range places {
			found += x.Times
			if _, err := fmt.Fprintf(p.stdout, "%s: %s: %s\n", at, printable(x.Where), times(x.Times)); err != nil {
				return err
			}
		}
	}
	if found > 0 {
		return fmt.Errorf("it is still there %s", times(found))
	}
	if len(left) > 0 {
		return fmt.Errorf("a process was killed, and what it left may still have it: remove %s", quoted.Text(strings.Join(left, ", ")))
	}
	_, err = fmt.Fprintf(p.stdout, "it is nowhere in %s and %s\n", path, several(int64(len(snapshots)), "snapshot", "snapshots"))
	return err
}

// filesIn returns the paths in a folder whose names have a prefix and a suffix, or none if there is no such folder.
func filesIn(folder, prefix, suffix string) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), suffix) {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths, err
}

func times(n int) string { return several(int64(n), "time", "times") }

// metaWords reports faults that a store's meta pages had when it was opened; the store may be closed. It returns "" if they
// were good.
func metaWords(s *persist.Store) string {
	if found := s.MetaPages(); found != file.MetaGood {
		return "warning: " + found.String() + "\n"
	}
	return ""
}

// oneFile returns the file that the argument names or, without one, the file of --data.
func oneFile(c *config.Config) (string, error) {
	switch len(c.Args) {
	case 0:
		return c.Data, nil
	case 1:
		return c.Args[0], nil
	}
	return "", &config.Error{Msg: fmt.Sprintf("unexpected argument %q", c.Args[1]), Hint: "Name one file."}
}
