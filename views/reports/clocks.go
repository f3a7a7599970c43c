package reports

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/segraph/segraph/views"
)

// zone returns the reader's time zone.
func (r *Report) zone() *time.Location { return cmp.Or(r.Zone, time.UTC) }

// dated returns the report from its first activity on, so that queries by the hours of a clock name only the
// changes of that clock since then.
func (r *Report) dated(ctx context.Context) (*Report, error) {
	dated := *r
	if !r.From.IsZero() || r.zone() == time.UTC {
		return &dated, nil
	}
	dated.Limit = 1
	rows, _, err := dated.limited(ctx, "sessions-later")
	dated.Limit = r.Limit
	for _, row := range rows {
		dated.From, _ = views.TimeOf(row[0])
	}
	return &dated, err
}

// firstChange is the first year whose changes of the clock count. Changes more than a year from now do not count either.
const firstChange = 2000

// ahead returns how many minutes the reader's clock is ahead of UTC at ?start, as a term that a query adds; "" for
// UTC. It names the changes of the clock in the range, if there are any. A start without a zone is in UTC.
func (r *Report) ahead(from, to time.Time) string {
	if r.zone() == time.UTC {
		return ""
	}
	if first := time.Date(firstChange, 1, 1, 0, 0, 0, 0, time.UTC); from.Before(first) {
		from = first
	}
	if last := r.Now.AddDate(1, 0, 0); to.IsZero() || to.After(last) {
		to = last
	}
	out, ends := "", ""
	for at := from.In(r.Zone); ; {
		_, east := at.Zone()
		_, change := at.ZoneBounds()
		if change.IsZero() || !change.Before(to) {
			return " + " + out + strconv.Itoa(east/60) + ends
		}
		when := change.UTC().Format("2006-01-02T15:04:05")
		out += fmt.Sprintf(`IF(COALESCE(?start < "%[1]sZ"^^xsd:dateTime, ?start < "%[1]s"^^xsd:dateTime), %d, `, when, east/60)
		at, ends = change, ends+")"
	}
}
