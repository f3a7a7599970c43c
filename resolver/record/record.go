// Package record defines the resolver's records: their types, keys and encoding. It makes
// no decisions. Contexts, observations, cases and decisions are numbered from 1 in order
// of creation, and numbers are never reused.
//
// Times are microseconds since 1970 in UTC.
package record

import (
	"strings"

	"github.com/segraph/segraph/resolver/weigh"
)

// Context is one event or, if it was merged, its state before the merge.
type Context struct {
	Number  uint64
	URI     string
	Kind    string
	Into    uint64 // the context that it was merged into, or 0
	Created int64
	At      int64  // position in time: the corrected time of the first observation
	Count   uint64 // number of observations, including those of merged contexts
	// Origins are the contexts whose observations it contains: itself and those merged
	// into it.
	Origins     []uint64
	Members     []Member // the compared part of its observations; at most MaxMembers
	Separations []Separation
	Doubts      []Doubt
	// LateOf is the context that its first observation, by a relay, is a late report of,
	// or 0.
	LateOf uint64
}

// Status is the state of a context.
type Status uint8

const (
	Active    Status = iota
	Ambiguous        // an undecided case has it as its source
	Merged           // its observations now belong to another context
)

var statusNames = [...]string{"active", "ambiguous", "merged"}

func (s Status) String() string { return statusNames[s] }

// Status derives the status, which is not stored.
func (x *Context) Status() Status {
	switch {
	case x.Into != 0:
		return Merged
	case len(x.Doubts) > 0:
		return Ambiguous
	}
	return Active
}

// MaxMembers limits Context.Members. Later observations are stored and counted, but do
// not affect comparisons.
const MaxMembers = 64

// Member is the compared part of an observation.
type Member struct {
	Origin   uint64 // the context that the observation first belonged to, and returns to when a merge is undone
	At       int64  // timestamp
	Coarse   bool   // the timestamp is in whole seconds
	Subject  string // or ""
	Generic  bool   // Subject identifies nobody
	Modality string
	Text     string // normal form
	Robot    string
	Location string // or ""
	Received int64  // time of arrival
	Late     bool   // a late report of a relay, whose timestamp is not the time of the event
}

// Half returns half a second for a timestamp of whole seconds, to move it to the middle of the
// second, in microseconds.
func (m Member) Half() int64 {
	if m.Coarse {
		return 500_000
	}
	return 0
}

// Separation records that a person decided to keep two contexts separate: Own is an
// origin of the context that has it, Other the other one.
type Separation struct{ Own, Other uint64 }

// Doubt refers to a pending case whose source is Own, an origin of the context that has
// it.
type Doubt struct{ Own, Case uint64 }

// Observation is an observation as it was sent, and its result.
type Observation struct {
	Number     uint64
	Context    uint64 // its origin
	Decision   uint64 // the decision that placed it there
	Received   int64  // when the service, or a replayed stream, received it
	At         int64
	Corrected  int64 // At corrected by its robot's clock offset at that time
	Kind       string
	ObservedAt string
	Subject    string
	Modality   string
	Text       string
	URI        string
	Robot      string
	Location   string
	Key        Hash // key of its repeats; zero if repeats can't be detected
	Reused     bool // URI named a different observation before
	// Salt is that of the commitment of the journal's entry to the observation; zero once somebody
	// was erased from it.
	Salt  Salt
	Alias string // the URIs of the contexts that other services answered, one a line; mostly one or none
}

// Aliases returns the URIs in Alias.
func (o *Observation) Aliases() []string {
	if o.Alias == "" {
		return nil
	}
	return strings.Split(o.Alias, "\n")
}

// Salt is hashed before what an entry of the journal commits to.
type Salt [16]byte

// Alias says where a URI of another service leads.
type Alias struct {
	URI         string
	Context     uint64 // the origin of the observation
	Observation uint64 // the first one with it
	Decision    uint64 // the one that placed it there
}

// Repeat is the answer to a repeated observation.
type Repeat struct {
	Context uint64 // its origin
	Case    uint64 // the case that it opened, or 0
	// Content is a hash of the content of an observation with a URI. It distinguishes a
	// repeat from another observation with the same URI. Without a URI it is zero.
	Content Hash
}

// Reuse counts a robot's observations whose URI named a different one before.
type Reuse struct {
	Robot string
	Count int64
}

// CaseStatus is the state of a case.
type CaseStatus uint8

const (
	Pending CaseStatus = iota
	Accepted
	Rejected
	Superseded // another decision settled it
)

var caseStatusNames = [...]string{"pending", "accepted", "rejected", "superseded"}

func (s CaseStatus) String() string { return caseStatusNames[s] }

// Case asks a person whether the source is the same event as one of the targets.
type Case struct {
	Number    uint64
	Source    uint64
	Status    CaseStatus
	Reason    string
	Any       float64 // the probability that one of the targets is right
	Opened    int64
	Decided   int64
	DecidedBy string
	Selected  uint64 // the accepted target
	Decision  uint64 // the decision on it
	Weighed   Weighed
	Targets   []Target
}

// Weighed holds the time at which the targets of a case were weighed, and the thresholds
// of a match then.
type Weighed struct {
	At          int64
	MaxGap      float64 // seconds
	MinText     float64 // least similarity of texts
	Probability float64
}

// Target is a context that a case offers, with its evidence.
type Target struct {
	Context     uint64
	Probability float64
	LogOdds     float64
	Shares      Shares
	Parts       []Part      // their weights add up to LogOdds
	Gap         float64     // seconds between the two timestamps, with corrected clocks
	Claimed     float64     // further seconds by which the two clocks may differ, which prevents a match; 0 if none
	Likeness    float64     // similarity of the texts; -1 if a side has none
	Gates       weigh.Gates // Rival is true
}

// Shares are fractions of evidence, each from 0 to 1.
type Shares struct{ Time, Text, Subject, Modality float64 }

// Part is the weight of one kind of evidence, in nats.
type Part struct {
	Feature string
	Weight  float64
	Value   string // for people
}

// DecisionKind is the kind of a decision.
type DecisionKind uint8

const (
	Creation DecisionKind = iota
	Match
	Doubtful
	AutoMerge
	AcceptedMerge
	Rejection
	Supersession
	Undoing
)

// Decision is a decision of the resolver or of a person.
type Decision struct {
	Number      uint64
	Kind        DecisionKind
	At          int64
	Plan        string // the IRI of the rules and settings
	By          string // who caused it
	Robot       string // the robot of the observation
	Observation uint64
	Source      uint64 // the context that was created or merged
	Target      uint64 // the context that was matched or merged into
	Case        uint64
	LogOdds     float64
	Probability float64
	Closed      []uint64     // cases that it superseded
	Joined      []Separation // contexts that it separated, or whose separation it ended
	Undone      uint64       // the decision that undid it or, for an Undoing, the one that was undone
}

// Clock is what was learnt of a robot's clock.
type Clock struct {
	Robot   string
	Offset  float64 // seconds that it was ahead before all Steps
	Anchors int64
	// Lead is how many seconds it is ahead per letter of a text of Kind (a hash) beyond
	// Letters. It is negative if the robot timestamps the beginning of speech.
	Lead     float64
	Kind     uint64
	Letters  float64 // the mean length of the texts that the lead was learnt from
	Shortest float64 // the least length of a text that confirmed the lead
	Gain     float64 // seconds by which the lead makes differences smaller, on average

	Lags  []int64 // delays of the last observations from timestamp to arrival, in milliseconds
	Lag   int64   // the usual smallest of these, if Timed
	Timed bool    // the robot has posted live
	Odd   []int64 // arrivals of the latest consecutive Lags that are far from Lag; at most MaxOdd

	Steps   []Step // at most MaxSteps, by From
	Segment uint64 // number of steps so far

	Claims   []Claim  // at most MaxClaims, latest last
	Friends  []uint32 // fingerprints of the robots whose anchors agreed last; at most MaxFriends, latest last
	Disputes uint8    // one bit for each of the last eight anchors, latest lowest: it contradicted the offset
	Earlier  int64    // how often its observation of an anchor arrived first, while the clocks agreed
	Later    int64    // how often it arrived second

	DecidedBy string // who last confirmed the offset, or revoked what was confirmed
	DecidedAt int64  // 0 if nobody did
	Revoked   bool
	Confirmed int64   // the confirmed offset, in milliseconds
	Moved     float64 // seconds by which what is confirmed moved the clock, also by steps that are in Offset by now
	Heard     int64   // when the service got an observation of the robot last; 0 if that was before this was noted
}

// Limits of a Clock's lists.
const (
	MaxLags    = 16
	MaxOdd     = 3
	MaxSteps   = 16
	MaxClaims  = 8
	MaxRecent  = 9
	MaxNames   = 8
	MaxFriends = 16
)

// Step is a jump of a clock: arrivals from a time on are By seconds further ahead.
type Step struct {
	From  int64 // in microseconds; 0 if it is of the whole past
	By    float64
	Shown Evidence
}

// Evidence is what shows a step of a clock.
type Evidence byte

// What shows a step. Stored records have these numbers.
const (
	ByTexts Evidence = iota
	ByArrivals
	ByPerson // who confirmed the offset
)

// Claim is what the anchors of a robot and a partner say about their clocks while they
// contradict the offsets.
type Claim struct {
	Partner     string
	Own, Theirs uint64  // the segments of the two clocks
	Since       int64   // arrival of the first anchor
	Recent      []int64 // how far the clock was ahead of the partner's in the last anchors, in milliseconds; at most MaxRecent
	About       int64   // the median that the counts below refer to
	Sentences   int64   // anchors that agree with it
	Subjects    []uint32
	Texts       []uint32 // distinct fingerprints, at most MaxNames
	Reversed    int64    // how many of Sentences the robot that is ahead reported first
	Against     int64    // how many of Sentences the arrivals contradict
	Arrived     int64    // how many of Sentences the arrivals confirm
}

// Kind counts the contexts of a kind of event. Counts are halved every Epoch contexts.
type Kind struct {
	Name     string
	Made     int64 // total
	Contexts int64
	Subjects int64 // contexts with a known subject
	Places   int64 // contexts with a place
	// Open are the time intervals, as buckets, that were not surveyed yet, in the order
	// of their first contexts.
	Open []int64
}

// Frequency counts the contexts of a kind with one text, one subject or one place, as of
// an epoch of the kind.
type Frequency struct {
	Epoch int64
	Count int64
}

// Epoch is the number of contexts of a kind after which its counts are halved, to forget
// old ones.
const Epoch = 50_000

// Now returns the count as of a later epoch.
func (f Frequency) Now(epoch int64) int64 { return f.Count >> min(62, epoch-f.Epoch) }

// Scale holds the last differences between two robots' timestamps, in seconds, from which
// their scale is learnt.
type Scale struct {
	Next      int
	Anchors   int64
	Residuals []float64
}

// Reviews are the last verdicts on cases, for calibration.
type Reviews struct {
	Next     int
	Total    int64
	Verdicts []Verdict
}

// Verdict is a person's verdict on a case.
type Verdict struct {
	Any      float64
	Accepted bool
}

// Series are the names given since one start, or since the records were replaced. A name
// consists of the random bits of its series and a number. Copies of a store, and a
// restored one, may give the same numbers, but never the same bits.
type Series struct {
	Bits                           [16]byte
	Observations, Cases, Decisions uint64 // the first numbers of the series
}

// Totals holds the last numbers given and the counts of Stats.
type Totals struct {
	Contexts, Observations, Cases, Decisions uint64 // the last numbers
	Cleared                                  uint64 // the last context that was cleared
	Active, Ambiguous, Merged                int64
	Stored, Duplicates                       int64
	Pending, Accepted, Rejected, Superseded  int64
	AutoMerges, ManualMerges                 int64
	Created, Matched, Doubted                int64
	Reused                                   int64 // observations whose URI named a different one before
	Reusers                                  int64 // robots that have a Reuse
	Unmatched                                int64 // matches that were undone
	Aliases                                  int64
	// Names are the bits of the last series with a number; zero before the first one.
	Names [16]byte
	// Unpublished is the last decision at the time of the last clearing of the published
	// graph. Merges up to it are not in that graph.
	Unpublished uint64
	Secret      Secret
}
