package service

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/semcheck"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/service/admit"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// Limits of the lines of POST /batch.
const (
	MaxLines       = 1000
	MaxSignedLines = 100 // each entry of the journal keeps the whole list
	MaxLine        = 256 << 10

	maxLinesText = 256 << 10 // bytes of the texts of all warnings about the lines of a request
)

// LinesPath is the path of the route that sends lines, below BasePath.
const LinesPath = "/batch"

// lineStored is the status of a line that is stored.
const lineStored = 201

// lineTurn is how long lines are stored before other requests get their turn. If there are
// others, the lines wait for the disk then, and leave the processor to them. Longer turns store
// more lines beside others, and delay those.
const lineTurn = 250 * time.Microsecond

// lineRest is how long lines rest after such a turn, if a log or an observation that is no line arrived at most soon before.
const (
	lineRest = time.Millisecond
	soon     = 20 * time.Millisecond
)

// Lines stores logs, each in one unit of work, with an observation or without. Units of
// different callers take turns and share syncs. persist.ResolvedGraph implements it.
type Lines interface {
	// BeginLog stores a document, with e as the journal's entry, whose Added and Number it
	// sets. It returns before the document is on the disk; wait returns once it is. Later
	// writes see it.
	BeginLog(ctx context.Context, d *store.Document, e *journal.Entry) (wait func() error, err error)
	// BeginObserved is like BeginLog. In the same unit of work, it first resolves an
	// observation, with its own entry for the journal. place gets the answer, and may add
	// quads to d and complete e. Its error refuses both.
	BeginObserved(ctx context.Context, d *store.Document, e *journal.Entry, o resolver.Observation, observed journal.Entry,
		place func(*resolver.Resolution) error) (wait func() error, err error)
	// AwaitUpkeep waits while the store takes a processor to flush and index earlier writes.
	AwaitUpkeep()
}

// Batched is what a request of several lines consists of.
type Batched struct {
	Lines  [][]byte
	Host   string             // where the client sent it
	Signed []*journal.Listed  // the same lines, if they were signed over a list
	By     *journal.Signature // the verified signature of the list, or nil
}

// Placed says where the observation of a line belongs.
type Placed struct {
	Context string           `json:"shared_context_uri"`
	Outcome resolver.Outcome `json:"outcome"`
	Case    *string          `json:"case_id"`
}

// LineAnswer is the answer to a line. Its JSON has the members of an Insertion that say
// something about the line.
type LineAnswer struct {
	Status int `json:"status"`
	Insertion
	Message  *string `json:"message,omitempty"` // hides that of Insertion
	User     *string `json:"user,omitempty"`    // likewise
	Repeated bool    `json:"repeated,omitempty"`
	Err      error   `json:"-"` // why nothing of the line is stored
}

// PublishLines stores lines, each completely or not at all, in order: a line sees the ones
// before it. It returns an answer for each line once all are on the disk. The caller ends t,
// the admission of the whole body.
func (s *Service) PublishLines(ctx context.Context, actor auth.Actor, b Batched, t *admit.Turn) ([]LineAnswer, error) {
	if err := s.MaySend(actor.Username, b.By); err != nil {
		return nil, err
	}
	s.processors.Arrived()
	earlier, done, err := s.once(ctx, b.By)
	if err != nil {
		return nil, err
	}
	defer done()
	run := &lineRun{service: s, actor: actor, batch: b, answers: make([]LineAnswer, len(b.Lines)), signed: earlier != nil, room: maxLinesText}
	defer run.settle()
	s.processors.Enter()
	defer s.processors.Leave()
	ahead := s.readAhead(ctx, b)
	defer ahead.stop()
	began := s.config.Now()
	for i := range b.Lines {
		l := ahead.next()
		if err := ctx.Err(); err != nil || l == nil {
			return nil, fmt.Errorf("publish lines: %w", cmp.Or(err, errUnread))
		}
		if s.config.Now().Sub(began) >= lineTurn {
			if !ahead.borrowed {
				run.settle()
				s.config.Lines.AwaitUpkeep()
				if since := s.config.Now().UnixNano() - s.single.Load(); since >= 0 && since < int64(soon) { // < 0: the clock was set back
					time.Sleep(lineRest)
				}
			}
			runtime.Gosched()
			err = t.Yield(ctx)
			began = s.config.Now()
		}
		if err != nil { // the rest waits too long
			run.answers[i] = LineAnswer{Err: err}
		} else if refused := run.publish(ctx, i, l); refused != nil {
			run.answers[i] = LineAnswer{Err: refused}
		}
	}
	run.settle()
	return run.answers, nil
}

// lineRun is the state of one call of PublishLines.
type lineRun struct {
	service *Service
	actor   auth.Actor
	batch   Batched
	answers []LineAnswer
	signed  bool // the nonce of the signature is stored, or is being stored
	waiting []*begun
	room    int // bytes for more warnings
}

// begun is a line that is being stored.
type begun struct {
	index  int
	entry  journal.Entry
	warned Warned
	place  *Placed
	noted  bool // the journal has an entry of the observation, before that of the log
	wait   func() error
	leave  func()
}

// settle waits until the lines that were begun are stored, and answers them. Then other requests
// with their keys go on.
func (r *lineRun) settle() {
	all := r.waiting
	for i, w := range all {
		r.waiting = all[i+1:] // after a panic, the next call goes on with these
		r.answers[w.index] = w.answer()
	}
	r.waiting = all[:0]
}

// answer waits until a line is stored, and returns its answer.
func (w *begun) answer() LineAnswer {
	defer w.leave()
	if err := w.wait(); err != nil {
		return LineAnswer{Err: fmt.Errorf("store a line: %w", unsignable(err))}
	}
	log := insertionOf(w.entry, w.warned)
	log.Placed = w.place
	return LineAnswer{Status: lineStored, Insertion: log}
}

// publish begins to store a line, or answers it if its key was used before.
func (r *lineRun) publish(ctx context.Context, i int, l *line) (err error) {
	s := r.service
	if l.key == "" { // it could not be read so far
		return l.err
	}
	a := s.Attempt(r.actor, "POST", LinesPath, "", l.key, false, lineStored)
	begun := false
	defer func() {
		if !begun { // also after a panic
			a.Close()
		}
	}()
	if s.config.Retries != nil {
		a.blocked = r.settle // lines with this key may be our own, or wait for ours
		first, err := a.Begin(ctx, int64(len(l.text)), sha256.Sum256(l.text))
		if e := (*Error)(nil); errors.As(err, &e) && e.Kind == Invalid {
			err = faulty("key", "the member \"key\" was used before with another line; use a new key for each line, and send a line again unchanged")
		}
		if err != nil || first != nil {
			return r.repeat(i, first, err)
		}
	}
	w, err := r.begin(a.In(ctx), i, l)
	if err != nil {
		return err
	}
	w.leave, begun = a.Close, true
	r.waiting = append(r.waiting, w)
	return nil
}

// repeat gives a line the first answer.
func (r *lineRun) repeat(i int, first *FirstAnswer, err error) error {
	if err != nil {
		return err
	}
	if first.Log == nil {
		return errors.New("the kept answer to a line is not that to a log")
	}
	first.Log.Warnings = semcheck.Fit(first.Log.Warnings, &r.room)
	r.answers[i] = LineAnswer{Status: first.Status, Insertion: *first.Log, Repeated: true}
	return nil
}

// begin begins to store a line: its graph, and the observation if it has one. It returns without waiting for the
// disk; w.wait does that.
func (r *lineRun) begin(ctx context.Context, i int, l *line) (w *begun, err error) {
	s, d := r.service, l.document
	if l.err != nil {
		return nil, l.err
	}
	defer s.withholding()()
	err = s.checkClaimed(l.user, r.batch.By)
	var naming []rdf.Term
	if err == nil && l.observed {
		var found bool
		if found, err = s.withholdObserved(&l.observation, r.batch.By != nil); found {
			naming = append(naming, rdf.NewIRI(l.about))
		}
	}
	withheld := 0
	if err == nil {
		withheld, err = s.withhold(d, r.batch.By != nil, naming...)
	}
	if err != nil {
		return nil, err
	}
	w = &begun{index: i, warned: d.odd.warned(&r.room), entry: s.entry(ctx, r.actor, journal.Insert, l.user)}
	e := &w.entry
	e.Withheld = withheld
	e.Number, e.Detail = new(uint64), d.odd.detail()
	if r.batch.By != nil {
		sig := *r.batch.By
		sig.Body = journal.PackBody(r.batch.Signed[i].Body())
		if r.signed {
			sig.Nonce = "" // it is stored with an earlier line
		}
		e.Signature = &sig
	}
	complete := func(answer *resolver.Resolution) error {
		if answer != nil {
			w.place, w.noted = &Placed{answer.SharedContextURI, answer.Outcome, answer.CaseID}, answer.DecisionID != nil
			l.place(d.parsed, answer.SharedContextURI)
		}
		e.Triples = d.parsed.Distinct()
		store.Commit(e, l.text, d.parsed, canonSteps)
		return keepLine(e.Retry, w)
	}
	if l.observed {
		observed := s.entry(ctx, r.actor, journal.Resolve, "")
		observed.Retry = nil // the answer is kept with the log
		w.wait, err = s.config.Lines.BeginObserved(ctx, d.parsed, e, l.observation, observed, complete)
	} else if err = complete(nil); err == nil {
		w.wait, err = s.config.Lines.BeginLog(ctx, d.parsed, e)
	}
	if e := (*resolver.Error)(nil); errors.As(err, &e) {
		return nil, faulty("observation", "the member \"observation\": %v", e)
	}
	if err != nil {
		return nil, fmt.Errorf("store a line: %w", unsignable(err))
	}
	r.signed = true
	return w, nil
}

// faulty returns a refusal because of a member of a line.
func faulty(member, format string, args ...any) *Error {
	e := refuse(Invalid, format, args...)
	e.Member = member
	return e
}

// keepLine keeps what the journal's entry of a line lacks of its answer.
func keepLine(t *journal.Retry, w *begun) (err error) {
	if t == nil {
		return nil
	}
	if err := keepWarnings(t, w.warned); err != nil || w.place == nil {
		return err
	}
	t.Observed = w.noted && t.Answer == nil // then the entry of the observation has the rest
	if t.Observed {
		return nil
	}
	t.Answer, err = json.Marshal(struct {
		*Placed
		Warned
	}{w.place, w.warned})
	return err
}
