package views

import "time"

// ReviewRobots is what the resolver learned about robots and subjects.
type ReviewRobots struct {
	Names      Names // of the robots and subjects
	Outcomes   []ReviewOutcome
	ScaleMS    int64 // how far apart two robots usually stamp one event
	Questions  []ReviewQuestion
	Clocks     []ReviewClock
	Relays     []ReviewRelay
	Subjects   []ReviewSubject
	Reused     []ReviewReuse
	ReusedMore int // robots that are not listed
}

// ReviewQuestion asks the reader whether something that the resolver found is so.
type ReviewQuestion struct {
	Sentence     string
	Action, Name string  // of the form, and of its buttons
	Fields       []Field // what else the form sends
	Yes, No      Choice  // what the buttons send, and what they say
}

// ReviewRelay is a robot that repeats another one, or was taken to.
type ReviewRelay struct {
	Robot, Of, State, By   string
	Since                  time.Time
	Reports, Repeats, Late int64
	DelayMS                int64
}

// ReviewOutcome counts what became of observations.
type ReviewOutcome struct {
	Name  string
	Count int64
}

// ReviewClock is what is known of a robot's clock, in words.
type ReviewClock struct {
	Robot     string
	Ahead     string // how far it is ahead
	Sentences int64  // that say so
	Arrival   string // how its observations arrive
	Lead      string
	Steps     []ReviewStep // newest first
	Claim     string       // another offset that is not confirmed; "" is none
	By        string       // who confirmed it; "" is nobody
}

// ReviewStep is a jump of a clock.
type ReviewStep struct {
	Words string
	At    time.Time
}

// ReviewSubject is a subject that is, or was, taken for a placeholder.
type ReviewSubject struct {
	URI, State, By                string
	Since                         time.Time
	Conflicts, Agreements, Joined int64
}

// ReviewReuse counts the observations of a robot whose id named another one before.
type ReviewReuse struct {
	Robot string
	Count int64
}
