package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/internal/strictjson"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/fleet/centre"
)

func resolve() verb {
	return verb{
		name:    "resolve",
		args:    "FILE",
		summary: "Replay observations through the shared-context resolver, without the service.",
		detail: `Reads a file (- is stdin) of observations, one JSON object per line, in the form of
POST /shared-context/resolve, or with the observation in a member "body". Decides them in the order of
the lines, and stores each before the next. With --dry-run it begins with an empty store and stores nothing.

The time of arrival of an observation is its "received_at". Without one, a member "at_ms" beside "body" counts
the milliseconds of the recording, whose first line arrived when it was observed. Otherwise it is now.

Prints a line for each observation: outcome, confidence, the event's URI and, if it needs review, the
case and the reason. With --format json it prints the whole answer. A summary follows, on stderr with
--format json. It stops at the first line that cannot be read; earlier decisions stay.`,
		settings: append([]string{"data", "dry-run", "format"}, config.ContextSettings()...),
		run:      runResolve,
	}
}

// maxLine limits a line of observations in bytes, like the body of POST
// /shared-context/resolve.
const maxLine = 1 << 20

// runResolve resolves observations in a file, or in memory with --dry-run.
func runResolve(ctx context.Context, p *program, c *config.Config) (err error) {
	const hint = "Write `segraph resolve FILE`; - is stdin."
	if len(c.Args) != 1 {
		return &config.Error{Msg: "which file?", Hint: hint}
	}
	switch c.Format {
	case "", "text", "json":
	default:
		return &config.Error{Msg: "outcomes can't be printed as " + c.Format, Hint: "Give --format text or json."}
	}
	in := p.stdin
	if c.Args[0] != "-" {
		f, err := os.Open(c.Args[0])
		if err != nil {
			return fmt.Errorf("reading the observations: %w", err)
		}
		defer f.Close()
		in = f
	}
	var store resolver.Store = &memory.Store{}
	withhold := func(*resolver.Observation) {}
	if !c.DryRun {
		s, err := persist.Open(c.Data, persist.Options{Options: engine.Options{TextIndex: engine.TextIndexAsIs}})
		if err != nil {
			return fmt.Errorf("opening the store: %w", err)
		}
		defer func() {
			if cerr := s.Close(); cerr != nil {
				err = errors.Join(err, fmt.Errorf("closing the store: %w", cerr))
			}
		}()
		if err := centre.Alone(s.Store); err != nil {
			return err
		}
		store, withhold = s.Contexts(), func(o *resolver.Observation) { o.Withhold(s.Forgotten.Of) }
	}
	contexts, err := resolver.Open(store, resolver.Options{Settings: c.Contexts})
	if err != nil {
		return fmt.Errorf("opening the shared contexts: %w", err)
	}
	r := replay{resolver: contexts, withhold: withhold, asJSON: c.Format == "json", out: bufio.NewWriter(p.stdout), begin: time.Now()}
	err = r.run(ctx, in)
	err = errors.Join(err, r.out.Flush())
	if err == nil {
		to := p.stdout
		if r.asJSON {
			to = p.stderr
		}
		err = r.summarize(ctx, to)
	}
	return err
}

// replay resolves observations one after the other.
type replay struct {
	resolver *resolver.Resolver
	withhold func(*resolver.Observation) // takes out people who were erased
	asJSON   bool
	out      *bufio.Writer
	begin    time.Time
	recorded time.Time // the begin of the recording; zero before the first line with at_ms
	decided  int
}

// run resolves the observations of in, one JSON object in each line, and prints their outcomes.
func (r *replay) run(ctx context.Context, in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	by := operator()
	n := 0
	for lines.Scan() {
		n++
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		o, err := r.readObservation(lines.Bytes())
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		r.withhold(&o)
		answer, err := r.resolver.Resolve(ctx, o, by)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		r.decided++
		if err := r.print(answer); err != nil {
			return fmt.Errorf("printing an outcome: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading after line %d: %w", n, err)
	}
	return nil
}

// readObservation parses a line: an observation, or an object whose member "body" is one,
// with "at_ms" if the recording has it.
func (r *replay) readObservation(line []byte) (o resolver.Observation, err error) {
	wrapper, err := strictjson.Parse(line)
	if err != nil {
		return o, err
	}
	body := wrapper.Raw("body")
	var at *float64
	if body != nil {
		at = wrapper.OptionalNumber("at_ms")
	}
	if err := wrapper.Err(); err != nil {
		return o, err
	}
	if body == nil || body[0] != '{' {
		body = line
	}
	if err := o.UnmarshalJSON(body); err != nil || at == nil || o.ReceivedAt != "" {
		return o, err
	}
	since := time.Duration(*at * float64(time.Millisecond))
	if r.recorded.IsZero() {
		observed, err := resolver.ReadTime(o.ObservedAt)
		if err != nil {
			return o, err
		}
		r.recorded = observed.Add(-since)
	}
	o.ReceivedAt = r.recorded.Add(since).Format(time.RFC3339Nano)
	return o, nil
}

// print writes the outcome of one observation.
func (r *replay) print(a *resolver.Resolution) error {
	if r.asJSON {
		return json.NewEncoder(r.out).Encode(a)
	}
	more := ""
	if a.CaseID != nil {
		more = fmt.Sprintf("  %s (%s)", *a.CaseID, a.Reason)
	}
	if a.Duplicate {
		more += "  sent before"
	}
	_, err := fmt.Fprintf(r.out, "%-9s  %.4f  %s%s\n", a.Outcome, a.Confidence, a.SharedContextURI, more)
	return err
}

// summarize writes the totals of this run and of the store.
func (r *replay) summarize(ctx context.Context, w io.Writer) error {
	took := time.Since(r.begin)
	s, err := r.resolver.Stats(ctx)
	if err != nil {
		return fmt.Errorf("counting: %w", err)
	}
	_, err = fmt.Fprintf(w, `
%s decided in %s (%s a second). Now there are
  %s: %s ambiguous, %s merged into others
  %s: %s created, %s matched, %s ambiguous, %s sent before
  %s, %s accepted, %s rejected, %s superseded
  %s, %s by people
`, several(int64(r.decided), "observation", "observations"), took.Round(time.Millisecond), grouped(int64(float64(r.decided)/max(took.Seconds(), 0.001))),
		several(s.ActiveContexts+s.AmbiguousContexts+s.MergedContexts, "context", "contexts"), grouped(s.AmbiguousContexts), grouped(s.MergedContexts),
		several(s.Observations, "observation", "observations"), grouped(s.Outcomes.Created), grouped(s.Outcomes.Matched), grouped(s.Outcomes.Ambiguous), grouped(s.Duplicates),
		several(s.PendingReviews, "pending case", "pending cases"), grouped(s.AcceptedReviews), grouped(s.RejectedReviews), grouped(s.SupersededReviews),
		several(s.AutomaticMerges, "automatic merge", "automatic merges"), grouped(s.ManualMerges))
	return err
}
