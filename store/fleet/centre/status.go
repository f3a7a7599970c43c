package centre

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/segraph/segraph/store/fleet/pack"
)

// Alarm is why somebody should look at a box.
type Alarm string

// The alarms. A box has the first that applies.
const (
	Quiet  Alarm = ""
	Ahead  Alarm = "ahead"   // the box's file was restored from an older backup
	Forked Alarm = "fork"    // its entries are not those that were sent
	Denied Alarm = "refused" // its packs are refused for another reason
	Unseen Alarm = "unseen"  // it has never been heard
	Silent Alarm = "silent"  // nothing was heard of it for silence
	Behind Alarm = "behind"  // its oldest entry that is not here is older than late
)

const (
	silence = 90 * time.Second // a box reports every 20 s
	late    = time.Minute
)

// Status is what a centre knows of a box.
type Status struct {
	Log     string
	Key     string
	Alarm   Alarm
	Detail  string    // of a refusal
	Entries uint64    // that arrived and were verified
	Newest  time.Time // of the last of them, by the box's clock; zero if there is none
	Logged  time.Time // of the last of them that is a log; zero if there is none
	Arrived time.Time // when the last of them arrived
	// Heard is when the box last sent a pack or a report; zero if it has not since the centre started. Report
	// is what it said of itself then, and Ahead how far its clock was ahead, with the time of the way.
	Heard  time.Time
	Report pack.Report
	Ahead  time.Duration
}

// Lag returns how many entries of the box are not here, and how long the oldest has waited, as of the
// last report.
func (s *Status) Lag() (entries uint64, waited time.Duration) {
	if s.Heard.IsZero() || s.Report.Entries <= s.Entries {
		return 0, 0
	}
	if !s.Report.Waiting.IsZero() {
		waited = max(0, s.Report.Time.Sub(s.Report.Waiting))
	}
	return s.Report.Entries - s.Entries, waited
}

// heard is the last report of a box.
type heard struct {
	at     time.Time // a later pack may have had none
	report pack.Report
	ahead  time.Duration
}

// hears keeps when a pack was heard, and what it reports, if a key of the log signed that and no later report of the same run
// came: anybody could send an old one again for a box that is silent. The time of a report proves nothing, as clocks are set, but
// one with fewer entries than size, those that are here, is older, unless the box is refused, as after its file was restored.
func (c *Centre) hears(p *pack.Pack, from pack.State, size uint64, at Place) (err error) {
	known, _ := c.heard.LoadOrStore(p.Log, heard{})
	last, now := known.(heard), cmp.Or(at.Time, c.options.Now()).UTC()
	h := heard{at: later(last.at, now), report: last.report, ahead: last.ahead}
	if len(p.Entries) > 0 && len(p.Report) == 0 {
		c.heard.Store(p.Log, h)
		return nil
	}
	for _, key := range p.Keys(from) {
		if h.report, err = pack.ReadReport(p.Report, p.Log, key); err == nil {
			break
		}
	}
	if err != nil {
		return &pack.Refusal{Reason: pack.Key, Index: p.First, Detail: "the report is not signed with the log's key: " + err.Error()}
	}
	if h.report.Entries < size && h.report.Refused == "" {
		return nil
	}
	h.ahead = h.report.Time.Sub(now)
	if c.beats.newer(p.Log, run{h.report.Run, h.report.Beat}) {
		c.heard.Store(p.Log, h)
	}
	return nil
}

// beats has the last reports of the last runs of each box.
type beats struct {
	mu sync.Mutex
	of map[string][]run // by the name of the box, those heard last at the end
}

// run is a run of a box, and the count of its last report.
type run struct{ id, beat uint64 }

// maxRuns limits the runs of a box that are remembered, since the box chooses their numbers.
const maxRuns = 1000

// newer notes a report of a box, and reports whether no later one of the same run came.
func (b *beats) newer(log string, r run) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.of[log]
	if i := slices.IndexFunc(all, func(known run) bool { return known.id == r.id }); i >= 0 {
		if all[i].beat >= r.beat {
			return false
		}
		all = slices.Delete(all, i, i+1)
	}
	if len(all) == maxRuns {
		all = slices.Delete(all, 0, 1)
	}
	b.of[log] = append(all, r)
	return true
}

// Boxes returns the state of each configured box, by name.
func (c *Centre) Boxes() ([]Status, error) {
	all, err := c.all()
	if err != nil {
		return nil, err
	}
	now := c.options.Now()
	var out []Status
	for _, b := range all {
		s := Status{Log: b.log, Key: b.Key, Entries: b.Size, Newest: b.Newest, Logged: b.Logged, Arrived: b.Arrived}
		if h, ok := c.heard.Load(b.log); ok {
			h := h.(heard)
			if h.at.After(now) { // the centre's clock was set back
				was := h
				h.at = now
				c.heard.CompareAndSwap(b.log, was, h)
			}
			s.Heard, s.Report, s.Ahead = h.at, h.report, h.ahead
		}
		s.Alarm, s.Detail = c.alarm(&s, b.Refused, now)
		out = append(out, s)
	}
	return out, nil
}

// alarm returns the alarm of a box, and the detail of a refusal.
func (c *Centre) alarm(s *Status, refused *Refused, now time.Time) (level Alarm, detail string) {
	_, waited := s.Lag()
	since := s.Heard
	if !c.started.After(now) { // otherwise the centre's clock was set back since
		since = later(since, c.started)
	}
	switch said := s.Report.Refused; {
	case strings.HasPrefix(said, "ahead: "):
		return Ahead, said
	case strings.HasPrefix(said, "fork: "):
		return Forked, said
	case refused != nil && refused.Reason == pack.Fork:
		return Forked, refused.Detail
	case refused != nil:
		return Denied, refused.Detail
	case said != "":
		return Denied, said
	case s.Heard.IsZero() && s.Arrived.IsZero():
		return Unseen, ""
	case now.Sub(since) > silence:
		return Silent, ""
	case waited > late:
		return Behind, ""
	}
	return Quiet, ""
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
