package record

// Person is what is known of two subjects that are or may be one person. First sorts before Second, or is Second:
// then only Together counts.
type Person struct {
	First, Second      string
	State              PersonState
	Since              int64 // when it entered that state
	DecidedBy, Reason  string
	Accepted, Rejected int64 // people's decisions on cases whose sides name First and Second
	// Together counts the times at which two robots reported similar texts, one of First and one of Second.
	Together int64
}

// PersonState is how two subjects are treated.
type PersonState uint8

const (
	Unrelated  PersonState = iota // as two persons
	Suggested                     // as two persons; reviews or reports suggest that they are one
	OnePerson                     // as one, by decision
	TwoPersons                    // as two, by decision
)

var personStateNames = [...]string{"unrelated", "suggested", "one person", "two persons"}

func (s PersonState) String() string { return personStateNames[s] }

func (p *Person) readOrWrite(c *coder) {
	c.string(&p.First)
	c.string(&p.Second)
	c.below((*byte)(&p.State), byte(len(personStateNames)))
	c.int(&p.Since)
	c.string(&p.DecidedBy)
	c.string(&p.Reason)
	c.int(&p.Accepted)
	c.int(&p.Rejected)
	c.int(&p.Together)
}
