package query

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// A chartColumn describes a column of an answer.
type chartColumn struct {
	name    string
	at      int
	values  int // distinct
	numbers bool
	times   bool
	points  bool // places as WKT points
	group   bool // the rows are grouped by these numbers, so they name rows and measure nothing
}

// columnsOf classifies the columns of an answer. An empty cell fits every class.
func columnsOf(names []string, rows [][]rdf.Term) []chartColumn {
	out := make([]chartColumn, len(names))
	for i, name := range names {
		c := chartColumn{name: name, at: i, numbers: true, times: true, points: true}
		distinct := map[rdf.Term]bool{}
		for _, row := range rows {
			t := row[i]
			if t.IsZero() {
				continue
			}
			distinct[t] = true
			_, number := numberOf(t)
			_, moment := timeOf(t, time.UTC)
			_, _, point := pointOf(t)
			c.numbers, c.times, c.points = c.numbers && number, c.times && moment, c.points && point
		}
		if c.values = len(distinct); c.values == 0 {
			c.numbers, c.times, c.points = false, false, false
		}
		out[i] = c
	}
	return out
}

// numberOf returns the value of a numeric literal.
func numberOf(t rdf.Term) (n float64, ok bool) {
	if !t.IsLiteral() || !rdf.IsNumeric(t.Datatype()) {
		return 0, false
	}
	v, err := strconv.ParseFloat(t.Value(), 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// timeOf returns the time of a dateTime or a date, in zone z. A dateTime without a zone is in UTC, and a date
// without one is in z.
func timeOf(t rdf.Term, z *time.Location) (at time.Time, ok bool) {
	switch {
	case !t.IsLiteral():
		return time.Time{}, false
	case t.Datatype() == rdf.XSDDateTime:
		at, ok = views.TimeOf(t)
	case t.Datatype() == rdf.XSD+"date":
		at, ok = views.ParseTimeIn(t.Value(), z)
	}
	return at.In(z), ok
}

// wktPoint matches a WKT point after the IRI of its reference system, if any.
var wktPoint = regexp.MustCompile(`(?i)^\s*(?:<(\S*)>)?\s*POINT\b[^(]*\((.*)\)`)

// pointOf returns the longitude and latitude of a WKT point, such as "POINT(4.8 45.7)", in the reference
// system CRS84, which is that of points that name none, or EPSG 4326.
func pointOf(t rdf.Term) (x, y float64, ok bool) {
	if !t.IsLiteral() || !strings.HasSuffix(t.Datatype(), "wktLiteral") {
		return 0, 0, false
	}
	point := wktPoint.FindStringSubmatch(t.Value())
	if point == nil {
		return 0, 0, false
	}
	if _, err := fmt.Sscan(point[2], &x, &y); err != nil {
		return 0, 0, false
	}
	switch system := point[1]; {
	case system == "" || strings.HasSuffix(system, "/CRS84"):
		return x, y, true
	case strings.HasSuffix(system, "/EPSG/0/4326"):
		return y, x, true // the latitude comes first
	}
	return 0, 0, false
}

// columnAt returns the index of the column with a name, or -1.
func columnAt(list []chartColumn, name string) int {
	return slices.IndexFunc(list, func(x chartColumn) bool { return x.name == name })
}
