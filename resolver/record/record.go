// Package record holds what the resolver remembers: the types, their keys and their
// encoding. It decides nothing. Contexts, observations, cases and decisions are numbered
// from 1 in the order in which they came to be, and no number is ever given twice.
//
// Times are microseconds since 1970 in UTC.
package record

// Context is what is known of one event, or, once it is merged, what was known until then.
type Context struct {
	Number  uint64
	URI     string
	Kind    string
	Into    uint64 // the context that it was merged into, 0 if it stands for itself
	Created int64
	At      int64  // where it stands in the order of time: the founding observation's, with its clock set right
	Count   uint64 // observations, with those of the contexts merged into it
	// Origins are the contexts whose observations it has: itself and those that were
	// merged into it.
	Origins []uint64
	Members []Member // observations as far as they matter for comparing; MaxMembers at most
	Apart   []Apart
	Doubts  []Doubt
	// LateOf is the context of which a relay's report, which founded this one, is a late
	// report; 0 for none.
	LateOf uint64
}

// Status is what became of a context.
type Status uint8

const (
	Active    Status = iota
	Ambiguous        // a case asks whether it is the same as another
	Merged           // its observations now belong to another
)

var statusNames = [...]string{"active", "ambiguous", "merged"}

func (s Status) String() string { return statusNames[s] }

// Status returns the status, which nothing stores.
func (x *Context) Status() Status {
	switch {
	case x.Into != 0:
		return Merged
	case len(x.Doubts) > 0:
		return Ambiguous
	}
	return Active
}

// MaxMembers bounds Context.Members. Later observations are stored and counted like all,
// and no longer change what the context is compared by.
const MaxMembers = 64

// Member is what of an observation is compared.
type Member struct {
	Origin   uint64 // the context that the observation came to first, and comes back to
	At       int64  // as stamped
	Coarse   bool   // the stamp has whole seconds
	Subject  string // "" for none
	Generic  bool   // Subject is nobody in particular
	Modality string
	Text     string // in normal form
	Robot    string
	Location string // "" for none
	Received int64  // when it arrived, 0 where an older version stored it
	Late     bool   // a relay's report, whose stamp says nothing of when it was
}

// Apart says that a person has kept two contexts apart: Own is an origin of the context
// that has it, Other the other one.
type Apart struct{ Own, Other uint64 }

// Doubt is a pending case whose source is Own, an origin of the context that has it.
type Doubt struct{ Own, Case uint64 }

// Observation is an observation as it was sent, and what was made of it.
type Observation struct {
	Number     uint64
	Context    uint64 // its origin
	Decision   uint64 // that brought it there; 0 in records of before version 3
	Received   int64  // when the service, or a replayed stream, received it
	At         int64
	Corrected  int64 // At with the clock of its robot set right, as far as was known then
	Kind       string
	ObservedAt string
	Subject    string
	Modality   string
	Text       string
	URI        string
	Robot      string
	Location   string
	Key        Hash // what a repeat of it has too; zero if nothing would prove a repeat
	Reused     bool // URI named another observation before
}

// Repeat is what a repeated observation is answered with.
type Repeat struct {
	Context uint64 // its origin
	Case    uint64 // the case that it opened, or 0
	// Content is a hash of what an observation with a URI says, by which a repeat of it
	// is told from another observation of the same URI. It is zero in records of before
	// version 3.
	Content Hash
}

// Reuse counts the observations of a robot whose URI named another observation before.
type Reuse struct {
	Robot string
	Count int64
}

// CaseStatus is what became of a case.
type CaseStatus uint8

const (
	Pending CaseStatus = iota
	Accepted
	Rejected
	Superseded // what it asked was decided elsewhere
)

var caseStatusNames = [...]string{"pending", "accepted", "rejected", "superseded"}

func (s CaseStatus) String() string { return caseStatusNames[s] }

// Case asks a person whether the source is one event with one of the targets.
type Case struct {
	Number    uint64
	Source    uint64
	Status    CaseStatus
	Reason    string
	Any       float64 // the probability that one of the targets is right
	Opened    int64
	Decided   int64
	DecidedBy string
	Selected  uint64 // the target that was accepted
	Decision  uint64 // that decided it
	Weighed   Weighed
	Targets   []Target
}

// Weighed is when the targets of a case were weighed, and what a match took then. It is
// zero in cases that an older version weighed.
type Weighed struct {
	At          int64
	MaxGap      float64 // seconds
	MinText     float64 // likeness
	Probability float64
}

// Target is a context that a case offers, with the evidence for it.
type Target struct {
	Context     uint64
	Probability float64
	LogOdds     float64
	Shares      Shares
	Parts       []Part  // they add up to LogOdds
	Gap         float64 // seconds between the two as stamped, clocks corrected
	Claimed     float64 // seconds more by which the two clocks may differ, which forbids a match; 0 if that is not in doubt
	Likeness    float64 // of the texts; -1 where a side has none
	Gates       Gates
}

// Gates are the conditions of a match that held.
type Gates struct{ Subject, Modality, Text, Time, Place, Robot bool }

// Shares are evidence from 0 to 1 each.
type Shares struct{ Time, Text, Subject, Modality float64 }

// Part is what one kind of evidence weighs, in nats.
type Part struct {
	Feature string
	Weight  float64
	Value   string // for people
}

// DecisionKind is what was decided.
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

// Decision is a step of the resolver or of a person.
type Decision struct {
	Number      uint64
	Kind        DecisionKind
	At          int64
	Plan        string // the IRI of the rules and settings
	By          string // who asked
	Robot       string // whose observation it was
	Observation uint64
	Source      uint64 // the context that was made or merged
	Target      uint64 // the context that was matched or merged into
	Case        uint64
	LogOdds     float64
	Probability float64
	Closed      []uint64 // cases that it superseded
	Joined      []Apart  // contexts that it kept apart, or whose being apart it ended
	Undone      uint64   // the decision that took it back, or, of an Undoing, the one that was taken back
}

// Clock is what was learnt of a robot's clock.
type Clock struct {
	Robot   string
	Offset  float64 // seconds that it was ahead before all Steps
	Anchors int64
	// Lead is how many seconds it is ahead for every letter that a text of Kind, a hash,
	// has more than clockLetters of the resolver: below 0 where the robot stamps the
	// beginning of what is said.
	Lead float64
	Kind uint64

	Lags  []int64 // of the last observations, from their stamp to their arrival, in milliseconds
	Lag   int64   // how little that usually is, if Timed
	Timed bool    // the robot has posted live
	Odd   []int64 // when those arrived whose Lags, the last in a row, are far from Lag; MaxOdd at most

	Steps   []Step // MaxSteps at most, oldest first
	Segment uint64 // how many steps there ever were

	Claims   []Claim  // MaxClaims at most, the latest last
	Friends  []uint32 // fingerprints of the robots with which anchors agreed last; MaxFriends at most, the latest last
	Disputes uint8    // a bit for each of the last eight anchors, the latest lowest: whether it contradicted what is known
	Earlier  int64    // how often it was the first of an anchor's two to arrive, where the clocks agreed
	Later    int64    // how often the second

	DecidedBy string // who confirmed the offset last, or revoked that
	DecidedAt int64  // 0 if nobody did
	Revoked   bool
	Confirmed int64   // the offset that was confirmed, in milliseconds
	Moved     float64 // seconds by which the clock was moved then
}

// Bounds of what a Clock keeps.
const (
	MaxLags    = 16
	MaxOdd     = 3
	MaxSteps   = 16
	MaxClaims  = 8
	MaxRecent  = 9
	MaxNames   = 8
	MaxFriends = 16
)

// Step is a jump of a clock: what arrives from a time on is By seconds further ahead.
type Step struct {
	From    int64
	By      float64
	Arrived bool // the arrivals showed it, and not what was said
}

// Claim is what the anchors of a robot and a partner say about their clocks, while it
// contradicts what is known.
type Claim struct {
	Partner     string
	Own, Theirs uint64  // the segments of the two clocks that it is about
	Since       int64   // when the first anchor arrived
	Recent      []int64 // how far the clock was ahead of the partner's in the last anchors, in milliseconds; MaxRecent at most
	About       int64   // the median that what follows is about
	Sentences   int64   // anchors that agree with it
	Subjects    []uint32
	Texts       []uint32 // fingerprints of different ones, MaxNames at most
	Reversed    int64    // of Sentences, where the robot that is ahead was the first to arrive
	Against     int64    // of Sentences, which the arrivals contradict
	Arrived     int64    // and with which they agree
}

// Kind counts the contexts of a kind of events. Counts are halved every Epoch contexts.
type Kind struct {
	Name     string
	Made     int64 // ever
	Contexts int64
	Subjects int64 // of them, with a known subject
	Places   int64 // of them, with a place
	// Open are the stretches of time, as buckets, of which nothing was learnt yet, in the
	// order in which they got their first context.
	Open []int64
}

// Frequency counts the contexts of a kind with one text, one subject or one place, as of
// an epoch of the kind.
type Frequency struct {
	Epoch int64
	Count int64
}

// Epoch is after how many contexts of a kind its counts are halved, so that they follow
// the times.
const Epoch = 50_000

// Now returns the count as of a later epoch.
func (f Frequency) Now(epoch int64) int64 { return f.Count >> min(62, epoch-f.Epoch) }

// Scale is what was learnt of the time between two robots' stamps: the last residuals, in
// seconds.
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

// Verdict is what a person said of a case.
type Verdict struct {
	Any      float64
	Accepted bool
}

// Series are the names that a store gave from one start on, or from where its records
// were replaced. A name is the random bits of its series and a number. Two stores that
// were one, and one that was restored, have given the same numbers, but never the same
// bits.
type Series struct {
	Bits                           [16]byte
	Observations, Cases, Decisions uint64 // the first ones
}

// Totals are the numbers given so far and what Stats counts.
type Totals struct {
	Salt                                     [6]byte // of the names from before there were series
	Contexts, Observations, Cases, Decisions uint64  // the last numbers
	Cleared                                  uint64  // the last context that was cleared away
	Active, Ambiguous, Merged                int64
	Stored, Duplicates                       int64
	Pending, Accepted, Rejected, Superseded  int64
	AutoMerges, ManualMerges                 int64
	Created, Matched, Doubted                int64
	Form                                     uint64 // of the mirror, 0 in files of before it was counted
	Reused                                   int64  // observations whose URI named another before
	Reusers                                  int64  // robots that have a Reuse
	Unmatched                                int64  // matches that were undone
	// Names are the bits of the last series, from which numbers were given; zero before
	// the first one.
	Names [16]byte
	// Unpublished is the last decision when the published graph was last cleared. Merges
	// up to it are not told there.
	Unpublished uint64
}

// Hash names something long in a few bytes.
type Hash [16]byte
