package reports

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// replayRows is how many activities a replay shows: the first in its range. Their results
// are limited to several times that.
const replayRows = 10_000

// Replay returns what robots did in the report's range, which must have both ends. With
// robots, it returns only what these did. It shows at most replayRows activities, and says
// so if there are more.
func (r *Report) Replay(ctx context.Context, robots []rdf.Term) (*ReplayData, error) {
	key := fmt.Sprintf("replay %d %d", r.From.UnixMicro(), r.To.UnixMicro())
	for _, robot := range robots {
		key += " " + robot.String()
	}
	return kept(r, key, func() (*ReplayData, error) {
		b := &replayBuilder{r: r, only: robots, lanes: map[rdf.Term]int{}, acts: map[rdf.Term]*act{}, modelNames: termNames{}}
		return b.build(ctx)
	})
}

// ReplayFrom returns the start of a replay that shows the time at, after up to half of replayRows
// rows before it. at is a time that the whole range does not show, because its replay is cut.
func (r *Report) ReplayFrom(ctx context.Context, at time.Time) (time.Time, error) {
	near := *r
	near.To, near.Limit = at.Add(time.Microsecond), replayRows/2
	rows, _, err := near.limited(ctx, "sessions")
	from := at
	for _, row := range rows {
		if t, ok := views.TimeOf(row[0]); ok && t.Before(from) {
			from = t
		}
	}
	return from, err
}

// act is an activity and its results.
type act struct {
	iri, robot rdf.Term
	at, end    time.Time
	classes    []string
	label      string
	events     []rdf.Term
	models     []rdf.Term
	facts      []views.Fact
	results    []ReplayEvent
}

// replayBuilder collects the rows of a replay.
type replayBuilder struct {
	r          *Report
	only       []rdf.Term
	people     map[string]person
	lanes      map[rdf.Term]int // of robots
	acts       map[rdf.Term]*act
	order      []*act
	whose      []whose
	about      map[string][]rdf.Term // the events that each activity is about, merged, by its IRI
	modelNames termNames
	places     termNames
	out        ReplayData
}

// build reads all that a replay shows: activities, what each said, felt, decided and used, states, also those that
// the robots were in before, and the events that they shared.
func (b *replayBuilder) build(ctx context.Context) (*ReplayData, error) {
	var err error
	if b.people, err = b.r.names(ctx); err != nil {
		return nil, err
	}
	b.out.From, b.out.To, b.out.IRIs = b.r.From, b.r.To, map[string]string{}
	limited := *b.r
	limited.Limit = replayRows
	b.r = &limited
	rows, err := b.r.rows(ctx, "replay-activities")
	if err != nil {
		return nil, err
	}
	if err := b.r.label(ctx, column(rows, 3)...); err != nil {
		return nil, err
	}
	b.activities(rows)
	oldest := strings.ReplaceAll(b.r.Query("states"), "DESC(?time)", "?time")
	states, err := b.r.Ask(ctx, oldest)
	if err != nil {
		return nil, fmt.Errorf("ask states: %w", err)
	}
	if err := b.r.label(ctx, column(states, 1)...); err != nil {
		return nil, err
	}
	found := readStates(states)
	if len(found) > replayRows {
		b.cut(found[replayRows].at) // this also shortens the range of the queries below
	}
	if err := b.told(ctx); err != nil {
		return nil, err
	}
	if err := b.erased(ctx); err != nil {
		return nil, err
	}
	if cut := b.out.Cut; !cut.IsZero() {
		b.order = slices.DeleteFunc(b.order, func(a *act) bool { return !a.at.Before(cut) })
		found = slices.DeleteFunc(found, func(s *state) bool { return !s.at.Before(cut) })
	}
	b.gather()
	b.states(states, found)
	near := *b.r
	near.From, near.To = b.out.From.Add(-time.Hour), b.out.From
	if rows, err = near.rows(ctx, "states"); err != nil {
		return nil, err
	}
	b.before(rows)
	slices.SortStableFunc(b.out.Events, func(x, y ReplayEvent) int { return x.At.Compare(y.At) })
	if rows, _, err = b.r.limited(ctx, "replay-events"); err != nil {
		return nil, err
	}
	b.shared(rows)
	b.merge()
	return &b.out, nil
}

// told reads the models, messages, emotions and facts of the activities. If there are too many rows of one kind, the replay
// ends before the activity that the last row read belongs to, because more rows of it may be missing.
func (b *replayBuilder) told(ctx context.Context) error {
	b.r.Limit = 6 * replayRows // an activity has several of each
	defer func() { b.r.Limit = replayRows }()
	for _, q := range []struct {
		name string
		add  func([][]rdf.Term)
	}{{"replay-models", b.models}, {"replay-messages", b.messages}, {"replay-emotions", b.emotions}, {"replay-facts", b.facts}} {
		rows, more, err := b.r.limited(ctx, q.name)
		if err != nil {
			return err
		}
		if more {
			for _, row := range slices.Backward(rows) { // the last may be of a robot that was not asked for
				if a := b.acts[row[0]]; a != nil {
					b.cut(a.at)
					break
				}
			}
		}
		q.add(rows)
	}
	return nil
}

// cut ends the replay before a time, unless it ends earlier already.
func (b *replayBuilder) cut(at time.Time) {
	if b.out.Cut.IsZero() || at.Before(b.out.Cut) {
		b.out.Cut, b.r.To = at, at
	}
}

// lane returns the number of a robot's lane, or -1 for no robot.
func (b *replayBuilder) lane(robot rdf.Term) int {
	if robot.IsZero() {
		return -1
	}
	n, ok := b.lanes[robot]
	if !ok {
		n = len(b.lanes)
		b.lanes[robot] = n
		b.out.Robots = append(b.out.Robots, b.name(robot))
		b.know(robot)
	}
	return n
}

func (b *replayBuilder) wanted(robot rdf.Term) bool {
	return len(b.only) == 0 || slices.Contains(b.only, robot)
}

// activities adds rows of replay-activities. An activity has a row for each combination of its classes, labels and
// events. What comes after the first replayRows activities is cut.
func (b *replayBuilder) activities(rows [][]rdf.Term) {
	seen := 0
	var last rdf.Term
	for _, row := range rows {
		start, ended, activity, robot, class, label, event := row[0], row[1], row[2], row[3], row[4], row[5], row[6]
		at, ok := views.TimeOf(start)
		if !ok {
			continue
		}
		if activity != last {
			last = activity
			if seen++; seen > replayRows {
				b.cut(at)
				break
			}
		}
		if !b.wanted(robot) {
			continue
		}
		a := b.acts[activity]
		if a == nil {
			end, _ := views.TimeOf(ended)
			a = &act{iri: activity, robot: robot, at: at, end: end, label: label.Value()}
			b.acts[activity] = a
			b.order = append(b.order, a)
			b.lane(a.robot)
		}
		if iri := class.Value(); iri != "" && !slices.Contains(a.classes, iri) {
			a.classes = append(a.classes, iri)
		}
		if event.IsIRI() && !slices.Contains(a.events, event) {
			a.events = append(a.events, event)
		}
	}
}

// models adds rows of replay-models.
func (b *replayBuilder) models(rows [][]rdf.Term) {
	b.modelNames = b.r.modelNames(rows)
	for _, row := range rows {
		if a := b.acts[row[0]]; a != nil && !slices.Contains(a.models, row[1]) {
			a.models = append(a.models, row[1])
		}
	}
}

// gather turns activities into events: their results, and themselves if they are
// decisions or have no results.
func (b *replayBuilder) gather() {
	for _, a := range b.order {
		own := ReplayEvent{At: a.at, End: a.end, Kind: KindActivity, Lane: b.lane(a.robot), Intensity: -1, Confidence: -1}
		class := vocabulary.Kind(a.classes)
		own.What = cmp.Or(a.label, views.KindWord(class), "activity")
		for _, m := range a.models {
			own.Models = append(own.Models, b.modelNames.of(m))
		}
		if a.iri.IsIRI() {
			own.IRI = a.iri.Value()
		}
		if slices.Contains(a.classes, vocabulary.OroDecisionMakingAction) {
			own.Kind = KindDecision
		} else if slices.Contains(a.classes, vocabulary.ScEmergencyStop) || slices.Contains(a.classes, vocabulary.ScIncident) {
			own.Kind = KindIncident
		}
		if own.Kind != KindActivity {
			own.Facts = views.Facts(a.facts)
		}
		if own.Kind != KindActivity || len(a.results) == 0 {
			b.out.Events = append(b.out.Events, own)
		}
		for _, e := range a.results {
			e.At, e.End, e.Lane, e.IRI, e.Models, e.What = own.At, own.End, own.Lane, own.IRI, own.Models, own.What
			b.out.Events = append(b.out.Events, e)
		}
	}
}

// before finds where robots are when the replay begins. rows are of states, newest first.
func (b *replayBuilder) before(rows [][]rdf.Term) {
	b.out.Before = map[int]ReplayEvent{}
	for _, s := range readStates(rows) {
		lane, known := b.lanes[s.robot]
		if _, later := b.out.Before[lane]; known && !later && !s.place.IsZero() {
			b.out.Before[lane] = ReplayEvent{What: cmp.Or(b.places[s.place.Value()], placeWords(s.place)), Category: s.place.Value()}
		}
	}
}

// states adds states, and names the places in their rows.
func (b *replayBuilder) states(rows [][]rdf.Term, found []*state) {
	places := termNames{}
	places.add(placeWords, rows, 2)
	places = places.distinct(b.r.Ages)
	b.places = places
	for _, s := range found {
		if !b.wanted(s.robot) {
			continue
		}
		e := ReplayEvent{At: s.at, Kind: KindState, Lane: b.lane(s.robot), Intensity: -1, Confidence: -1}
		if !s.place.IsZero() {
			e.What, e.Category = places.of(s.place), s.place.Value()
		}
		var parts []string
		for _, p := range s.properties {
			parts = append(parts, views.Words(p.name)+" "+p.value+p.unit)
		}
		e.Text = strings.Join(parts, ", ")
		if s.iri.IsIRI() {
			e.IRI = s.iri.Value()
		}
		b.out.Events = append(b.out.Events, e)
	}
}

// mostMerges is how many merges of events are followed: merges that a faulty log states may lead in a circle.
const mostMerges = 10

// shared finds the events that several robots logged, merged ones as one, and links what is drawn to them. rows are of
// replay-events. It also sets b.about.
func (b *replayBuilder) shared(rows [][]rdf.Term) {
	words, into := map[rdf.Term]string{}, map[rdf.Term]rdf.Term{}
	for _, row := range rows {
		event, label, merged := row[0], row[1], row[2]
		words[event] = cmp.Or(words[event], label.Value())
		if merged.IsIRI() && merged != event {
			into[event] = merged
		}
	}
	found := map[rdf.Term]*ReplayShared{}
	var order []rdf.Term
	b.about = map[string][]rdf.Term{}
	for _, a := range b.order { // in order of time
		for _, event := range a.events {
			label := words[event]
			for range mostMerges {
				if next, ok := into[event]; ok {
					event = next
				}
			}
			s := found[event]
			if s == nil {
				s = &ReplayShared{IRI: event.Value(), From: a.at}
				found[event], order = s, append(order, event)
			}
			s.Text, s.To = cmp.Or(s.Text, label), a.at
			if n := b.lane(a.robot); n >= 0 && !slices.Contains(s.Lanes, n) {
				s.Lanes = append(s.Lanes, n)
			}
			if a.iri.IsIRI() {
				b.about[a.iri.Value()] = append(b.about[a.iri.Value()], event)
			}
		}
	}
	b.linkShared(found, order)
}

// linkShared keeps the events of several robots, in order, and links what is drawn to them.
func (b *replayBuilder) linkShared(found map[rdf.Term]*ReplayShared, order []rdf.Term) {
	number := map[rdf.Term]int{} // of an event in Shared
	for _, event := range order {
		if s := found[event]; len(s.Lanes) > 1 {
			slices.Sort(s.Lanes)
			s.Text = cmp.Or(s.Text, views.Words(local(event)))
			number[event] = len(b.out.Shared)
			b.out.Shared = append(b.out.Shared, *s)
		}
	}
	for i := range b.out.Events {
		drawn := &b.out.Events[i]
		for _, event := range b.about[drawn.IRI] {
			if n, ok := number[event]; ok && !slices.Contains(drawn.Events, n) {
				drawn.Events = append(drawn.Events, n)
			}
		}
	}
}

// merge marks messages that several robots logged, unless of different events, and gathers whom they were said to and
// who else heard them.
func (b *replayBuilder) merge() {
	type said struct{ who, text string }
	first := map[said]int{}
	var same [][2]int // repeated messages and their first
	for i := range b.out.Events {
		e := &b.out.Events[i]
		if e.Kind != KindMessage {
			continue
		}
		key := said{e.Who, e.Text}
		n, again := first[key]
		if again {
			f := b.out.Events[n]
			again = e.At.Sub(f.At) < pause && f.Lane != e.Lane && !differ(b.about[f.IRI], b.about[e.IRI])
		}
		if !again {
			first[key] = i
			continue
		}
		e.Same = true
		f := &b.out.Events[n]
		for _, name := range e.To {
			f.To = with(f.To, name)
		}
		for _, name := range e.Heard {
			f.Heard = with(f.Heard, name)
		}
		same = append(same, [2]int{i, n})
	}
	for _, pair := range same {
		b.out.Events[pair[0]].To = b.out.Events[pair[1]].To
	}
	for i := range b.out.Events {
		e := &b.out.Events[i]
		e.Heard = slices.DeleteFunc(e.Heard, func(name string) bool { return name == e.Who || slices.Contains(e.To, name) })
	}
}
