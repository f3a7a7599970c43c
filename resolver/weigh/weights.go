package weigh

import "math"

// Weights holds the weight of each kind of evidence, in nats.
type Weights struct {
	Prior, Time, Text, Repeat, Source, Subject, Modality, Place, Robot float64
}

// Sum returns the log odds of one event against two.
func (w Weights) Sum() float64 {
	return hundredths(w.Prior + w.Time + w.Text + w.Repeat + w.Source + w.Subject + w.Modality + w.Place + w.Robot)
}

// hundredths rounds a weight to the displayed precision, so that the weights a reviewer
// sees add up to those of the decision. No evidence is more precise than that, and values
// shared by many cases save space in the mirror.
func hundredths(w float64) float64 { return math.Round(w*100) / 100 }

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

// Weigh returns the weights of the evidence. scale is the usual difference between two
// robots' timestamps of one event, in seconds.
func Weigh(e Evidence, scale float64) Weights {
	w := Weights{Prior: prior, Time: timeWeight(e, scale)}
	w.Text = textWeight(e)
	if e.Unconfirmed {
		w.Time = max(-6, w.Time+unconfirmed)
	}
	d, shortest := e.Distance(), e.shortest()
	if e.likeText() {
		w.Repeat = -ramp((d-0.75*shortest)/(0.5*shortest)) * math.Log(1+0.15*math.Exp(max(0, w.Text)))
	}
	if e.Subject == Same && (e.Text == Neither || e.likeText()) {
		w.Source = fullSource * ramp((1.25*shortest-d)/(0.5*shortest))
	}
	switch e.Subject {
	case Same:
		w.Subject = min(3, max(0.66, math.Log(0.97/e.SubjectChance)))
	case Different:
		w.Subject = misnamed
	}
	switch e.Modality {
	case Same, Neither:
		w.Modality = 0.3
	case Different:
		w.Modality = -1.2
	}
	switch e.Place {
	case Same:
		w.Place = min(maxPlace, max(0, math.Log(0.97/e.PlaceChance)))
	case Different:
		w.Place = elsewhere
	}
	if e.Rooms {
		w.Place = twoRooms
	}
	switch e.Robots {
	case OtherRobot:
		w.Robot = otherRobot
	case SameRobot, OnlyRobot:
		w.Robot = sameRobot
		if e.Subject == Same && e.Text == Same && ReportedAgain(e.Likeness, e.Letters, d) {
			switch {
			case e.Again:
				w.Robot = reportsAgain
			case e.Robots == OnlyRobot && e.Letters >= CertainLetters: // nobody says twice so soon what cannot be chance
				w.Robot = reReport
			}
		}
		if e.Piece {
			w.Robot = inPieces
		}
	}
	w.Time, w.Text, w.Repeat = hundredths(w.Time), hundredths(w.Text), hundredths(w.Repeat)
	w.Source, w.Subject = hundredths(w.Source), hundredths(w.Subject)
	w.Place = hundredths(w.Place)
	return w
}

// timeWeight compares two frequencies: how often two timestamps of one event are d apart,
// and how often those of two events within the window are. Those of one event are usually
// close, and sometimes further apart.
func timeWeight(e Evidence, scale float64) float64 {
	late := max(1, 2*scale)
	return max(-6, math.Log(2*e.Window*(0.95*e.density(scale)+0.05*e.density(late))))
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

// textWeight returns the weight of the texts. Similar ones weigh more the rarer they are,
// different ones the longer they are.
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
// often.
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

func ramp(x float64) float64 { return min(1, max(0, x)) }
