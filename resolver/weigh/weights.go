package weigh

import "math"

// hundredths rounds a weight to the displayed precision, so that the weights a reviewer
// sees add up to those of the decision. No evidence is more precise than that, and values
// shared by many cases save space in the mirror.
func hundredths(w float64) float64 { return math.Round(w*100) / 100 }

// Weights and their limits, in nats if nothing else is said.
const (
	prior        = -1.4
	maxText      = 7.0
	maxPlace     = 1.5
	clearlyElse  = -12.0 // a long, clearly different text
	misnamed     = -4.0  // a robot confuses two persons
	unconfirmed  = -1.5  // two clocks differ by a claimed offset
	elsewhere    = -6.0  // a robot hears through a door, or has the wrong place
	twoRooms     = -12.0 // two robots often report the same from two rooms, with this gap
	otherRobot   = 0.3
	sameRobot    = -6.0
	fullSource   = 2.0  // too soon for a second event of one person
	inPieces     = -1.0 // one robot that splits what it hears
	reReport     = -5.5 // one robot with two sensors, or that reports again
	reportsAgain = -1.0 // one robot that often does
	againLike    = 0.72 // least similarity of the texts of such a pair of reports
	againWithin  = 0.6  // longest time between them, as a fraction of the shortest time to say the text twice
)

// timeWeight returns the weight of the gap, in nats: the logarithm of how much likelier
// such a gap is between two timestamps of one event, which are usually close, than between
// timestamps of two events within the window.
func timeWeight(e Evidence, scale float64) float64 {
	late := max(1, 2*scale)
	// A twentieth of the gaps vary more.
	w := max(-6, math.Log(2*e.Window*(0.95*e.density(scale)+0.05*e.density(late))))
	if e.Unconfirmed {
		return max(-6, w+unconfirmed)
	}
	return w
}

// density returns how often the gap occurs if gaps decay exponentially with a scale. A
// timestamp of whole seconds leaves half a second unknown on either side, so it is the
// mean over a second.
func (e Evidence) density(scale float64) float64 {
	if !e.Coarse {
		return math.Exp(-e.Distance()/scale) / (2 * scale)
	}
	upTo := func(gap float64) float64 { return math.Copysign(1-math.Exp(-math.Abs(gap)/scale), gap) / 2 }
	gap := max(0, e.Gap-e.Rest)
	return (upTo(gap+slack) - upTo(gap-slack)) / (2 * slack)
}

// textWeight returns the weight of the texts. Similar texts weigh more the rarer they are,
// different texts the longer they are.
func textWeight(e Evidence) float64 {
	switch e.Text {
	case OneSide:
		return -0.3
	case Neither:
		return 0
	}
	if e.reworded() {
		return math.Log(e.Reworded / 0.97)
	}
	if ClearlyElse(e.Likeness, e.Letters) {
		return clearlyElse
	}
	g := trust(e.Likeness)
	if g > 0 {
		return min(maxText, g*math.Log(0.6/e.TextChance))
	}
	return g * min(4.5, 2+0.12*(e.Longer+e.Letters)/2)
}

// repeatWeight weighs that there was time to say similar words again: against one event, the
// more the rarer the words are.
func repeatWeight(e Evidence, w Weights) float64 {
	if !e.likeText() {
		return 0
	}
	shortest := e.shortest()
	return -ramp((e.Distance()-0.75*shortest)/(0.5*shortest)) * math.Log(1+0.15*math.Exp(max(0, w[Text])))
}

// sourceWeight weighs that it was too soon for a second event of one person.
func sourceWeight(e Evidence) float64 {
	if e.Subject != Same || e.Text != Neither && !e.likeText() {
		return 0
	}
	shortest := e.shortest()
	return fullSource * ramp((1.25*shortest-e.Distance())/(0.5*shortest))
}

// subjectWeight returns the weight of the subjects. One subject weighs more the rarer it is.
func subjectWeight(e Evidence) float64 {
	switch e.Subject {
	case Same:
		return min(3, max(0.66, math.Log(0.97/e.SubjectChance)))
	case Different:
		return misnamed
	}
	return 0
}

// modalityWeight returns the weight of the modalities, such as speech.
func modalityWeight(e Evidence) float64 {
	switch e.Modality {
	case Same, Neither:
		return 0.3
	case Different:
		return -1.2
	}
	return 0
}

// placeWeight returns the weight of the places. One place weighs more the rarer it is.
func placeWeight(e Evidence) float64 {
	switch {
	case e.Rooms:
		return twoRooms
	case e.Place == Same:
		return min(maxPlace, max(0, math.Log(0.97/e.PlaceChance)))
	case e.Place == Different:
		return elsewhere
	}
	return 0
}

// robotWeight returns the weight of the robots. One robot rarely reports one event twice; the
// exceptions are pieces of a sentence and robots that often do.
func robotWeight(e Evidence) float64 {
	switch {
	case e.Robots == OtherRobot:
		return otherRobot
	case !e.Robots.Shared():
		return 0
	case e.Piece:
		return inPieces
	case e.Subject != Same || e.Text != Same || !ReportedAgain(e.Likeness, e.Letters, e.Distance()):
		return sameRobot
	case e.Again:
		return reportsAgain
	case e.Robots == OnlyRobot && e.Letters >= CertainLetters: // nobody says twice so soon what cannot be chance
		return reReport
	}
	return sameRobot
}

// trust returns how far a similarity of texts speaks for (1) or against (-1) the same
// words.
func trust(likeness float64) float64 {
	points := [...]struct{ x, y float64 }{{0, -1}, {.25, -1}, {.40, -.35}, {.50, .25}, {.60, .50}, {.80, .85}, {1, 1}}
	for i, p := range points[1:] {
		if likeness <= p.x {
			q := points[i]
			return q.y + (likeness-q.x)*(p.y-q.y)/(p.x-q.x)
		}
	}
	return 1
}

// TextChance returns the probability that another event of the same kind has a text with
// that many letters. contexts is the number of other contexts of the kind; others of them
// have the text. While contexts is small, the length counts more: short texts are said
// often. The result is from 0.0003 to 0.2.
func TextChance(letters float64, others, contexts int64) float64 {
	expected := max(0.0003, 0.08*math.Exp(-0.22*(letters-2)))
	u := (float64(others) + 60*expected) / (float64(contexts) + 60)
	return min(0.2, max(0.0003, u))
}

// ValueChance returns the probability that another event of the same kind has a given
// subject or place. contexts is the number of contexts that have this value, and all is
// the number that have any.
func ValueChance(contexts, all int64) float64 {
	return (float64(contexts) + 5) / (float64(all) + 40)
}

// ramp returns x, or the nearer of 0 and 1 if it is not between these.
func ramp(x float64) float64 { return min(1, max(0, x)) }
