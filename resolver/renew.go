package resolver

import (
	"context"
	"fmt"
	"time"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
)

// The mirror of a file that an older version has written may have another form. It is written anew from the records,
// a part at a time, each in a change of its own, while the resolver decides. What it decides meanwhile is
// mirrored in the new form. So each record has all of its old quads or all of its new ones. The totals tell when all is
// done; where that was cut short, it begins again.

// ErrForm says that a store's records, or their mirror, are what a version has written that this one does not know.
var ErrForm = record.ErrEncoding

// isDated tells whether what was stored with these totals is mirrored in an older form.
func isDated(t *record.Totals) bool { return t.Stored > 0 && t.Form < mirror.Form }

// IsDated tells whether the mirror of a store's records has the form of an older version. That of a newer one
// is ErrForm.
func IsDated(store Store) (bool, error) {
	r := &Resolver{store: store, settings: Defaults()}
	r.forget()
	t, err := fetch[record.Totals](r, record.TotalsKey())
	switch {
	case err != nil || t == nil:
		return false, err
	case t.Form > mirror.Form:
		return false, ErrForm
	}
	return isDated(t), nil
}

// Dated receives when a mirror of an older form was met, as Open and Regain may: Renew is to be called then.
func (r *Resolver) Dated() <-chan struct{} { return r.dated }

// Renew writes the mirror anew from the records, if it has an older form, and gives the number of records that it
// did so for. It may be called beside everything else, by one caller at a time. After an error, as the context's, it
// may be called again.
func (r *Resolver) Renew(ctx context.Context) (records int, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return records, err
		}
		begin := time.Now()
		w, n, err := r.renewPart()
		if err != nil {
			return records, fmt.Errorf("mirroring the resolver's records anew: %w", err)
		}
		if w == nil {
			return records, nil
		}
		if err := r.await(ctx, w); err != nil {
			return records, err
		}
		records += n
		if r.changedSince(w) { // others ask: they have at least half of the time
			select {
			case <-ctx.Done():
			case <-time.After(time.Since(begin)):
			}
		}
	}
}

// changedSince tells whether something was decided after a change.
func (r *Resolver) changedSince(w *commit) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changes > w.number
}

// Bounds of a part, for which whoever asks the resolver has to wait: a few milliseconds.
const (
	maxRenewed      = 100     // records
	maxRenewedBytes = 1 << 16 // of their values
)

// renewPart hands on the change that mirrors the next records anew, nil if there is nothing to be done.
func (r *Resolver) renewPart() (*commit, int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.recall(); err != nil {
		return nil, 0, err
	}
	if !isDated(&r.totals) {
		return nil, 0, nil
	}
	d := r.draft()
	if r.renewed == nil {
		d.quads = mirror.Schema()
		for _, q := range d.quads {
			d.anew = append(d.anew, q.S)
		}
	}
	part, err := r.nextMirrored(r.renewed)
	if err != nil {
		return nil, 0, err
	}
	for _, x := range part {
		quads, err := quadsOf(d.names(), x.Key[0], x.Value)
		if err != nil {
			return nil, 0, fmt.Errorf("record %x: %w", x.Key, err)
		}
		if len(quads) > 0 {
			d.anew, d.quads = append(d.anew, quads[0].S), append(d.quads, quads...)
		}
	}
	if len(part) == 0 {
		d.totals.Form = mirror.Form
	} else {
		r.renewed = part[len(part)-1].Key
	}
	w, err := d.enter()
	return w, len(part), err
}

// nextMirrored gives the records behind a key, nil for the first ones, that a part of the mirror is made of; none
// behind the last.
func (r *Resolver) nextMirrored(last []byte) (part []Record, err error) {
	bytes := 0
	for _, first := range [][]byte{record.ContextKey(0), record.DecisionKey(0), record.WatchedKey(""), record.CaseKey(0), record.ClockKey(""), record.ObservationKey(0, 0), record.RelayKey("")} { // in order
		from, to := first[:1], []byte{first[0] + 1}
		switch {
		case string(last) >= string(to):
			continue
		case string(last) > string(from):
			from = append(last[:len(last):len(last)], 0)
		}
		err := r.scan(from, to, func(key, value []byte) bool {
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
