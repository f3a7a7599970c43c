package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/notes"
)

// opinionNote is the kind of the notes of second opinions.
const opinionNote = "opinion"

// An Opinion is what a second reviewer would have decided about a case, without knowing
// the first verdict. It affects only the statistics on how often reviewers agree.
type Opinion struct {
	CaseID string    `json:"-"`
	By     string    `json:"-"`
	Accept bool      `json:"accept"` // the same event
	At     time.Time `json:"at"`
}

// Opinions returns the second opinions of a user, or of all users if the name is "". Each
// user's newest notes.MaxOwned are kept.
func (s *Service) Opinions(user string) ([]Opinion, error) {
	if s.config.Notes == nil {
		return nil, nil
	}
	list, err := s.config.Notes.List(opinionNote, user)
	if err != nil {
		return nil, fmt.Errorf("read the second opinions: %w", err)
	}
	var all []Opinion
	for _, n := range list {
		o := Opinion{CaseID: n.Name, By: n.Owner}
		if err := json.Unmarshal([]byte(n.Text), &o); err != nil {
			return nil, fmt.Errorf("read a second opinion: %w", err)
		}
		all = append(all, o)
	}
	return all, nil
}

// Undisclosed returns the cases on which a user may give a second opinion: those that
// others decided and the user did not. reviews are the decisions on cases. The order is
// random, but the same at each call, so that it says nothing about the verdicts.
func (s *Service) Undisclosed(user string, reviews []resolver.Review) ([]string, error) {
	given, err := s.Opinions(user)
	if err != nil {
		return nil, err
	}
	known, open := map[string]bool{}, map[string]bool{}
	for _, o := range given {
		known[o.CaseID] = true
	}
	for _, x := range reviews {
		known[x.CaseID] = known[x.CaseID] || x.By == user
	}
	for _, x := range reviews {
		if !x.Undone && !known[x.CaseID] {
			open[x.CaseID] = true
		}
	}
	var ids []string
	for id := range open {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(lot(user, a), lot(user, b)), cmp.Compare(a, b)) })
	return ids, nil
}

// lot returns a number that orders the cases of a user at random.
func lot(user, id string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(user + " " + id)) // never fails
	return h.Sum64()
}

// GiveOpinion stores a second opinion on a case. The error is an *Error if the actor may
// not give one on it; see Undisclosed.
func (s *Service) GiveOpinion(ctx context.Context, by auth.Actor, caseID string, accept bool, reviews []resolver.Review) error {
	if s.config.Notes == nil {
		return refuse(Conflict, "this service keeps no second opinions")
	}
	open, err := s.Undisclosed(by.Username, reviews)
	if err != nil {
		return err
	}
	if !slices.Contains(open, caseID) {
		return refuse(Conflict, "you know the verdict on this case, or nobody has decided it")
	}
	own, err := s.Opinions(by.Username)
	if err != nil {
		return err
	}
	if len(own) >= notes.MaxOwned {
		oldest := slices.MinFunc(own, func(a, b Opinion) int { return a.At.Compare(b.At) })
		if _, err := s.config.Notes.Remove(ctx, opinionNote, by.Username, oldest.CaseID); err != nil {
			return fmt.Errorf("make room for a second opinion: %w", err)
		}
	}
	return s.putNote(ctx, opinionNote, by.Username, caseID, Opinion{Accept: accept, At: s.config.Now().UTC()})
}
