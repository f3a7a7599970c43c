package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Journal records who changed what; package journal lists the changes. Its methods are
// safe for concurrent use.
type Journal interface {
	// Logs returns a page of the entries that match a filter, newest first. With quads of one graph,
	// it returns the logs that contributed any of them.
	Logs(ctx context.Context, f journal.Filter, quads []rdf.Quad) (journal.Page, error)
	// Origins returns, for each of some quads, a log that contributed it, or an entry
	// without a number. It examines up to limit logs since a time, oldest first, and then
	// up to limit others, newest first. With an error, it returns those found so far.
	Origins(ctx context.Context, quads []rdf.Quad, since time.Time, limit int) ([]journal.Numbered, error)
	// Log returns a log with its first limit quads. An unknown log has no entries.
	Log(ctx context.Context, id string, limit int) (store.Log, error)
	// LogText opens the text of everything that a log contributed to the published graph.
	// The error, also of WriteTo, is store.ErrNoLog or store.ErrNotKept.
	LogText(ctx context.Context, id string, f turtle.Format) (store.Export, error)
	// Repeated returns the log that e would publish a second time: one with the same
	// request id and user, from before this process started.
	Repeated(ctx context.Context, e journal.Entry) (earlier journal.Entry, ok bool, err error)
	// Note appends an entry of something that changed nothing.
	Note(ctx context.Context, e journal.Entry) error
	// Select returns the oldest logs that match a selection and still contribute something, oldest
	// first and at most limit of them.
	Select(ctx context.Context, by store.Selection, limit int) ([]journal.Numbered, error)
	// Preview returns what withdrawing some logs would remove.
	Preview(ctx context.Context, logIDs []string) (store.Withdrawn, error)
	// WithdrawLogs removes what only these logs contributed, with a copy of e as the journal's
	// entry for each. It calls each for every log, or part of one, that is withdrawn or refused.
	WithdrawLogs(ctx context.Context, logIDs []string, e journal.Entry, each func(store.WithdrawnLog)) error
}

// lookEntries is how many entries one page of the journal examines at most. If few of
// them match the filter, the page is not full.
const lookEntries = 200_000

// Logs returns a page of the journal's entries that match a filter, newest first. If quads, which
// are of one graph, is not nil, it returns the logs that contributed any of them.
func (s *Service) Logs(ctx context.Context, f journal.Filter, quads []rdf.Quad) (journal.Page, error) {
	f.Look = cmp.Or(f.Look, lookEntries)
	page, err := s.config.Journal.Logs(ctx, f, quads)
	if err != nil {
		return page, fmt.Errorf("read the journal: %w", err)
	}
	return page, nil
}

// OwnLogs returns a page of the logs that a user published, oldest first, after a log or a
// number of the journal. "" means the beginning.
func (s *Service) OwnLogs(ctx context.Context, user, after string, limit int) (journal.Page, error) {
	f := journal.Filter{Oldest: true, Action: journal.Insert, Actor: user, Limit: limit, Look: lookInserts}
	if n, err := strconv.ParseUint(after, 10, 63); err == nil {
		f.After = n
	} else if after != "" {
		log, err := s.Log(ctx, after, 0)
		if err != nil {
			return journal.Page{}, err
		}
		f.After = log.Entries[len(log.Entries)-1].Seq
	}
	return s.Logs(ctx, f, nil)
}

// lookOrigins limits how many logs Origins examines in either direction.
const lookOrigins = 20_000

// Origins returns, for each of some triples of the published graph, a log that
// contributed it, or an entry without a number. It prefers the first log since a time.
// With an error, it returns the logs found so far.
func (s *Service) Origins(ctx context.Context, triples []rdf.Triple, since time.Time) ([]journal.Numbered, error) {
	quads := make([]rdf.Quad, len(triples))
	for i, t := range triples {
		quads[i] = rdf.Quad{S: t.S, P: t.P, O: t.O}
	}
	out, err := s.config.Journal.Origins(ctx, quads, since, lookOrigins)
	if err != nil {
		return out, fmt.Errorf("search for logs: %w", err)
	}
	return out, nil
}

// Log returns a log with its first limit triples. For an unknown log, which has no entries,
// the error says that there is none.
func (s *Service) Log(ctx context.Context, logID string, limit int) (store.Log, error) {
	log, err := s.config.Journal.Log(ctx, logID, limit)
	switch {
	case err != nil:
		return log, fmt.Errorf("read a log: %w", err)
	case len(log.Entries) == 0:
		return log, noLog()
	}
	return log, nil
}

// StoredLog returns a log with its first limit triples. The error is an *Error if there is
// no such log or nothing of it is left.
func (s *Service) StoredLog(ctx context.Context, logID string, limit int) (store.Log, error) {
	log, err := s.Log(ctx, logID, limit)
	if err == nil && !log.Kept {
		err = forgottenLog()
	}
	return log, err
}

// LogText starts writing everything that a log contributed to the published graph, in a
// format and a content coding. The caller closes the text. The error, also of Read, is an
// *Error if there is no such log or nothing of it is left.
func (s *Service) LogText(ctx context.Context, logID string, f turtle.Format, coding string) (*LogText, error) {
	text := &LogText{}
	var err error
	text.ReadCloser, err = s.makeText(ctx, s.exporters, 0, coding, func(ctx context.Context) (store.Export, error) {
		export, err := s.openLog(ctx, logID, f)
		if err != nil {
			return nil, err
		}
		if text.Version, err = versionOf(export, f); err != nil {
			return nil, closeExport(export, err)
		}
		return export, nil
	})
	if err != nil {
		return nil, forgottenText(err)
	}
	return text, nil
}

// LogVersion returns what LogText.Version would be, or the error with which LogText would
// refuse the log.
func (s *Service) LogVersion(ctx context.Context, logID string, f turtle.Format) (rdf.Version, error) {
	text, err := s.openLog(ctx, logID, f)
	if err != nil {
		return rdf.RDF12, err
	}
	v, err := versionUnwritten(text, f)
	return v, closeExport(text, err)
}

// openLog opens a log as text. The error is an *Error if there is no such log.
func (s *Service) openLog(ctx context.Context, id string, f turtle.Format) (store.Export, error) {
	text, err := s.config.Journal.LogText(ctx, id, f)
	if errors.Is(err, store.ErrNoLog) {
		return nil, noLog()
	}
	if err != nil {
		return nil, fmt.Errorf("read a log: %w", err)
	}
	return text, nil
}

// LogText is the text of a log. Reading it may fail at the end if the log was deleted
// meanwhile.
type LogText struct {
	io.ReadCloser
	Version rdf.Version // see Export.Version
}

func (t *LogText) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if err == io.EOF {
		return n, err
	}
	return n, forgottenText(err)
}

func forgottenText(err error) error {
	if errors.Is(err, store.ErrNotKept) {
		return refuse(NotFound, "this log's contribution was deleted; the journal keeps only its author and time")
	}
	return err
}

// lookInserts bounds how many journal entries are searched for a person's own logs.
const lookInserts = 20_000

// LastInserts returns up to limit logs, newest first, that an actor inserted through the
// web UI and that are still stored. It leaves out logs that the actor's programs sent.
func (s *Service) LastInserts(ctx context.Context, actor auth.Actor, limit int) ([]journal.Entry, error) {
	var out []journal.Entry
	f := journal.Filter{Limit: 4 * limit, Look: lookInserts, Actor: actor.Username, Action: journal.Insert, Page: true} // some may be withdrawn
	page, err := s.config.Journal.Logs(ctx, f, nil)
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	for _, e := range page.Entries {
		log, err := s.config.Journal.Log(ctx, e.LogID, 0)
		if err != nil {
			return nil, fmt.Errorf("read a log: %w", err)
		}
		if log.Kept && len(out) < limit {
			out = append(out, e.Entry)
		}
	}
	return out, nil
}

func noLog() error {
	return refuse(NotFound, "there is no log with this id; GET /logs lists the logs")
}

func forgottenLog() error {
	return refuse(Conflict, "this log was withdrawn, or its graph was deleted")
}
