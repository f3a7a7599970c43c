package reports

import (
	"slices"
	"time"

	"github.com/segraph/segraph/store/rdf"
)

// joining makes sentences of messages that come in order of time, the newest first. Messages of two robots that heard the
// same person, within a pause and in the same words or about one event, are one sentence. About different events, they are two.
type joining struct {
	open  []*sentence               // the newest first
	same  map[[2]rdf.Term]*sentence // the open ones, by each of their keys
	last  *sentence                 // of the row before; nil at first
	yield func(*sentence) bool      // gets each sentence once it is whole; false if no more are wanted
}

// add adds a row, whose columns are message, text, person, activity, robot, another column, and event. It reports
// whether more are wanted.
func (j *joining) add(at time.Time, t []rdf.Term) bool {
	message, text, who, activity, robot, event := t[0], t[1], t[2], t[3], t[4], t[6]
	if s := j.last; s == nil || s.messages[len(s.messages)-1] != message { // the message's first row
		if !j.flush(at) {
			return false
		}
		if s = j.openFor(who, robot, event, text); s == nil {
			s = &sentence{at: at, text: text}
			j.open = append(j.open, s)
		}
		if s.who.IsZero() {
			s.who = who
		}
		words := rdf.NewString(text.Value())
		for _, key := range [][2]rdf.Term{{who, words}, {anybody, words}, {who, event}} {
			if !key[1].IsZero() {
				j.same[key], s.keys = s, append(s.keys, key)
			}
		}
		s.messages, j.last = append(s.messages, message), s
	}
	s := j.last
	s.acts, s.robots, s.events = withIRI(s.acts, activity), withIRI(s.robots, robot), withIRI(s.events, event)
	return true
}

// withIRI adds a term to a list if it is an IRI and not in the list.
func withIRI(list []rdf.Term, t rdf.Term) []rdf.Term {
	if !t.IsIRI() {
		return list
	}
	return with(list, t)
}

// anybody stands for whoever said something.
var anybody = rdf.NewString("anybody")

// openFor returns the open sentence that another robot's message repeats, or nil: the same words of the same speaker,
// or another sentence of the speaker about the same event. If a robot does not know a speaker, only the words count.
func (j *joining) openFor(who, robot, event, text rdf.Term) *sentence {
	words, unknown := rdf.NewString(text.Value()), rdf.Term{}
	keys := [][2]rdf.Term{{who, words}, {unknown, words}, {who, event}}
	if who.IsZero() {
		keys = [][2]rdf.Term{{anybody, words}}
	}
	for _, key := range keys {
		s := j.same[key]
		if s == nil || key[1].IsZero() { // no event
			continue
		}
		if another := !slices.Contains(s.robots, robot); another && !differ(s.events, withIRI(nil, event)) {
			return s
		}
	}
	return nil
}

// flush yields the sentences that nothing at a time or before can belong to, and the newest if openSentences are open;
// all of them for the zero time. It reports whether more are wanted.
func (j *joining) flush(at time.Time) bool {
	n := 0
	for _, s := range j.open {
		if !at.IsZero() && s.at.Sub(at) < pause && len(j.open)-n < openSentences {
			break
		}
		for _, key := range s.keys {
			if j.same[key] == s {
				delete(j.same, key)
			}
		}
		if n++; !j.yield(s) {
			return false
		}
	}
	j.open = j.open[n:]
	return true
}
