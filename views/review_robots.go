package views

import "time"

// ReviewRobots is what the resolver learned about robots and subjects.
type ReviewRobots struct {
	Outcomes   []ReviewOutcome
	ScaleMS    int64 // how far apart two robots usually stamp one event
	Clocks     []ReviewClock
	Subjects   []ReviewSubject
	Reused     []ReviewReuse
	ReusedMore int // robots that are not listed
}

// ReviewOutcome counts what became of observations.
type ReviewOutcome struct {
	Name  string
	Count int64
}

// ReviewClock is what is known of a robot's clock.
type ReviewClock struct {
	Robot    string
	OffsetMS int64
	Anchors  int64
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
