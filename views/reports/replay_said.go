package reports

import (
	"slices"
	"strconv"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// messages adds rows of replay-messages. A message has a row for each text and each of those
// it was said to. Who logged what another said has heard it.
func (b *replayBuilder) messages(rows [][]rdf.Term) {
	at := map[rdf.Term]*act{}
	index := map[rdf.Term]int{}
	for _, row := range rows {
		a := b.acts[row[0]]
		if a == nil {
			continue
		}
		if at[row[1]] == nil {
			at[row[1]], index[row[1]] = a, len(a.results)
			e := ReplayEvent{Kind: KindMessage, Who: "Unknown", Text: Said(row[3].Value()), Language: row[3].Language(), Intensity: -1, Confidence: -1}
			if sender := row[2]; !sender.IsZero() {
				e.Who, e.ByRobot = b.r.name(sender), b.people[sender.String()].robot || sender == a.robot
				b.person(sender)
			}
			if row[2] != a.robot && !a.robot.IsZero() {
				e.Heard = []string{b.r.name(a.robot)}
			}
			a.results = append(a.results, e)
		}
		e := &at[row[1]].results[index[row[1]]]
		for _, to := range row[4:7] {
			if to.IsIRI() && to != row[2] {
				b.know(to)
				e.To = with(e.To, b.r.name(to))
			}
		}
	}
}

// with appends a value to a list unless it has it.
func with[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

// person adds a human to those of the session.
func (b *replayBuilder) person(who rdf.Term) {
	if p, ok := b.people[who.String()]; ok && !p.robot {
		if name := b.r.name(who); !slices.Contains(b.out.People, name) {
			b.out.People = append(b.out.People, name)
			b.know(who)
		}
	}
}

// know keeps the IRI of a robot or a human.
func (b *replayBuilder) know(who rdf.Term) {
	if why(who) != "" {
		b.out.IRIs[b.r.name(who)] = who.Value()
	}
}

// emotions adds rows of replay-emotions.
func (b *replayBuilder) emotions(rows [][]rdf.Term) {
	seen := map[[3]rdf.Term]bool{}
	for _, row := range rows {
		a := b.acts[row[0]]
		key := [3]rdf.Term(row[:3])
		if a == nil || seen[key] {
			continue
		}
		seen[key] = true
		e := ReplayEvent{Kind: KindEmotion, Who: "Unknown", Text: feeling(row[3]), Category: row[3].Value(), Intensity: fraction(row[4]), Confidence: fraction(row[5])}
		if !row[2].IsZero() {
			e.Who, e.ByRobot = b.r.name(row[2]), b.people[row[2].String()].robot
			b.person(row[2])
		}
		a.results = append(a.results, e)
	}
}

// facts adds rows of replay-facts. How sure a robot was of words belongs to the message.
func (b *replayBuilder) facts(rows [][]rdf.Term) {
	for _, row := range rows {
		a := b.acts[row[0]]
		if a == nil {
			continue
		}
		if name := row[1].Value(); name != "confidence" {
			value := row[2].Value()
			if row[2].IsIRI() {
				value = local(row[2])
			}
			a.facts = append(a.facts, views.Fact{Name: name, Value: value})
			continue
		}
		for i := range a.results {
			if a.results[i].Kind == KindMessage {
				a.results[i].Confidence = fraction(row[2])
			}
		}
	}
}

// fraction parses a number, or returns -1.
func fraction(term rdf.Term) float64 {
	f, err := strconv.ParseFloat(term.Value(), 64)
	if err != nil {
		return -1
	}
	return f
}
