// Package demo holds the story of segraph's demo: two hours in a museum, as three robots
// report them. In three sessions they talk to forty visitors, read some of their faces, and
// overhear each other's visitors. The story ends now, whatever the hour, so nobody in it
// names the time of day. visitors.go has the story as a table. The other files write each
// report like a robot: an observation for the resolver, and then a log in Turtle about the
// event that the resolver named.
//
// The same start produces the same story, byte for byte.
package demo

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/rdf"
)

// Numbers that the story promises.
const (
	Sessions = 3
	People   = 40
	Cases    = 30 // cases that wait for a person
)

// Report is the report of one robot at one time.
type Report struct {
	At      time.Time // when it is sent
	Session int       // from 0
	Robot   string    // short name, such as "ari"
	// Observations are for the resolver. Each names an event.
	Observations []resolver.Observation
	// Verdict is how the curator decides the case that the last observation opens:
	// "accept", "reject", or "" for not yet.
	Verdict string
	// Note is what the curator notes about that case, or "".
	Note string
	// Mistaken means that the curator withdraws the log.
	Mistaken bool
	// Ask means that a live demo asks its audience about that case.
	Ask  bool
	Line Line // what is said, for the stage of a live demo

	log func(Events) string
}

// RobotName returns the name of the robot, as people call it.
func (r Report) RobotName() string { return robotNames[r.Robot] }

// Events are the URIs that the resolver gave to events, by the URIs of their observations.
type Events map[string]string

// Line is a sentence on the stage.
type Line struct {
	Turn    int    // from 1; 0 if nothing is said
	Speaker string // the visitor's or robot's name
	Text    string
	Mood    string // the emotion that the robot reads in the speaker's face, or ""
	Percent int    // how sure it is of that
}

// Turtle returns the log. events must have the report's observations, and those of all
// earlier reports of the same robot.
func (r Report) Turtle(events Events) string { return r.log(events) }

// of returns an event, by the name of its observation's activity.
func (e Events) of(robot, name string, turn int) string {
	return "<" + e[activityIRI(robot, name, turn)] + ">"
}

// Signature returns a triple of the first log.
func Signature() rdf.Triple {
	return rdf.Triple{S: rdf.NewIRI(base + "model/maker"), P: rdf.NewIRI("http://schema.org/name"), O: rdf.NewString(maker)}
}

// Observed returns the URIs of all observations.
func Observed() map[string]bool {
	all := map[string]bool{}
	for _, r := range Morning(time.Time{}) {
		for _, o := range r.Observations {
			all[o.ObservationURI] = true
		}
	}
	return all
}

// Sadness returns the IRIs of the scene in the demo's questions: the emotion that ARI
// reads in Maria's face, and ARI's answer.
func Sadness() (emotion, response string) {
	n, t := sadTurn()
	return activityIRI(t.robot, "emotion", n), activityIRI(t.robot, "response", n)
}

// SeenToo returns the IRI of the same emotion as the other robot reads it.
func SeenToo() string {
	n, t := sadTurn()
	return activityIRI(t.heard.robot, "emotion", n)
}

// sadTurn returns the turn at which Maria is sad, and its number.
func sadTurn() (int, turn) {
	n := 0
	for _, s := range morning {
		for _, t := range s.turns {
			n++
			if t.who == "Maria" && t.mood.name == "sadness" {
				return n, t
			}
		}
	}
	return 0, turn{}
}

// Owns reports whether an IRI is that of a robot or a person of the story.
func Owns(iri string) bool {
	kind, name, _ := strings.Cut(strings.TrimPrefix(iri, base), "/")
	if kind == "robot" {
		return robotNames[name] != ""
	}
	return kind == "human" && (name == noName || slices.ContainsFunc(morning, func(s session) bool {
		return slices.ContainsFunc(s.turns, func(t turn) bool {
			return strings.ToLower(t.who) == name || strings.ToLower(t.heard.who) == name
		})
	}))
}

// TwoNames returns the IRIs of a visitor whom two robots know by two names. The curator decides that they are one person.
func TwoNames() []string { return []string{base + "human/leila", base + "human/layla"} }

// Notes returns what the curator notes about cases.
func Notes() (all []string) {
	for _, s := range morning {
		for _, t := range s.turns {
			for _, h := range []heard{t.heard, t.also} {
				if h.note != "" {
					all = append(all, h.note)
				}
			}
		}
	}
	return all
}

// base begins the IRIs of the story. maker made the robots' models.
const (
	base  = "https://example.org/"
	maker = "Harbour Labs"
)

// ARI returns the IRI of the robot of the story.
func ARI() string { return base + "robot/" + ari }

func activityIRI(robot, name string, turn int) string {
	return fmt.Sprintf(base+"%s/%s_%d", robot, name, turn)
}

// closing is the time from a session's last turn to its end.
const closing = 8 * time.Second

// Morning returns the reports of a morning that ends at a time, in the order in which
// they are sent.
func Morning(end time.Time) []Report {
	at := end.UTC().Truncate(time.Second)
	for _, s := range morning {
		at = at.Add(-s.length())
	}
	w := writer{talks: map[string]talk{}, charge: map[string]int{ari: 96, tiago: 88, lumen: 91}}
	for i, s := range morning {
		w.session = i
		at = w.write(s, at)
	}
	slices.SortStableFunc(w.reports, func(a, b Report) int { return a.At.Compare(b.At) })
	return w.reports
}

// Live returns the reports of a morning whose last session begins at a time.
func Live(start time.Time) []Report {
	last := morning[len(morning)-1]
	return Morning(start.Add(last.length() - time.Duration(last.pause)*time.Minute))
}

// length returns the time from the end of the previous session to the end of this one.
func (s session) length() time.Duration {
	d := time.Duration(s.pause)*time.Minute + closing
	for _, t := range s.turns {
		d += time.Duration(t.wait) * time.Second
	}
	return d
}
