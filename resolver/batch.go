package resolver

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/segraph/segraph/resolver/record"
)

// BatchDecision is a decision that a person made together with others.
type BatchDecision struct {
	DecisionID, CaseID string
	Undone             bool
}

// Batch returns the decisions whose journal entries have this Batch, newest first.
func (r *Resolver) Batch(ctx context.Context, id string) ([]BatchDecision, error) {
	from, to := record.BatchRange(id)
	var out []BatchDecision
	err := r.eachDecision(ctx, from, to, maxSearched, func(u *unit, x *record.Decision) error {
		out = append(out, BatchDecision{DecisionID: u.names().Decision(x.Number), CaseID: u.names().Case(x.Case), Undone: x.Undone != 0})
		return nil
	})
	return out, err
}

// Review is a person's decision on a case.
type Review struct {
	CaseID   string
	Reason   Reason
	By       string
	At       time.Time
	Accepted bool
	Undone   bool // it was undone since
}

// Reviews returns people's decisions on cases, newest first. It searches the newest limit decisions, those of the resolver
// included. cut reports whether there may be older ones.
func (r *Resolver) Reviews(ctx context.Context, limit int) (out []Review, cut bool, err error) {
	from, to := record.VerdictRange(0)
	seen := 0
	err = r.eachDecision(ctx, from, to, limit, func(u *unit, x *record.Decision) error {
		seen++
		if x.Case == 0 || x.Kind != record.AcceptedMerge && x.Kind != record.Rejection {
			return nil
		}
		k, err := u.caseOf(x.Case)
		if err != nil {
			return err
		}
		out = append(out, Review{CaseID: u.names().Case(x.Case), Reason: Reason(k.Reason), By: x.By, At: time.UnixMicro(x.At).UTC(),
			Accepted: x.Kind == record.AcceptedMerge, Undone: x.Undone != 0})
		return nil
	})
	return out, seen >= limit, err
}

// eachDecision calls do with the first limit decisions in a range of keys that end with
// their inverted numbers, so newest first. It skips decisions that are removed meanwhile.
func (r *Resolver) eachDecision(ctx context.Context, from, to []byte, limit int, do func(*unit, *record.Decision) error) error {
	var numbers []uint64
	if err := r.reading(func(u *unit) (err error) {
		numbers, err = numbersIn(u, from, to, limit, record.VerdictNumber)
		return err
	}); err != nil {
		return err
	}
	return r.inSlices(ctx, numbers, func(u *unit, n uint64) error {
		x, err := u.decision(n)
		if err == nil {
			err = do(u, x)
		}
		if errors.Is(err, errMissing) { // it has become too old meanwhile
			return nil
		}
		return err
	})
}

// errEnough ends inSlices without an error.
var errEnough = errors.New("enough was found")

// inSlices calls do with each number, until do returns an error. errEnough ends it without one. It releases the lock between slices.
func (r *Resolver) inSlices(ctx context.Context, numbers []uint64, do func(*unit, uint64) error) error {
	for part := range slices.Chunk(numbers, slice) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.reading(func(u *unit) error {
			for _, n := range part {
				if err := do(u, n); err != nil {
					return err
				}
			}
			return nil
		}); errors.Is(err, errEnough) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}
