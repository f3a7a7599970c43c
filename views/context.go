package views

import "time"

// SharedEvent is what /shared-context/context shows: one context with its observations.
type SharedEvent struct {
	URI, Title, Kind, Status string
	Person, PersonHref       string
	Modality                 string
	Asked                    string // the URI that was asked for, if it was merged into this one; else ""
	Graph, Triples           string // addresses
	Observations             []SharedObservation
	Pages                    Pager
	Merges                   []SharedMerge
	Cases                    []Link // pending
	Apart                    []Link // contexts that a person has kept apart
	Notice                   *EventNotice
	Undo                     *UndoMatch // asks whether to undo; nil where nothing is asked
}

// SharedObservation is an observation of the context.
type SharedObservation struct {
	ID, When, Robot, Person, Modality, Text, Place string
	RobotHref, PersonHref, PlaceHref               string
	Joined                                         string // how it joined
	Share                                          string // how sure that was; "" where nothing was matched
	Undo                                           string // the address that asks whether to undo the match; "" where that cannot be
}

// SharedMerge is another context that was merged into this one.
type SharedMerge struct {
	ID, By, Kind, Text, Case string // Case is an address; "" where there was none
	At                       time.Time
}

// UndoMatch asks whether a match is undone.
type UndoMatch struct {
	Decision, Context string
	Observation       SharedObservation
	Back              string // the address of the context
}

// EventNotice says what became of an undo.
type EventNotice struct {
	Title, Detail string
	Link          Link // to the context of its own
}
