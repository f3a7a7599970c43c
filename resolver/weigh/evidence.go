// Package weigh decides from evidence whether an observation belongs to a context. It
// adds up the weights of each kind of evidence, which are log Bayes factors in nats
// (after Fellegi and Sunter). It enforces the gates of the specification and lets
// candidates compete. Its functions are pure.
package weigh

// Agreement compares an attribute of two sides.
type Agreement uint8

const (
	Neither Agreement = iota // missing on both sides
	OneSide                  // missing on one side
	Same
	Different
)

// Robots says whether the same robot reported both sides.
type Robots uint8

const (
	UnknownRobot Robots = iota // a side has no robot
	OtherRobot
	SameRobot // a robot reported both sides
	OnlyRobot // the same, and no other robot reported either side
)

// Shared reports whether a robot reported both sides.
func (r Robots) Shared() bool { return r == SameRobot || r == OnlyRobot }

// Evidence is the evidence on whether two sides are one event: an observation and a
// context, or two contexts, of the same kind. Times are in seconds, corrected by the
// robots' clock offsets.
type Evidence struct {
	Gap     float64 // between the sides
	Stamped float64 // the gap without half a second for timestamps of whole seconds, for the limit of a match
	// Unconfirmed means that anchors of the two robots claim that their clocks differ by
	// Claimed more than their offsets, which prevents a match. Gap is then the rest of
	// the gap, assuming the claim.
	Unconfirmed bool
	Claimed     float64
	Coarse      bool    // a timestamp is in whole seconds
	Span        float64 // duration of the whole context if they were joined
	Window      float64 // largest Gap of a candidate

	Text       Agreement // Same if both sides have texts, even different ones
	Likeness   float64   // similarity of the texts, 0 to 1
	Continued  bool      // the longer text begins with the words of the shorter one
	Identical  bool      // the normal forms are equal
	Letters    float64   // letters of the shorter text
	Longer     float64   // letters of the longer text
	TextChance float64   // probability that another event of this kind has that text
	Reworded   float64   // how often these robots report one event in clearly different words; 0 if unknown

	Subject       Agreement
	Generic       bool    // a side's subject identifies nobody, which counts as missing
	SubjectChance float64 // probability that another event of this kind has that subject
	Modality      Agreement
	Place         Agreement // Different prevents a match
	Rooms         bool      // the robots report what is said in two rooms, one after the other, and this is such a pair; it prevents a match
	PlaceChance   float64   // probability that another event of this kind has that place
	Robots        Robots
	Again         bool    // the shared robot often reports one event more than once
	Rest          float64 // if Piece, the seconds to say the rest of the text
	Piece         bool    // the shared robot has reported other words of a text that another robot reported whole, or often splits texts
}

// slack is the largest error of a timestamp of whole seconds.
const slack = 0.5

// Distance returns the gap within the precision of the timestamps. That of a piece is
// counted from the end of the rest.
func (e Evidence) Distance() float64 {
	if e.Coarse {
		return max(0, e.Gap-e.Rest-slack)
	}
	return max(0, e.Gap-e.Rest)
}

// OtherWords reports whether both sides have texts, but clearly different ones.
func (e Evidence) OtherWords() bool { return e.Text == Same && !e.likeText() }

// likeText reports whether the texts may be the same words.
func (e Evidence) likeText() bool { return e.Text == Same && e.Likeness >= 0.5 }

// reworded reports whether the texts are different words that may still be of one event,
// according to the robots' history.
func (e Evidence) reworded() bool { return e.Reworded > 0 && e.OtherWords() }

// shortest returns the least time, in seconds, between two utterances of this text: the
// time to say it, plus the silence by which a recogniser detects the end.
func (e Evidence) shortest() float64 {
	if e.Text != Same {
		return SayingTime(0)
	}
	return SayingTime(e.Letters)
}

// LetterTime is the time to say a letter, in seconds.
const LetterTime = 0.07

// SayingTime returns how many seconds it takes to say a text of that many letters,
// including the silence after it.
func SayingTime(letters float64) float64 { return 0.45 + 0.05*letters }

// ReportedAgain reports whether two reports of one robot about one person are so alike and
// so near in time, in seconds, that nobody could say both. letters is the length of the
// shorter text.
func ReportedAgain(likeness, letters, gap float64) bool {
	return likeness >= againLike && gap < againWithin*SayingTime(letters)
}

// CertainLetters is the least number of letters of a text that identifies words with
// certainty.
const CertainLetters = 8.0

// ClearlyElse reports whether two texts are certainly different words. letters is the
// length of the shorter one.
func ClearlyElse(likeness, letters float64) bool { return likeness < 0.30 && letters >= CertainLetters }
