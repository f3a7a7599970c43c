package resolver

import (
	"fmt"
	"io"
	"strings"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
)

// A name is never reused, even if a backup is restored, or a file is copied and used on
// two machines, so that numbers repeat. Each time the memory is read from the store, new
// names get new random bits. A series holds the bits and the first numbers that go with
// them. It is stored with the first change that uses a number, so a start without
// decisions leaves no trace.

// recallNames reads the series of names, and draws the bits of the next one.
func (c *committed) recallNames(t *record.Totals, random io.Reader) error {
	series, err := c.storedSeries()
	if err != nil {
		return err
	}
	next := record.Series{Observations: t.Observations + 1, Cases: t.Cases + 1, Decisions: t.Decisions + 1}
	if _, err := io.ReadFull(random, next.Bits[:]); err != nil {
		return fmt.Errorf("drawing random bits for the names of contexts: %w", err)
	}
	c.series, c.named = append(series, next), false
	return nil
}

// storedSeries reads the series of names.
func (c *committed) storedSeries() (series []record.Series, err error) {
	from, to := record.SeriesRange()
	err = readAll(c, from, to, func(s *record.Series) { series = append(series, *s) })
	return series, err
}

// uri returns the name of a new context: its kind, for people, and its number.
func (u *unit) uri(kind string, number uint64) string {
	slug := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, kind)
	bits := u.nameBits()
	return u.policy.Namespace + slug[:min(len(slug), 40)] + "_" + mirror.Suffix(bits[:], number)
}
