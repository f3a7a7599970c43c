package resolver

import (
	"context"
	"slices"
	"time"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
)

// Judgement is a decision, by a person or the resolver, on whether two contexts are one
// event.
type Judgement struct {
	DecisionID string
	Kind       JudgementKind
	At         time.Time
	By         string // the person; "" for the resolver
	CaseID     string // "" if there was no case
	SourceURI  string
	EventKind  string
	Text       string // text of the source, in normal form; or ""
	Undone     bool   // it was undone since
}

// JudgementKind is the kind of a Judgement.
type JudgementKind string

const (
	JudgedSame       JudgementKind = "accepted"
	JudgedDifferent  JudgementKind = "rejected"
	MergedByResolver JudgementKind = "merged" // by the resolver
	JudgedUndone     JudgementKind = "undone" // an undo of an earlier decision
)

var judgements = map[record.DecisionKind]JudgementKind{
	record.AcceptedMerge: JudgedSame, record.Rejection: JudgedDifferent, record.AutoMerge: MergedByResolver, record.Undoing: JudgedUndone,
}

// History returns up to limit decisions on whether two contexts are one event, newest
// first. If before is not "", it returns only decisions before the one with that id. The
// error is an *Error with code CaseNotFound.
func (r *Resolver) History(_ context.Context, before string, limit int) ([]Judgement, error) {
	var out []Judgement
	err := r.reading(func(u *unit) error {
		var bound uint64
		if before != "" {
			n := mirror.Number(before)
			if n == 0 || u.names().Decision(n) != before {
				return &Error{Code: CaseNotFound, Detail: "there is no such decision to start from"}
			}
			bound = n
		}
		from, to := record.VerdictRange(bound)
		numbers, err := numbersIn(u, from, to, limit, record.VerdictNumber)
		if err != nil {
			return err
		}
		for _, n := range numbers {
			x, err := u.decision(n)
			if err != nil {
				return err
			}
			j, err := u.judgement(x)
			if err != nil {
				return err
			}
			out = append(out, j)
		}
		return nil
	})
	return out, err
}

// judgement describes a decision to people, with the context that it was about.
func (u *unit) judgement(decision *record.Decision) (Judgement, error) {
	names := u.names()
	j := Judgement{DecisionID: names.Decision(decision.Number), Kind: judgements[decision.Kind], At: time.UnixMicro(decision.At).UTC(),
		Undone: decision.Undone != 0 && decision.Kind != record.Undoing}
	if decision.Kind != record.AutoMerge {
		j.By = decision.By
	}
	if decision.Case != 0 {
		j.CaseID = names.Case(decision.Case)
	}
	source, err := u.context(decision.Source)
	if err != nil {
		return j, err
	}
	j.SourceURI, j.EventKind = source.URI, source.Kind
	for _, m := range source.Members {
		if j.Text == "" && m.Origin == decision.Source {
			j.Text = m.Text
		}
	}
	return j, nil
}

// maxSearched is how many of the newest decisions Merges searches.
const maxSearched = 10_000

// Merges returns the valid decisions, among the last maxSearched, that merged others into the
// context that a URI leads to, newest first. The error is an *Error with code ContextNotFound.
func (r *Resolver) Merges(ctx context.Context, uri string) ([]Judgement, error) {
	var origins []uint64
	if err := r.reading(func(u *unit) error {
		root, err := u.contextNamed(uri)
		if err == nil {
			origins = root.Origins
		}
		return err
	}); err != nil || len(origins) == 1 {
		return nil, err
	}
	var out []Judgement
	from, to := record.VerdictRange(0)
	err := r.eachDecision(ctx, from, to, maxSearched, func(u *unit, x *record.Decision) error {
		merged := x.Kind == record.AutoMerge || x.Kind == record.AcceptedMerge
		if !merged || x.Undone != 0 || !slices.Contains(origins, x.Source) {
			return nil
		}
		j, err := u.judgement(x)
		if err != nil {
			return err
		}
		if out = append(out, j); len(out) == len(origins)-1 {
			return errEnough
		}
		return nil
	})
	return out, err
}
