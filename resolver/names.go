package resolver

import (
	"fmt"
	"io"
	"strings"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
)

// A name is never given twice, although a backup may be restored, and a file may be copied and go on
// on two machines. Numbers repeat then. So whenever the memory is read from the store, new names begin
// with random bits drawn anew. A series remembers the bits and the first numbers that go with them: it is
// stored with the first change that gives a number, so a start that decides nothing leaves nothing.

// recallNames reads the series of names, and draws the bits of the next one.
func (r *Resolver) recallNames(t *record.Totals) error {
	series, err := r.storedSeries()
	if err != nil {
		return err
	}
	next := record.Series{Observations: t.Observations + 1, Cases: t.Cases + 1, Decisions: t.Decisions + 1}
	if _, err := io.ReadFull(r.random, next.Bits[:]); err != nil {
		return fmt.Errorf("drawing random bits for the names of contexts: %w", err)
	}
	r.series, r.named = append(series, next), false
	return nil
}

// storedSeries reads the series of names.
func (r *Resolver) storedSeries() (series []record.Series, err error) {
	from, to := record.SeriesRange()
	err = readAll(r, from, to, func(s *record.Series) { series = append(series, *s) })
	return series, err
}

// enterNames stores the series that new names are of, with the first change that gives a number.
func (d *draft) enterNames() {
	if d.named || d.totals.Decisions == d.Resolver.totals.Decisions {
		return
	}
	last := d.series[len(d.series)-1]
	d.totals.Names = last.Bits
	d.put(record.SeriesKey(last.Decisions), record.Encode(&last))
}

// uri names a new context: by its kind, so that people see what it is, and its number.
func (d *draft) uri(kind string, number uint64) string {
	slug := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, kind)
	bits := d.series[len(d.series)-1].Bits
	return d.settings.Namespace + slug[:min(len(slug), 40)] + "_" + mirror.Suffix(bits[:], number)
}
