package admin

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/views"
)

// alarm is how a page shows an alarm of a box.
type alarm struct {
	word, kind string // of the badge
	says       string // what is wrong, after the box's name
	do         string // what to do, with code between backquotes
}

// worst has the alarms, the worst first.
var worst = []centre.Alarm{centre.Forked, centre.Ahead, centre.Denied, centre.Silent, centre.Behind, centre.Unseen, centre.Quiet}

var alarms = map[centre.Alarm]alarm{
	centre.Quiet: {word: "current", kind: "good"},
	centre.Unseen: {"unseen", "warn", "has never been heard.",
		"Start it with `SEGRAPH_FORWARD_TO` and a token of the role box. Its own health page says why it can’t reach this centre."},
	centre.Silent: {"silent", "bad", "sends nothing.",
		"Nothing is lost: it sends what it has as soon as it can. Look whether its robot is on, and its network works; then at its own health page."},
	centre.Behind: {"behind", "warn", "is behind: it sends more slowly than it logs.",
		"Wait: it catches up. If it falls further behind, its link is too slow, or `SEGRAPH_FORWARD_RATE` too low."},
	centre.Ahead: {"restored", "bad", "was restored from an older backup.",
		"Restore it with `segraph restore`, which begins a log with a new name, and replace its key in `SEGRAPH_BOXES`."},
	centre.Forked: {"fork", "bad", "has another history than it sent.",
		"Find out who rewrote its file, or uses a copy of it. Then restore it with `segraph restore`, and replace its key in `SEGRAPH_BOXES`."},
	centre.Denied: {"refused", "bad", "sends what this centre refuses.",
		"Read the reason. The other boxes go on. This one tries again: within five minutes, or through a stream within a day."},
}

// shift is how far a box's clock may be ahead or behind before the page marks it.
const shift = 5 * time.Second

// long matches quoted texts, ports, and numbers of five digits and more. Only the numbers get commas: the others are
// matched so that their digits stay as they are.
var long = regexp.MustCompile(`“[^”]*”|"[^"]*"|:[0-9]+|\b[1-9][0-9]{4,17}\b`)

// getBoxes shows the boxes of this centre, and the centres that get its own journal.
func (u *handlers) getBoxes(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	fleet, err := u.Service.Fleet()
	if err != nil {
		return err
	}
	f := u.Frame(r, v, "Boxes")
	f.Refresh = refreshHealth
	return u.Show(w, r, http.StatusOK, BoxesPage(f, boxesModel(fleet, v.Now)))
}

// boxesModel returns the page's model: boxes with the worst alarm first.
func boxesModel(f service.Fleet, now time.Time) Boxes {
	m := Boxes{Now: now, Centres: centres(f.Centres), Late: f.Late}
	counts := map[centre.Alarm]int{}
	for _, s := range f.Boxes {
		b := Box{Status: s, alarm: alarms[s.Alarm]}
		if s.Detail != "" {
			b.Detail = long.ReplaceAllStringFunc(service.Sentence(strings.TrimPrefix(s.Detail, string(s.Alarm)+": ")), func(n string) string {
				if count, err := strconv.Atoi(n); err == nil {
					return views.Count(count)
				}
				return n // a quoted text or a port
			})
		}
		counts[s.Alarm]++
		m.List = append(m.List, b)
	}
	rank := func(b Box) int { return slices.Index(worst, b.Alarm) }
	slices.SortStableFunc(m.List, func(a, b Box) int { return rank(a) - rank(b) })
	for _, a := range worst {
		if counts[a] > 0 {
			m.States = append(m.States, views.Count(counts[a])+" "+alarms[a].word)
		}
	}
	return m
}

// title says how many boxes are in which state.
func (m Boxes) title() string {
	all := views.Plural(len(m.List), "box")
	if len(m.States) == 1 {
		return all + ": " + m.List[0].alarm.word
	}
	return all + ": " + strings.Join(m.States, ", ")
}

// needing returns the boxes that somebody should do something about.
func (m Boxes) needing() []Box {
	for i, b := range m.List { // they come first
		if b.alarm.do == "" {
			return m.List[:i]
		}
	}
	return m.List
}

// needs says how many boxes somebody should do something about.
func (m Boxes) needs(n int) string {
	text := views.Count(n) + " of " + views.Plural(len(m.List), "box")
	if n == 1 {
		return text + " needs you"
	}
	return text + " need you"
}

// verified says when the newest entry that arrived was written, or returns a dash.
func (b Box) verified(ctx context.Context) string {
	if b.Newest.IsZero() {
		return "–"
	}
	return views.Clock(ctx, b.Newest)
}

// missing says how many entries the box has that have not arrived, and for how long, or returns a dash.
func (b Box) missing() string {
	if lag, waited := b.Lag(); lag > 0 {
		return views.Count(int(lag)) + " for " + views.Roughly(waited)
	}
	return "–"
}

// ago says how long ago something was, or returns a dash if it never was.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return views.In(t, now)
}

// machine says what is known of the computer of a box. What the box sent is quoted.
func (b Box) machine() string {
	var parts []string
	if b.Status.Ahead.Abs() >= shift {
		parts = append(parts, "clock "+views.Roughly(b.Status.Ahead.Abs())+map[bool]string{true: " ahead", false: " behind"}[b.Status.Ahead > 0])
	} else if !b.Report.Time.IsZero() {
		parts = append(parts, "clock right")
	}
	if !b.Report.Time.IsZero() && b.Report.Free >= 0 {
		parts = append(parts, views.Size(b.Report.Free)+" free")
	}
	if v := strings.TrimSpace(b.Report.Version); v != "" {
		parts = append(parts, "version "+views.Said(v))
	}
	return views.Capital(strings.Join(parts, " · "))
}
