package admin

import (
	"net/http"
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
	do         string // what to do
}

var alarms = map[centre.Alarm]alarm{
	centre.Quiet: {word: "verified", kind: "good"},
	centre.Unseen: {"not seen yet", "warn", "has never been heard",
		"Start it with SEGRAPH_FORWARD_TO and a token of the role box. Its own health page says why it can’t reach this centre."},
	centre.Silent: {"silent", "bad", "is silent",
		"Nothing is lost: it sends what it has as soon as it can. Look whether its robot is on, and its network works; then at its own health page."},
	centre.Behind: {"behind", "warn", "is behind",
		"Wait: it catches up. If it falls further behind, its link is too slow, or SEGRAPH_FORWARD_RATE too low."},
	centre.Ahead: {"ahead", "bad", "was restored from an older backup",
		"Restore it with segraph restore, which begins a log with a new name, and add its new key to SEGRAPH_BOXES."},
	centre.Forked: {"fork", "bad", "has another history than it sent",
		"Its file was rewritten, or a copy of it is used twice. Find out who did it. Then restore it with segraph restore, and add its new key to SEGRAPH_BOXES."},
	centre.Denied: {"refused", "bad", "is refused",
		"Read the reason. The other boxes go on, and this one tries again within five minutes."},
}

// shift is how far a box's clock may be ahead or behind before the page marks it.
const shift = 5 * time.Second

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

func boxesModel(f service.Fleet, now time.Time) Boxes {
	m := Boxes{Now: now, Centres: centres(f.Centres)}
	for _, s := range f.Boxes {
		b := Box{Status: s, alarm: alarms[s.Alarm]}
		b.Lag, b.Waited = s.Lag()
		if s.Detail != "" {
			b.Detail = service.Sentence(s.Detail)
		}
		if s.Alarm != centre.Quiet {
			m.Alarms = append(m.Alarms, b)
		}
		m.List = append(m.List, b)
	}
	return m
}

// lag returns how far a box is behind, in words.
func (b Box) lag() string {
	switch {
	case b.Heard.IsZero():
		return "unknown"
	case b.Lag == 0:
		return "none"
	case b.Lag == 1:
		return "1 entry, " + views.Roughly(b.Waited)
	}
	return views.Count(int(b.Lag)) + " entries, " + views.Roughly(b.Waited)
}

// clock returns how far a box's clock is ahead or behind, in words.
func (b Box) clock() string {
	switch {
	case b.Heard.IsZero():
		return "unknown"
	case b.Status.Ahead.Abs() < time.Second:
		return "same"
	case b.Status.Ahead > 0:
		return views.Roughly(b.Status.Ahead) + " ahead"
	}
	return views.Roughly(-b.Status.Ahead) + " behind"
}

// disk returns the room that a box has left, or "unknown".
func (b Box) disk() string {
	if b.Heard.IsZero() || b.Report.Free < 0 {
		return "unknown"
	}
	return views.Size(b.Report.Free) + " free"
}

// version returns the version of a box, or "unknown".
func (b Box) version() string {
	if v := strings.TrimSpace(b.Report.Version); v != "" {
		return v
	}
	return "unknown"
}
