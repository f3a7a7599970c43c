package review

import (
	"time"

	"github.com/segraph/segraph/views"
)

// SharedEvent is the model of /shared-context/context: a context with its observations.
type SharedEvent struct {
	URI, Title, Kind, Status string
	Asked                    string // the requested URI, if it was merged into this context; else ""
	AskedText                string // what it was called
	Graph, Triples           string // addresses
	Observations             []SharedObservation
	Pages                    views.Pager
	Merges                   []SharedMerge
	Cases                    []views.Link // undecided cases
	Apart                    []views.Link // contexts that a person decided to keep separate
	Notice                   *EventNotice
	Undo                     *UndoMatch // the confirmation of an undo, or nil
}

// SharedObservation is an observation of the context.
type SharedObservation struct {
	ID, When, Robot, Person, Modality, Text, Place string
	RobotHref, PersonHref, PlaceHref               string
	Joined                                         string // how it joined
	Share                                          string // the confidence of the match, or ""
	Undo                                           string // address of the page that confirms undoing the match, or ""
}

// SharedMerge is another context that was merged into this one.
type SharedMerge struct {
	ID, By, Kind, Text, Case string // Case is an address, or ""
	At                       time.Time
}

// UndoMatch is the confirmation of undoing a match.
type UndoMatch struct {
	Decision, Context string
	Observation       SharedObservation
	Back              string // the address of the context
}

// EventNotice is the result of an undo.
type EventNotice struct {
	Title, Detail string
	Link          views.Link // to the new context
}
