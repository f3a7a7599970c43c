package service

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
)

// Limits of batches.
const (
	MaxWaiting  = 5000 // pending cases that a batch looks through, oldest first
	BatchSample = 20   // cases of a batch that a person decides first
	maxBatches  = 100  // batches kept of each user; a new one replaces the oldest
	maxRefused  = 500  // cases that a batch may leave for a person
	batchSaves  = 50   // decisions after which the state of a batch is stored
	batchTime   = 5 * time.Second
)

// A Batch is one verdict for all pending cases that match a filter. A person first
// decides a sample of them, then the batch decides the rest. The resolver records which
// decisions belong to a batch, so a batch knows its decisions after a crash too.
type Batch struct {
	ID      string    `json:"-"`
	By      string    `json:"-"`
	At      time.Time `json:"at"`     // cases opened later are not in it
	Accept  bool      `json:"accept"` // accept the best candidate of each case; else reject
	Filter  string    `json:"filter"` // as a query string
	Total   int       `json:"total"`  // matching cases when it was opened
	Sample  []string  `json:"sample"` // ids of the cases that a person decides
	Settled int       `json:"settled"`
	// Refused are the cases that the resolver did not let it decide, such as one that a
	// person decided the other way before. They stay pending.
	Refused []string  `json:"refused,omitempty"`
	Ended   time.Time `json:"ended,omitzero"`   // when it had decided all
	Undoing time.Time `json:"undoing,omitzero"` // when somebody began to undo all its decisions
	Undone  time.Time `json:"undone,omitzero"`  // when that was done
	Stuck   int       `json:"stuck,omitempty"`  // decisions that could not be undone
}

// BatchState is a batch and the state of its cases.
type BatchState struct {
	Batch
	Agreed, Differed int // decided cases of the sample, compared with the verdict
	Lost             int // cases of the sample that another decision settled
	Open             int // undecided cases of the sample
	Decided          int // decisions of the batch that are valid
	Reversed         int // decisions of the batch that were undone, together or one by one
	Left             int // pending cases that the batch would still decide
	// Elsewhere counts the cases that others decided or that no longer match.
	Elsewhere int

	left []resolver.Waiting // those in Left
}

// Matching selects cases.
type Matching func(resolver.Waiting) bool

// OpenBatch begins a batch, which accepts many cases alike, or rejects them if accept is false: it counts the matching
// cases and draws a sample, which a person must decide first.
func (s *Service) OpenBatch(ctx context.Context, by auth.Actor, accept bool, filter string, match Matching) (*Batch, error) {
	defer s.withholding()()
	if s.namesForgotten(filter) {
		return nil, refuse(Conflict, "the filter names somebody who was erased")
	}
	all, err := s.config.Contexts.Waiting(ctx, MaxWaiting)
	if err != nil {
		return nil, fmt.Errorf("list the pending cases: %w", err)
	}
	b := &Batch{ID: journal.NewLogID(), By: by.Username, At: s.config.Now().UTC(), Accept: accept, Filter: filter}
	var ids []string
	for _, w := range all {
		if match(w) {
			ids = append(ids, w.CaseID)
		}
	}
	if b.Total = len(ids); b.Total == 0 {
		return nil, refuse(Conflict, "no pending case matches the filter")
	}
	slices.SortFunc(ids, func(x, y string) int { return strings.Compare(b.draw(x), b.draw(y)) })
	b.Sample = ids[:min(len(ids), BatchSample)]
	if err := s.dropBatches(ctx, by); err != nil {
		return nil, err
	}
	return b, s.saveBatch(ctx, b)
}

// draw returns a sort key for a case. In its order, the cases of a batch are shuffled.
func (b *Batch) draw(id string) string {
	h := sha256.Sum256([]byte(b.ID + id))
	return string(h[:])
}

// dropBatches removes a user's oldest batches, to make room for a new one.
func (s *Service) dropBatches(ctx context.Context, by auth.Actor) error {
	list, err := s.config.Notes.List(batchNote, by.Username) // oldest first
	for i := 0; err == nil && i <= len(list)-maxBatches; i++ {
		_, err = s.config.Notes.Remove(ctx, batchNote, by.Username, list[i].Name)
	}
	if err != nil {
		return fmt.Errorf("make room for a batch: %w", err)
	}
	return nil
}

func (s *Service) saveBatch(ctx context.Context, b *Batch) error {
	return s.putNote(ctx, batchNote, b.By, b.ID, b)
}

// Batches returns the newest limit batches of all users, newest first.
func (s *Service) Batches(limit int) ([]Batch, error) {
	all, err := readNotes(s, batchNote, "", func(n notes.Note) Batch { return Batch{ID: n.Name, By: n.Owner} })
	slices.SortFunc(all, func(x, y Batch) int { return strings.Compare(y.ID, x.ID) })
	return all[:min(len(all), limit)], err
}

// Batch returns a batch of any user. The error is an *Error if there is none.
func (s *Service) Batch(id string) (*Batch, error) {
	all, err := s.Batches(notes.MaxNotes)
	if err != nil {
		return nil, err
	}
	for _, b := range all {
		if b.ID == id {
			return &b, nil
		}
	}
	return nil, refuse(NotFound, "there is no batch %q", id)
}

// candidates returns the pending cases that a batch would still decide. undone has the cases whose decision by the batch somebody has undone.
func (s *Service) candidates(ctx context.Context, b *Batch, undone map[string]bool, match Matching) ([]resolver.Waiting, error) {
	all, err := s.config.Contexts.Waiting(ctx, MaxWaiting)
	if err != nil {
		return nil, fmt.Errorf("list the pending cases: %w", err)
	}
	return slices.DeleteFunc(all, func(w resolver.Waiting) bool {
		return w.CreatedAt.After(b.At) || !match(w) || undone[w.CaseID] || slices.Contains(b.Sample, w.CaseID) || slices.Contains(b.Refused, w.CaseID)
	}), nil
}

// BatchState returns a batch and the state of its cases.
func (s *Service) BatchState(ctx context.Context, b *Batch, match Matching) (*BatchState, error) {
	state := &BatchState{Batch: *b}
	for _, id := range b.Sample {
		k, err := s.config.Contexts.Case(ctx, id)
		var gone *resolver.Error
		if errors.As(err, &gone) {
			state.Lost++ // everything was deleted
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the sample of a batch: %w", err)
		}
		switch k.Status {
		case "pending":
			state.Open++
		case "superseded":
			state.Lost++
		default:
			if (k.Status == "accepted") == b.Accept {
				state.Agreed++
			} else {
				state.Differed++
			}
		}
	}
	decisions, err := s.config.Contexts.Batch(ctx, b.ID)
	if err != nil {
		return nil, fmt.Errorf("read the decisions of a batch: %w", err)
	}
	undone := map[string]bool{}
	for _, x := range decisions {
		if x.Undone {
			state.Reversed++
			undone[x.CaseID] = true
		} else {
			state.Decided++
		}
	}
	if state.left, err = s.candidates(ctx, b, undone, match); err != nil {
		return nil, err
	}
	if state.Left = len(state.left); b.Undoing.IsZero() {
		state.Elsewhere = max(0, b.Total-len(b.Sample)-state.Decided-state.Reversed-b.Settled-len(b.Refused)-state.Left)
	}
	return state, nil
}

// ownBatch returns a batch of an actor, and takes the lock on batches.
func (s *Service) ownBatch(by auth.Actor, id string) (*Batch, error) {
	if !s.batch.TryLock() {
		return nil, refuse(Unavailable, "another batch is being decided; try again when it is done")
	}
	b, err := s.Batch(id)
	if err == nil && b.By != by.Username {
		err = refuse(Conflict, "only %q may decide or undo this batch", b.By)
	}
	if err != nil {
		s.batch.Unlock()
		return nil, err
	}
	return b, nil
}

// RunBatch decides cases of a batch for some seconds; call it again until Ended is set.
// Each decision is atomic and has its own entry in the journal. A case that somebody
// else decided meanwhile keeps that decision. The sample must be decided first. If a case
// can't be decided, the batch is returned beside the error, and has the decisions so far.
func (s *Service) RunBatch(ctx context.Context, by auth.Actor, id string, match Matching) (*Batch, error) {
	b, err := s.ownBatch(by, id)
	if err != nil {
		return nil, err
	}
	defer s.batch.Unlock()
	state, err := s.BatchState(ctx, b, match)
	switch {
	case err != nil:
		return nil, err
	case !b.Ended.IsZero():
		return b, nil
	case !b.Undoing.IsZero() || !b.Undone.IsZero(): // older versions set only the latter
		return nil, refuse(Conflict, "this batch was undone; open a new one")
	case state.Open > 0:
		return nil, refuse(Conflict, "%d cases of the sample are undecided; decide them first", state.Open)
	}
	run := batchRun{service: s, by: by, batch: b, closed: map[string]bool{}, until: time.Now().Add(batchTime)}
	done, err := run.decide(ctx, state.left)
	if done {
		b.Ended = s.config.Now().UTC()
	}
	return b, errors.Join(err, s.saveBatch(context.WithoutCancel(ctx), b))
}

// batchRun is the state of one call of RunBatch.
type batchRun struct {
	service *Service
	by      auth.Actor
	batch   *Batch
	closed  map[string]bool // cases that its decisions settled
	until   time.Time
}

// decide decides cases until time is up, and reports whether it decided all.
func (r *batchRun) decide(ctx context.Context, left []resolver.Waiting) (done bool, err error) {
	for i, w := range left {
		if r.closed[w.CaseID] {
			r.batch.Settled++
			continue
		}
		if time.Now().After(r.until) || ctx.Err() != nil {
			return false, nil
		}
		if err := r.one(ctx, w); err != nil {
			return false, err
		}
		if len(r.batch.Refused) > maxRefused {
			return false, refuse(Conflict, "the resolver refused more than %d cases; decide them one by one", maxRefused)
		}
		if i%batchSaves == batchSaves-1 {
			if err := r.service.saveBatch(ctx, r.batch); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// one decides one case as the batch does, by the target that matched. A case that somebody else has decided is passed over.
func (r *batchRun) one(ctx context.Context, w resolver.Waiting) error {
	s, b, id := r.service, r.batch, w.CaseID
	var verdict *resolver.Verdict
	var err error
	defer s.judging()()
	if b.Accept {
		e := s.entry(ctx, r.by, journal.Accept, "")
		e.Batch = b.ID
		verdict, err = s.config.Contexts.Accept(ctx, id, w.Target, false, e)
	} else {
		e := s.entry(ctx, r.by, journal.Reject, "")
		e.Batch = b.ID
		verdict, err = s.config.Contexts.Reject(ctx, id, e)
	}
	var refused *resolver.Error
	switch {
	case errors.As(err, &refused):
		switch refused.Code {
		case resolver.CaseDecided, resolver.CaseSuperseded, resolver.CaseNotFound: // somebody was faster
		default:
			b.Refused = append(b.Refused, id)
		}
	case err != nil:
		return fmt.Errorf("decide a case of a batch: %w", err)
	case verdict.AlreadyDecided && verdict.Status == "pending": // one event already, but other candidates stay open
		b.Refused = append(b.Refused, id)
	}
	if verdict != nil && !verdict.AlreadyDecided {
		for _, other := range verdict.SupersededCases {
			r.closed[other] = true
		}
	}
	return nil
}

// UndoBatch undoes the decisions of a batch for some seconds, newest first; call it again
// until Undone is set. A decision that others have changed since stays as it is. The
// sample stays decided.
func (s *Service) UndoBatch(ctx context.Context, by auth.Actor, id string) (*Batch, error) {
	b, err := s.ownBatch(by, id)
	if err != nil {
		return nil, err
	}
	defer s.batch.Unlock()
	decisions, err := s.config.Contexts.Batch(ctx, b.ID)
	if err != nil {
		return nil, fmt.Errorf("read the decisions of a batch: %w", err)
	}
	if b.Undoing.IsZero() {
		b.Undoing = s.config.Now().UTC()
		if err := s.saveBatch(ctx, b); err != nil {
			return nil, err
		}
	}
	until := time.Now().Add(batchTime)
	b.Stuck = 0
	for _, x := range decisions {
		if x.Undone {
			continue
		}
		if time.Now().After(until) || ctx.Err() != nil {
			return b, nil
		}
		end := s.judging()
		e := s.entry(ctx, by, journal.Undo, "")
		e.Batch = b.ID
		_, err := s.config.Contexts.Undo(ctx, x.DecisionID, e)
		end()
		var refused *resolver.Error
		if errors.As(err, &refused) {
			b.Stuck++
		} else if err != nil {
			return b, fmt.Errorf("undo a decision of a batch: %w", err)
		}
	}
	b.Undone = s.config.Now().UTC()
	return b, s.saveBatch(context.WithoutCancel(ctx), b)
}
