package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver/persist/replace"
)

func restore() verb {
	return verb{
		name:    "restore",
		args:    "BACKUP",
		summary: "Replace the store's file with a backup.",
		detail: `Copies BACKUP next to the file of --data, verifies the copy from end to end, and puts it in place in one
step. If this is interrupted, either the old file or the new one is there. The old file is kept next to
it, damaged or not, with "before-restore" and the time in its name. BACKUP stays as it is.

Tokens that the old file lists as revoked stay revoked, removed keys stay removed, and legal holds are
as in the old file, if it can be read. The restore gets a journal entry. Stop the service first.`,
		settings: []string{"data"},
		run:      runRestore,
	}
}

// runRestore replaces the file by a verified backup, and says what else must be done again.
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
	done, err := replace.File(ctx, from, c.Data, operator(), "")
	if err != nil {
		return err
	}
	words := fmt.Sprintf("%s was restored from %s: %s, %s\n", c.Data, from, triples(done.Triples), entries(done.Head))
	if done.Kept != "" {
		words += fmt.Sprintf("the previous file was kept as %s\n", done.Kept)
		if done.Unread != nil {
			words += "it can't be read, so do again what was done since the backup: revoke tokens, remove robots' keys, and add or lift legal holds\n"
		}
	}
	if done.Unsynced != nil {
		words += fmt.Sprintln(done.Unsynced)
	}
	_, err = io.WriteString(p.stdout, words)
	return err
}
