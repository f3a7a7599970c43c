package service

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// ErasurePreview says what an erasure would take. Its lists are as long as asked for.
type ErasurePreview struct {
	store.ErasurePreview
	Snapshots int `json:"snapshots"` // all of the folder, which go
	// Losing are the nodes of others that name the person. They lose that, and their texts, as their activities do.
	Losing PersonFacts `json:"losing"`
	// Mentions are literals with a word that begins with one of the person's names or IRIs. They stay, since nothing but the
	// literal names the person, or it is no text that an erasure knows.
	Mentions PersonFacts `json:"mentions"`
	// Known is what was said, felt and decided, by the first facts of each list. GET /admin/person has all.
	Known Person `json:"-"`
}

// maxKnown is how many facts of a list ErasurePreview.Known has.
const maxKnown = 200

const (
	askLosing   = `SELECT DISTINCT ?s ("" AS ?t) ("" AS ?b) ?text { #me ?s ?p ?me FILTER(?s != ?me) OPTIONAL { ?s schema:text ?text } } ORDER BY ?s`
	askMentions = `SELECT DISTINCT ?m ("" AS ?t) ?b ?text { #names
		{ ?m ?how ?text #going } UNION { GRAPH ?g { ?m ?how ?text #going } }
		FILTER(isLiteral(?text) && CONTAINS(STR(?text), ?name) && REGEX(STR(?text), ?whole) && ?m NOT IN (#list))
		OPTIONAL { ?m schema:sender ?b } } ORDER BY ?m`
	// askGoing takes away the texts that go.
	askGoing = `MINUS { #how #me ?m ?p ?me } MINUS { #how #me ?n ?q ?me . #from BIND(?x AS ?m) }`
)

// PreviewErasure says what the erasure of the person with an IRI would take, with the first limit facts of each list;
// pseudonymise is as in AskErasure. It has a journal entry, as Person has. The error is an *Error if a legal hold forbids the erasure.
func (s *Service) PreviewErasure(ctx context.Context, actor auth.Actor, iri string, pseudonymise bool, limit int) (*ErasurePreview, error) {
	entered := sync.OnceFunc(s.withholding()) // the look is entered before the person is erased, or refused
	defer entered()
	if err := s.mayErase(iri); err != nil {
		return nil, err
	}
	e := s.entry(ctx, actor, journal.Look, "")
	e.Subject = iri
	if _, err := s.EnterLooks(ctx, e); err != nil {
		return nil, err
	}
	entered()
	e = s.entry(ctx, actor, journal.Erasure, "")
	e.Retry = nil
	plan, err := s.config.Eraser.PreviewErasure(ctx, iri, pseudonymOf(pseudonymise), e)
	if err != nil {
		return nil, unerasable(err)
	}
	out := &ErasurePreview{ErasurePreview: plan}
	out.ByLog = append([]store.ErasedLog{}, plan.ByLog[:min(limit, len(plan.ByLog))]...)
	all, err := s.ListBackups()
	if err != nil {
		return nil, err
	}
	out.Snapshots = len(all)
	known := &out.Known
	if err := s.askEach(ctx, plan.IRIs, 0, maxKnown, new(Kept), []personList{{askSaid, &known.Said}, {askReceived, &known.Received}, {askEmotions, &known.Emotions}, {askDecisions, &known.Decisions}}); err != nil {
		return nil, err
	}
	if err := s.askEach(ctx, plan.IRIs, 0, limit, new(Kept), []personList{{askLosing, &out.Losing}}); err != nil {
		return nil, err
	}
	out.Mentions, err = s.Mentions(ctx, plan.IRIs, limit)
	return out, err
}

// Mentions returns the texts that stay when the person with all of some IRIs is erased, and have one of these, or a name of the
// person, at the begin of a word: a name may get an ending, and there are scripts without spaces, in which it may be anywhere. Its
// list has the first limit.
func (s *Service) Mentions(ctx context.Context, iris []string, limit int) (PersonFacts, error) {
	out := PersonFacts{Facts: []PersonFact{}}
	names, err := s.calledBy(ctx, iris)
	if err != nil {
		return out, err
	}
	values := "VALUES (?name ?whole) {"
	for _, name := range slices.Concat(names, iris) {
		values += fmt.Sprintf(" (%s %s)", rdf.NewString(name), rdf.NewString(`(^|`+noLetter+`)`+regexp.QuoteMeta(name)))
	}
	how := "VALUES ?how { sc:text"
	for _, t := range vocabulary.Sentences.Texts {
		how += " " + t.String()
	}
	text := strings.ReplaceAll(askMentions, "#going", strings.ReplaceAll(askGoing, "#how", how+" }"))
	text = bound(text, iris, "#names", values+" }", "#list", irisOf(iris, ", "))
	return out, s.ask(ctx, prologue+text, &factPage{PersonFacts: &out, limit: limit, kept: new(Kept)})
}

// leastName is the length in bytes of the shortest name that PreviewErasure and Person look for in texts, and noLetter matches
// what may be beside a name, also a letter of a script without spaces.
const (
	leastName = 3
	noLetter  = `[^A-Za-zÀ-ɏͰ-ӿ\p{N}]`
)

// calledBy returns the names of a person that are worth looking for in texts.
func (s *Service) calledBy(ctx context.Context, iris []string) (names []string, err error) {
	var labels PersonFacts
	err = s.ask(ctx, prologue+strings.ReplaceAll(askNames, "#me", valuesOf(iris)), &factPage{PersonFacts: &labels, limit: maxContaining, kept: new(Kept)})
	for _, f := range labels.Facts {
		if len(f.Text) >= leastName && !slices.Contains(names, f.Text) {
			names = append(names, f.Text)
		}
	}
	return names, err
}
