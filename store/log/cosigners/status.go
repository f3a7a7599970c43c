package cosigners

import (
	"errors"
	"fmt"
	"time"
)

// maxOffset is how much the clocks of a witness and of this machine may differ.
const maxOffset = 5 * time.Minute

// Status is what is known about a witness.
type Status struct {
	Name, URL string
	State     State
	Since     time.Time // of the state
	Detail    string    // why the witness does not cosign, or a warning about it, or ""
	Size      uint64    // entries of the last checkpoint that it cosigned since the start
	Time      time.Time // when it did, by its clock
	Warning   string    // set if the witness forgot what it cosigned
}

// State is a witness's last answer.
type State int

// The states of a witness.
const (
	Waiting     State = iota // it was not asked yet
	Agrees                   // it cosigned
	Unreachable              // it did not answer, or failed
	Refuses                  // it does not know the log or its key
	Contradicts              // it cosigned another history of the log
)

func (s State) String() string {
	return [...]string{"not asked yet", "cosigns", "can't be reached", "refuses", "contradicts"}[s]
}

// answerError is an answer that is not a cosignature.
type answerError struct {
	state  State
	detail string
}

func (e *answerError) Error() string { return e.detail }

func answer(s State, format string, args ...any) error {
	return &answerError{s, fmt.Sprintf(format, args...)}
}

func stateOf(err error) State {
	if a, ok := errors.AsType[*answerError](err); ok {
		return a.state
	}
	return Unreachable
}

// Status returns what is known about each witness.
func (s *Sender) Status() []Status {
	out := make([]Status, len(s.peers))
	for i, p := range s.peers {
		p.mu.Lock()
		out[i] = p.status
		p.mu.Unlock()
	}
	return out
}
