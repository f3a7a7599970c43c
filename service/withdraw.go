package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
)

// MaxWithdrawn is the largest number of logs that one request withdraws.
const MaxWithdrawn = 1000

// Limits of the answers of the query of a Choice: their number, and the bytes of their first column.
const (
	maxAbout      = 100_000
	maxAboutBytes = 16 << 20
)

// A Choice chooses logs to withdraw: by their ids alone, or by all conditions that are given. One
// request takes MaxWithdrawn of them, the oldest first.
type Choice struct {
	Logs []string
	store.Selection
	// Query is a SELECT. Its first column has ids of logs, or IRIs that logs say something about. It sets IDs or About.
	Query string
}

// IsEmpty reports whether the choice has neither logs nor a condition, and so would choose all logs.
func (c *Choice) IsEmpty() bool {
	return len(c.Logs) == 0 && c.Query == "" && c.User == "" && c.Robot.IsZero() && c.Kind.IsZero() && c.Since.IsZero() && c.Until.IsZero() && c.About == nil
}

// Withdrawal is the answer to a Choice.
type Withdrawal struct {
	Preview bool           `json:"preview"` // nothing was changed
	Logs    []WithdrawnLog `json:"logs"`
	Removed int            `json:"removed"` // triples
	Stayed  int            `json:"stayed"`  // triples that stay because of other logs, or of decisions on contexts
	// Contexts are the shared contexts that the logs name. A preview only counts them, as does an answer that an
	// error cut short: they go with the next withdrawal, or the next start.
	Contexts store.WithdrawnContexts `json:"contexts"`
	// Next is the number after which the choice continues with a next request; nil at the end.
	Next *uint64 `json:"next"`
}

// WithdrawnLog is a log that was chosen.
type WithdrawnLog struct {
	LogID   string    `json:"log_id"`
	Time    time.Time `json:"time,omitzero"`
	User    string    `json:"user,omitempty"`
	Triples int       `json:"triples"`
	Removed int       `json:"removed"`
	Stayed  int       `json:"stayed"`
	Refused string    `json:"refused,omitempty"` // why it was not withdrawn
}

// Follower removes the shared contexts that withdrawn logs brought; see persist.ResolvedGraph.
type Follower interface {
	WithdrawContexts(ctx context.Context, named []uint64, e journal.Entry) (store.WithdrawnContexts, error)
}

// Withdraw removes what only this log contributed, and the shared contexts that it brought, and enters that in the
// journal. claimed is as in Clear. The error is an *Error if there is nothing to withdraw, or if the contribution is unknown.
// If the contexts then fail, they go with the next withdrawal, or the next start.
func (s *Service) Withdraw(ctx context.Context, actor auth.Actor, claimed, logID string) (out store.Withdrawn, contexts store.WithdrawnContexts, err error) {
	defer s.withholding()()
	e := s.entry(ctx, actor, journal.Withdraw, claimed)
	if out, err = s.withdraw(ctx, logID, e); err != nil || len(out.Contexts) == 0 {
		return out, contexts, err
	}
	if e.Retry != nil {
		e.Retry.Entered = false // the answer that was stored only counts them
	}
	contexts, err = s.follow(ctx, out.Contexts, e)
	return out, contexts, partly(err, "the log is withdrawn, but the shared contexts that it named stay until the next withdrawal or start")
}

// Named counts the shared contexts that withdrawn logs name, before it is known which of them stay.
func Named(contexts []uint64) store.WithdrawnContexts {
	return store.WithdrawnContexts{Named: len(slices.Compact(slices.Sorted(slices.Values(contexts))))}
}

// withdraw is Withdraw without the contexts.
func (s *Service) withdraw(ctx context.Context, logID string, e journal.Entry) (out store.Withdrawn, err error) {
	var refused error
	begun := false
	err = s.config.Journal.WithdrawLogs(ctx, []string{logID}, e, func(l store.WithdrawnLog) {
		refused, begun = errors.Join(refused, l.Refused), true
		out.Removed, out.Stayed, out.Contexts = out.Removed+l.Removed, out.Stayed+l.Stayed, append(out.Contexts, l.Contexts...)
	})
	switch {
	case err != nil && begun:
		return store.Withdrawn{}, partly(fmt.Errorf("withdraw a log: %w", err), changesKept)
	case err != nil:
		return store.Withdrawn{}, fmt.Errorf("withdraw a log: %w", err)
	case refused != nil:
		return store.Withdrawn{}, unwithdrawable(refused)
	}
	return out, nil
}

// follow removes the shared contexts that logs brought which were withdrawn with e. named are the numbers of those that
// they named. It goes on if the client leaves, since nobody would come back.
func (s *Service) follow(ctx context.Context, named []uint64, e journal.Entry) (store.WithdrawnContexts, error) {
	if len(named) == 0 {
		return store.WithdrawnContexts{}, nil
	}
	out, err := s.config.Follower.WithdrawContexts(context.WithoutCancel(ctx), named, e)
	if err != nil {
		err = fmt.Errorf("withdraw contexts: %w", err)
	}
	return out, err
}

// unwithdrawable makes an *Error of the reason why a log can't be withdrawn.
func unwithdrawable(err error) error {
	var unfit *store.UnfitError
	switch {
	case errors.Is(err, store.ErrNoLog):
		return noLog()
	case errors.As(err, &unfit):
		return refuse(Conflict, "%s", unfit.Detail)
	}
	return forgottenLog()
}

// WithdrawAll withdraws the logs of a choice or, as a preview, only says what that would
// remove. A log that can't be withdrawn is in the answer with the reason. After an error, or if ctx
// ends, that holds for the logs that are left, unless they are all: then WithdrawAll returns the error.
func (s *Service) WithdrawAll(ctx context.Context, actor auth.Actor, c Choice, preview bool) (*Withdrawal, error) {
	out := &Withdrawal{Preview: preview}
	if err := s.chosen(ctx, c, out); err != nil {
		return nil, err
	}
	ids, at := make([]string, len(out.Logs)), map[string]*WithdrawnLog{}
	for i := range out.Logs {
		ids[i], at[out.Logs[i].LogID] = out.Logs[i].LogID, &out.Logs[i]
	}
	var err error
	if preview {
		var gone store.Withdrawn
		gone, err = s.config.Journal.Preview(ctx, ids)
		out.Removed, out.Stayed, out.Contexts = gone.Removed, gone.Stayed, Named(gone.Contexts)
	} else if len(ids) > 0 {
		e := s.entry(ctx, actor, journal.Withdraw, "")
		e.Retry = nil // its answer is known only after the last of several writes
		var named []uint64
		withdrawn := map[string]bool{} // logs that were withdrawn at least in part
		err = s.config.Journal.WithdrawLogs(ctx, ids, e, func(l store.WithdrawnLog) {
			x := at[l.LogID]
			if l.Refused != nil {
				x.Refused = ErrorOf(unwithdrawable(l.Refused)).Detail
			} else {
				withdrawn[l.LogID] = true
			}
			x.Removed, x.Stayed = x.Removed+l.Removed, x.Stayed+l.Stayed
			out.Removed, out.Stayed, named = out.Removed+l.Removed, out.Stayed+l.Stayed, append(named, l.Contexts...)
		})
		var failed error
		out.Contexts, failed = s.follow(ctx, named, e) // also those of the logs before an error
		if err = errors.Join(err, failed); err != nil && len(withdrawn) > 0 {
			if failed != nil {
				out.Contexts = Named(named)
			}
			s.log.WarnContext(ctx, "a withdrawal was cut short", "error", err)
			err = s.cutShort(context.WithoutCancel(ctx), out.Logs, withdrawn, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("withdraw logs: %w", err)
	}
	return out, nil
}

// cutShort marks as refused the logs that err kept from being withdrawn completely. withdrawn has those that were withdrawn
// at least in part.
func (s *Service) cutShort(ctx context.Context, logs []WithdrawnLog, withdrawn map[string]bool, err error) error {
	why := "the withdrawal was cut short, and the log stays, or a part of it; withdraw it again"
	if refused := ErrorOf(partly(err, changesKept)); refused != nil {
		why = refused.Detail
	}
	for i := range logs {
		if logs[i].Refused != "" {
			continue
		}
		log, err := s.config.Journal.Log(ctx, logs[i].LogID, 0)
		if err != nil {
			return fmt.Errorf("read a log: %w", err)
		}
		if !withdrawn[logs[i].LogID] || log.Total > 0 { // if nothing is left, the other parts were empty
			logs[i].Refused = Sentence(why)
		}
	}
	return nil
}

// chosen lists in out the logs that a choice means, oldest first, and from where to go on if there are too many.
func (s *Service) chosen(ctx context.Context, c Choice, out *Withdrawal) error {
	const limit = MaxWithdrawn
	if c.IsEmpty() {
		return refuse(Invalid, "choose the logs: give logs, user, robot, kind, from, to or query")
	}
	if ids := c.Logs; len(ids) > 0 {
		if c.Logs = nil; !c.IsEmpty() || c.After > 0 {
			return refuse(Invalid, "logs chooses the logs alone; leave out user, robot, kind, from, to, query and after, or leave out logs")
		}
		return s.named(ctx, ids, out)
	}
	if c.Query != "" {
		var err error
		if c.IDs, c.About, err = s.queried(ctx, c.Query); err != nil {
			return err
		}
		switch {
		case c.IDs == nil && c.About == nil:
			return nil
		case c.IDs != nil && c.About != nil:
			return refuse(Invalid, "the query returns both log ids and IRIs; choose by one of them")
		}
	}
	entries, err := s.config.Journal.Select(ctx, c.Selection, limit+1)
	if err != nil {
		return fmt.Errorf("select logs: %w", err)
	}
	if len(entries) > limit {
		entries = entries[:limit]
		out.Next = &entries[limit-1].Seq
	}
	for _, e := range entries {
		out.Logs = append(out.Logs, WithdrawnLog{LogID: e.LogID, Time: e.Time, User: e.Sender(), Triples: e.Triples})
	}
	return nil
}

// named sets the logs with some ids.
func (s *Service) named(ctx context.Context, ids []string, out *Withdrawal) error {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) > MaxWithdrawn {
		return refuse(Invalid, "at most %d logs can be withdrawn at once, and there are %d", MaxWithdrawn, len(ids))
	}
	for _, id := range ids {
		l := WithdrawnLog{LogID: id}
		log, err := s.config.Journal.Log(ctx, id, 0)
		if err != nil {
			return fmt.Errorf("read a log: %w", err)
		}
		for i, e := range log.Entries {
			if l.Triples += e.Triples; i == 0 {
				l.Time, l.User = e.Time, e.Sender()
			}
		}
		out.Logs = append(out.Logs, l)
	}
	return nil
}

// queried returns the log ids and the IRIs in the first column of a SELECT.
func (s *Service) queried(ctx context.Context, text string) (ids map[string]bool, about []rdf.Term, err error) {
	q, err := s.Prepare(ctx, Query{Text: text})
	if err != nil {
		return nil, nil, err
	}
	c := &firstColumn{}
	if err := s.Ask(ctx, q, text, c, func(rdf.Triple) error { return errNoSelect }); err != nil {
		return nil, nil, err
	}
	return c.ids, c.iris, nil
}

var errNoSelect = refuse(Invalid, "the query must be a SELECT whose first column has log ids, or IRIs that logs are about")

// firstColumn collects the first column of a SELECT.
type firstColumn struct {
	ids   map[string]bool // nil if there are none, as iris
	iris  []rdf.Term
	bytes int
}

var _ sparql.Answer = (*firstColumn)(nil)

// Head implements sparql.Answer.
func (c *firstColumn) Head(variables []string) error {
	if len(variables) == 0 {
		return errNoSelect
	}
	return nil
}

// Boolean implements sparql.Answer.
func (c *firstColumn) Boolean(bool) error { return errNoSelect }

// Row implements sparql.Answer.
func (c *firstColumn) Row(terms []rdf.Term) error {
	t := terms[0]
	c.bytes += len(t.Value())
	switch {
	case c.bytes > maxAboutBytes:
		return refuse(Invalid, "the answers of the query have more than %d MiB; let it return fewer, or shorter IRIs", maxAboutBytes>>20)
	case len(c.ids)+len(c.iris) == maxAbout:
		return refuse(Invalid, "the query has more than %d answers", maxAbout)
	case t.IsIRI():
		c.iris = append(c.iris, t)
	case t.IsLiteral():
		if c.ids == nil {
			c.ids = map[string]bool{}
		}
		c.ids[t.Value()] = true
	}
	return nil
}
