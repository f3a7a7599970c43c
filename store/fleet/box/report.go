package box

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
)

// report tells the centre of this box, and returns its answer.
func (s *Sender) report(ctx context.Context) (answer Answer, err error) {
	var sent Message
	err = s.options.Log.Excerpt(ctx, func(x *translog.Excerpt) error {
		p := &pack.Pack{Log: x.Origin, First: s.confirmed}
		err := s.sign(ctx, x, p)
		if err == nil {
			sent = Message{Log: p.Log, First: p.First, End: p.First}
			sent.Pack, err = p.Encode()
		}
		return err
	})
	if err == nil {
		answer, err = s.exchange(ctx, sent)
	}
	return answer, err
}

// rotations are the notes of a log's changes of keys from an entry on. A running log does not change its key.
type rotations struct {
	from    uint64
	entries []uint64
	notes   []string
}

// handovers returns the notes of the changes of keys from an entry on, in order.
func (s *Sender) handovers(ctx context.Context, x *translog.Excerpt, from uint64) ([]string, error) {
	if s.rotations == nil || from < s.rotations.from {
		found := &rotations{from: from}
		err := x.Each(ctx, from, func(index uint64, stored []byte) error {
			if !bytes.Contains(stored, []byte(journal.Rotate)) {
				return nil
			}
			_, e, err := x.Entry(index)
			if err == nil && e.Action == journal.Rotate {
				found.entries, found.notes = append(found.entries, index), append(found.notes, e.Handover)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("looking for changes of keys: %w", err)
		}
		s.rotations = found
	}
	at, _ := slices.BinarySearch(s.rotations.entries, from)
	return s.rotations.notes[at:], nil
}

// sign adds to a pack what leads to the key that signs, and a report of this box, unless the pack has entries and the last
// report is recent.
func (s *Sender) sign(ctx context.Context, x *translog.Excerpt, to *pack.Pack) (err error) {
	if to.Handovers, err = s.handovers(ctx, x, to.First+uint64(len(to.Entries))); err != nil {
		return err
	}
	now := s.options.Now()
	if len(to.Entries) > 0 && now.Sub(s.reported) < beat {
		return nil
	}
	s.beats++
	r := pack.Report{Run: s.run, Beat: s.beats, Time: now.UTC(), Entries: x.Size, Free: -1}
	s.reported = now
	if status := s.Status(); status.State == Refused && len(to.Entries) == 0 {
		r.Refused = fmt.Sprintf("%.500s", status.Detail)
		s.reported = time.Time{} // the next pack says that this is over
	}
	if s.options.Self != nil {
		r.Version, r.Free = s.options.Self()
	}
	if next := to.First + uint64(len(to.Entries)); next < x.Size {
		_, e, err := x.Entry(next)
		if err != nil {
			return err
		}
		r.Waiting = e.Time
	}
	to.Report, err = x.Sign(r.Text(x.Origin))
	return err
}

// RefusedError says that the centre refuses what this box sends.
type RefusedError struct {
	Detail string
	Kept   bool // a relay keeps the pack for a while, so one more costs room there
}

func (e *RefusedError) Error() string { return e.Detail }
