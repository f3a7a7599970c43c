package reports

import (
	"context"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// The names of those whom no log names, and of those who were erased.
const nobodyNamed, erasedName = "Unknown", "(erased)"

// messages adds rows of replay-messages. A message has a row for each text and each participant it was said to
// (row[4:8]). A robot that logged what another one said has heard it.
func (b *replayBuilder) messages(rows [][]rdf.Term) {
	at := map[rdf.Term]*act{}
	index := map[rdf.Term]int{}
	for _, row := range rows {
		activity, message, sender, text := row[0], row[1], row[2], row[3]
		a := b.acts[activity]
		if a == nil {
			continue
		}
		if at[message] == nil {
			at[message], index[message] = a, len(a.results)
			e := ReplayEvent{Kind: KindMessage, Who: nobodyNamed, Text: Said(text.Value()), Language: text.Language(), Intensity: -1, Confidence: -1}
			if !sender.IsZero() {
				e.Who, e.ByRobot = b.name(sender), b.people[sender.String()].robot || sender == a.robot
				b.person(sender)
			}
			if sender != a.robot && !a.robot.IsZero() {
				e.Heard = []string{b.name(a.robot)}
			}
			a.results = append(a.results, e)
		}
		e := &at[message].results[index[message]]
		for _, to := range row[4:8] {
			if to.IsIRI() && to != sender {
				b.know(to)
				e.To = with(e.To, b.name(to))
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
		if name := b.name(who); !slices.Contains(b.out.People, name) {
			b.out.People = append(b.out.People, name)
			b.know(who)
		}
	}
}

// name returns the name of a robot or a human. One that is called as the replay calls nobody is quoted.
func (b *replayBuilder) name(who rdf.Term) string {
	name := b.r.name(who)
	if name == nobodyNamed || name == erasedName {
		return views.Said(name)
	}
	return name
}

// know keeps the IRI of a robot or a human.
func (b *replayBuilder) know(who rdf.Term) {
	if why(who) != "" {
		b.out.IRIs[b.name(who)] = who.Value()
	}
}

// emotions adds rows of replay-emotions.
func (b *replayBuilder) emotions(rows [][]rdf.Term) {
	seen := map[[3]rdf.Term]bool{}
	for _, row := range rows {
		activity, who, category, intensity, confidence := row[0], row[2], row[3], row[4], row[5]
		a := b.acts[activity]
		key := [3]rdf.Term(row[:3])
		if a == nil || seen[key] {
			continue
		}
		seen[key] = true
		e := ReplayEvent{Kind: KindEmotion, Who: nobodyNamed, Text: feeling(category), Category: category.Value(), Intensity: fraction(intensity), Confidence: fraction(confidence)}
		if !who.IsZero() {
			e.Who, e.ByRobot = b.name(who), b.people[who.String()].robot
			b.person(who)
		} else {
			b.whose = append(b.whose, whose{a, len(a.results), rdf.Triple{S: row[1], P: rdf.NewIRI(vocabulary.OnyxHasEmotionCategory), O: category}})
		}
		a.results = append(a.results, e)
	}
}

// whose is an emotion that no log ascribes to anybody.
type whose struct {
	*act
	n      int // of its results
	triple rdf.Triple
}

// erased finds out which of the emotions in b.whose were of somebody who was erased, and says so in the replay.
func (b *replayBuilder) erased(ctx context.Context) error {
	if b.r.Lessened == nil {
		return nil
	}
	var triples []rdf.Triple
	for _, w := range b.whose {
		triples = append(triples, w.triple)
	}
	found, _, err := b.r.Lessened(ctx, triples, b.r.From)
	for i, w := range b.whose {
		if found[i] {
			w.results[w.n].Who = erasedName
		}
	}
	return err
}

// facts adds rows of replay-facts. How sure a robot was of words belongs to the message.
func (b *replayBuilder) facts(rows [][]rdf.Term) {
	for _, row := range rows {
		activity, property, given := row[0], row[1], row[2]
		a := b.acts[activity]
		if a == nil {
			continue
		}
		if name := property.Value(); name != "confidence" {
			value := given.Value()
			if given.IsIRI() {
				value = local(given)
			}
			a.facts = append(a.facts, views.Fact{Name: name, Value: value})
			continue
		}
		for i := range a.results {
			if a.results[i].Kind == KindMessage {
				a.results[i].Confidence = fraction(given)
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

// ReplayLabel is the name beside a mark.
type ReplayLabel struct {
	X    float64 // of the mark, in percent of the width
	Name string
}

// letterWide is the width of a letter beside a mark, in percent of the width on a desktop.
const letterWide = 0.78

// labels names the speakers of sentences, where there is room before the next mark.
func (d *ReplayData) labels(wanted func(*ReplayEvent) bool, a Scale) (out []ReplayLabel) {
	for i := range d.Events {
		e := &d.Events[i]
		if !wanted(e) || !a.shows(e.At, e.At) || e.Who == nobodyNamed {
			continue
		}
		x := 100 * a.At(e.At)
		if n := len(out); n > 0 && x-out[n-1].X < letterWide*float64(utf8.RuneCountInString(out[n-1].Name)+1) {
			out = out[:n-1]
		}
		if name := shortened(e.Who, 14); x+letterWide*float64(utf8.RuneCountInString(name)+1) < 100 {
			out = append(out, ReplayLabel{x, name})
		}
	}
	return out
}
