package resolver

import (
	"math"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/resolver/weigh"
)

// Some robots translate what they hear, or keep only its beginning. If two robots often
// report one person at the same time in clearly different words, with a steady gap, such
// a pair of reports needs review and is never matched automatically. Other robots split
// what they hear, so two of their texts correspond to one of another robot.

// compareRobots adds the evidence about the robots of two sides with different texts. gap
// is the time between the sides in microseconds.
func (u *unit) compareRobots(a, b side, gap int64, e *weigh.Evidence) {
	if len(u.known.pairs) == 0 || e.Text != weigh.Same || e.Likeness >= likeText || e.Robots.Shared() {
		return
	}
	for _, m := range a.members {
		for _, n := range b.members {
			p, ok := u.known.pairs[pairOf(m.Robot, n.Robot)]
			if !ok || m.Robot == n.Robot {
				continue
			}
			share, lag := reworded(p)
			if e.Subject != weigh.Same {
				share *= unnamedShare
			}
			if share <= e.Reworded {
				continue
			}
			if e.Reworded = share; p.First == m.Robot { // its gap has the opposite sign
				lag = -lag
			}
			if math.Abs(lag) > maxSteadyGap {
				e.Gap = math.Abs(seconds(gap) - lag)
			}
		}
	}
}

// Limits for opening cases because two robots report one event in different words.
const (
	minRewordedOdds = 5.0 // that they do
	minReworded     = 6   // times at which they did
	maxRefused      = 3   // cases that people reject more often than they accept them
	// unnamedShare is the factor for reviews about different words if it is unknown
	// whether both are of one person.
	unnamedShare = 0.37
	maxSteadyGap = 0.75 // largest steady difference of the robots' timestamps without correction, in seconds
)

// reworded returns how often two robots report one event in different words, and how many
// seconds the timestamp of Second is then after that of First. It returns 0 if they do
// not, or if people have rejected that.
func reworded(p record.Pair) (share, gap float64) {
	odds, inside, gap := together(p)
	if odds < minRewordedOdds || inside < minReworded || p.Rejected-p.Accepted >= maxRefused {
		return 0, 0
	}
	return float64(inside) / float64(inside+p.Similar), gap
}

// learnRewording counts a verdict on a case about different words.
func (u *unit) learnRewording(k *record.Case, accepted bool) error {
	if Reason(k.Reason) != TextDiffers || len(k.Targets) == 0 {
		return nil
	}
	asked := k.Targets[0].Context
	if accepted {
		asked = k.Selected
	}
	source, err := u.context(k.Source)
	if err != nil {
		return err
	}
	target, err := u.context(asked)
	if err != nil {
		return err
	}
	seen := map[pairName]bool{}
	for _, m := range source.Members {
		for _, n := range target.Members {
			name := pairOf(m.Robot, n.Robot)
			if known, ok := u.known.pairs[name]; !ok || m.Robot == n.Robot || seen[name] {
				continue
			} else if share, _ := reworded(known); share == 0 {
				continue
			}
			seen[name] = true
			if p := u.changePair(name); accepted {
				p.Accepted++
			} else {
				p.Rejected++
			}
		}
	}
	return nil
}

// isPiece reports whether a is one observation whose text is a piece of a text that
// another robot reported in b, and everything that the robot of a reported in b is another
// piece of that text. All pieces together may be maxPieces times as long as the text.
func isPiece(a, b side) bool {
	piece := a.members[0]
	words := newText(a, piece.Text)
	if len(a.members) > 1 || words == nil || piece.Robot == "" {
		return false
	}
	for _, m := range b.members {
		whole := newText(b, m.Text)
		if m.Robot == piece.Robot || whole == nil || text.Similarity(words, whole) < likeText {
			continue
		}
		letters, fits := words.Letters, true
		for _, n := range b.members {
			if other := newText(b, n.Text); n.Robot == piece.Robot {
				fits = fits && other != nil && text.Similarity(other, whole) >= likeText && text.Similarity(other, words) < likeText
				if fits {
					letters += other.Letters
				}
			}
		}
		if fits && letters <= maxPieces*whole.Letters {
			return true
		}
	}
	return false
}

// maxPieces limits the length of all pieces of a text, as a multiple of its own.
const maxPieces = 1.2

// newText returns a text of a side, prepared for comparisons, or nil if it is empty.
func newText(s side, normal string) *text.Text {
	for _, t := range s.texts {
		if t.Normal == normal {
			return t
		}
	}
	return text.New(normal)
}
