package service

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/forgotten"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// Person is all that is kept of a person.
type Person struct {
	IRIs       []string    `json:"iris"`       // the one asked for first, then others decided to be the same person's
	Names      []string    `json:"names"`      // from labels
	Containing []string    `json:"containing"` // other IRIs that contain one of these; at most maxContaining
	Said       PersonFacts `json:"said"`
	Received   PersonFacts `json:"received"`
	Emotions   PersonFacts `json:"emotions"`
	Decisions  PersonFacts `json:"decisions"`
	Contexts   PersonFacts `json:"contexts"`
	Cases      PersonFacts `json:"cases"`
	Logs       PersonFacts `json:"logs"`
	Notes      []string    `json:"notes"`
	Snapshots  []string    `json:"snapshots"` // those made after the first log

	Holds []holds.Hold `json:"holds"`
	Kept  []string     `json:"kept"` // the rules of retention; empty means for ever
	Looks []PersonLook `json:"looks"`
	// LooksWaiting are looks, also of this request, that the journal has no room for yet.
	LooksWaiting int    `json:"looks_waiting"`
	Export       string `json:"export"` // a CONSTRUCT of all triples with the person
}

// PersonFacts are what one question about a person finds, of which Facts is a page.
type PersonFacts struct {
	Count int          `json:"count"`
	Facts []PersonFact `json:"facts"`
}

// PersonFact is a message, an emotion, a log and so on. All but IRI may be "".
type PersonFact struct {
	IRI  string `json:"iri"`
	Time string `json:"time,omitempty"`
	By   string `json:"by,omitempty"`
	Text string `json:"text,omitempty"`
	// Category is the IRI of an emotion's.
	Category string `json:"-"`
}

// PersonLook is an earlier request for a person.
type PersonLook struct {
	Time time.Time `json:"time"`
	By   string    `json:"by"`
}

const (
	maxContaining = 1000
	maxNaming     = 100_000 // logs
	maxLooks      = 1000
)

// prologue has the prefixes of the queries below.
const prologue = "PREFIX schema: <" + vocabulary.Schema + "> PREFIX prov: <" + vocabulary.Prov + "> PREFIX segb: <" + vocabulary.Segb + "> PREFIX oro: <" + vocabulary.Oro +
	"> PREFIX foaf: <" + vocabulary.FOAF + "> PREFIX rdfs: <" + vocabulary.RDFS + "> PREFIX oa: <" + vocabulary.OA + "> PREFIX onyx: <" + vocabulary.Onyx + "> PREFIX sc: <" + vocabulary.Sc + "> "

// Questions about ?me. #me binds it to the person's IRIs, and #subject also to names that are no IRIs, which subjects of
// observations may be. Each row is a fact: its IRI, time, agent and text, and of an emotion its category.
const (
	askNames = `SELECT DISTINCT ?me ("" AS ?t) ("" AS ?b) ?name { #me ?me schema:name|foaf:firstName|rdfs:label ?name }`
	askSaid  = `SELECT DISTINCT ?m ?t ?b ?text { #me ?m schema:sender ?me ; schema:text ?text
		OPTIONAL { ?m prov:wasGeneratedBy ?a . ?a prov:startedAtTime ?t OPTIONAL { ?a segb:wasPerformedBy ?b } } } ORDER BY ?t ?m`
	askReceived = `SELECT DISTINCT ?m ?t ?b ?text {
		{ #me ?m schema:recipient ?me } UNION { #me ?m prov:wasDerivedFrom/schema:sender ?me } UNION { #me ?of schema:about ?me . ?x schema:about ?of . ?m prov:wasGeneratedBy ?x }
		?m schema:sender ?b ; schema:text ?text FILTER(?b != ?me) OPTIONAL { ?m prov:wasGeneratedBy/prov:startedAtTime ?t } } ORDER BY ?t ?m`
	askEmotions = `SELECT DISTINCT ?e ?t ?b ?text ?c { #me ?n oa:hasTarget ?me ; onyx:hasEmotion ?e . ?e onyx:hasEmotionCategory ?c OPTIONAL { ?e onyx:hasEmotionIntensity ?i }
		BIND(CONCAT(REPLACE(STR(?c), "^.*[#/:](` + vocabulary.EmotionSet + `)?", ""), COALESCE(CONCAT(" ", STR(?i)), "")) AS ?text)
		OPTIONAL { ?a segb:producedEntityResult ?n ; prov:startedAtTime ?t OPTIONAL { ?a segb:wasPerformedBy ?b } } } ORDER BY ?t ?e ?c`
	askDecisions = `SELECT DISTINCT ?a ?t ?b ?text { { #me ?a schema:about/schema:about ?me } UNION { #me ?a segb:triggeredByEntity/schema:sender ?me }
		UNION { #me ?n schema:sender|oa:hasTarget|schema:about ?me . #from ?a segb:triggeredByActivity ?x }
		?a a oro:DecisionMakingAction OPTIONAL { ?a prov:startedAtTime ?t } OPTIONAL { ?a segb:wasPerformedBy ?b } OPTIONAL { ?a rdfs:label ?text } } ORDER BY ?t ?a`
	askContexts = `SELECT DISTINCT ?c ?t ("" AS ?b) ?text { #subject GRAPH <urn:segraph:contexts> { ?c a sc:SharedContext ; sc:subject ?me OPTIONAL { ?c sc:firstObservedAt ?t } OPTIONAL { ?c sc:eventKind ?text } } } ORDER BY ?t ?c`
	askCases    = `SELECT DISTINCT ?c ?t ("" AS ?b) ?text { #subject GRAPH <urn:segraph:contexts> { ?x sc:subject ?me . ?c sc:source|sc:candidate/sc:target ?x ; a sc:ReviewCase ; sc:caseStatus ?text OPTIONAL { ?c sc:openedAt ?t } } } ORDER BY ?t ?c`
	askAll      = `CONSTRUCT { ?s ?p ?o } { { #me ?me ?p ?o BIND(?me AS ?s) } UNION { #me ?s ?q ?me . ?s ?p ?o } UNION { #me ?s schema:about/schema:about|^onyx:hasEmotion/oa:hasTarget ?me . ?s ?p ?o }
		UNION { #me ?n ?q ?me . #from ?s segb:triggeredByActivity? ?x ; ?p ?o } }`
)

// activities binds ?x to the activities from which a node ?n comes, or which are about it if it is about ?me.
const activities = "{ ?n prov:wasGeneratedBy ?x } UNION { ?x prov:generated|segb:producedEntityResult ?n } UNION { ?x schema:about ?n . ?n schema:about ?me }"

// Person returns all that is kept of the person with an IRI, with a page of each list: limit rows after offset. Each call has a journal
// entry; while the disk is full, the entry waits in memory. kept counts the texts.
func (s *Service) Person(ctx context.Context, actor auth.Actor, iri string, offset, limit int, kept *Kept) (*Person, error) {
	if !journal.NamesPerson(iri) {
		return nil, refuse(Invalid, "name the person by an absolute IRI, which has no control characters")
	}
	entered := sync.OnceFunc(s.withholding()) // the look is entered before the person is erased, or refused
	defer entered()
	if err := s.checkPeople(iri); err != nil {
		return nil, err
	}
	iris, err := s.namesOf(iri)
	if err != nil {
		return nil, err
	}
	e := s.entry(ctx, actor, journal.Look, "")
	e.Subject = iri
	out := &Person{IRIs: append([]string{iri}, slices.DeleteFunc(iris, func(other string) bool { return other == iri })...)}
	if out.LooksWaiting, err = s.EnterLooks(ctx, e); err != nil {
		return nil, err
	}
	entered()
	var labels PersonFacts
	if err := s.askEach(ctx, out.IRIs, offset, limit, kept, []personList{{askNames, &labels}, {askSaid, &out.Said}, {askReceived, &out.Received}, {askEmotions, &out.Emotions},
		{askDecisions, &out.Decisions}, {askContexts, &out.Contexts}, {askCases, &out.Cases}}); err != nil {
		return nil, err
	}
	out.Names = []string{}
	for _, n := range labels.Facts {
		if !slices.Contains(out.Names, n.Text) {
			out.Names = append(out.Names, n.Text)
		}
	}
	out.Export = prologue + bound(askAll, out.IRIs)
	return out, errors.Join(s.containing(ctx, out, kept), s.logsNaming(ctx, out, offset, limit), s.around(ctx, out))
}

// valuesOf binds ?me to those names of a person that are IRIs.
func valuesOf(names []string) string { return "VALUES ?me { " + irisOf(names, " ") + " }" }

// irisOf returns those names of a person that are IRIs, as SPARQL has them.
func irisOf(names []string, between string) string {
	var out []string
	for _, name := range names {
		if rdf.IsIRI(name) {
			out = append(out, "<"+name+">")
		}
	}
	return strings.Join(out, between)
}

// textsOf returns texts as SPARQL has them.
func textsOf(texts []string) (out string) {
	for _, text := range texts {
		out += " " + rdf.NewString(text).String()
	}
	return out
}

// bound returns a question about ?me with its values. Each pair of more is a mark and what stands for it.
func bound(text string, names []string, more ...string) string {
	others := slices.DeleteFunc(slices.Clone(names), rdf.IsIRI)
	return strings.NewReplacer(append(more, "#me", valuesOf(names), "#subject", "VALUES ?me { "+irisOf(names, " ")+textsOf(others)+" }", "#from", activities)...).Replace(text)
}

// personList is a question about ?me, and where its answer goes.
type personList struct {
	text string
	to   *PersonFacts
}

// askEach sets each list to its facts about a person with some names, from offset on, at most limit.
func (s *Service) askEach(ctx context.Context, names []string, offset, limit int, kept *Kept, lists []personList) error {
	for _, l := range lists {
		*l.to = PersonFacts{Facts: []PersonFact{}}
		if err := s.ask(ctx, prologue+bound(l.text, names), &factPage{l.to, offset, limit, kept}); err != nil {
			return err
		}
	}
	return nil
}

// ask runs one of the program's queries, and sends its rows to a list of facts.
func (s *Service) ask(ctx context.Context, text string, to *factPage) error {
	q, err := s.Prepare(ctx, Query{Text: text})
	if err != nil {
		return err
	}
	return s.Ask(ctx, q, "", to, func(rdf.Triple) error { return nil })
}

// factPage collects a page of the rows of a question.
type factPage struct {
	*PersonFacts
	offset, limit int
	kept          *Kept // of all lists
}

// Head implements sparql.Answer.
func (*factPage) Head([]string) error { return nil }

// Boolean implements sparql.Answer.
func (*factPage) Boolean(bool) error { return nil }

// Row implements sparql.Answer.
func (p *factPage) Row(t []rdf.Term) error {
	if len(t) < 4 {
		return fmt.Errorf("a row has %d values", len(t))
	}
	f := PersonFact{IRI: t[0].Value(), Time: t[1].Value(), By: t[2].Value(), Text: t[3].Value()}
	if len(t) > 4 {
		f.Category = t[4].Value()
	}
	if p.add(f) {
		return p.kept.Add(t...)
	}
	return nil
}

// add counts a fact, and keeps it if it is of the page.
func (p *factPage) add(f PersonFact) (kept bool) {
	if kept = p.Count >= p.offset && len(p.Facts) < p.limit; kept {
		p.Facts = append(p.Facts, f)
	}
	p.Count++
	return kept
}

func (s *Service) containing(ctx context.Context, out *Person, kept *Kept) error {
	out.Containing = []string{}
	for _, iri := range out.IRIs {
		found, _, err := s.Containing(ctx, rdf.KindIRI, iri, maxContaining)
		if err != nil {
			return err
		}
		for _, t := range found {
			if mentions(t.Value(), iri) && !slices.Contains(out.IRIs, t.Value()) && len(out.Containing) < maxContaining {
				out.Containing = append(out.Containing, t.Value())
				if err := kept.Add(t); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// mentions reports whether a text has an IRI that no letter or digit continues: the IRI …/Marianne
// does not mention …/Maria.
func mentions(text, iri string) bool {
	for _, rest, found := strings.Cut(text, iri); found; _, rest, found = strings.Cut(rest, iri) {
		if next, _ := utf8.DecodeRuneInString(rest); rest == "" || !unicode.IsLetter(next) && !unicode.IsDigit(next) {
			return true
		}
	}
	return false
}

// logsNaming fills Logs, and Snapshots with those that were made after the first of them.
func (s *Service) logsNaming(ctx context.Context, out *Person, offset, limit int) error {
	page := factPage{PersonFacts: &out.Logs, offset: offset, limit: limit}
	out.Logs.Facts, out.Snapshots = []PersonFact{}, []string{}
	var by store.Selection
	for _, iri := range slices.Concat(out.IRIs, out.Containing) {
		by.Naming = append(by.Naming, rdf.NewIRI(iri))
	}
	logs, err := s.config.Journal.Select(ctx, by, maxNaming)
	if err != nil {
		return fmt.Errorf("select logs: %w", err)
	}
	for _, e := range logs {
		page.add(PersonFact{IRI: e.LogID, Time: e.Time.Format(time.RFC3339Nano), By: e.Sender()})
	}
	if len(logs) == 0 {
		return nil
	}
	all, err := s.ListBackups()
	for _, info := range all {
		if info.Time.After(logs[0].Time) {
			out.Snapshots = append(out.Snapshots, info.Name)
		}
	}
	return err
}

// around fills what is about the person's data: notes, holds, retention and looks.
func (s *Service) around(ctx context.Context, out *Person) error {
	out.Notes, out.Holds, out.Kept, out.Looks = []string{}, []holds.Hold{}, []string{}, []PersonLook{}
	theirs := forgotten.Only(out.IRIs, "")
	var words []*regexp.Regexp // names that are no IRIs
	for _, name := range out.IRIs {
		if !rdf.IsIRI(name) && len(name) >= leastName {
			words = append(words, regexp.MustCompile(`(^|`+noLetter+`)`+regexp.QuoteMeta(name)+`(`+noLetter+`|$)`))
		}
	}
	named := func(text string) bool {
		return theirs.In(text) || slices.ContainsFunc(words, func(word *regexp.Regexp) bool { return word.MatchString(text) })
	}
	for _, kind := range []string{queryNote, batchNote, remarkNote} {
		all, err := s.config.Notes.List(kind, "")
		if err != nil {
			return err
		}
		for _, n := range all {
			if named(n.Name) || named(n.Text) {
				out.Notes = append(out.Notes, fmt.Sprintf("%s of %s: %s", n.Kind, n.Owner, n.Name))
			}
		}
	}
	held, err := s.LegalHolds()
	if err != nil {
		return err
	}
	for _, h := range held {
		if slices.ContainsFunc(out.IRIs, h.OfPerson) {
			out.Holds = append(out.Holds, h)
		}
	}
	if s.config.Retention != nil {
		out.Kept = append(out.Kept, s.config.Retention()...)
	}
	page, err := s.Logs(ctx, journal.Filter{Action: journal.Look, Limit: maxLooks}, nil)
	if err != nil {
		return err
	}
	for _, e := range page.Entries {
		if slices.Contains(out.IRIs, e.Subject) {
			out.Looks = append(out.Looks, PersonLook{e.Time, e.Sender()})
		}
	}
	return nil
}

// EnterLooks enters looks at persons, after those that wait. While the disk is full they wait, at
// most maxLooks of them. It returns how many wait.
func (s *Service) EnterLooks(ctx context.Context, more ...journal.Entry) (waiting int, err error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	if len(s.looks)+len(more) > maxLooks {
		return len(s.looks), refuse(NoRoom, "the disk is full, and %d looks at persons wait for their entries; make room first", len(s.looks))
	}
	s.looks = append(s.looks, more...)
	for len(s.looks) > 0 && err == nil {
		if err = s.config.Journal.Note(ctx, s.looks[0]); err == nil {
			s.looks = s.looks[1:]
		}
	}
	switch {
	case errors.Is(err, store.ErrDiskFull):
		s.log.WarnContext(ctx, "the disk is full: looks at persons wait for their journal entries", "waiting", len(s.looks))
		return len(s.looks), nil
	case err != nil:
		s.looks = s.looks[:len(s.looks)-len(more)] // what is asked is not answered
		return len(s.looks), fmt.Errorf("enter a look at a person: %w", err)
	}
	return 0, nil
}
