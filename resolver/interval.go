package resolver

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/segraph/segraph/resolver/clocks"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
)

// Subjects and pairs of robots are learnt from complete intervals of time, once all
// robots have probably reported. So the order of reports does not matter. An interval is
// one bucket of a kind. It is surveyed once openIntervals more intervals have a context,
// whatever their times, because streams may arrive late or backwards.
const (
	openIntervals = 5
	// maxReports is how many reports around an interval are compared. If there are more, as
	// in a bulk load, nothing is learnt.
	maxReports = 128
	// maxLetters is how many characters their texts may have together. Comparing all pairs of as
	// many reports takes a fifth of a second, and nobody else's turn comes meanwhile.
	maxLetters = 80 * maxReports
	// likeText is the least similarity of two texts that may be the same words.
	likeText = 0.5
	// counterpart is the largest difference, in microseconds, between the timestamps of
	// two reports of one event while the robots' clocks are unknown.
	counterpart = 9 * second
)

// report is the part of an observation with a text that intervals use. Robots without a
// name count as one.
type report struct {
	record.Member
	person  string // the first subject of the person that Subject names; a placeholder names only itself
	context uint64
	at      int64 // by the corrected clock
	text    *text.Text
	within  bool // in the interval itself
	// heard are the robots that reported a similar text within counterpart.
	heard []string
}

// heardBy reports whether a robot reported a similar text.
func (x *report) heardBy(robot string) bool { return slices.Contains(x.heard, robot) }

// openInterval opens the interval of a new context if it is the first one there.
func (u *unit) openInterval(x *shared) error {
	name := x.bucket()
	b, err := u.bucket(name)
	if err != nil || len(b.all) > 0 {
		return err
	}
	return u.opened(name)
}

// opened adds an interval to the open ones, and surveys the oldest if there are too many.
func (u *unit) opened(name bucketName) error {
	open := append(slices.Clone(u.kindOf.Open), name.time)
	if len(open) <= openIntervals {
		u.kindOf.Open = open
		return nil
	}
	u.kindOf.Open = open[1:]
	return u.survey(bucketName{name.kind, open[0]})
}

// survey learns from the reports of an interval which robots report the same, and which repeat others. Too many
// reports are not compared.
func (u *unit) survey(name bucketName) error {
	reports, err := u.reports(name)
	if err != nil || len(reports) < 2 || len(reports) > maxReports {
		return err
	}
	letters := 0
	for i := range reports {
		letters += utf8.RuneCountInString(reports[i].text.Normal)
	}
	if letters > maxLetters {
		return nil
	}
	for i := range reports {
		for j := i + 1; j < len(reports) && reports[j].at-reports[i].at <= counterpart; j++ {
			a, b := &reports[i], &reports[j]
			if a.Robot != b.Robot && u.likeness(a.text, b.text) >= likeText {
				a.heard, b.heard = append(a.heard, b.Robot), append(b.heard, a.Robot)
			}
		}
	}
	u.learnPairs(reports)
	u.learnRelays(reports)
	return u.judgeWatched()
}

// reports returns the reports of an interval and of two intervals on either side, in time
// order.
func (u *unit) reports(name bucketName) ([]report, error) {
	out := u.spare.reports[:0]
	defer func() { u.spare.reports = out }()
	seen := map[uint64]bool{}
	for t := name.time - 2; t <= name.time+2; t++ {
		b, err := u.bucket(bucketName{name.kind, t})
		if err != nil {
			return nil, err
		}
		for _, e := range b.all {
			root, err := u.root(e.number)
			if err != nil {
				return nil, err
			}
			if seen[root.Number] {
				continue
			}
			seen[root.Number] = true
			for _, m := range root.Members {
				if m.Text == "" {
					continue
				}
				if len(out) > maxReports { // survey ignores them
					return out, nil
				}
				at, err := u.stamp(m, name.kind, clocks.EnoughAnchors)
				if err != nil {
					return nil, err
				}
				var heard []string
				if n := len(out); n < cap(out) {
					heard = out[:n+1][n].heard[:0] // of an earlier interval, for its memory
				}
				person := m.Subject
				if !u.known.isNobody(m) {
					person = u.known.person(person)
				}
				out = append(out, report{Member: m, person: person, context: root.Number, at: at, text: root.text(m.Text), within: record.Bucket(at) == name.time, heard: heard})
			}
		}
	}
	slices.SortFunc(out, func(a, b report) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.context, b.context), cmp.Compare(a.Robot, b.Robot), cmp.Compare(a.Text, b.Text))
	})
	return out, nil
}
