package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
)

func query() verb {
	return verb{
		name:    "query",
		args:    "[QUERY]",
		summary: "Run a SPARQL query on the store, or on a running service.",
		detail: `Runs a SELECT, ASK, CONSTRUCT or DESCRIBE on the store's file, which no service may be using, or sends
it to the service at --url with the token in SEGRAPH_TOKEN or --token-file. The query is the argument,
or the content of --file (- is stdin).

On a terminal, rows are printed as a table with long texts cut, and graphs as Turtle. Elsewhere, rows
are JSON and graphs are Turtle. The formats turtle, ntriples, rdfxml and jsonld are for graphs; turtle
also writes rows, one resource per row. If an error follows, the rows printed before it are not the whole
answer.

With --explain the query runs and its plan is printed instead: a tree of operators with estimated and
actual rows and times. If nothing is found, it shows how many matches each pattern has.`,
		settings: []string{"data", "url", "file", "format", "explain", "token-file", "token"},
		run:      runQuery,
	}
}

// runQuery runs or explains a query, in the service or in the file.
func runQuery(ctx context.Context, p *program, c *config.Config) error {
	text, err := p.queryText(c)
	if err != nil {
		return err
	}
	var options sparql.Options
	if c.URL != "" { // so that relative IRIs resolve as in the service
		options.Base = strings.TrimSuffix(c.URL, "/") + "/query"
	}
	q, err := sparql.Prepare(ctx, text, options)
	if err != nil {
		return fmt.Errorf("reading the query: %w", err)
	}
	if c.Explain {
		return p.explain(ctx, c, text, q)
	}
	form, err := formOf(c.Format, q.Form(), terminal(p.stdout))
	if err != nil {
		return err
	}
	if c.URL != "" {
		return p.askService(ctx, c, text, q, form)
	}
	return p.askStore(ctx, c.Data, q, form)
}

// queryText returns the query: from the argument, a file or stdin.
func (p *program) queryText(c *config.Config) (string, error) {
	const hint = "Write `segraph query 'SELECT …'`, or name a file that holds it with --file; - is stdin."
	switch {
	case len(c.Args) > 1:
		return "", &config.Error{Msg: fmt.Sprintf("unexpected argument %q", c.Args[1]), Hint: "The query must be one argument; put it in quotes."}
	case len(c.Args) == 1 && c.File != "":
		return "", &config.Error{Msg: "the query is given twice: as an argument and with --file", Hint: hint}
	case len(c.Args) == 1:
		if _, err := os.Stat(c.Args[0]); err == nil { // no query is the name of a file
			return "", &config.Error{Msg: fmt.Sprintf("the argument %q is a file, not a query", c.Args[0]), Hint: hint}
		}
		return c.Args[0], nil
	case c.File == "":
		return "", &config.Error{Msg: "which query?", Hint: hint}
	}
	in := p.stdin
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return "", fmt.Errorf("reading the query: %w", err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return "", fmt.Errorf("reading the query: %w", err)
	}
	return string(text), nil
}

// formOf returns the form of the printed answer: the form that --format names or, without one, what suits the
// output. terminal says that this is a terminal.
func formOf(format string, f syntax.Form, terminal bool) (string, error) {
	isGraph := f == syntax.Construct || f == syntax.Describe
	switch {
	case format == "" && isGraph:
		return "turtle", nil
	case format == "" && terminal:
		return "table", nil
	case format == "":
		return "json", nil
	}
	forms := "table json xml csv tsv turtle" // of rows
	switch {
	case isGraph:
		forms = "turtle ntriples rdfxml jsonld"
	case f == syntax.Ask:
		forms = "table json xml csv tsv"
	}
	for name := range strings.FieldsSeq(forms) {
		if name == format {
			return format, nil
		}
	}
	return "", &config.Error{
		Msg:  fmt.Sprintf("the answer to %s can't be printed as %s", strings.ToUpper(f.String()), format),
		Hint: "Give --format one of " + strings.ReplaceAll(forms, " ", ", ") + ".",
	}
}

// askStore runs a query on the store's file.
func (p *program) askStore(ctx context.Context, data string, q *sparql.Query, form string) error {
	return withStore(data, func(s *persist.Store) error {
		out := newPrinter(p.stdout, form, q.Syntax().Prologue.Prefixes)
		// No limit of time or memory: the user can interrupt.
		if err := s.Query(ctx, q, budget.Limits{}, out, out.Triple); err != nil {
			return fmt.Errorf("running the query: %w", err)
		}
		return out.Close()
	})
}

// withStore opens the store's file for reading and calls f.
func withStore(data string, f func(*persist.Store) error) error {
	return withFile(data, forReading, func(s *persist.Store) error {
		if err := withoutErased(s); err != nil {
			return err
		}
		return f(s)
	})
}

// withoutErased returns an error if a file has people of the list beside it: a backup that was restored, or a file whose erasure was
// interrupted. A start takes them out.
func withoutErased(s *persist.Store) error {
	done, err := s.Forgotten.Complete()
	if err == nil && !done && s.Forgotten.Len() > 0 {
		err = errors.New("the file has people who were erased, perhaps because a backup was restored; start segraph serve on it once, which takes them out")
	}
	return err
}
