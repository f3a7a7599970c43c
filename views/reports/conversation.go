package reports

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// pause is the silence after which a new conversation begins.
const pause = 2 * time.Minute

// shownThreads is how many conversations a page shows.
const shownThreads = 30

// message is a message logged by one or more robots.
type message struct {
	at           time.Time
	iri          rdf.Term
	sender, text rdf.Term
	robots       []rdf.Term // the robots that logged it
	events       []rdf.Term // which it is about
	iris         []rdf.Term // all messages that were merged into this one
}

// talk is a conversation.
type talk struct {
	parties  map[string]bool // the senders and loggers of its messages
	order    []rdf.Term
	messages []*message
}

// conversations shows messages as threads, the newest thread first, and as a table.
func (r *Report) conversations(ctx context.Context, out *ReportSection) error {
	people, err := r.names(ctx)
	if err != nil {
		return err
	}
	rows, more, err := r.limited(ctx, "conversations")
	if err != nil {
		return err
	}
	t := r.table("conversations", "Messages", "No message has a text and a time.", "Time", "Who", "Text", "Logged by", "Message")
	shown := rows
	if r.Limit < fileRows { // the page has most of them above the table, too
		shown = rows[:min(len(rows), r.Limit/2)]
	}
	t.More, t.Folded = more || len(shown) < len(rows), true
	for _, row := range shown {
		start, sender, text, robot, message := row[0], row[1], row[2], row[3], row[4]
		t.Rows = append(t.Rows, []ReportCell{r.when(start), r.who(sender), {Text: Said(text.Value()), Value: text.Value()}, r.who(robot), named(message)})
	}
	events, err := r.eventsOf(ctx, rows)
	if err != nil {
		return err
	}
	talks := threads(rows, events)
	slices.Reverse(talks)
	for _, talk := range talks[:min(len(talks), shownThreads)] {
		var names []string
		for _, p := range talk.order {
			names = append(names, r.name(p))
		}
		first, last := talk.messages[0].at, talk.messages[len(talk.messages)-1].at
		thread := Thread{Who: names, From: first, Query: r.address("conversations", first, last.Add(time.Microsecond), talk.only()...)}
		for _, m := range talk.messages {
			thread.Logged += len(m.iris)
		}
		for _, m := range talk.messages {
			b := Bubble{Who: "Unknown speaker", Text: Said(m.text.Value()), Language: m.text.Language(), Href: about(m.iri), Why: why(m.iri), Time: m.at}
			if !m.sender.IsZero() {
				b.Who, b.Robot = r.name(m.sender), people[m.sender.String()].robot
			}
			var heard []string
			for _, robot := range m.robots {
				if robot != m.sender {
					heard = append(heard, quoted.Name(r.name(robot)))
				}
			}
			if len(heard) > 0 {
				b.Note = "heard by " + strings.Join(heard, " and ")
			}
			if other := heardInstead(talks, m); other != nil {
				b.Other, b.OtherWho = views.Link{Name: other.text.Value(), Path: why(other.iri)}, r.name(other.sender)
			}
			thread.Bubbles = append(thread.Bubbles, b)
		}
		out.Threads = append(out.Threads, thread)
	}
	out.Tables = append(out.Tables, t)
	return nil
}

// eventsOf returns the events of messages in rows of conversations, by message. It asks only for those whose words the
// same speaker says again: their events tell whether that is one sentence.
func (r *Report) eventsOf(ctx context.Context, rows [][]rdf.Term) (map[rdf.Term][]rdf.Term, error) {
	said, out := map[[2]rdf.Term][]rdf.Term{}, map[rdf.Term][]rdf.Term{}
	for _, row := range rows {
		said[[2]rdf.Term(row[1:3])] = with(said[[2]rdf.Term(row[1:3])], row[4])
	}
	var again []rdf.Term
	for _, messages := range said {
		if len(messages) > 1 {
			again = append(again, messages...)
		}
	}
	if len(again) == 0 {
		return out, nil
	}
	found, err := r.Ask(ctx, valued(r.Query("message-events"), "?message", again))
	for _, row := range found {
		out[row[0]] = append(out[row[0]], row[1])
	}
	return out, err
}

// moment is how far apart robots may log one sentence.
const moment = 3 * time.Second

// heardInstead returns the message that robots may have misheard as m, whose speaker is unknown: the nearest one with
// a speaker, at most moment away, that other robots heard. It returns nil if there is none.
func heardInstead(talks []*talk, m *message) (best *message) {
	if !m.sender.IsZero() || len(m.robots) == 0 {
		return nil
	}
	away := func(o *message) time.Duration { return o.at.Sub(m.at).Abs() }
	for _, k := range talks {
		for _, o := range k.messages {
			heard := slices.ContainsFunc(o.robots, func(robot rdf.Term) bool { return robot != o.sender })
			logged := slices.ContainsFunc(o.robots, func(robot rdf.Term) bool { return slices.Contains(m.robots, robot) })
			if o.sender.IsZero() || !heard || logged || away(o) > moment {
				continue
			}
			if best == nil || away(o) < away(best) {
				best = o
			}
		}
	}
	return best
}

// threads groups messages into conversations, oldest first. A message belongs to a
// conversation if its sender or logging robot took part in it within the last pause.
// Messages with the same sender and words, logged by different robots within that time,
// count as one, unless these are about different events.
func threads(rows [][]rdf.Term, events map[rdf.Term][]rdf.Term) []*talk {
	var all, open []*talk
	type place struct {
		*talk
		*message
	}
	seen := map[rdf.Term]place{}
	for _, row := range slices.Backward(rows) {
		start, sender, text, robot, iri := row[0], row[1], row[2], row[3], row[4]
		at, ok := views.TimeOf(start)
		if !ok {
			continue
		}
		if known, again := seen[iri]; again { // in another language, or by another robot
			if !robot.IsZero() {
				known.robots = with(known.robots, robot)
				known.join(robot)
			}
			continue
		}
		said := &message{at: at, iri: iri, sender: sender, text: text, iris: []rdf.Term{iri}, events: events[iri]}
		if !robot.IsZero() {
			said.robots = []rdf.Term{robot}
		}
		open = slices.DeleteFunc(open, func(k *talk) bool { return at.Sub(k.messages[len(k.messages)-1].at) >= pause })
		var into *talk
		for _, k := range slices.Backward(open) {
			if k.parties[said.sender.String()] || len(said.robots) > 0 && k.parties[said.robots[0].String()] {
				into = k
				break
			}
		}
		if into == nil {
			into = &talk{parties: map[string]bool{}}
			all, open = append(all, into), append(open, into)
		}
		seen[iri] = place{into, into.take(said)}
	}
	return all
}

// take adds a message to a conversation, and returns it. If another robot logged the same sentence before, take adds the
// robot to that earlier message, and returns the earlier message.
func (k *talk) take(m *message) *message {
	k.join(append([]rdf.Term{m.sender}, m.robots...)...)
	for _, old := range slices.Backward(k.messages) {
		if m.at.Sub(old.at) >= pause {
			break
		}
		sameWords := !m.sender.IsZero() && old.sender == m.sender && old.text.Value() == m.text.Value()
		another := len(m.robots) > 0 && !slices.Contains(old.robots, m.robots[0])
		if sameWords && another && !differ(old.events, m.events) {
			old.robots, old.iris, old.events = append(old.robots, m.robots[0]), append(old.iris, m.iri), append(old.events, m.events...)
			return old
		}
	}
	k.messages = append(k.messages, m)
	return m
}

// differ reports whether two messages are about different events, so that they are two, even if their words are the same.
// It returns false if one of them is about none that is known.
func differ[T comparable](a, b []T) bool {
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, func(event T) bool { return slices.Contains(b, event) })
}

// join adds parties to a conversation.
func (k *talk) join(parties ...rdf.Term) {
	for _, party := range parties {
		if !party.IsZero() && !k.parties[party.String()] {
			k.parties[party.String()] = true
			k.order = append(k.order, party)
		}
	}
}

// only returns bindings that limit a query to the messages of this conversation, or none if they are too many.
func (k *talk) only() []binding {
	var out []binding
	for _, m := range k.messages {
		for _, iri := range m.iris {
			out = append(out, binding{"message", iri})
		}
	}
	if len(out) > maxValues { // then the time range must suffice
		return nil
	}
	return out
}
