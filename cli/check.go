package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/file"
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
warning.`,
		settings: []string{"data"},
		run:      runCheck,
	}
}

func runCheck(ctx context.Context, p *program, c *config.Config) error {
	path, err := oneFile(c)
	if err != nil {
		return err
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

// metaWords reports faults of a store's meta pages. It returns "" if they are good.
func metaWords(s *persist.Store) string {
	if found := s.MetaPages(); found != file.MetaGood {
		return "warning: " + found.String() + "\n"
	}
	return ""
}

// oneFile returns the file argument, or that of --data.
func oneFile(c *config.Config) (string, error) {
	switch len(c.Args) {
	case 0:
		return c.Data, nil
	case 1:
		return c.Args[0], nil
	}
	return "", &config.Error{Msg: fmt.Sprintf("unexpected argument %q", c.Args[1]), Hint: "Name one file."}
}
