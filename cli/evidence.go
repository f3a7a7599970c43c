package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
)

func evidenceVerb() verb {
	return verb{
		name:    "evidence",
		args:    "[verify FILE]",
		summary: "Make a bundle that proves what was logged, or verify one.",
		detail: `Writes a zip file that proves what was logged to people who do not trust this service: a page to read and
print, the journal's entries, what the logs said, and proofs that the transparency log contains them.
Choose what to prove with --log, --iri, --query or --case, or with --from and --to. A bundle of an
interval has all entries in it, so it also shows what was not logged; --user shows only one user's
logs. No service may be using the file; with --url, the running service makes the bundle.

evidence verify checks a bundle with the log's verifier key, without the store and without a network,
and prints in one line what holds. With --witness, that witness must have cosigned the
checkpoint. With --out, it writes the members that it has verified into a new folder. FILE may also be
the receipt of an erasure. If the file does not hold, it prints each reason, and the exit code is 4.`,
		settings: []string{"log", "iri", "query", "case", "from", "to", "user", "out", "key", "witness", "data", "signing-key", "url", "token-file", "token"},
		run:      runEvidence,
	}
}

// runEvidence makes a bundle, from the file or by the service, or verifies one.
func runEvidence(ctx context.Context, p *program, c *config.Config) error {
	if len(c.Args) > 0 {
		if len(c.Args) != 2 || c.Args[0] != "verify" {
			return &config.Error{Msg: fmt.Sprintf("unexpected argument %q", c.Args[0]), Hint: "Write `segraph evidence verify FILE --key KEY`, or name what to prove with a flag such as --log."}
		}
		return verifyEvidence(p, c, c.Args[1])
	}
	about, err := p.aboutOf(c)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return writeEvidence(ctx, c, about, w) }
	if c.URL != "" {
		write = func(w io.Writer) error { return fetchEvidence(ctx, c, about, w) }
	}
	if c.Out == "-" {
		if terminal(p.stdout) {
			return &config.Error{Msg: "a bundle is a zip file, which a terminal can't show", Hint: "Name a file: --out bundle.zip."}
		}
		return write(p.stdout)
	}
	if sameFile(c.Out, c.Data) {
		return &config.Error{Msg: "--out is the store's own file " + c.Data, Hint: "Name another file to write to."}
	}
	return replaceFile(c.Out, write)
}

// aboutOf returns what the flags ask a bundle to prove.
func (p *program) aboutOf(c *config.Config) (evidence.About, error) {
	e := c.Choice
	about := evidence.About{Logs: e.Logs, IRI: e.IRI, Case: e.Case, User: c.User}
	if !e.From.IsZero() {
		about.From = &e.From
	}
	if !e.To.IsZero() {
		about.To = &e.To
	}
	if e.Query != "" {
		var err error
		if about.Query, err = p.queryText(&config.Config{File: e.Query}); err != nil {
			return evidence.About{}, err
		}
	}
	if err := about.Check(); err != nil {
		return evidence.About{}, &config.Error{Msg: err.Error(), Hint: "Give one of --log, --iri, --query and --case, or --from with --to."}
	}
	return about, nil
}

// writeEvidence makes a bundle from the file.
func writeEvidence(ctx context.Context, c *config.Config, about evidence.About, w io.Writer) error {
	return withStore(c.Data, func(s *persist.Store) error {
		key, err := translog.KeyOf(s.Store)
		if err != nil {
			return fmt.Errorf("reading the key of %s: %w", c.Data, err)
		}
		if key == "" {
			return noLogYet(c.Data)
		}
		log, err := logOf(c, s)
		if err != nil {
			return err
		}
		b, err := evidence.Make(ctx, s, log, evidence.Request{About: about, By: operator(), Now: time.Now(),
			Ask: func(ctx context.Context, text string, triple func(rdf.Triple) error) error {
				q, err := sparql.Prepare(ctx, text, sparql.Options{})
				if err != nil {
					return fmt.Errorf("reading the query: %w", err)
				}
				return s.Query(ctx, q, budget.Limits{}, nil, triple)
			}})
		if err != nil {
			return err
		}
		_, err = b.WriteTo(w)
		return err
	})
}

// logOf returns the log of a file, unless the key at hand is another than the log's: its use would begin another log.
func logOf(c *config.Config, s *persist.Store) (*translog.Log, error) {
	if err := translog.CheckKey(s.Store, app.SigningKey(c)); err != nil {
		return nil, fmt.Errorf("%w; set SEGRAPH_SIGNING_KEY_FILE as the service has it", err)
	}
	return translog.New(s.Store, app.SigningKey(c)), nil
}

// fetchEvidence has a running service make a bundle.
func fetchEvidence(ctx context.Context, c *config.Config, about evidence.About, w io.Writer) error {
	token, err := tokenOf(c)
	if err != nil {
		return err
	}
	body, err := json.Marshal(about)
	if err != nil {
		return fmt.Errorf("writing the request: %w", err)
	}
	call := serviceCall{http.MethodPost, "/evidence", "application/json", string(body), "application/zip", token, http.StatusOK, nil}
	return call.do(ctx, c.URL, func(body io.Reader) error { _, err := io.Copy(w, body); return err })
}

// verifyEvidence verifies a bundle, and prints what holds.
func verifyEvidence(p *program, c *config.Config, path string) error {
	if c.Choice.Key == "" {
		return &config.Error{Msg: "the log's verifier key is missing", Hint: "Give it with --key, as `segraph audit key` prints it. Take it from somebody you trust, not from the bundle."}
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading the bundle: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("reading the bundle: %w", err)
	}
	r, err := evidence.Verify(f, info.Size(), c.Choice.Key, c.Choice.Witnesses...)
	if err != nil {
		return fmt.Errorf("verifying %s: %w", path, err)
	}
	if len(r.Failures) == 0 {
		if c.Out != "-" {
			if err := r.Extract(c.Out); err != nil {
				return err
			}
		}
		holds := printable(r.Holds)
		if len(r.Witnesses) > 0 {
			holds += " Cosigned by " + strings.Join(r.Witnesses, ", ") + "."
		}
		_, err = fmt.Fprintf(p.stdout, "%s holds: %s\n\nIt does not prove:\n", path, holds)
		for _, what := range r.Limits {
			if err == nil {
				_, err = fmt.Fprintf(p.stdout, "- %s\n", printable(what))
			}
		}
		return err
	}
	failed := &falseBundle{path: path}
	for _, f := range r.Failures {
		failed.reasons = append(failed.reasons, errors.New(printable(f.Error()))) // the bundle may be anybody's
	}
	return failed
}

// falseBundle reports why a bundle does not hold; see exit.go.
type falseBundle struct {
	path    string
	reasons []error
}

func (e *falseBundle) Error() string {
	return fmt.Sprintf("%s does not hold:\n%v", e.path, errors.Join(e.reasons...))
}
