package record

// What is learnt of subjects and of pairs of robots, beside the contexts: a bounded
// number of records, all of them in memory.

// Subject is what is known of a subject that may be a placeholder for several persons.
type Subject struct {
	Subject   string
	State     SubjectState
	Since     int64 // when it got that state
	DecidedBy string
	Joined    int64 // contexts that two robots' reports of it had been joined in when it was detected
	Pairs     []SubjectPair
}

// SubjectState says what a subject is taken for.
type SubjectState uint8

const (
	Watched   SubjectState = iota // a person, as far as is known
	Detected                      // a placeholder, by what robots reported of it
	Overruled                     // a person has said that it is one person
	Confirmed                     // a person has said that it is a placeholder

)

var subjectStateNames = [...]string{"watched", "detected", "overruled", "confirmed"}

func (s SubjectState) String() string { return subjectStateNames[s] }

// SubjectPair counts the moments at which two robots both reported a subject.
type SubjectPair struct {
	First, Second string
	Conflicts     int64 // when they reported clearly different texts
	Elsewhere     int64 // of these, those from two known places
	Agreements    int64 // when they reported like texts
}

// Pair is what is known of two robots that report the same persons; First is the lesser
// name.
type Pair struct {
	First, Second string
	Alike         int64 // moments at which both reported like texts
	Conflicts     int64 // moments at which both reported clearly different texts of one subject
	// Gaps counts pairs of reports of one subject with different texts, neither of which
	// the other robot has reported, by the stamp of Second minus that of First: PairBin
	// each, from -PairReach on.
	Gaps               [PairBins]int64
	Accepted, Rejected int64 // cases with the reason text_differs
}

const (
	PairBins  = 24
	PairBin   = 500_000 // microseconds
	PairReach = PairBins / 2 * PairBin
)

func (s *Subject) fields(c *coder) {
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

func (p *Pair) fields(c *coder) {
	c.string(&p.First)
	c.string(&p.Second)
	c.int(&p.Alike)
	c.int(&p.Conflicts)
	for i := range p.Gaps {
		c.int(&p.Gaps[i])
	}
	c.int(&p.Accepted)
	c.int(&p.Rejected)
}

// Relay is what is known of a robot that may only repeat what another one reports.
type Relay struct {
	Robot     string
	State     RelayState
	Of        string // whose reports it repeats
	Since     int64  // when it got that state
	DecidedBy string
	Reports   int64 // reports with a text that were looked at
	Sources   []RelaySource
	Late      int64   // reports that were taken for late reports
	Delays    []int64 // the last ones, in microseconds, MaxDelays at most
}

// RelaySource counts how a robot's reports stand to those of another one.
type RelaySource struct {
	Robot   string
	Repeats int64 // the same text, later, in a context of its own
	Joined  int64 // the same text in the same context, or at the same moment
	Live    int64 // of Repeats, those received as much later as they are stamped later
	Exact   int64 // of Repeats, those with the same normal text
}

// MaxDelays bounds Relay.Delays.
const MaxDelays = 32

// RelayState says what a robot is taken for.
type RelayState uint8

const (
	Ordinary      RelayState = iota // as far as is known
	Repeating                       // by what it reports, a relay; a person is asked
	AcceptedRelay                   // a person has said that it is one
	RejectedRelay                   // a person has said that it is none
)

var relayStateNames = [...]string{"ordinary", "detected", "accepted", "rejected"}

func (s RelayState) String() string { return relayStateNames[s] }

func (r *Relay) fields(c *coder) {
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
