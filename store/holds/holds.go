// Package holds keeps legal holds in the file: what neither retention nor an erasure may remove.
// A hold is on a person, a log, or a range of time, such as a session, and ends on a day or when
// an admin lifts it. It is a note, so backups and delete_all keep it. Adding and lifting one
// appends a journal entry.
package holds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
)

// A Hold is on what its first group of members names.
type Hold struct {
	People []string  `json:"people,omitempty"` // the IRIs of one person
	Log    string    `json:"log_id,omitempty"`
	From   time.Time `json:"from,omitzero"` // logs that arrived, or report something, from then
	To     time.Time `json:"to,omitzero"`   // until before then

	ID     string    `json:"id"` // a UUID
	Reason string    `json:"reason"`
	By     string    `json:"by"` // who added it
	Since  time.Time `json:"since"`
	Until  time.Time `json:"until,omitzero"` // zero: until it is lifted
}

// OfPerson reports whether an IRI is the held person's, continues it after # / or ?, or is
// continued by it.
func (h *Hold) OfPerson(iri string) bool {
	return slices.ContainsFunc(h.People, func(held string) bool { return continues(iri, held) || continues(held, iri) })
}

func continues(long, short string) bool {
	rest, ok := strings.CutPrefix(long, short)
	return ok && (rest == "" || strings.ContainsRune("#/?", rune(rest[0])))
}

// OfLog reports whether a log with an id, between whose first and last time lies all that it
// reports and its arrival, is held. It does not tell whether the log names a held person.
func (h *Hold) OfLog(id string, first, last time.Time) bool {
	return h.Log != "" && h.Log == id || !h.To.IsZero() && first.Before(h.To) && !last.Before(h.From)
}

// String says what is held.
func (h *Hold) String() string {
	switch {
	case len(h.People) > 0:
		return strings.Join(h.People, " ")
	case h.Log != "":
		return "the log " + h.Log
	}
	return "from " + h.From.Format(time.RFC3339) + " to " + h.To.Format(time.RFC3339)
}

// Refused returns the error for an attempt to remove what is held.
func (h *Hold) Refused() error {
	until := "it is lifted"
	if !h.Until.IsZero() {
		until = h.Until.Format(time.RFC3339)
	}
	return &store.UnfitError{Detail: fmt.Sprintf("a legal hold of %q forbids to remove this until %s: %q", h.By, until, h.Reason)}
}

const (
	kind  = notes.Hold
	owner = "segraph"
)

// In returns the holds in force at a time, in a state of the file, oldest first.
func In(tx kv.Reader, now time.Time) (all []Hold, err error) {
	list, err := notes.In(tx, kind, owner)
	if err != nil {
		return nil, err
	}
	for _, n := range list {
		var h Hold
		if err := json.Unmarshal([]byte(n.Text), &h); err != nil {
			return nil, fmt.Errorf("the legal hold %q can't be read: %w", n.Name, err)
		}
		if h.Until.IsZero() || now.Before(h.Until) {
			all = append(all, h)
		}
	}
	return all, nil // ids of version 7 are in order of time
}

// ErrMeanwhile ends a pass: what it found to go may be held now. It begins again.
var ErrMeanwhile = errors.New("a legal hold was added meanwhile, or somebody who is held got another name")

// NoneSince returns ErrMeanwhile if other holds than the known ones are in force at a time, or if people were renamed and one is held.
func NoneSince(tx kv.Reader, known []Hold, now time.Time, renamed bool) error {
	all, err := In(tx, now)
	if err == nil && slices.ContainsFunc(all, func(h Hold) bool {
		return renamed && len(h.People) > 0 || !slices.ContainsFunc(known, func(k Hold) bool { return k.ID == h.ID })
	}) {
		err = ErrMeanwhile
	}
	return err
}

// Holds reads and changes the holds in a file. It is safe for concurrent use.
type Holds struct{ store *engine.Store }

// Of returns the holds of an open file.
func Of(s *engine.Store) *Holds { return &Holds{s} }

// All returns the holds in force at a time, oldest first.
func (s *Holds) All(now time.Time) ([]Hold, error) {
	return engine.Read(s.store, func(snap *engine.Snapshot) ([]Hold, error) { return In(snap.KV(), now) })
}

// Add adds a hold and appends e to the journal, which gives it its id, its time and who added
// it. The error is a *store.UnfitError if there are too many.
func (s *Holds) Add(ctx context.Context, h Hold, e journal.Entry) (Hold, error) {
	h.ID, h.By, h.Since = e.LogID, e.Actor, e.Time
	return h, s.Keep(ctx, h, e)
}

// Keep is like Add for a hold of another file, which keeps its id, its time and who added it.
func (s *Holds) Keep(ctx context.Context, h Hold, e journal.Entry) error {
	err := s.store.Update(ctx, func(tx *engine.Tx) error {
		err := h.put(tx)
		if _, full := errors.AsType[*store.UnfitError](err); full {
			if err = dropEnded(tx, e.Time); err == nil {
				err = h.put(tx)
			}
		}
		if err == nil {
			err = e.Retry.Keep(h)
		}
		if err != nil {
			return err
		}
		return enter(tx, &h, e)
	})
	return wrap("adding a legal hold", err)
}

func (h *Hold) put(tx *engine.Tx) error {
	text, err := json.Marshal(h)
	if err == nil {
		err = notes.PutIn(tx, notes.Note{Kind: kind, Owner: owner, Name: h.ID, Text: string(text)})
	}
	return err
}

// Forget takes people who were erased out of the holds: their IRIs out of People, and their names out of reasons and of who
// added a hold. of reports whether a name is theirs, and blank returns a text without them. It removes the holds whose
// people are all erased: there may be some, since a start after a restore erases people regardless of holds.
func Forget(tx *engine.Tx, of func(name string) (to string, found bool), blank func(text string) string) error {
	all, err := In(tx.KV(), time.Time{})
	for i := range all {
		h := &all[i]
		before, named := *h, len(h.People)
		h.Reason, h.By = blank(h.Reason), blank(h.By)
		h.People = slices.DeleteFunc(h.People, func(iri string) bool { _, found := of(iri); return found })
		switch {
		case err != nil: // returned below
		case named > 0 && len(h.People) == 0:
			_, err = notes.RemoveIn(tx, notes.Note{Kind: kind, Owner: owner, Name: h.ID})
		case h.Reason != before.Reason || h.By != before.By || len(h.People) < named:
			err = h.put(tx)
		}
	}
	return wrap("taking a person out of the legal holds", err)
}

// dropEnded removes the holds that have ended, to make room. They stay until then, because the clock may be ahead.
func dropEnded(tx *engine.Tx, now time.Time) error {
	list, err := notes.In(tx.KV(), kind, owner)
	if err != nil {
		return err
	}
	valid, err := In(tx.KV(), now)
	for _, n := range list {
		if err == nil && !slices.ContainsFunc(valid, func(h Hold) bool { return h.ID == n.Name }) {
			_, err = notes.RemoveIn(tx, n)
		}
	}
	return err
}

// Lift ends a hold, appends e to the journal, and returns the hold. ok is false if no hold in
// force has the id.
func (s *Holds) Lift(ctx context.Context, id string, e journal.Entry) (h Hold, ok bool, err error) {
	err = s.store.Update(ctx, func(tx *engine.Tx) error {
		all, err := In(tx.KV(), e.Time)
		i := slices.IndexFunc(all, func(h Hold) bool { return h.ID == id })
		ok = i >= 0
		if !ok || err != nil {
			return err
		}
		h = all[i]
		if _, err = notes.RemoveIn(tx, notes.Note{Kind: kind, Owner: owner, Name: id}); err == nil {
			err = e.Retry.Keep(h)
		}
		if err != nil {
			return err
		}
		return enter(tx, &h, e)
	})
	return h, ok, wrap("lifting a legal hold", err)
}

func enter(tx *engine.Tx, h *Hold, e journal.Entry) error {
	e.Subject, e.Detail = h.String(), strings.TrimPrefix(e.Detail+": "+h.Reason, ": ")
	if e.Action == journal.Hold && !h.Until.IsZero() {
		e.Detail += "; until " + h.Until.Format(time.RFC3339)
	}
	return tx.Journal(e)
}

func wrap(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
