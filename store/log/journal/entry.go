// Package journal records changes: who made them, when, from where, in which request, and
// what was added or removed. Each of these has an entry: a change of the published graph,
// a decision of a person, a resolved observation, a reconciliation that changed
// something, a restore, a token that was issued or revoked, a change of keys, and a new origin of the
// transparency log. An entry is appended in the transaction of its write, with the hash of
// the previous entry, and is never edited.
package journal

import (
	"cmp"
	"slices"
	"time"
)

// Action is what a write did.
type Action string

const (
	Insert Action = "insert" // added triples
	Remove Action = "remove" // removed triples, by a program that uses the file without the service
	Clear  Action = "clear"  // cleared the published graph
	// Withdraw removed what only one log contributed.
	Withdraw Action = "withdraw"
	// WithdrawContexts removed shared contexts that withdrawn logs had brought: see Entry.Lessened.
	WithdrawContexts Action = "withdraw contexts"
	// Restore replaced the file with a backup. Later entries were written after that.
	Restore Action = "restore"
	Issue   Action = "issue"  // issued a token to Owner
	Revoke  Action = "revoke" // revoked tokens
	// Erasure took a person out of the file: see Entry.Person.
	Erasure Action = "erase"
	Hold    Action = "hold"      // forbade that something is removed: see Entry.Subject
	Lift    Action = "lift hold" // ended a hold
	Look    Action = "look"      // read all that is kept of a person: see Entry.Subject
	// CaseFile made a case file: see Entry.Detail for why and for the hash of its bundle.
	CaseFile Action = "case file"
	// Remark kept a note of a user: Entry.Subject is what it is about, Entry.Detail its words.
	Remark Action = "note"
	// Expire withdrew logs that were too old: see Entry.Lessened.
	Expire Action = "expire"

	// Origin began a new origin of the transparency log.
	Origin Action = "origin"
	Rotate Action = "rotate key" // changed the key of the transparency log

	UseKey  Action = "add key"    // added a key with which a user signs requests
	DropKey Action = "remove key" // removed one

	Resolve   Action = "resolve"   // decided which context an observation belongs to
	Accept    Action = "accept"    // accepted a case: merged two contexts
	Reject    Action = "reject"    // rejected a case: keeps two contexts separate
	Undo      Action = "undo"      // reversed a decision
	Reconcile Action = "reconcile" // reconciled all contexts and changed some
	Relay     Action = "relay"     // decided whether a robot is a relay of another one
	Subject   Action = "subject"   // decided whether a subject is one person or a placeholder
	Clock     Action = "clock"     // confirmed the offset of a robot's clock, or revoked that

	// Forwarded records an entry of a box that is no log: see Entry.Box.
	Forwarded Action = "forward"
)

// Actions returns the names of all actions.
func Actions() (names []string) {
	for _, a := range []Action{Insert, Remove, Clear, Withdraw, WithdrawContexts, Restore, Issue, Revoke, Erasure, Hold, Lift, Look, CaseFile, Remark, Expire,
		Origin, Rotate, UseKey, DropKey, Resolve, Accept, Reject, Undo, Reconcile, Relay, Subject, Clock, Forwarded} {
		names = append(names, string(a))
	}
	return names
}

// Entry is one write. Its texts contain no control characters: Append refuses them. Its
// JSON is what answers show; the stored form is that of leaf.go.
type Entry struct {
	LogID     string    `json:"log_id"` // a UUID; the answer of POST /ttl has it
	Action    Action    `json:"action"`
	Time      time.Time `json:"time"`              // UTC
	Actor     string    `json:"actor"`             // user of the token
	Claimed   string    `json:"claimed,omitempty"` // user that the client named
	Address   string    `json:"address,omitempty"` // address of the client
	RequestID string    `json:"request_id,omitempty"`
	Triples   int       `json:"triples"` // distinct triples of the document
	Added     int       `json:"added"`   // how many of them were new
	Removed   int64     `json:"removed,omitempty"`
	Part      int       `json:"part,omitempty"`   // number of the part, from 1, if the document was stored in parts; 0 means all of it
	Bytes     string    `json:"bytes,omitempty"`  // of a part: the offset of its first byte in the document, "+", and how many bytes it has
	SHA256    string    `json:"sha256,omitempty"` // hexadecimal, of the document's bytes or of a restored backup; "" once it was erased
	Detail    string    `json:"detail,omitempty"` // further information for people

	Withdrawn string `json:"withdrawn,omitempty"` // the log_id of the withdrawn log
	Page      bool   `json:"page,omitempty"`      // a person inserted the log with the web UI

	Revoked Revoked `json:"revoked,omitzero"` // the revoked tokens

	Withheld int `json:"withheld,omitempty"` // triples of the document that were not stored, because they name somebody who was erased

	// The following describe an erasure: unpadded base64 of SHA-256(salt ‖ IRI), whose salt only
	// the answer has, and the log indexes of the entries that lost values, or that expired: see Indexes.
	Person   string `json:"person,omitempty"`
	Lessened string `json:"lessened,omitempty"`

	// The following describe decisions about shared contexts.
	Decision string `json:"decision,omitempty"` // id of the decision, or of the reversal
	Case     string `json:"case,omitempty"`     // id of the decided case
	Source   string `json:"source,omitempty"`   // URI of the context that was merged or kept separate
	Target   string `json:"target,omitempty"`   // URI of the context that it was merged into or separated from
	Undone   string `json:"undone,omitempty"`   // id of the reversed decision
	Batch    string `json:"batch,omitempty"`    // id of the batch of decisions that it belongs to
	Robot    string `json:"robot,omitempty"`    // the robot that was decided on
	Subject  string `json:"subject,omitempty"`  // the subject that was decided on

	// The following, with Robot, Decision and Case, describe a resolved observation.
	Kind     string `json:"kind,omitempty"`     // the observation's event_kind
	Observed string `json:"observed,omitempty"` // its observed_at, as sent
	Context  string `json:"context,omitempty"`  // URI that was answered
	Outcome  string `json:"outcome,omitempty"`  // outcome that was answered

	// Graph commits to the log's content: it is Salt.Commit of the canonical N-Quads,
	// with language tags in lower case. Canon names the algorithm, or says why there is
	// none.
	Graph string `json:"graph,omitempty"`
	Canon string `json:"canon,omitempty"`

	// The following describe a new origin or a new key of the transparency log.
	Origin string `json:"origin,omitempty"` // its name
	Key    string `json:"key,omitempty"`    // its verifier key, in the form of signed notes
	Former string `json:"former,omitempty"` // the last checkpoint of the previous origin; unsigned if none was stored
	// Handover is a note that the old key signed: a line of words, the new verifier key, and
	// the text of a checkpoint before this entry.
	Handover string `json:"handover,omitempty"`

	// The following describe a signed request, or a key with which a user signs.
	Signer        string `json:"signer,omitempty"`           // KeyID of the key
	SignatureHash string `json:"signature_sha256,omitempty"` // Signature.Hash
	Owner         string `json:"owner,omitempty"`            // the user of an issued token, or of an added or removed key, whose bytes Key has in base64

	// The following describe an entry that a box forwarded. Time is when it arrived here.
	Box       string    `json:"box,omitempty"`        // the name of the box's transparency log
	BoxIndex  uint64    `json:"box_index,omitempty"`  // index of the entry there, from 0
	BoxTime   time.Time `json:"box_time,omitzero"`    // of the entry there
	BoxAction Action    `json:"box_action,omitempty"` // what the box did, unless it stored a log

	// Signature is stored separately; see SignatureOf. Readers leave it nil.
	Signature *Signature `json:"-"`
	// Retry is stored by package retries. Readers leave it nil.
	Retry *Retry `json:"-"`
	// Retried is what Retry.Content returned. It goes with the log's content.
	Retried string `json:"-"`

	// Erased are the groups of values that were erased. Readers set it.
	Erased Groups `json:"erased,omitzero"`

	// Commitment is Salt.Commit of the document's bytes, or of an observation, whose salt is with it in the
	// resolver's records. The stored entry has it in place of SHA256.
	Commitment string `json:"-"`
	Secret     Secret `json:"-"` // of the salts; Append makes one if it is zero. Readers leave it zero
	Salted     Salted `json:"-"`
	noKey      string // stays empty; see values
	// Number, unless nil, receives the entry's number.
	Number *uint64 `json:"-"`
}

// Decides reports whether the entry is about observations or contexts, robots or subjects that were decided on.
func (e *Entry) Decides() bool {
	return slices.Contains([]Action{Accept, Reject, Undo, Relay, Subject, Clock, Reconcile, Resolve}, e.Action)
}

// LibraryActor is the Actor of entries without one, written by a program that uses the
// file without the service.
const LibraryActor = "library"

// Complete returns e with any missing id, action, time or actor set.
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

// saltedContent reports whether the salt of Commitment is beside the entry, unless it was erased.
func (e *Entry) saltedContent() bool { return e.Commitment != "" && e.Action != Resolve }

// ErasedText stands for a text that was erased, for people and as the actor of a forwarded entry.
const ErasedText = "erased"

// Sender returns the actor for people: "erased" after it was erased.
func (e *Entry) Sender() string { return e.shown(Who, e.Actor) }

// From returns the address for people: "erased" after it was erased, and "" if there was
// none.
func (e *Entry) From() string { return e.shown(Client, e.Address) }

// Details returns the detail for people, as From does.
func (e *Entry) Details() string { return e.shown(What, e.Detail) }

func (e *Entry) shown(g Group, value string) string {
	if e.Erased.Has(g) {
		return ErasedText
	}
	return value
}

// Revoked identifies revoked tokens: one by id, or all tokens of a user issued up to a
// second.
type Revoked struct {
	TokenID  string    `json:"jti,omitempty"`
	Username string    `json:"username,omitempty"`
	UpTo     time.Time `json:"issued_up_to,omitzero"` // for the tokens of a user
}
