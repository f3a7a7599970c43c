package retention

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/strictyaml"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/store/rdf"
)

// A Rule says how long the logs are kept that meet its conditions.
type Rule struct {
	User, Robot, Kind string // a user of tokens, an IRI, and the IRI of a class or an event_kind; "" means any
	Keep              time.Duration
	Forever           bool // in place of Keep
	ByEvent           bool // counts from the last time that the log reports, not from its arrival
}

// Half is the least time for which the EU's AI Act, articles 19 and 26(6), has the logs of
// high-risk systems kept: six months.
const Half = 184 * 24 * time.Hour

// String returns the rule in words.
func (r Rule) String() string {
	var b strings.Builder
	for _, c := range [][2]string{{"user", r.User}, {"robot", r.Robot}, {"kind", r.Kind}} {
		if c[1] != "" {
			fmt.Fprintf(&b, "%s %q, ", c[0], c[1])
		}
	}
	if b.Len() == 0 {
		b.WriteString("all logs, ")
	}
	b.WriteString(r.Time())
	if r.ByEvent {
		b.WriteString(" after the event")
	}
	return b.String()
}

// Time returns how long the rule keeps logs, in words.
func (r Rule) Time() string {
	switch day := 24 * time.Hour; {
	case r.Forever:
		return "for ever"
	case r.Keep%day == 0:
		return strconv.Itoa(int(r.Keep/day)) + " days"
	}
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(r.Keep.String())
}

// row is a rule in the file.
type row struct{ User, Robot, Kind, Keep, By string }

// maxRows is how many rules a file may have: SEGRAPH_RETENTION adds one for all other logs.
const maxRows = provenance.MaxRules - 1

// Parse reads rules in YAML: a list of rows. keep is a number of days, such as 30d, or forever. A row may have user, robot,
// kind, and by, which is event or, the default, arrival.
func Parse(text []byte) (rules []Rule, err error) {
	var rows []row
	if err := strictyaml.Decode(text, &rows); err != nil {
		return nil, err
	}
	if len(rows) == 0 || len(rows) > maxRows {
		return nil, fmt.Errorf("it has %d rows; 1 to %d are allowed", len(rows), maxRows)
	}
	for i, w := range rows {
		r := Rule{User: w.User, Robot: w.Robot, Kind: w.Kind, Forever: w.Keep == "forever", ByEvent: w.By == "event"}
		days, inDays := strings.CutSuffix(w.Keep, "d")
		n, err := strconv.ParseUint(days, 10, 16)
		r.Keep = time.Duration(n) * 24 * time.Hour
		isName := !strings.ContainsAny(w.Kind, ":/#") && w.Kind == strings.ToLower(w.Kind)
		counts := err == nil && inDays && n > 0
		switch {
		case !r.Forever && !counts:
			return nil, fmt.Errorf("row %d: keep must be days, such as 30d, or forever, and is %q", i+1, w.Keep)
		case !slices.Contains([]string{"", "arrival", "event"}, w.By):
			return nil, fmt.Errorf("row %d: by must be arrival or event, and is %q", i+1, w.By)
		case w.Robot != "" && !rdf.IsIRI(w.Robot):
			return nil, fmt.Errorf("row %d: robot must be an absolute IRI, and is %q", i+1, w.Robot)
		case !rdf.IsIRI(w.Kind) && !isName:
			return nil, fmt.Errorf("row %d: kind must be the absolute IRI of a class, or an event_kind in small letters, and is %q", i+1, w.Kind)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// expiry returns which logs are too old at a time.
func expiry(rules []Rule, now time.Time) (x store.Expiry) {
	x.Now = now
	for _, r := range rules {
		e := store.ExpiryRule{ByEvent: r.ByEvent, Selection: store.Selection{User: r.User}}
		if r.Robot != "" {
			e.Robot = rdf.NewIRI(r.Robot)
		}
		if r.Kind != "" {
			e.Kind = rdf.NewIRI(r.Kind)
		}
		if !r.Forever {
			e.Before = now.Add(-r.Keep)
		}
		x.Rules = append(x.Rules, e)
	}
	return x
}
