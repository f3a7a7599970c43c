package resolver

import (
	"context"
	"errors"
	"time"

	"github.com/segraph/segraph/resolver/record"
)

// Waiting summarizes a pending case.
type Waiting struct {
	CaseID     string
	Reason     Reason
	EventKind  string
	Text       string  // text of the source's first observation that has one, in normal form; or ""
	Robot      string  // of its first observation, or ""
	GroupID    string  // the URI of a context, equal for all cases about one event
	Confidence float64 // that one of the targets is right
	Best       float64 // that the best one is
	Target     string  // the URI of the best one
	Targets    int
	CreatedAt  time.Time
}

// Waiting returns summaries of the first limit pending cases, oldest first.
func (r *Resolver) Waiting(ctx context.Context, limit int) ([]Waiting, error) {
	var numbers []uint64
	if err := r.reading(func(u *unit) (err error) {
		from, to := record.PendingRange(0)
		numbers, err = numbersIn(u, from, to, limit, record.Number)
		return err
	}); err != nil {
		return nil, err
	}
	out, known := make([]Waiting, 0, len(numbers)), map[uint64]string{}
	err := r.inSlices(ctx, numbers, func(u *unit, n uint64) error {
		waiting, err := u.waits(n, known)
		if waiting != nil {
			out = append(out, *waiting)
		}
		return err
	})
	return out, err
}

// waits returns the summary of a case, or nil if it was decided meanwhile.
func (u *unit) waits(number uint64, known map[uint64]string) (*Waiting, error) {
	k, err := u.caseOf(number)
	if errors.Is(err, errMissing) { // it has become too old meanwhile
		return nil, nil
	} else if err != nil || k.Status != record.Pending {
		return nil, err
	}
	source, err := u.root(k.Source)
	if err != nil {
		return nil, err
	}
	w := Waiting{CaseID: u.names().Case(number), Reason: Reason(k.Reason), EventKind: source.Kind, Confidence: k.Any,
		CreatedAt: time.UnixMicro(k.Opened).UTC()}
	for _, m := range source.Members {
		if w.Robot == "" {
			w.Robot = m.Robot
		}
		if w.Text == "" {
			w.Text = m.Text
		}
	}
	offered := map[uint64]bool{source.Number: true}
	for _, t := range k.Targets {
		root, err := u.root(t.Context)
		if err != nil {
			return nil, err
		}
		if offered[root.Number] {
			continue
		}
		offered[root.Number] = true
		if w.Targets == 0 {
			w.Best, w.Target = t.Probability, root.URI
		}
		if w.Targets++; w.GroupID == "" {
			if w.GroupID, err = u.groupOf(root, known); err != nil {
				return nil, err
			}
		}
	}
	return &w, nil
}
