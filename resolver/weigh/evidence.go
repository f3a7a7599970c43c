// Package weigh decides, from evidence, whether an observation belongs to a context: it
// adds up what each kind of evidence weighs, as Fellegi and Sunter do (log Bayes factors,
// in nats), holds the gates of the specification, and lets candidates compete. Its
// functions are pure.
package weigh

// Agreement says how two sides of an attribute stand to each other.
type Agreement uint8

const (
	Neither Agreement = iota // absent on both sides
	OneSide                  // absent on one side
	Same
	Different
)

// Robots says whether two sides were seen by the same robot.
type Robots uint8

const (
	UnknownRobot Robots = iota // one side does not say
	OtherRobot
	SameRobot // a robot of one side is among those of the other
	OnlyRobot // the same, and no other robot is on either side
)

// Shared reports whether a robot is on both sides.
func (r Robots) Shared() bool { return r == SameRobot || r == OnlyRobot }

// Evidence is what is known about two sides being one event: an observation and a
// context, or two contexts, of the same kind. Times are in seconds and have the robots'
// clocks set right.
type Evidence struct {
	Gap     float64 // between the sides
	Stamped float64 // the same without half a second for stamps of whole seconds, which the limit of a match applies to
	// Unconfirmed says that anchors of the two robots claim that their clocks differ by
	// Claimed more than is known, which forbids a match. Gap is then what is left of the
	// gap if that is so.
	Unconfirmed bool
	Claimed     float64
	Coarse      bool    // a stamp has whole seconds only
	Span        float64 // of the whole context, were they joined
	Window      float64 // the greatest Gap that makes a candidate

	Text       Agreement // Same stands for any two texts
	Likeness   float64   // of the texts, 0 to 1
	Identical  bool      // the same normal form
	Letters    float64   // of the shorter text
	Longer     float64   // letters of the longer text
	TextChance float64   // that another event of this kind has that text
	Reworded   float64   // how often these robots report one event in clearly different words, 0 if that is not known

	Subject       Agreement
	Generic       bool    // a side names nobody in particular, which counts as absent
	SubjectChance float64 // that another event of this kind has that subject
	Modality      Agreement
	Place         Agreement // Different forbids a match
	PlaceChance   float64   // that another event of this kind has that place
	Robots        Robots
	Piece         bool // the shared robot has reported other words of what another one has reported whole
}

// slack is how far a stamp of whole seconds may be off.
const slack = 0.5

// Distance returns the gap as far as the stamps can tell.
func (e Evidence) Distance() float64 {
	if e.Coarse {
		return max(0, e.Gap-slack)
	}
	return e.Gap
}

// likeText reports whether the texts may be the same words.
func (e Evidence) likeText() bool { return e.Text == Same && e.Likeness >= 0.5 }

// reworded reports whether the texts are different words and yet may be of one event, by
// what is known of the robots.
func (e Evidence) reworded() bool { return e.Reworded > 0 && e.Text == Same && e.Likeness < 0.5 }

// shortest returns the time in seconds within which nobody says this and says it again:
// speaking, and the silence by which a recogniser knows the end.
func (e Evidence) shortest() float64 {
	if e.Text != Same {
		return SayingTime(0)
	}
	return SayingTime(e.Letters)
}

// SayingTime returns how many seconds it takes to say a text of that many letters, with
// the silence after it.
func SayingTime(letters float64) float64 { return 0.45 + 0.05*letters }

// SureLetters is how many letters a text has at least that tells for sure what was said.
const SureLetters = 8.0

// ClearlyElse reports whether two texts, of which the shorter one has that many letters,
// are surely not the same words.
func ClearlyElse(likeness, letters float64) bool { return likeness < 0.30 && letters >= SureLetters }
