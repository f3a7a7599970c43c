package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/config"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/journal"
)

func withdraw() verb {
	return verb{
		name:    "withdraw",
		args:    "[LOG…]",
		summary: "Take logs back: remove what only they contributed.",
		detail: `Withdraws the logs with these ids, which POST /ttl and ` + "`segraph load`" + ` print, or all logs of --user
and between --from and --to. For the latter it lists them and changes nothing unless --yes is given.
Triples that other logs contributed too stay, and the journal keeps who sent what and when. A log that
was loaded in parts, or partly deleted since, can't be withdrawn.

It asks the service at --url, with an admin's token or, without one, a one-minute token signed with
SECRET_KEY. Without --url it uses the file, which no service may be using.`,
		settings: []string{"data", "url", "user", "from", "to", "yes", "token-file", "token", "secret-key", "secret-key-previous", "allow-short-secret"},
		run:      runWithdraw,
	}
}

// logBook is where logs are listed and withdrawn: a file or a service.
type logBook interface {
	// page returns entries of published logs with numbers below before, or the newest if that is
	// 0. Next is the next value of before, or 0 at the end.
	page(ctx context.Context, c *config.Config, before uint64) (journal.Page, error)
	kept(ctx context.Context, logID string) (bool, error)
	withdraw(ctx context.Context, logID string) (store.Withdrawn, error)
}

func runWithdraw(ctx context.Context, p *program, c *config.Config) (err error) {
	chosen := c.User != "" || !c.Evidence.From.IsZero() || !c.Evidence.To.IsZero()
	if chosen == (len(c.Args) > 0) {
		return &config.Error{Msg: "which logs?", Hint: "Give their ids, or choose them with --user, --from and --to."}
	}
	var book logBook = serviceBook{c}
	if c.URL == "" {
		s, err := persist.Open(c.Data, persist.Options{Options: engine.Options{Existing: true, ReadOnly: chosen && !c.Yes, TextIndex: engine.TextIndexAsIs}})
		if err != nil {
			return fmt.Errorf("opening the store: %w", err)
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		book = fileBook{s}
	}
	ids := c.Args
	if chosen {
		if ids, err = p.choose(ctx, c, book); err != nil || !c.Yes {
			return err
		}
	}
	for _, id := range ids {
		gone, err := book.withdraw(ctx, id)
		if err != nil {
			return fmt.Errorf("withdrawing the log %s: %w", printable(id), err)
		}
		if _, err := fmt.Fprintf(p.stdout, "%s: withdrawn, %s removed, %s kept for other logs\n", printable(id), triples(int64(gone.Removed)), triples(int64(gone.Stayed))); err != nil {
			return err
		}
	}
	return nil
}

// choose prints and returns the logs that the settings choose, newest first.
func (p *program) choose(ctx context.Context, c *config.Config, book logBook) (ids []string, err error) {
	sum := 0
	for before := uint64(0); ; {
		page, err := book.page(ctx, c, before)
		if err != nil {
			return nil, fmt.Errorf("reading the journal: %w", err)
		}
		for _, e := range page.Entries {
			if c.User != "" && e.Actor != c.User && e.Claimed != c.User {
				continue
			}
			if kept, err := book.kept(ctx, e.LogID); err != nil || !kept {
				if err != nil {
					return nil, fmt.Errorf("reading the log %s: %w", e.LogID, err)
				}
				continue
			}
			ids, sum = append(ids, e.LogID), sum+e.Triples
			if _, err := fmt.Fprintf(p.stdout, "%s  %s  %s  %s\n", e.LogID, e.Time.Format(time.RFC3339), printable(e.Sender()), triples(int64(e.Triples))); err != nil {
				return nil, err
			}
		}
		if before = page.Next; before == 0 {
			break
		}
	}
	rest := ""
	if !c.Yes && len(ids) > 0 {
		rest = "; nothing was changed: --yes withdraws them"
	}
	_, err = fmt.Fprintf(p.stdout, "logs: %d, with %s%s\n", len(ids), triples(int64(sum)), rest)
	return ids, err
}

// fileBook is the journal of a file.
type fileBook struct{ s *persist.Store }

func (b fileBook) page(ctx context.Context, c *config.Config, before uint64) (journal.Page, error) {
	return b.s.Logs(ctx, journal.Filter{Action: journal.Insert, Since: c.Evidence.From, Until: c.Evidence.To, Before: before, Limit: 1000, Look: 200_000}, nil)
}

func (b fileBook) kept(ctx context.Context, logID string) (bool, error) {
	log, err := b.s.Log(ctx, logID, 0)
	return log.Kept, err
}

func (b fileBook) withdraw(ctx context.Context, logID string) (store.Withdrawn, error) {
	out, err := b.s.Withdraw(ctx, logID, journal.Entry{LogID: journal.NewLogID(), Action: journal.Withdraw, Time: time.Now().UTC(), Actor: operator()})
	switch unfit, ok := errors.AsType[*store.UnfitError](err); {
	case ok:
		err = errors.New(unfit.Detail)
	case errors.Is(err, store.ErrNoLog):
		err = errors.New("there is no such log")
	case errors.Is(err, store.ErrForgotten):
		err = errors.New("it was withdrawn, or its graph was deleted")
	}
	return out, err
}

// serviceBook is the journal of a running service.
type serviceBook struct{ c *config.Config }

func (b serviceBook) page(ctx context.Context, c *config.Config, before uint64) (page journal.Page, err error) {
	query := url.Values{"action": {string(journal.Insert)}, "limit": {"1000"}}
	for name, at := range map[string]time.Time{"since": c.Evidence.From, "until": c.Evidence.To} {
		if !at.IsZero() {
			query.Set(name, at.Format(time.RFC3339Nano))
		}
	}
	if before > 0 {
		query.Set("before", fmt.Sprint(before))
	}
	err = callJSON(ctx, b.c, http.MethodGet, "/logs?"+query.Encode(), nil, http.StatusOK, &page)
	return page, err
}

func (b serviceBook) kept(ctx context.Context, logID string) (bool, error) {
	var log struct{ Kept bool }
	err := callJSON(ctx, b.c, http.MethodGet, "/logs/"+url.PathEscape(logID)+"?limit=0", nil, http.StatusOK, &log)
	return log.Kept, err
}

func (b serviceBook) withdraw(ctx context.Context, logID string) (out store.Withdrawn, err error) {
	err = callJSON(ctx, b.c, http.MethodDelete, "/logs/"+url.PathEscape(strings.TrimSpace(logID)), nil, http.StatusOK, &out)
	return out, err
}
