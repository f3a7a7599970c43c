// Package journal keeps the record of every write: who, when, from where, which request,
// what it added or removed. Entries are appended in the transaction of the write that they
// tell of, each with the hash of the one before, and are never edited.
package journal

import (
	"cmp"
	"time"
)

// Action is what a write did.
type Action string

const (
	Insert Action = "insert" // triples were added
	Remove Action = "remove" // triples were removed, by a program that uses the file without the service
	Clear  Action = "clear"  // the published graph was emptied
	// Withdraw says that a log was taken back: what it alone had brought was removed.
	Withdraw Action = "withdraw"
	// Restore says that the file was put in the place of another, from a backup; what
	// follows was written after that.
	Restore Action = "restore"
	// BringBack says that what a backup holds was added to what there was.
	BringBack Action = "bring back"
	Revoke    Action = "revoke" // tokens were ended before they expire

	Accept    Action = "accept"    // a doubtful case: two contexts were merged
	Reject    Action = "reject"    // a doubtful case: two contexts were kept apart
	Undo      Action = "undo"      // a decision was taken back
	Reconcile Action = "reconcile" // all contexts were looked at again, and some were changed
	Relay     Action = "relay"     // a robot was declared a relay of another one, or none
	Subject   Action = "subject"   // a subject was declared one person, or a placeholder
	Clock     Action = "clock"     // the offset of a robot's clock was confirmed, or that was taken back
)

// Entry is one write. Texts are free of control characters; whoever makes an Entry from
// what a client sent checks that.
type Entry struct {
	LogID     string    `json:"log_id"` // a UUID; what POST /ttl answers
	Action    Action    `json:"action"`
	Time      time.Time `json:"time"`              // UTC
	Actor     string    `json:"actor"`             // the token's user
	Claimed   string    `json:"claimed,omitempty"` // the user that the client named
	Address   string    `json:"address,omitempty"` // where the request came from
	RequestID string    `json:"request_id,omitempty"`
	Triples   int       `json:"triples"` // distinct triples sent
	Added     int       `json:"added"`   // of those, new ones
	Removed   int64     `json:"removed,omitempty"`
	Part      int       `json:"part,omitempty"`   // of a text that was stored in parts, from 1; 0 is all of it
	SHA256    string    `json:"sha256,omitempty"` // of the document's bytes, in hex; of a backup's that was restored
	Detail    string    `json:"detail,omitempty"` // what else is to be told, in words

	Withdrawn string `json:"withdrawn,omitempty"` // the log_id of the log that was taken back
	Page      bool   `json:"page,omitempty"`      // a person inserted the log with the page for that

	Revoked Revoked `json:"revoked,omitzero"` // the tokens that were ended

	// Of what was decided about shared contexts.
	Decision string `json:"decision,omitempty"` // names the decision; of an undo, the undoing
	Case     string `json:"case,omitempty"`     // names the case that was decided
	Source   string `json:"source,omitempty"`   // URI of the context that was merged or kept apart
	Target   string `json:"target,omitempty"`   // URI of the context that it was merged into or taken from
	Undone   string `json:"undone,omitempty"`   // names the decision that was taken back
	Robot    string `json:"robot,omitempty"`    // the robot that was decided about
	Subject  string `json:"subject,omitempty"`  // the subject that was decided about
}

// LibraryActor is the Actor of an entry that names none: a program that uses the file
// without the service.
const LibraryActor = "library"

// Complete returns e with what every entry has: an id, an action, a time and an actor. An
// entry that has them stays as it is.
func (e Entry) Complete() Entry {
	if e.LogID == "" {
		e.LogID = NewLogID()
	}
	if e.Time.IsZero() {
		e.Time = time.Now().UTC()
	}
	e.Action, e.Actor = cmp.Or(e.Action, Insert), cmp.Or(e.Actor, LibraryActor)
	return e
}

// Revoked are tokens that were ended before they expire: the one of an id, or all of a
// user that were issued up to a second.
type Revoked struct {
	TokenID  string    `json:"jti,omitempty"`
	Username string    `json:"username,omitempty"`
	UpTo     time.Time `json:"issued_up_to,omitzero"` // of a user's
}
