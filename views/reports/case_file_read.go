package reports

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// CaseFileRow is a line of a case file's record: what somebody said, felt, decided or did. Its sentences and names quote what
// robots wrote.
type CaseFileRow struct {
	Number  int
	At      time.Time // zero if no log says when
	whos    []string  // who did it: several robots, if one row has what they logged as one event
	To      []string
	Said    bool   // Words are those of a message
	Words   string // those of the message, or else a sentence
	Notes   []string
	Logs    []int // their numbers in the list of logs, from 1
	Because []int // the numbers of its causes
	Late    bool  // in a chain: its time is after that of what it led to
	acts    []string
	key     string   // rows of one event have one key
	by      []string // who logged it
	events  []string // which it is about
	feeling string   // what was read in whom, or ""
	decided string   // "" if it is no decision
}

// Clause tells the row in one sentence.
func (r *CaseFileRow) Clause() string {
	if r.Said {
		return views.List(r.whos) + " said " + r.quoted()
	}
	return views.List(r.whos) + ": " + r.Words
}

// caseFacts are the triples of a case file's logs.
type caseFacts struct {
	out     map[string]map[string][]rdf.Term // objects by subject and predicate
	back    map[string]map[string][]string   // subjects by object and predicate
	logs    map[string][]int                 // by subject
	order   []string                         // subjects as they come
	names   map[string]string
	rows    []CaseFileRow
	of      map[string]int      // the row of each activity, by its index
	unknown map[string]bool     // causes that no log here describes
	outside int                 // how many of these other logs describe
	merged  map[string]string   // the events that events were merged into
	users   map[string][]string // of each model: for what it was used, and by whom
}

// readFacts indexes the triples of a record. Blank nodes of two logs stay two.
func readFacts(record *evidence.Record) *caseFacts {
	f := &caseFacts{out: map[string]map[string][]rdf.Term{}, back: map[string]map[string][]string{}, logs: map[string][]int{}, of: map[string]int{}, unknown: map[string]bool{}, merged: map[string]string{}, users: map[string][]string{}}
	for i, log := range record.Logs {
		id := func(t rdf.Term) string {
			if t.IsBlank() {
				return "_:" + strconv.Itoa(i) + " " + t.Value()
			}
			return t.Value()
		}
		for _, q := range log.Quads {
			s, p, o := id(q.S), q.P.Value(), q.O
			if o.IsBlank() {
				o = rdf.NewBlank(id(o))
			}
			if f.out[s] == nil {
				f.out[s] = map[string][]rdf.Term{}
				f.order = append(f.order, s)
			}
			if !slices.Contains(f.out[s][p], o) {
				f.out[s][p] = append(f.out[s][p], o)
			}
			if n := f.logs[s]; len(n) == 0 || n[len(n)-1] != i+1 {
				f.logs[s] = append(n, i+1)
			}
			if !o.IsLiteral() {
				if f.back[o.Value()] == nil {
					f.back[o.Value()] = map[string][]string{}
				}
				f.back[o.Value()][p] = append(f.back[o.Value()][p], s)
			}
		}
	}
	return f
}

// one returns the first value of some predicates, or "".
func (f *caseFacts) one(s string, predicates ...string) string {
	for _, p := range predicates {
		if values := f.out[s][p]; len(values) > 0 {
			return values[0].Value()
		}
	}
	return ""
}

// all returns what some predicates lead to, each once.
func (f *caseFacts) all(s string, predicates ...string) (out []string) {
	for _, p := range predicates {
		for _, o := range f.out[s][p] {
			out = with(out, o.Value())
		}
	}
	return out
}

// nobody stands for whom no log names.
const nobody = "Somebody"

// name returns the name that the logs give, or else the last part of the IRI.
func (f *caseFacts) name(iri string) string {
	if iri == "" {
		return nobody
	}
	return cmp.Or(f.names[iri], views.Short(iri))
}

// told returns a name for a sentence.
func (f *caseFacts) told(iri string) string {
	if iri == "" {
		return nobody
	}
	return views.Name(f.name(iri))
}

// nameAll gives names to what is labelled in the logs, distinct ones.
func (f *caseFacts) nameAll(ages views.Ages) {
	labels := map[string]string{}
	for _, s := range f.order {
		name := f.one(s, views.Labelling[:3]...) // those of names; the others are of texts
		happened := f.one(s, vocabulary.ProvStartedAtTime, vocabulary.SchemaText) != ""
		if name != "" && !happened { // rows tell activities and messages themselves
			labels[s] = name
			if v := f.one(s, vocabulary.SchemaVersion); v != "" {
				labels[s] += " " + v
			}
		}
	}
	f.names = views.TellApart(labels, ages)
}

// at returns when a subject began or was made, or the zero time.
func (f *caseFacts) at(subject string) time.Time {
	for _, p := range []string{vocabulary.ProvStartedAtTime, vocabulary.ProvGeneratedAtTime} {
		for _, o := range f.out[subject][p] {
			if t, ok := views.TimeOf(o); ok {
				return t
			}
		}
	}
	return time.Time{}
}

// made returns what an activity made.
func (f *caseFacts) made(act string) (out []string) {
	out = f.all(act, vocabulary.SegbProducedEntityResult, vocabulary.ProvGenerated)
	for _, s := range f.back[act][vocabulary.ProvWasGeneratedBy] {
		out = with(out, s)
	}
	return out
}

func (f *caseFacts) performer(act string) string {
	return f.one(act, vocabulary.SegbWasPerformedBy, vocabulary.ProvWasAssociatedWith)
}

// read fills the rows, in order of time.
func (f *caseFacts) read() {
	for _, s := range f.order {
		switch classes := f.all(s, rdf.RDFType); {
		case f.one(s, vocabulary.ProvStartedAtTime) != "" || slices.Contains(classes, vocabulary.SegbLoggedActivity):
			trains := slices.ContainsFunc(f.made(s), func(made string) bool { return slices.Contains(f.all(made, rdf.RDFType), vocabulary.MLSModel) })
			if !trains { // models has what trained a model
				f.addActivity(s, vocabulary.Kind(classes))
			}
		case f.one(s, vocabulary.ProvGeneratedAtTime) != "" && f.one(s, vocabulary.SchemaAdditionalProperty, vocabulary.ProvAtLocation) != "":
			f.addState(s)
		}
	}
	slices.SortStableFunc(f.rows, func(a, b CaseFileRow) int { return a.At.Compare(b.At) })
	f.rows = f.joined()
	for i := range f.rows {
		f.rows[i].Number = i + 1
		for _, act := range f.rows[i].acts {
			if _, known := f.of[act]; !known {
				f.of[act] = i
			}
		}
	}
	for i := range f.rows {
		f.addCauses(&f.rows[i])
	}
}

// joined returns the rows, which are in order of time, with one row for what several robots logged within pause as one
// event: the same words of the same speaker, unless at two shared events, or the same emotion at the same shared event.
// What one robot logged twice stays two rows.
func (f *caseFacts) joined() (out []CaseFileRow) {
	first := map[string]int{}
	for _, r := range f.rows {
		i, again := first[r.key]
		if again = again && r.key != ""; again {
			soon, another := r.At.Sub(out[i].At) <= pause, !slices.Contains(out[i].by, r.by[0])
			again = soon && another && !differ(out[i].events, r.events)
		}
		if !again {
			first[r.key] = len(out)
			out = append(out, r)
			continue
		}
		earlier := &out[i]
		if earlier.Notes = append(earlier.Notes, r.Notes...); !earlier.Said {
			earlier.whos = append(earlier.whos, r.whos...)
		}
		earlier.acts, earlier.by, earlier.events = append(earlier.acts, r.acts...), append(earlier.by, r.by...), append(earlier.events, r.events...)
		for _, n := range r.Logs {
			earlier.Logs = with(earlier.Logs, n)
		}
		for _, to := range r.To {
			earlier.To = with(earlier.To, to)
		}
	}
	return out
}

// addActivity adds the rows of an activity: its messages and emotions, and itself if it is a decision or
// made neither.
func (f *caseFacts) addActivity(act, kind string) {
	by, before := f.performer(act), len(f.rows)
	using := f.using(act, by, views.KindSaid(kind))
	event := f.one(act, vocabulary.SchemaAbout)
	// The row of the activity itself. The rows of what it made begin as copies of it.
	row := CaseFileRow{At: f.at(act), Logs: f.logs[act], acts: []string{act}, by: []string{by}, whos: []string{f.told(by)}}
	for _, named := range f.all(act, vocabulary.SchemaAbout) {
		row.events = with(row.events, cmp.Or(f.merged[named], named))
	}
	for _, made := range f.made(act) {
		if text := f.one(made, vocabulary.SchemaText); text != "" {
			f.addMessage(row, made, text, by, using)
		}
		for _, emotion := range f.all(made, vocabulary.OnyxHasEmotion) {
			f.addEmotion(row, made, emotion, event, using)
		}
	}
	decides := kind == vocabulary.OroDecisionMakingAction
	if len(f.rows) > before && !decides {
		return
	}
	label := views.SomeSaid(f.one(act, vocabulary.RDFSLabel))
	row.Words = cmp.Or(label, views.KindSaid(kind), "an activity of no stated kind")
	if decides {
		row.Words, row.decided = "decided: "+row.Words, cmp.Or(label, "something")
	}
	if using != "" {
		row.Notes = []string{using}
	}
	var facts []views.Fact
	for _, status := range f.all(act, vocabulary.SchemaActionStatus) {
		facts = append(facts, views.Fact{Name: "status", Value: views.Short(status)})
	}
	for _, p := range f.all(act, vocabulary.SchemaAdditionalProperty) {
		facts = append(facts, views.Fact{Name: f.one(p, vocabulary.SchemaPropertyID), Value: f.one(p, vocabulary.SchemaValue)})
	}
	var told []string
	for _, fact := range views.Facts(facts) {
		told = append(told, fact.Said(views.Said))
	}
	if len(told) > 0 {
		row.Notes = append(row.Notes, strings.Join(told, ", "))
	}
	f.rows = append(f.rows, row)
}

// using names the model of an activity, and remembers for what it was used.
func (f *caseFacts) using(act, by, kind string) string {
	var names []string
	for _, m := range f.all(act, vocabulary.SegbUsedMLModel) {
		names = append(names, f.told(m))
		f.users[m] = with(f.users[m], strings.ToLower(kind)+", by "+f.told(by))
	}
	if len(names) == 0 {
		return ""
	}
	return "with " + views.List(names)
}

// addMessage adds what somebody said, as the robot by logged it, using a model. r is the row of the activity.
func (f *caseFacts) addMessage(r CaseFileRow, message, text, by, using string) {
	sender := f.one(message, vocabulary.SchemaSender, vocabulary.ProvWasAttributedTo)
	r.Said, r.Words, r.whos, r.key = true, text, []string{f.told(sender)}, "said "+sender+" "+text
	for _, other := range slices.Concat(f.all(message, vocabulary.ProvWasDerivedFrom), f.back[message][vocabulary.ProvWasDerivedFrom]) {
		if to := f.one(other, vocabulary.SchemaSender); to != "" && to != sender {
			r.To = with(r.To, f.told(to))
		}
	}
	for _, to := range f.all(message, vocabulary.SchemaRecipient) {
		r.To = with(r.To, f.told(to))
	}
	if by != "" && by != sender {
		r.Notes = []string{strings.TrimSpace("heard by " + f.told(by) + " at " + r.At.Format("15:04:05.000") + " " + using)}
	}
	f.rows = append(f.rows, r)
}

// addEmotion adds an emotion of an annotation, read during an activity about event, using a model. r is the row of the activity.
func (f *caseFacts) addEmotion(r CaseFileRow, annotation, emotion, event, using string) {
	what := views.Feeling(f.one(emotion, vocabulary.OnyxHasEmotionCategory))
	r.feeling = views.Name(what) + " in " + f.told(f.one(annotation, vocabulary.OAHasTarget))
	r.Words, r.key = "read "+r.feeling, "emotion "+event+r.feeling
	r.Notes = []string{r.whos[0] + ": " + strings.Join(slices.DeleteFunc([]string{
		ofOne("strength", f.one(emotion, vocabulary.OnyxHasEmotionIntensity)), ofOne("confidence", f.one(emotion, vocabulary.OnyxAlgorithmConfidence)), using,
	}, func(s string) bool { return s == "" }), ", ")}
	f.rows = append(f.rows, r)
}

// ofOne formats a number from 0 to 1 with its name, or returns "".
func ofOne(name, number string) string {
	if p := views.Percentage(fraction(rdf.NewString(number))); p != "" {
		return name + " " + p
	}
	return ""
}

// addState adds where and how a robot was.
func (f *caseFacts) addState(s string) {
	r := CaseFileRow{At: f.at(s), whos: []string{f.told(f.one(s, vocabulary.ProvWasAttributedTo))}, Logs: f.logs[s], acts: []string{s}}
	var parts []string
	if place := f.one(s, vocabulary.ProvAtLocation); place != "" {
		parts = append(parts, "in "+views.Name(cmp.Or(f.names[place], views.Words(views.Short(place)))))
	}
	for _, p := range f.all(s, vocabulary.SchemaAdditionalProperty) {
		unit := strings.Replace(f.one(p, vocabulary.SchemaUnitCode), "PERCENT", "%", 1)
		value := f.one(p, vocabulary.SchemaValue)
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			value = strconv.FormatFloat(n, 'f', -1, 64) // some write 82 as 8.2e+01
		}
		parts = append(parts, views.Said(strings.TrimSpace(views.Words(f.one(p, vocabulary.SchemaPropertyID))+" "+value+" "+unit)))
	}
	r.Words = "was " + strings.Join(parts, ", ")
	f.rows = append(f.rows, r)
}
