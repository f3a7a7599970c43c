package resolver_test

import (
	"fmt"
	"path"
	"slices"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/weigh"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

const (
	mariaOfAri   = "https://ex/robot/ari/human/maria"
	mariaOfTiago = "https://ex/robot/tiago/human/maria"
)

// Two robots that name one person differently share no event, until three accepted cases suggest that it is one
// person and somebody decides so. Taking that back restores how things were.
func TestTwoNamesOfOnePerson(t *testing.T) {
	ctx, store := t.Context(), &memory.Store{}
	r := openWith(t, store, reviewing())
	at := 0
	heard := func() *resolver.Resolution {
		t.Helper()
		at += 60_000
		words := fmt.Sprintf("sentence number %d of this day", at)
		resolve(t, r, said(stampAfter(at), mariaOfAri, ari, words))
		return resolve(t, r, said(stampAfter(at+200), mariaOfTiago, tiago, words))
	}
	known := func() []resolver.SamePerson {
		t.Helper()
		s, err := r.Stats(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return s.People
	}
	for i := range 3 {
		x := heard()
		if x.Outcome != resolver.Ambiguous || x.Reason != weigh.SubjectDiffers {
			t.Fatalf("before anybody decided: %s, %s", x.Outcome, x.Reason)
		}
		if len(known()) != 0 {
			t.Errorf("after %d cases: %+v", i, known())
		}
		if _, err := r.Accept(ctx, *x.CaseID, "", false, judge); err != nil {
			t.Fatal(err)
		}
	}
	if p := known(); len(p) != 1 || p[0].State != "suggested" || p[0].SubjectURIs != [2]string{mariaOfAri, mariaOfTiago} || p[0].AcceptedCases != 3 {
		t.Fatalf("after three accepted cases: %+v", p)
	}
	pending := heard()
	both := []string{mariaOfTiago, mariaOfAri}
	p, err := r.DecidePerson(ctx, resolver.PersonDecision{Subjects: both, One: true, Dry: true}, judge)
	if err != nil || !p.DryRun || !slices.Equal(p.SubjectURIs, []string{mariaOfAri, mariaOfTiago}) || !slices.Equal(p.Before, both[:1]) || p.PendingCases != 1 {
		t.Fatalf("the preview: %+v, %v", p, err)
	}
	if x := heard(); x.Outcome != resolver.Ambiguous {
		t.Fatalf("after the preview: %s", x.Outcome)
	}
	if _, err := r.DecidePerson(ctx, resolver.PersonDecision{Subjects: both, One: true, Reason: "one badge"}, judge); err != nil {
		t.Fatal(err)
	}
	same := func() int {
		return len(slices.DeleteFunc(store.Quads(), func(q rdf.Quad) bool {
			return q.P.Value() != vocabulary.OWL+"sameAs" || q.S.Value() != mariaOfAri || q.O.Value() != mariaOfTiago || q.G.IsZero()
		}))
	}
	if x := heard(); x.Outcome != resolver.Matched || same() != 1 {
		t.Errorf("once they are one person: %s, %d triples say so", x.Outcome, same())
	}
	r = openWith(t, store, reviewing())
	if x := heard(); x.Outcome != resolver.Matched {
		t.Errorf("after a restart: %s", x.Outcome)
	}
	if p := known(); len(p) != 1 || p[0].State != "one person" || p[0].Reason != "one badge" || p[0].DecidedBy != judge.Actor {
		t.Errorf("%+v", p)
	}
	if _, err := r.Accept(ctx, *pending.CaseID, "", false, judge); err != nil {
		t.Error(err)
	}
	if _, err := r.DecidePerson(ctx, resolver.PersonDecision{Subjects: both}, judge); err != nil {
		t.Fatal(err)
	}
	if p, err := r.DecidePerson(ctx, resolver.PersonDecision{Subjects: both, One: true, Standing: true}, judge); err != nil || len(p.SubjectURIs) != 1 {
		t.Errorf("a decision that lets others stand: %+v, %v", p, err)
	}
	if people, err := r.People(ctx); err != nil || len(people) != 0 {
		t.Errorf("after the undo, people with several names are %v, %v", people, err)
	}
	if x := heard(); x.Outcome != resolver.Ambiguous || x.Reason != weigh.SubjectDiffers || same() != 0 {
		t.Errorf("after the undo: %s, %s, %d triples", x.Outcome, x.Reason, same())
	}
}

// What an accepted case counted for two names is taken back with it, whatever was reported or decided since.
func TestAnUndoneCaseCountsForNoNames(t *testing.T) {
	for _, since := range []string{"a report", "a decision"} {
		r := openWith(t, &memory.Store{}, reviewing())
		resolve(t, r, said(stampAfter(0), mariaOfAri, ari, news))
		x := resolve(t, r, said(stampAfter(200), mariaOfTiago, tiago, news))
		if _, err := r.Accept(t.Context(), *x.CaseID, "", false, judge); err != nil {
			t.Fatal(err)
		}
		both := resolver.PersonDecision{Subjects: []string{mariaOfTiago, mariaOfAri}, One: true}
		if since == "a decision" {
			if _, err := r.DecidePerson(t.Context(), both, judge); err != nil {
				t.Fatal(err)
			}
		} else {
			matched(t, r, said(stampAfter(300), mariaOfTiago, pepper, news))
		}
		undo(t, r, *x.CaseID)
		both.One = false // or it is not listed
		if _, err := r.DecidePerson(t.Context(), both, judge); err != nil {
			t.Fatal(err)
		}
		if s, err := r.Stats(t.Context()); err != nil || len(s.People) != 1 || s.People[0].AcceptedCases != 0 {
			t.Errorf("after %s: %+v, %v", since, s.People, err)
		}
	}
}

func openWith(t testing.TB, store resolver.Store, settings resolver.Settings) *resolver.Resolver {
	t.Helper()
	r, err := resolver.Open(store, resolver.Options{Settings: settings, Now: clock()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// reviewing returns settings with which pairs that name different people are reviewed.
func reviewing() resolver.Settings {
	s := resolver.Defaults()
	s.SubjectConflict = resolver.SubjectsReview
	return s
}

// Of two names of one person, one is a placeholder: the other is not, and nobody is asked whether the two are one person.
func TestANameOfAPersonMayBeAPlaceholder(t *testing.T) {
	const user = "https://ex/robot/tiago/user"
	ctx := t.Context()
	r := open(t, &memory.Store{})
	at := 0
	together := func(n int) (last *resolver.Resolution) {
		for range n {
			at += 20_000
			words := fmt.Sprintf("sentence number %d of this day", at)
			resolve(t, r, said(stampAfter(at), maria, ari, words))
			last = resolve(t, r, said(stampAfter(at+200), user, tiago, words))
		}
		return last
	}
	known := func() *resolver.Statistics {
		t.Helper()
		s, err := r.Stats(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if together(20); len(known().People) != 1 || known().People[0].State != "suggested" {
		t.Fatalf("%+v", known().People)
	}
	if _, err := r.DecidePerson(ctx, resolver.PersonDecision{Subjects: []string{maria, user}, One: true}, judge); err != nil {
		t.Fatal(err)
	}
	for i := range 12 { // users say different things in two places at once
		at += 20_000
		for robot, words := range map[string]string{ari: "where is the exit of hall %d please", tiago: "my brother lost his blue umbrella number %d"} {
			o := said(stampAfter(at), user, robot, fmt.Sprintf(words, i))
			o.LocationURI = robot + "/room"
			resolve(t, r, o)
		}
	}
	if p := known().Placeholders; len(p) != 1 || p[0].SubjectURI != user {
		t.Errorf("the placeholders are %+v", p)
	}
	if _, err := r.DecidePerson(ctx, resolver.PersonDecision{Subjects: []string{maria, user}}, judge); err != nil {
		t.Fatal(err)
	}
	r = open(t, &memory.Store{})
	if together(20); len(known().People) != 1 {
		t.Fatalf("%+v", known().People)
	}
	if _, err := r.DecideSubject(ctx, user, false, judge); err != nil || len(known().People) != 0 {
		t.Errorf("beside a placeholder the people are %+v, %v", known().People, err)
	}
	r = open(t, &memory.Store{})
	if _, err := r.DecideSubject(ctx, user, false, judge); err != nil {
		t.Fatal(err)
	}
	for range 6 {
		if _, err := r.Accept(ctx, *together(3).CaseID, "", false, judge); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.DecideSubject(ctx, user, true, judge); err != nil || len(known().People) != 0 {
		t.Errorf("what a placeholder was reported with counts: %+v, %v", known().People, err)
	}
}

// A person with two names gets a suggestion for a third, whichever robot uses it, until somebody decides on it with one of
// the two.
func TestAThirdNameOfAPersonIsSuggested(t *testing.T) {
	ctx := t.Context()
	for _, other := range []string{"https://ex/robot/a", "https://ex/robot/z"} {
		r := open(t, &memory.Store{})
		third := other + "/human/maria"
		decide := func(subjects ...string) {
			t.Helper()
			if _, err := r.DecidePerson(ctx, resolver.PersonDecision{Subjects: subjects, One: true}, judge); err != nil {
				t.Fatal(err)
			}
		}
		suggested := func() (pairs [][2]string) {
			t.Helper()
			s, err := r.Stats(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range s.People {
				if p.State == "suggested" {
					pairs = append(pairs, p.SubjectURIs)
				}
			}
			return pairs
		}
		decide(mariaOfAri, mariaOfTiago)
		for i := range 20 {
			at := 60_000 * (i + 1)
			words := fmt.Sprintf("sentence number %d of this day", at)
			resolve(t, r, said(stampAfter(at), mariaOfAri, ari, words))
			resolve(t, r, said(stampAfter(at+200), third, other, words))
			resolve(t, r, said(stampAfter(at+400), mariaOfTiago, tiago, words))
		}
		if p := suggested(); len(p) != 2 {
			t.Errorf("with the robot %s the suggestions are %v", other, p)
		}
		decide(mariaOfAri, third)
		if p := suggested(); len(p) != 0 {
			t.Errorf("once all three are one person, the suggestions are %v", p)
		}
	}
}

// A rejected case, and an undone acceptance, end the suggestion.
func TestReviewsSuggestOnePersonOnlyIfTheyAgree(t *testing.T) {
	ctx := t.Context()
	r := openWith(t, &memory.Store{}, reviewing())
	var last string
	at := 0
	decide := func(accept bool) {
		t.Helper()
		at += 60_000
		words := fmt.Sprintf("sentence number %d of this day", at)
		resolve(t, r, said(stampAfter(at), mariaOfAri, ari, words))
		x := resolve(t, r, said(stampAfter(at+200), mariaOfTiago, tiago, words))
		last = *x.CaseID
		var err error
		if accept {
			_, err = r.Accept(ctx, last, "", false, judge)
		} else {
			_, err = r.Reject(ctx, last, judge)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	suggested := func() bool {
		s, err := r.Stats(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return len(s.People) == 1
	}
	for range 3 {
		decide(true)
	}
	if !suggested() {
		t.Fatal("three accepted cases suggest nothing")
	}
	if _, err := r.Undo(ctx, last, judge); err != nil || suggested() {
		t.Errorf("an undone acceptance counts (%v)", err)
	}
	decide(true)
	decide(false)
	if suggested() {
		t.Error("a rejection does not count")
	}
	if _, err := r.Undo(ctx, last, judge); err != nil || !suggested() {
		t.Errorf("an undone rejection counts (%v)", err)
	}
}

func TestWhatIsNoDecisionOnAPersonIsRefused(t *testing.T) {
	r := open(t, &memory.Store{})
	many := make([]string, 65)
	for i := range many {
		many[i] = fmt.Sprint("urn:", i)
	}
	for _, subjects := range [][]string{nil, {"urn:a"}, {"urn:a", "urn:a"}, {"urn:a", " "}, {"urn:a", "urn:\x00"}, many} {
		if _, err := r.DecidePerson(t.Context(), resolver.PersonDecision{Subjects: subjects, One: true}, judge); err == nil {
			t.Errorf("%q is one person", subjects)
		}
	}
	// A chain of decisions joins no more either.
	for i := range 63 {
		if _, err := r.DecidePerson(t.Context(), resolver.PersonDecision{Subjects: []string{"urn:x" + fmt.Sprint(i), "urn:x" + fmt.Sprint(i+1)}, One: true}, judge); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.DecidePerson(t.Context(), resolver.PersonDecision{Subjects: []string{"urn:x63", "urn:x64"}, One: true}, judge); err == nil {
		t.Error("a person has 65 names")
	}
}

// A client that names people by robot reaches the recall of shared names once ten people are decided.
func TestNamesByRobotReachTheRecallOfSharedNames(t *testing.T) {
	suite.NotShort(t)
	shared := generate(t, "lab", 0, 0)
	order := make([]int, len(shared.observations))
	for i := range order {
		order[i] = i
	}
	sharing := open(t, lean{&memory.Store{}})
	want := scoreOf(shared.truths, replayOn(t, sharing, shared.observations, order)).recall()
	r := open(t, lean{&memory.Store{}})
	byRobot := slices.Clone(shared.observations)
	people := map[string][]string{}
	for i := range byRobot {
		o := &byRobot[i]
		if o.SubjectURI == "" || o.RobotURI == "" {
			continue
		}
		shared := o.SubjectURI
		o.SubjectURI = path.Dir(shared) + "/of-" + path.Base(o.RobotURI) + "/" + path.Base(shared)
		if !slices.Contains(people[shared], o.SubjectURI) {
			people[shared] = append(people[shared], o.SubjectURI)
		}
	}
	unaided := open(t, lean{&memory.Store{}})
	apart := scoreOf(shared.truths, replayOn(t, unaided, byRobot, order)).recall()
	for _, r := range []*resolver.Resolver{sharing, unaided} {
		s, err := r.Stats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		right := 0
		for _, p := range s.People {
			if path.Base(p.SubjectURIs[0]) == path.Base(p.SubjectURIs[1]) {
				right++
			}
		}
		wanted := 0
		if r == unaided {
			for _, names := range people {
				wanted += len(names) * (len(names) - 1) / 2
			}
		}
		if t.Logf("%d of %d suggestions are right, of %d pairs", right, len(s.People), wanted); right != len(s.People) || right < wanted*9/10 {
			t.Errorf("%d of %d suggestions are right, of %d pairs", right, len(s.People), wanted)
		}
	}
	decisions := 0
	for _, names := range people {
		if len(names) > 1 {
			if _, err := r.DecidePerson(t.Context(), resolver.PersonDecision{Subjects: names, One: true}, judge); err != nil {
				t.Fatal(err)
			}
			decisions++
		}
	}
	got := scoreOf(shared.truths, replayOn(t, r, byRobot, order)).recall()
	t.Logf("recall %.4f with shared names, %.4f with names by robot, %.4f after %d decisions", want, apart, got, decisions)
	if decisions > 10 || got < want-0.02 || apart > want-0.3 {
		t.Errorf("recall %.4f with shared names, %.4f with names by robot, %.4f after %d decisions", want, apart, got, decisions)
	}
}
