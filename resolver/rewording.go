package resolver

import (
	"math"
	"slices"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/resolver/weigh"
)

// Some robots translate what they hear, or keep only its beginning. If two robots often
// report one person at the same time in clearly different words, with a steady gap, such
// a pair of reports needs review and is never matched automatically. Other robots split
// what they hear, so two of their texts correspond to one of another robot.

// compareRobots adds the evidence that robots of two sides with different texts often report the same in other words
// (Reworded). Such a pair's usual gap explains the gap between the sides, which is in microseconds.
func (u *unit) compareRobots(a, b side, gap int64, e *weigh.Evidence) {
	if len(u.known.pairs) == 0 || !e.OtherWords() || e.Robots.Shared() {
		return
	}
	for _, ours := range a.members {
		for _, theirs := range b.members {
			pair, ok := u.known.pairs[pairOf(ours.Robot, theirs.Robot)]
			if !ok || ours.Robot == theirs.Robot {
				continue
			}
			share, lag := reworded(pair)
			if e.Subject != weigh.Same {
				share *= unnamedShare
			}
			if share <= e.Reworded {
				continue
			}
			if e.Reworded = share; pair.First == ours.Robot { // its gap has the opposite sign
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
	if p.Rejected-p.Accepted >= maxRefused {
		return 0, 0
	}
	return rewords(p)
}

// rewords is like reworded, whatever people have decided.
func rewords(p record.Pair) (share, gap float64) {
	odds, inside, gap := rewordingOdds(p)
	if odds < minRewordedOdds || inside < minReworded {
		return 0, 0
	}
	return float64(inside) / float64(inside+p.Similar), gap
}

// learnRewording counts, for pairs of robots, whether people accepted a case about different words at a time: by is 1, or -1 if
// the decision is undone.
func (u *unit) learnRewording(k *record.Case, accepted bool, by, at int64) error {
	if Reason(k.Reason) != weigh.TextDiffers || len(k.Targets) == 0 {
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
	for _, ours := range arrivedBy(at, source.Members) {
		for _, theirs := range membersBeside(target, source, at) {
			name := pairOf(ours.Robot, theirs.Robot)
			if known, ok := u.known.pairs[name]; !ok || ours.Robot == theirs.Robot || seen[name] {
				continue
			} else if share, _ := rewords(known); share == 0 {
				continue
			}
			seen[name] = true
			if p := u.changePair(name); accepted {
				p.Accepted = max(0, p.Accepted+by)
			} else {
				p.Rejected = max(0, p.Rejected+by)
			}
		}
	}
	return nil
}

// Limits of the pieces of a text.
const (
	maxPieces  = 1.2  // largest length of all pieces, as a multiple of the text's own
	splitShare = 0.05 // least fraction of reports that continue another one, of a robot that often splits what it hears
	maxBreath  = 0.75 // longest pause between two pieces, in seconds
)

// compareWithItself adds the evidence about robots that reported both sides: whether they
// reported pieces of one text, or often do, or often report one event again.
func (u *unit) compareWithItself(a, b side, e *weigh.Evidence) {
	if e.Rest, e.Piece = arePieces(a, b); !e.Piece {
		e.Rest, e.Piece = arePieces(b, a)
	}
	for _, ours := range a.members {
		for _, theirs := range b.members {
			if ours.Robot == "" || ours.Robot != theirs.Robot {
				continue
			}
			again, split := u.known.oneselfShares(ours.Robot)
			e.Again = e.Again || again >= againShare
			if split < splitShare || e.Piece || e.Likeness >= likeText || e.Subject == weigh.OneSide {
				continue
			}
			if x, y := newText(a, ours.Text), newText(b, theirs.Text); x != nil && y != nil && inOneBreath(ours, x, theirs, y) {
				e.Piece, e.Rest, e.Reworded = true, seconds(abs(ours.At-theirs.At)), split
			}
		}
	}
}

// arePieces reports whether a and b have the pieces of a text that another robot reported whole in b: whatever
// a robot reported in a, and whatever it reported in b, together are that text. rest is the longest time
// between two such pieces, in seconds.
func arePieces(a, b side) (rest float64, ok bool) {
	for _, full := range b.members {
		whole := newText(b, full.Text)
		if whole == nil || slices.ContainsFunc(a.members, func(p record.Member) bool { return p.Robot == full.Robot || p.Robot == "" }) {
			continue
		}
		fits := true
		for _, p := range a.members {
			for _, n := range b.members {
				if n.Robot != p.Robot || !fits {
					continue
				}
				piece, other := newText(a, p.Text), newText(b, n.Text)
				if fits = complete(piece, other, whole, text.Similarity) && inOneBreath(p, piece, n, other); fits {
					rest = max(rest, seconds(abs(n.At-p.At)))
				}
			}
		}
		if fits {
			return rest, true
		}
	}
	return 0, false
}

// inOneBreath reports whether a robot reported two texts one right after the other. A
// longer pause separates turns.
func inOneBreath(m record.Member, a *text.Text, n record.Member, b *text.Text) bool {
	later := b
	if m.At > n.At {
		later = a
	}
	return seconds(abs(n.At-m.At)) <= maxBreath+weigh.LetterTime*later.Letters
}

// complete reports whether two texts, piece and other, may be different pieces of whole.
func complete(piece, other, whole *text.Text, likeness func(a, b *text.Text) float64) bool {
	return piece != nil && other != nil && piece.Letters+other.Letters <= maxPieces*whole.Letters && likeness(piece, whole) >= likeText &&
		likeness(other, whole) >= likeText && likeness(piece, other) < likeText
}

// newText returns a text of a side, prepared for comparisons, or nil if it is empty.
func newText(s side, normal string) *text.Text {
	for _, t := range s.texts {
		if t.Normal == normal {
			return t
		}
	}
	return text.New(normal)
}
