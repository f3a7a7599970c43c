package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"time"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/turtle"
)

func load() verb {
	return verb{
		name:    "load",
		args:    "FILE…",
		summary: "Load RDF files into the store, without the service.",
		detail: `Stores each file (- is stdin) with a journal entry of its own. Stop the service first, or publish to it
with POST /ttl.

A file with an error is refused as a whole, with line and column, and the files after it are not
loaded. A file of up to 250,000 triples is stored whole or not at all. A longer one is stored in
parts; if the load is interrupted, the stored parts stay. Loading the file again adds what is missing,
and only triples with blank nodes are stored twice.

IRIs and language tags that other programs may refuse (RFC 3987, BCP 47) are stored with a warning.
With --strict-iris the file is refused instead.

Blank nodes of different files are different nodes. Relative IRIs need a @base in the file.`,
		settings: []string{"data", "format", "strict-iris", "text-index"},
		run:      runLoad,
	}
}

// runLoad loads sources one after another. Those before one that fails stay.
func runLoad(ctx context.Context, p *program, c *config.Config) error {
	sources, err := sourcesOf(c)
	if err != nil {
		return err
	}
	s, err := persist.Open(c.Data, persist.Options{Options: engine.Options{TextIndex: app.TextIndex(c)}})
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	if err = centre.Alone(s.Store); err != nil {
		sources = nil // nothing is loaded
	}
	for _, src := range sources {
		if err = p.loadOne(ctx, s, src, turtle.Options{CheckIRIs: true, StrictIRIs: c.StrictIRIs, Context: service.ContextsOf()}); err != nil {
			break
		}
	}
	if err == nil {
		err = s.IndexTexts(ctx)
	}
	if cerr := s.Close(); cerr != nil {
		err = errors.Join(err, fmt.Errorf("closing the store: %w", cerr))
	}
	return err
}

// loadOne loads one file or stdin as one log, with a bar of progress, and prints what became of it.
func (p *program) loadOne(ctx context.Context, s *persist.Store, src source, o turtle.Options) error {
	text, err := src.open(p.stdin)
	if err != nil {
		return fmt.Errorf("reading %s: %w", src, err)
	}
	defer text.Close()
	entry := journal.Entry{
		LogID:  journal.NewLogID(),
		Action: journal.Insert,
		Time:   time.Now().UTC(),
		Actor:  operator(),
	}
	bar := newProgress(p.stderr, src.String(), text)
	begin := time.Now()
	result, err := s.Load(ctx, bar, src.format, o, entry, bar.stored)
	bar.clear()
	if err != nil {
		return fmt.Errorf("loading %s: %w", src, err)
	}
	p.warnOfIRIs(src, result)
	if result.Withheld > 0 {
		fmt.Fprintf(p.stderr, "segraph: %s: %s triples were omitted: they name somebody who was erased\n", src, grouped(result.Withheld))
	}
	if result.LeftOut > 0 {
		fmt.Fprintf(p.stderr, "segraph: %s: %s triples of the graph %s were omitted: they mirror the resolver's records, which RDF text can't restore\n",
			src, grouped(result.LeftOut), store.ContextsGraph)
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %s read, %s of them new, in %s (log %s)\n", src,
		triples(result.Quads), grouped(result.Added), time.Since(begin).Round(time.Millisecond), entry.LogID)
	return err
}

// maxIRIsPrinted is how many warnings about a file's IRIs are printed in full.
const maxIRIsPrinted = 10

// warnOfIRIs prints warnings about IRIs and language tags that other programs may refuse.
func (p *program) warnOfIRIs(src source, result engine.LoadResult) {
	printed := result.Warnings[:min(maxIRIsPrinted, len(result.Warnings))]
	for _, w := range printed {
		fmt.Fprintf(p.stderr, "segraph: warning: %s: line %d, column %d: %s\n", src, w.Line, w.Column, w.Msg)
	}
	if more := result.WarningCount - len(printed); more > 0 {
		fmt.Fprintf(p.stderr, "segraph: warning: %s: %s more IRIs or language tags that other programs may refuse; --strict-iris refuses the file\n",
			src, grouped(int64(more)))
	}
}

// operator returns the name of the operating system's user, since a command line has no
// token.
func operator() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "uid " + strconv.Itoa(os.Getuid())
}
