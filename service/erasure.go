package service

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/forgotten"
	"github.com/segraph/segraph/store/log/journal"
)

// Eraser takes people out of the store; see persist.ResolvedGraph.
type Eraser interface {
	PreviewErasure(ctx context.Context, iri, pseudonym string, e journal.Entry) (store.ErasurePreview, error)
	Erase(ctx context.Context, iri, pseudonym string, e journal.Entry) (store.Erased, error)
}

// An Erasure is one that somebody asked for. It is kept in memory, at most erasureLife.
type Erasure struct {
	ID           string          `json:"id"`
	Person       string          `json:"person,omitempty"` // missing once the person is erased
	Pseudonymise bool            `json:"pseudonymise"`     // what they did stays, under a random IRI
	Reason       string          `json:"reason"`
	By           string          `json:"by"` // who asked for it
	At           time.Time       `json:"at"`
	Until        time.Time       `json:"until"`             // when it lapses
	Another      bool            `json:"another_admin"`     // only another admin may confirm it
	Receipt      *ErasureReceipt `json:"receipt,omitempty"` // once it is done

	whose  string   // who was erased, until their receipt is taken
	behind []string // who may have the token with which it was asked for; nil unless Another
}

// ErasureReceipt is what is known of an erasure. With Salt, the person can prove by the entry's
// hashes that it was theirs. Nobody else can: the service keeps it until TakeErasureReceipt or a restart.
type ErasureReceipt struct {
	store.Erased
	LogID     string    `json:"log_id"`
	LogIndex  uint64    `json:"log_index"`
	At        time.Time `json:"at"`
	By        string    `json:"by"` // who confirmed it
	Pseudonym string    `json:"pseudonym,omitempty"`
}

// Limits of erasures that wait to be confirmed.
const (
	maxErasures = 100
	erasureLife = 7 * 24 * time.Hour
)

// erasures are those that were asked for.
type erasures struct {
	running chan struct{} // holds one element while one runs, or a legal hold is added

	mu  sync.Mutex // guards all
	all []*Erasure // oldest first

	then []func() // called after each
}

// alone waits until no erasure runs, and keeps others from running until end is called. The error is the context's.
func (all *erasures) alone(ctx context.Context) (end func(), err error) {
	select {
	case all.running <- struct{}{}:
		return func() { <-all.running }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// OnErased has f called after each erasure, to drop what is cached of people. It is for the time before
// the service serves.
func (s *Service) OnErased(f func()) { s.erasures.then = append(s.erasures.then, f) }

// mayErase returns an *Error if the person with an IRI can't be erased. An erasure that failed can be repeated.
func (s *Service) mayErase(iri string) error {
	switch {
	case !journal.NamesPerson(iri):
		return refuse(Invalid, "name the person by an absolute IRI, which has no control characters")
	case s.forgotten(iri):
		if done, err := s.config.Forgotten.Complete(); err != nil || !done {
			return err
		}
		return refuse(Conflict, "this person was erased already")
	}
	return nil
}

func unerasable(err error) error {
	var unfit *store.UnfitError
	if errors.As(err, &unfit) {
		return refuse(Conflict, "%s", unfit.Detail)
	}
	return err
}

func pseudonymOf(pseudonymise bool) string {
	if !pseudonymise {
		return ""
	}
	return "urn:uuid:" + uuid.NewString()
}

// CheckReason refuses a reason for the erasure of a person that is no line of 1 to MaxReason characters, or that names
// them: the journal keeps it. The error is then an *Error.
func (s *Service) CheckReason(ctx context.Context, iri, reason string) error {
	if !isLine(reason, MaxReason) {
		return refuse(Invalid, "an erasure needs a reason of 1 to %d characters, none of them a control character", MaxReason)
	}
	iris, err := s.namesOf(iri)
	if err = cmp.Or(err, s.checkReason(reason)); err != nil {
		return err
	}
	names, err := s.calledBy(ctx, append(iris, iri))
	if err == nil && slices.ContainsFunc(slices.Concat(names, iris, []string{iri}), func(name string) bool { return mentions(reason, name) }) {
		err = refuse(Invalid, "the journal keeps the reason, so it must not name the person; name a case or a letter")
	}
	return err
}

// AskErasure asks for the erasure of the person with an IRI; pseudonymise keeps what they did, under another name. Nothing is
// changed until ConfirmErasure.
func (s *Service) AskErasure(ctx context.Context, actor auth.Actor, iri, reason string, pseudonymise bool) (Erasure, error) {
	if err := s.mayErase(iri); err != nil {
		return Erasure{}, err
	}
	reason = strings.TrimSpace(reason)
	if err := s.CheckReason(ctx, iri, reason); err != nil {
		return Erasure{}, err
	}
	now := s.config.Now().UTC()
	x := &Erasure{ID: journal.NewLogID(), Person: iri, Pseudonymise: pseudonymise, Reason: reason, By: actor.Username, At: now, Until: now.Add(erasureLife), Another: s.config.TwoPersons}
	if x.Another {
		var err error
		if x.behind, err = s.behind(ctx, actor); err != nil {
			return Erasure{}, err
		}
	}
	s.erasures.mu.Lock()
	defer s.erasures.mu.Unlock()
	s.erasures.lapse(now)
	if len(s.erasures.all) >= maxErasures { // forget one that is done
		if i := slices.IndexFunc(s.erasures.all, func(x *Erasure) bool { return x.Receipt != nil }); i >= 0 {
			s.erasures.all = slices.Delete(s.erasures.all, i, i+1)
		}
	}
	if len(s.erasures.all) >= maxErasures {
		return Erasure{}, refuse(TooMany, "%d erasures wait to be confirmed; confirm or cancel some", maxErasures)
	}
	s.erasures.all = append(s.erasures.all, x)
	return *x, nil
}

// lapse drops erasures that are too old.
func (x *erasures) lapse(now time.Time) {
	x.all = slices.DeleteFunc(x.all, func(e *Erasure) bool { return !now.Before(e.Until) })
}

// Erasures returns the erasures that wait to be confirmed, and those done since the start, oldest first.
func (s *Service) Erasures() []Erasure {
	s.erasures.mu.Lock()
	defer s.erasures.mu.Unlock()
	s.erasures.lapse(s.config.Now())
	out := []Erasure{}
	for _, x := range s.erasures.all {
		out = append(out, *x)
	}
	return out
}

// Erasure returns the erasure with an id. The error is an *Error if there is none.
func (s *Service) Erasure(id string) (Erasure, error) {
	for _, x := range s.Erasures() {
		if x.ID == id {
			return x, nil
		}
	}
	return Erasure{}, refuse(NotFound, "no erasure with this id waits: it was cancelled, has lapsed, or the service was restarted")
}

// CancelErasure drops an erasure that was not confirmed.
func (s *Service) CancelErasure(ctx context.Context, id string) (Erasure, error) {
	end, err := s.erasures.alone(ctx)
	if err != nil {
		return Erasure{}, err
	}
	defer end()
	x, err := s.Erasure(id)
	switch {
	case err != nil:
		return x, err
	case x.Receipt != nil:
		return x, refuse(Conflict, "this erasure is done, and can't be cancelled")
	}
	s.erasures.mu.Lock()
	defer s.erasures.mu.Unlock()
	s.erasures.all = slices.DeleteFunc(s.erasures.all, func(e *Erasure) bool { return e.ID == id })
	return x, nil
}

// ConfirmErasure erases the person of an erasure, and returns it with the receipt. It goes on if the
// client leaves. The bytes are then removed in the background. A second call returns the same receipt.
func (s *Service) ConfirmErasure(ctx context.Context, actor auth.Actor, id string) (Erasure, error) {
	end, err := s.erasures.alone(ctx)
	if err != nil {
		return Erasure{}, err
	}
	defer end()
	x, err := s.Erasure(id)
	switch {
	case err != nil || x.Receipt != nil:
		return x, err
	case x.Another && x.By == actor.Username:
		return x, refuse(Conflict, "you asked for this erasure, so another admin must confirm it")
	}
	if x.Another {
		if err := s.another(ctx, actor, x.behind); err != nil {
			return x, err
		}
	}
	if err := cmp.Or(s.mayErase(x.Person), s.checkReason(x.Reason)); err != nil { // somebody else was erased meanwhile
		return x, err
	}
	iris, err := s.namesOf(x.Person)
	if err != nil {
		return x, err
	}
	e := s.entry(ctx, actor, journal.Erasure, "")
	if e.Retry, e.Detail = nil, x.Reason; x.By != actor.Username {
		e.Detail += "; asked for by " + s.unforgotten(x.By, journal.ErasedText)
	}
	to := pseudonymOf(x.Pseudonymise)
	if s.forgotten(x.Person) { // an earlier attempt failed after it had chosen
		to, _ = s.config.Forgotten.Of(x.Person)
	}
	done, err := s.config.Eraser.Erase(context.WithoutCancel(ctx), x.Person, to, e)
	if err != nil {
		return x, unerasable(fmt.Errorf("erase a person: %w", err))
	}
	x.Receipt = &ErasureReceipt{Erased: done, LogID: e.LogID, LogIndex: done.Index - 1, At: e.Time, By: actor.Username, Pseudonym: to}
	x.whose, x.Person = x.Person, ""
	s.erasures.replace(x)
	s.erased(append([]string{x.whose}, iris...))
	return x, nil
}

// another returns an *Error if one of some users may have an actor's token, and so may be the actor.
func (s *Service) another(ctx context.Context, actor auth.Actor, users []string) error {
	own, err := s.behind(ctx, actor)
	if err != nil {
		return err
	}
	for _, name := range own {
		if slices.Contains(users, name) {
			return refuse(Conflict, "%q may have both tokens, that with which this erasure was asked for and yours; "+
				"an admin whose token comes from somebody else must confirm it", name)
		}
	}
	return nil
}

// replace has the erasure with the id of x replaced by x.
func (all *erasures) replace(x Erasure) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for i := range all.all {
		if all.all[i].ID == x.ID {
			all.all[i] = &x
		}
	}
}

// PersonReceipt proves to a person, and to whom they show it, that they were erased.
type PersonReceipt struct {
	Receipt        // of the erasure's entry; Salt is that of its Person
	Person  string `json:"person"`
}

// TakeErasureReceipt returns the receipt of an erasure for the person, once: the service then forgets
// the salt and the IRI. If the transparency log fails, it keeps them.
func (s *Service) TakeErasureReceipt(ctx context.Context, id string) (out PersonReceipt, err error) {
	end, err := s.erasures.alone(ctx)
	if err != nil {
		return out, err
	}
	defer end()
	x, err := s.Erasure(id)
	switch {
	case err != nil:
		return out, err
	case x.Receipt == nil:
		return out, refuse(Conflict, "this erasure waits to be confirmed, and has no receipt yet")
	case x.whose == "":
		return out, refuse(Conflict, "the receipt of this erasure was taken, and the service does not keep its salt")
	}
	if out.Receipt, err = s.Receipt(ctx, x.Receipt.LogIndex); err != nil {
		return out, err
	}
	if out.Salt, err = base64.RawStdEncoding.DecodeString(x.Receipt.Salt); err != nil {
		return out, fmt.Errorf("read the salt of an erasure: %w", err)
	}
	out.Person, out.Open = x.whose, nil
	taken := *x.Receipt
	taken.Salt, x.Receipt, x.whose = "", &taken, ""
	s.erasures.replace(x)
	return out, nil
}

// erased drops what memory has of somebody.
func (s *Service) erased(iris []string) {
	theirs := forgotten.Only(iris, "")
	s.config.Log.Forget(theirs.In)
	s.spools.Revoke() // answers under way are of the time before
	s.looking.Lock()
	for i := range s.looks {
		e := &s.looks[i]
		if e.Actor = forgotten.User(theirs, e.Actor, journal.ErasedText); theirs.Has(e.Subject) {
			e.Subject = ""
		}
	}
	s.looking.Unlock()
	s.erasures.mu.Lock()
	s.erasures.all = slices.DeleteFunc(s.erasures.all, func(x *Erasure) bool { return theirs.Has(x.Person) || theirs.In(x.Reason) }) // it waited too
	for i, x := range s.erasures.all {
		now := *x // others may read x
		now.By, s.erasures.all[i] = forgotten.User(theirs, x.By, journal.ErasedText), &now
		now.behind = slices.Clone(x.behind)
		for j, name := range now.behind {
			now.behind[j] = forgotten.User(theirs, name, "") // as behind returns it
		}
		if x.Receipt != nil {
			receipt := *x.Receipt
			receipt.By, now.Receipt = forgotten.User(theirs, receipt.By, journal.ErasedText), &receipt
		}
	}
	s.erasures.mu.Unlock()
	for _, f := range s.erasures.then {
		f()
	}
}
