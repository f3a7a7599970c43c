package resolver

import (
	"context"
	"fmt"
	"time"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
)

// A file written by an older version may hold a mirror in an older format. Renew rewrites
// it from the records, one part and one change at a time, while the resolver works. New
// decisions are mirrored in the new format. So each record has either all of its old
// quads or all of its new ones. The totals record when all parts are done. After an
// interruption Renew starts again.

// ErrForm reports that a newer version wrote a store's records or their mirror.
var ErrForm = record.ErrEncoding

// isOutdated reports whether the records with these totals have a mirror in an older format.
func isOutdated(t *record.Totals) bool { return t.Stored > 0 && t.Form < mirror.Form }

// IsOutdated reports whether the mirror of a store's records is in an older format. For a
// newer format the error is ErrForm.
func IsOutdated(store Store) (bool, error) {
	t, err := fetch[record.Totals](readOnly(store), record.TotalsKey())
	switch {
	case err != nil || t == nil:
		return false, err
	case t.Form > mirror.Form:
		return false, ErrForm
	}
	return isOutdated(t), nil
}

// Outdated returns a channel that receives a value when Open or ImportBackup finds a
// mirror in an older format. Call Renew then.
func (r *Resolver) Outdated() <-chan struct{} { return r.outdated }

// Renew rewrites a mirror in an older format from the records, and returns how many
// records it mirrored. It may run concurrently with other methods, but not with itself.
// After an error it may be called again.
func (r *Resolver) Renew(ctx context.Context) (records int, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return records, err
		}
		begin := time.Now()
		w, n, err := r.renewPart()
		if err != nil {
			return records, fmt.Errorf("mirroring the resolver's records again: %w", err)
		}
		if w == nil {
			return records, nil
		}
		if err := r.await(w); err != nil {
			return records, err
		}
		records += n
		if r.changedSince(w) { // give waiting operations at least half of the time
			select {
			case <-ctx.Done():
			case <-time.After(time.Since(begin)):
			}
		}
	}
}

// changedSince reports whether anything was decided after a change.
func (r *Resolver) changedSince(w *commit) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changes > w.number
}

// Limits of a part. Other operations wait for it, a few milliseconds.
const (
	maxRenewed      = 100     // records
	maxRenewedBytes = 1 << 16 // bytes of their values
)

// renewPart submits a change that mirrors the next records. It returns nil if nothing is
// left to do.
func (r *Resolver) renewPart() (*commit, int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.recall(); err != nil {
		return nil, 0, err
	}
	u := r.begin()
	if !isOutdated(&u.totals) {
		return nil, 0, nil
	}
	if u.renewed == nil {
		u.add = mirror.Schema()
		for _, q := range u.add {
			u.replace = append(u.replace, q.S)
		}
	}
	part, err := u.nextMirrored()
	if err != nil {
		return nil, 0, err
	}
	for _, x := range part {
		quads, err := quadsOf(u.names(), x.Key[0], x.Value)
		if err != nil {
			return nil, 0, fmt.Errorf("record %x: %w", x.Key, err)
		}
		if len(quads) > 0 {
			u.replace, u.add = append(u.replace, quads[0].S), append(u.add, quads...)
		}
	}
	if len(part) == 0 {
		u.totals.Form = mirror.Form
	} else {
		u.renewed = part[len(part)-1].Key
	}
	w, err := r.enter(u)
	return w, len(part), err
}

// nextMirrored returns the records of the next part, or none at the end.
func (u *unit) nextMirrored() (part []Record, err error) {
	last := u.renewed
	bytes := 0
	for _, first := range [][]byte{record.ContextKey(0), record.DecisionKey(0), record.WatchedKey(""), record.CaseKey(0), record.ClockKey(""), record.ObservationKey(0, 0), record.RelayKey("")} { // in order
		from, to := first[:1], []byte{first[0] + 1}
		switch {
		case string(last) >= string(to):
			continue
		case string(last) > string(from):
			from = append(last[:len(last):len(last)], 0)
		}
		err := u.scan(from, to, func(key, value []byte) bool {
			part = append(part, Record{append([]byte(nil), key...), append([]byte(nil), value...)})
			bytes += len(value)
			return len(part) < maxRenewed && bytes < maxRenewedBytes
		})
		if err != nil || len(part) > 0 {
			return part, err
		}
	}
	return nil, nil
}
