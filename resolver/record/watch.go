package record

// What is learnt of subjects and of pairs of robots: a bounded number of records, all of
// them kept in memory.

// Subject is what is known of a subject that may be a placeholder for several persons.
type Subject struct {
	Subject   string
	State     SubjectState
	Since     int64 // when it entered that state
	DecidedBy string
	Joined    int64 // contexts that joined two robots' reports of it when it was detected
	Pairs     []SubjectPair
}

// SubjectState is how a subject is treated.
type SubjectState uint8

const (
	Watched   SubjectState = iota // as a person
	Detected                      // as a placeholder, because of robots' reports
	Overruled                     // as a person, by decision
	Confirmed                     // as a placeholder, by decision

)

var subjectStateNames = [...]string{"watched", "detected", "overruled", "confirmed"}

func (s SubjectState) String() string { return subjectStateNames[s] }

// SubjectPair counts the times at which two robots both reported a subject.
type SubjectPair struct {
	First, Second string
	Conflicts     int64 // with clearly different texts
	Elsewhere     int64 // conflicts in two known places
	Agreements    int64 // with similar texts
}

// Pair is what is known of two robots that report the same persons. First sorts before
// Second.
type Pair struct {
	First, Second string
	Similar       int64 // times at which both reported similar texts
	Conflicts     int64 // times at which both reported clearly different texts of one subject
	// Gaps is a histogram of the timestamp of Second minus that of First. It counts pairs
	// of reports of one subject with different texts, each reported by one of the robots
	// only. Bins have the width PairBin and begin at -PairReach.
	Gaps               [PairBins]int64
	Accepted, Rejected int64 // cases with the reason text_differs
}

const (
	PairBins  = 24
	PairBin   = 500_000 // microseconds
	PairReach = PairBins / 2 * PairBin
)

func (s *Subject) readOrWrite(c *coder) {
	c.string(&s.Subject)
	c.below((*byte)(&s.State), byte(len(subjectStateNames)))
	c.int(&s.Since)
	c.string(&s.DecidedBy)
	c.int(&s.Joined)
	list(c, &s.Pairs, func(p *SubjectPair) {
		c.string(&p.First)
		c.string(&p.Second)
		c.int(&p.Conflicts)
		c.int(&p.Elsewhere)
		c.int(&p.Agreements)
	})
}

func (p *Pair) readOrWrite(c *coder) {
	c.string(&p.First)
	c.string(&p.Second)
	c.int(&p.Similar)
	c.int(&p.Conflicts)
	for i := range p.Gaps {
		c.int(&p.Gaps[i])
	}
	c.int(&p.Accepted)
	c.int(&p.Rejected)
}

// Relay is what is known of a robot that may only repeat another's reports.
type Relay struct {
	Robot     string
	State     RelayState
	Of        string // the robot that it repeats
	Since     int64  // when it entered that state
	DecidedBy string
	Reports   int64 // compared reports with a text
	Sources   []RelaySource
	Late      int64   // reports treated as late reports
	Delays    []int64 // the last delays, in microseconds, at most MaxDelays
}

// RelaySource compares a robot's reports with those of another one, or with its own
// earlier ones. Then Joined counts pieces of what another robot reported, and Live other
// reports that go on in the same breath.
type RelaySource struct {
	Robot   string
	Repeats int64 // same text, later, in a context of its own
	Joined  int64 // same text in the same context, or at the same time
	Live    int64 // how many of Repeats arrived as much later as their timestamps say
	Exact   int64 // how many of Repeats have the same normal text
}

// MaxDelays limits Relay.Delays.
const MaxDelays = 32

// RelayState is how a robot is treated.
type RelayState uint8

const (
	Ordinary      RelayState = iota // as no relay
	Repeating                       // detected as a relay, awaits review
	AcceptedRelay                   // as a relay, by decision
	RejectedRelay                   // as no relay, by decision
)

var relayStateNames = [...]string{"ordinary", "detected", "accepted", "rejected"}

func (s RelayState) String() string { return relayStateNames[s] }

func (r *Relay) readOrWrite(c *coder) {
	c.string(&r.Robot)
	c.below((*byte)(&r.State), byte(len(relayStateNames)))
	c.string(&r.Of)
	c.int(&r.Since)
	c.string(&r.DecidedBy)
	c.int(&r.Reports)
	list(c, &r.Sources, func(s *RelaySource) {
		c.string(&s.Robot)
		c.int(&s.Repeats)
		c.int(&s.Joined)
		c.int(&s.Live)
		c.int(&s.Exact)
	})
	c.int(&r.Late)
	list(c, &r.Delays, c.int)
}
