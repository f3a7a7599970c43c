package cli

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/log/witness"
)

func audit() verb {
	return verb{
		name:    "audit",
		args:    "verify|key [witness|centre]|rotate [FILE]",
		summary: "Verify the journal: who wrote what, and when.",
		detail: `audit verify checks that nobody has changed, added or removed an entry of the journal: each must hold
the SHA-256 of the one before, and the stored tree must agree with them, as far as it goes. It prints the
number of entries, the head (the number and hash of the last entry), and the tree's size and root hash.
Keep heads in another place. With --head, it also checks that the journal still holds all entries up to
that head. If witnesses cosigned the log, it also checks that the journal continues what each cosigned last. A
backup's file can be verified in the same way.

audit key prints the key that verifies the checkpoints and receipts of the transparency log. If this
service witnesses other logs, it also prints the key that verifies its cosignatures. audit key
witness prints only that one, and creates it if there is none; audit key centre prints the key with
which a centre confirms what boxes forward, likewise.

audit rotate gives the log a new key: a random one, or the one in FILE, in PEM. The old key signs a
journal entry that names the new one. If the key is in a file next to the data, the new one replaces it.
If SEGRAPH_SIGNING_KEY is set, FILE is required, and the service needs that key from then on.

If the journal is not intact, the exit code is 4. Stop the service first.`,
		settings: []string{"data", "head", "signing-key"},
		run:      runAudit,
	}
}

func runAudit(ctx context.Context, p *program, c *config.Config) error {
	switch {
	case len(c.Args) == 1 && c.Args[0] == "verify":
		return verifyJournal(ctx, p, c)
	case len(c.Args) == 1 && c.Args[0] == "key":
		return printKey(p, c)
	case len(c.Args) == 2 && c.Args[0] == "key" && c.Args[1] == "witness":
		return printWitnessKey(p, c)
	case len(c.Args) == 2 && c.Args[0] == "key" && c.Args[1] == "centre":
		key, err := centre.KeyIn(app.CentreKeyFile(c))
		if err == nil {
			_, err = fmt.Fprintln(p.stdout, key)
		}
		return err
	case len(c.Args) > 0 && len(c.Args) <= 2 && c.Args[0] == "rotate":
		return rotateKey(ctx, p, c)
	}
	return &config.Error{Msg: fmt.Sprintf("audit has no subcommand %q; it has verify, key, key witness, key centre and rotate", strings.Join(c.Args, " ")), Hint: "See `segraph audit -h`."}
}

// verifyJournal verifies the journal, what witnesses cosigned and, with --head, that an earlier
// head is in it.
func verifyJournal(ctx context.Context, p *program, c *config.Config) error {
	noted, err := parseHead(c.Head)
	if err != nil {
		return err
	}
	begin := time.Now()
	s, err := persist.Open(c.Data, persist.Options{Options: engine.Options{ReadOnly: true}})
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	a, err := s.Audit(ctx, noted)
	var cosigned string
	if err == nil {
		cosigned, err = verifyCosigned(s.Store)
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return fmt.Errorf("verifying the journal of %s: %w", c.Data, err)
	}
	if a.Head.Seq == 0 {
		_, err = fmt.Fprintf(p.stdout, "%s has an empty journal\n%s", c.Data, metaWords(s))
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %s from %s to %s; the chain is intact (%s)\nhead %s\n%s\n%s%s", c.Data, entries(a.Head),
		a.First.Time.Format(time.RFC3339), a.Last.Time.Format(time.RFC3339), time.Since(begin).Round(time.Millisecond), a.Head, treeWords(a), cosigned, metaWords(s))
	return err
}

// treeWords names the tree over the journal's entries.
func treeWords(a engine.Audit) string { return fmt.Sprintf("tree %d:%x", a.Tree.Size, a.Tree.Root) }

// printKey prints the verifier key of the transparency log.
func printKey(p *program, c *config.Config) error {
	s, err := persist.Open(c.Data, persist.Options{Options: engine.Options{ReadOnly: true}})
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	key, err := translog.KeyOf(s.Store)
	if err = errors.Join(err, s.Close()); err != nil {
		return fmt.Errorf("reading the key of %s: %w", c.Data, err)
	}
	if key == "" {
		return noLogYet(c.Data)
	}
	words := key + "\n"
	if _, err := os.Stat(app.WitnessFile(c)); err == nil {
		own, err := witness.KeyIn(app.WitnessFile(c))
		if err != nil {
			return err
		}
		words += "witness " + own + "\n"
	}
	_, err = io.WriteString(p.stdout, words)
	return err
}

func noLogYet(data string) error {
	return fmt.Errorf("%s has no transparency log yet: it begins with the first request to /log/checkpoint, or for a receipt", data)
}

// rotateKey gives the transparency log a new key.
func rotateKey(ctx context.Context, p *program, c *config.Config) error {
	var next ed25519.PrivateKey
	if len(c.Args) == 2 {
		text, err := os.ReadFile(c.Args[1])
		if err == nil {
			next, err = translog.ParseKey(text)
		}
		if err != nil {
			return fmt.Errorf("reading the new key %s: %w", c.Args[1], err)
		}
	} else if c.SigningKey != "" {
		return &config.Error{Msg: "SEGRAPH_SIGNING_KEY is set, and this program can't replace it", Hint: "Write `segraph audit rotate FILE` with a new key in FILE, and then set SEGRAPH_SIGNING_KEY_FILE to FILE."}
	}
	var r translog.Rotated
	err := withFile(c.Data, false, func(s *persist.Store) (err error) {
		r, err = translog.Rotate(ctx, s.Store, app.SigningKey(c), next, operator())
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "entry %d, signed by the old key, names the new key of %s\nold %s\nnew %s\n", r.Seq, r.Origin, r.From, r.To)
	if c.SigningKey != "" && err == nil {
		_, err = fmt.Fprintf(p.stderr, "set SEGRAPH_SIGNING_KEY_FILE to %s before the next start; with the old key, the service begins a log with another name\n", c.Args[1])
	}
	return err
}

// parseHead parses a head as printed by audit verify.
func parseHead(s string) (h journal.Head, err error) {
	if s == "" {
		return h, nil
	}
	if h, err = journal.ParseHead(s); err != nil || h.Seq == 0 {
		return h, &config.Error{Msg: fmt.Sprintf("--head: %.100q is not a head", s), Hint: "Copy it from the output of `segraph audit verify`: a number, a colon and 64 hexadecimal digits."}
	}
	return h, nil
}
