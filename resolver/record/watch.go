package record

// What is learnt of subjects and of pairs of robots, beside the contexts: a bounded number of records, all
// of them in memory.

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
	Watched          SubjectState = iota // a person, as far as is known
	Detected                             // a placeholder, by what robots reported of it
	Overruled                            // a person has said that it is one person
	Confirmed                            // a person has said that it is a placeholder
	lastSubjectState = Confirmed
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

// Pair is what is known of two robots that report the same persons; First is the lesser name.
type Pair struct {
	First, Second string
	Alike         int64 // moments at which both reported like texts
	Conflicts     int64 // moments at which both reported clearly different texts of one subject
	// Gaps counts pairs of reports of one subject with different texts, neither of which the other robot
	// has reported, by the stamp of Second minus that of First: PairBin each, from -PairReach on.
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
	c.below((*byte)(&s.State), byte(lastSubjectState)+1)
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
