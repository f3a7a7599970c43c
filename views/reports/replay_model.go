package reports

import (
	"slices"
	"strconv"
	"time"

	"github.com/segraph/segraph/views"
)

// Kinds of events in a replay.
const (
	KindMessage  = "message"
	KindEmotion  = "emotion"
	KindDecision = "decision"
	KindIncident = "incident" // something failed, or an emergency stop
	KindActivity = "activity"
	KindState    = "state"
	KindShared   = "shared" // in tables: an event that several robots logged
)

// ReplayEvent is something that happened in a session.
type ReplayEvent struct {
	At, End        time.Time    // End is zero if unknown
	Kind           string       // one of the above, but not KindShared
	Lane           int          // its robot's, or -1
	What           string       // kind or label of the activity; of a state, its place
	Who            string       // speaker of a message, bearer of an emotion
	ByRobot        bool         // Who is a robot
	To             []string     // whom a message was said to
	Heard          []string     // who else logged it
	Text, Language string       // words of a message, category of an emotion, properties of a state
	Facts          []views.Fact // of a decision or an incident
	Category       string       // IRI of an emotion's category, or of a place
	Intensity      float64      // of an emotion, from 0 to 1; negative if unknown
	Confidence     float64      // of an emotion, or of the words of a message, from 0 to 1; negative if unknown
	Models         []string     // with versions
	IRI            string       // of the activity or state; "" for a blank node
	Events         []int        // indexes of its shared events
	Because        []int        // indexes of events that led to it, if they were read
	Same           bool         // an earlier event of another robot has the same message
}

// ReplayShared is an event that several robots logged, or a pending case: observations
// that may be of one event.
type ReplayShared struct {
	Text     string
	IRI      string // of the event
	Case     string // address of the review; "" for an event
	From, To time.Time
	Lanes    []int // sorted
}

// ReplayData is what happened in a session.
type ReplayData struct {
	From, To time.Time
	Robots   []string // names, one for each lane
	People   []string
	IRIs     map[string]string   // of robots and people, by name; those without one have none
	Events   []ReplayEvent       // in order of time
	Before   map[int]ReplayEvent // the last state with a place of a lane in the hour before From
	Shared   []ReplayShared
	Cut      time.Time // events after this time are missing; zero if none are
}

// Count returns the number of events of a kind.
func (d *ReplayData) Count(kind string) int {
	if kind == KindShared {
		return len(d.Shared)
	}
	n := 0
	for _, e := range d.Events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// At returns the index of the last event at or before a time, or -1.
func (d *ReplayData) At(t time.Time) int {
	n, _ := slices.BinarySearchFunc(d.Events, t, func(e ReplayEvent, t time.Time) int {
		if e.At.After(t) {
			return 1
		}
		return -1
	})
	return n - 1
}

// Between formats the time from one moment to another, in whole seconds as their clocks show them.
func Between(from, to time.Time) string {
	return Lasting(to.Truncate(time.Second).Sub(from.Truncate(time.Second)))
}

// Lasting formats a duration: "0 s", "50 s", "4 min", "1 h 20 min", "3 days".
func Lasting(d time.Duration) string {
	switch {
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + " s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + " min"
	case d >= 48*time.Hour:
		return views.Plural(int(d/(24*time.Hour)), "day")
	}
	text := strconv.Itoa(int(d/time.Hour)) + " h"
	if m := int(d % time.Hour / time.Minute); m > 0 {
		text += " " + strconv.Itoa(m) + " min"
	}
	return text
}
