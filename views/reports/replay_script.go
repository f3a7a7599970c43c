package reports

import (
	"context"

	"github.com/segraph/segraph/views"
)

// ReplayScript is the data for the script of a replay. Times are milliseconds since 1970.
type ReplayScript struct {
	Parts [][4]float64  `json:"parts"` // of the axis: from, to, and their positions
	Times []int64       `json:"times"` // of the entries of the feed, in order
	IDs   []int         `json:"ids"`   // their events
	Lanes []int         `json:"lanes"` // their lanes, or -1
	Size  int           `json:"size"`  // entries of a page of the feed
	Words []ReplayWords `json:"words"` // messages and states, in order
	Zones []ReplayZone  `json:"zones"` // how the reader's clock is called, in order
}

// ReplayZone is what the reader's clock is called from a time on, and how many milliseconds it is ahead of UTC.
type ReplayZone struct {
	From  int64  `json:"from"`
	Ahead int    `json:"ahead"`
	Name  string `json:"name"`
}

// ReplayWords is a state that a robot's lane shows from a time on, or a sentence of the close-up.
type ReplayWords struct {
	At   int64   `json:"at"`
	Lane int     `json:"l"`           // of a state; of a sentence, 0 if a person said it, 1 for a robot
	Who  *string `json:"w,omitempty"` // of a sentence, who spoke to whom; nil for a state
	Text string  `json:"t"`
}

// closeUpLetters is how many characters of a sentence the close-up shows at most.
const closeUpLetters = 200

// Script returns the data for the script of a replay, which moves the current time without asking the server.
func (m Replay) Script(ctx context.Context) ReplayScript {
	out := ReplayScript{Size: FeedSize, Words: []ReplayWords{}, Times: []int64{}, IDs: []int{}, Lanes: []int{}}
	for _, p := range m.Strip.Scale.Parts {
		out.Parts = append(out.Parts, [4]float64{float64(p.From.UnixMilli()), float64(p.To.UnixMilli()), m.Strip.Scale.At(p.From), m.Strip.Scale.At(p.To)})
	}
	for at := views.Local(ctx, m.Since); !at.IsZero() && at.Before(m.Until); _, at = at.ZoneBounds() {
		name, east := at.Zone()
		out.Zones = append(out.Zones, ReplayZone{at.UnixMilli(), 1000 * east, name})
	}
	for _, i := range m.Data.Entries() {
		e := m.Data.Events[i]
		out.Times, out.IDs, out.Lanes = append(out.Times, e.At.UnixMilli()), append(out.IDs, i), append(out.Lanes, e.Lane)
	}
	for _, e := range m.Data.Events {
		at := e.At.UnixMilli()
		switch e.Kind {
		case KindMessage:
			if who := e.whom(); !e.Same {
				out.Words = append(out.Words, ReplayWords{at, map[bool]int{true: 1}[e.ByRobot], &who, e.told(closeUpLetters)})
			}
		case KindState:
			out.Words = append(out.Words, ReplayWords{at, e.Lane, nil, e.told(closeUpLetters)})
		}
	}
	return out
}

// shownLetters is how many characters of what somebody said a page shows.
const shownLetters = 2000

// Said returns what a page shows of a message, which may have megabytes. The log has all of it.
func Said(text string) string { return shortened(text, shownLetters) }

// shortened returns the first letters of a text.
func shortened(text string, letters int) string {
	cut, _ := views.CutText(text, letters)
	return cut
}
