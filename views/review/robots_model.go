package review

import (
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/views"
)

// ReviewQuality is how people and the resolver decided.
type ReviewQuality struct {
	Reviewers ReviewReviewers
	Names     views.Names // of the robots and subjects
	ScaleMS   int64       // usual difference between two robots' timestamps of one event
	Clocks    []ReviewClock
	Relays    []resolver.Relay
	Subjects  []resolver.Placeholder
	People    []resolver.SamePerson
	Reused    []resolver.RobotReuse
	History   ReviewHistory
}

// ReviewQuestion asks the reader to confirm a finding of the resolver.
type ReviewQuestion struct {
	Sentence     string
	Action, Name string        // address of the form, and name of its buttons
	Fields       []views.Field // hidden fields of the form
	Yes, No      Choice        // values and labels of the buttons
}

// ReviewClock describes a robot's clock.
type ReviewClock struct {
	Robot, Seen string
	Ahead       string // how far it is ahead
	Sentences   int64  // number of sentences that support it
	Arrival     string // delay of its observations
	Lead        string
	Steps       []ReviewStep // newest first
	Claim       string       // a claimed but unconfirmed offset, or ""
	By          string       // who confirmed it, or ""
}

// compared returns the clocks that something is known about, and the names of the robots whose clocks nothing is known about.
func (m ReviewQuality) compared() (known []ReviewClock, unknown string) {
	var names []string
	for _, c := range m.Clocks {
		if c.Sentences == 0 && c.By == "" && c.Lead == "" && c.Claim == "" && len(c.Steps) == 0 {
			names = append(names, m.Names.Of(c.Robot))
		} else {
			known = append(known, c)
		}
	}
	return known, views.AllNamed(names)
}

// ReviewStep is a jump of a clock.
type ReviewStep struct {
	Words string
	At    time.Time
}
