package persist

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/retention"
	"github.com/segraph/segraph/store/turtle"
)

// publish publishes a log of a user about contexts, with more triples.
func (a *aging) publish(user, more string, contexts ...string) (id string) {
	a.Helper()
	text := more
	for _, uri := range contexts {
		text += fmt.Sprintf("<http://ex/m%s> <http://schema.org/about> <%s> .\n", journal.NewLogID(), uri)
	}
	e := entryOf(journal.Insert)
	e.Time, e.Actor = a.now, user
	d := document(a.T, turtle.Turtle, text)
	e.Triples = d.Distinct()
	if _, err := a.s.Add(a.Context(), d, e); err != nil {
		a.Fatal(err)
	}
	return e.LogID
}

// withdraw withdraws logs, and returns what became of the contexts that they name.
func (a *aging) withdraw(logs ...string) store.WithdrawnContexts {
	a.Helper()
	var named []uint64
	e := entryOf(journal.Withdraw)
	e.Time = a.now
	err := a.s.WithdrawLogs(a.Context(), logs, e, func(l store.WithdrawnLog) {
		if named = append(named, l.Contexts...); l.Refused != nil {
			a.Fatal(l.Refused)
		}
	})
	if err != nil {
		a.Fatal(err)
	}
	return a.follow(named)
}

// follow has contexts follow withdrawn logs.
func (a *aging) follow(named []uint64) store.WithdrawnContexts {
	a.Helper()
	e := entryOf(journal.Withdraw)
	e.Time = a.now
	out, err := a.g.WithdrawContexts(a.Context(), named, e)
	if err != nil {
		a.Fatal(err)
	}
	mustCheck(a.T, a.s)
	return out
}

// kill goes on with what a kill leaves now.
func (a *aging) kill() {
	a.Helper()
	path := leftBy(a.T, a.s)
	if err := a.s.Close(); err != nil {
		a.Fatal(err)
	}
	a.s = reopen(a.T, path)
	a.g = ResolvedGraph{Graph: a.s, Store: a.s, Resolver: openResolver(a.T, a.s.Contexts(), func() time.Time { return a.now })}
}

const byAri = "<http://ex/say> <http://www.w3.org/ns/prov#wasAssociatedWith> <http://ex/ari> ."

// What a log brought to contexts goes with it, nothing of that is found, and the journal says how many contexts went.
func TestContextsGoWithTheLogThatBroughtThem(t *testing.T) {
	a := newAging(t)
	heard, _ := a.hear(0, resolver.Observation{Text: "the wanted sentence", SubjectURI: "http://ex/wantedperson", RobotURI: "http://ex/ari"})
	other, _ := a.hear(9, resolver.Observation{Text: "it stays", RobotURI: "http://ex/ari"})
	log := a.publish("ari", byAri, heard.SharedContextURI)
	a.publish("ari", byAri, other.SharedContextURI)
	if p, err := a.s.Preview(t.Context(), []string{log}); err != nil || len(p.Contexts) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	if out := a.withdraw(log); out != (store.WithdrawnContexts{Named: 1, Removed: 1}) {
		t.Errorf("%+v", out)
	}
	if a.has(heard.SharedContextURI) || !a.has(other.SharedContextURI) {
		t.Error("it stays, or the other one went")
	}
	all := entries(t, a.s)
	if e := all[len(all)-1]; e.Action != journal.WithdrawContexts || e.Actor != "ari" || e.Detail != "contexts: 1" || e.Lessened != "0" {
		t.Errorf("%+v", e)
	}
	a.nowhere("wanted")
}

// A context stays that a withdrawn log did not bring alone, or that a centre lacks.
func TestContextsStayThatOthersHold(t *testing.T) {
	a := newAging(t)
	hear := func(minute int) string {
		x, _ := a.hear(minute, resolver.Observation{Text: fmt.Sprint("sentence ", minute), RobotURI: "http://ex/ari"})
		return x.SharedContextURI
	}
	for i, c := range []struct {
		why, user, more string
		late            bool
	}{{"somebody else sent the log", "eve", byAri, false}, {"it names another robot", "ari", "<http://ex/a> <http://ex/b> <http://ex/tiago> .", false},
		{"it came before the observation", "ari", byAri, true}} {
		uri := hear(i * 10)
		log := a.publish(c.user, c.more, uri)
		if c.late {
			uri = uri[:len(uri)-1] + fmt.Sprint(i+2) // contexts have numbers
			log = a.publish(c.user, c.more, uri)
			if next := hear(90); next != uri {
				t.Fatal(next)
			}
		}
		if out := a.withdraw(log); out.Stayed != 1 || out.Removed != 0 || !a.has(uri) {
			t.Errorf("%s: %+v", c.why, out)
		}
	}
	uri := hear(50)
	named := a.publish("eve", "<http://ex/g> <http://ex/says> <<( <http://ex/m> <http://ex/in> <"+uri+"> )>> .")
	if out := a.withdraw(a.publish("ari", byAri, uri)); out.Stayed != 1 {
		t.Errorf("a triple term names it: %+v", out)
	}
	if out := a.withdraw(named); out.Removed != 1 {
		t.Errorf("nothing names it: %+v", out)
	}
	uri = hear(55)
	a.publish("eve", "<http://ex/g> <http://ex/says> <"+uri+"> .")
	if out := a.withdraw(a.publish("ari", byAri, uri)); out.Stayed != 1 {
		t.Errorf("another log names it: %+v", out)
	}
	if a.day(9, retention.Rule{User: "eve", Keep: aDay}); a.has(uri) {
		t.Error("it stays though the log that named it was too old")
	}
	if _, err := box.SetCentres(t.Context(), a.s.Store, []string{"a centre"}); err != nil {
		t.Fatal(err)
	}
	uri = hear(60)
	if out := a.withdraw(a.publish("ari", byAri, uri)); out.Stayed != 1 {
		t.Errorf("a centre lacks it: %+v", out)
	}
	if _, err := box.SetCentres(t.Context(), a.s.Store, nil); err != nil {
		t.Fatal(err)
	}
	if a.follow(nil); a.has(uri) {
		t.Error("it stays though the centre does not count")
	}
}

// An observation that left a context, because its match was undone, goes with the log that named the context.
func TestWhatWasUnmatchedGoesWithItsLog(t *testing.T) {
	a := newAging(t)
	robots := []string{"ari", "tiago"}
	var context, logs, decisions []string
	for _, robot := range robots {
		x, _ := a.hear(0, resolver.Observation{Text: "the wanted sentence", SubjectURI: "http://ex/p", RobotURI: "http://ex/" + robot})
		context, decisions = append(context, x.SharedContextURI), append(decisions, *x.DecisionID)
	}
	if context[0] != context[1] {
		t.Fatal("they do not match")
	}
	for _, robot := range robots {
		logs = append(logs, a.publish(robot, strings.ReplaceAll(byAri, "ari", robot), context[0]))
	}
	if _, err := a.g.Resolver.Undo(t.Context(), decisions[1], entryOf(journal.Undo)); err != nil {
		t.Fatal(err)
	}
	if out := a.withdraw(logs...); out != (store.WithdrawnContexts{Named: 1, Removed: 1}) {
		t.Errorf("%+v", out)
	}
	a.nowhere("wanted")
}

// After any history of observations, undone matches, logs, withdrawals, holds and kills, those contexts are left that something holds.
func TestContextsFollowWithdrawnLogsInAnyHistory(t *testing.T) {
	for seed := range suite.Times(50, 8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			h := &bringing{aging: newAging(t), Rand: rand.New(rand.NewPCG(uint64(seed), 41))}
			for h.at = range 60 {
				h.step()
			}
			if h.went == 0 || t.Failed() {
				t.Errorf("seed %d, %d went:\n%s", seed, h.went, strings.Join(h.did, "\n"))
			}
		})
	}
}

// bringing is a history of events that are minutes apart, which robots report.
type bringing struct {
	*aging
	*rand.Rand
	at     int
	events []*broughtEvent
	logs   []*broughtLog
	match  []string // decisions that can be undone
	held   bool     // everything of the robot r0
	went   int
	did    []string
}

type broughtEvent struct {
	uris    []string // of its contexts, which the resolver relates
	by      []int    // robots, by observation
	brought []bool   // by a log that was withdrawn
	at      []int    // when it was observed
	gone    bool
}

type broughtLog struct {
	id        string
	robot, at int
	events    []*broughtEvent
	uris      []string // that it names
}

func (h *bringing) step() {
	robot := h.IntN(3)
	name := fmt.Sprint("r", robot)
	h.now = h.now.Add(time.Second)
	switch h.IntN(12) {
	case 0, 1, 2, 3:
		e := &broughtEvent{}
		n := h.IntN(len(h.events) + 2)
		if n < len(h.events) && !h.events[n].gone && !slices.Contains(h.events[n].by, robot) { // one that it reports twice is two
			e = h.events[n]
		} else {
			n = len(h.events)
			h.events = append(h.events, e)
		}
		began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		o := resolver.Observation{EventKind: "heard", Text: fmt.Sprint("sentence ", n), RobotURI: "http://ex/" + name, ObservationURI: fmt.Sprint("http://ex/o", h.at),
			ObservedAt: began.Add(time.Duration(n) * time.Hour).Format(time.RFC3339)}
		if n%3 > 0 { // then it is matched; otherwise a case asks
			o.SubjectURI = fmt.Sprint("http://ex/p", n)
		}
		entry := entryOf(journal.Resolve)
		entry.Time, entry.Actor = h.now, "fleet"
		x, err := h.g.Resolver.Record(h.Context(), o, entry)
		if err != nil {
			h.Fatal(err)
		}
		e.uris, e.by, e.brought, e.at = append(e.uris, x.SharedContextURI), append(e.by, robot), append(e.brought, false), append(e.at, h.at)
		if x.Outcome == resolver.Matched {
			h.match = append(h.match, *x.DecisionID)
		}
		h.say("%s observes %d: %s %v", name, n, x.Outcome, x.CaseID != nil)
	case 4, 5, 6:
		l := &broughtLog{robot: robot, at: h.at}
		for _, e := range h.events {
			for i, by := range e.by {
				if by == robot && !e.gone && h.IntN(3) > 0 {
					l.events, l.uris = append(l.events, e), append(l.uris, e.uris[i])
				}
			}
		}
		l.id = h.publish("fleet", "<http://ex/say> <http://www.w3.org/ns/prov#wasAssociatedWith> <http://ex/"+name+"> .", l.uris...)
		h.logs = append(h.logs, l)
		h.say("%s publishes %v", name, l.uris)
	case 7, 8, 9:
		h.withdrawSome()
	case 10:
		h.undo()
	default:
		h.hold()
	}
	h.verify()
}

func (h *bringing) say(format string, values ...any) {
	h.did = append(h.did, fmt.Sprintf("%d: ", h.at)+fmt.Sprintf(format, values...))
}

// withdrawSome withdraws logs, perhaps with a kill before their contexts go.
func (h *bringing) withdrawSome() {
	h.Shuffle(len(h.logs), func(i, j int) { h.logs[i], h.logs[j] = h.logs[j], h.logs[i] })
	n := min(len(h.logs), 1+h.IntN(3))
	var ids []string
	for _, l := range h.logs[:n] {
		ids = append(ids, l.id)
		for i, e := range l.events {
			for k := range e.by {
				// the log names the context of this observation
				if e.by[k] == l.robot && e.at[k] < l.at && e.uris[k] == l.uris[i] {
					e.brought[k] = true
				}
			}
		}
	}
	h.logs = h.logs[n:]
	if h.IntN(2) == 0 {
		for _, id := range ids {
			if _, err := h.s.Withdraw(h.Context(), id, entryOf(journal.Withdraw)); err != nil {
				h.Fatal(err)
			}
		}
		h.kill()
		h.follow(nil)
		h.say("withdraws %d, after a kill", n)
		return
	}
	if n > 0 {
		h.withdraw(ids...)
	}
	h.say("withdraws %d", n)
}

// undo undoes a match.
func (h *bringing) undo() {
	if len(h.match) == 0 {
		return
	}
	n := h.IntN(len(h.match))
	var gone *resolver.Error
	if _, err := h.g.Resolver.Undo(h.Context(), h.match[n], entryOf(journal.Undo)); err != nil && !errors.As(err, &gone) {
		h.Fatal(err)
	}
	h.say("undoes %s", h.match[n])
	h.match = slices.Delete(h.match, n, n+1)
}

// hold begins or ends a legal hold.
func (h *bringing) hold() {
	all := holds.Of(h.s.Store)
	if h.held {
		now, err := all.All(h.now)
		if err == nil {
			_, _, err = all.Lift(h.Context(), now[0].ID, entryOf(journal.Lift).Complete())
		}
		if err != nil {
			h.Fatal(err)
		}
	} else if _, err := all.Add(h.Context(), holds.Hold{People: []string{"http://ex/r0"}}, entryOf(journal.Hold).Complete()); err != nil {
		h.Fatal(err)
	}
	h.held = !h.held
	h.follow(nil) // looks again at what was held
	h.say("holds: %v", h.held)
}

// verify compares the contexts with the model.
func (h *bringing) verify() {
	h.Helper()
	for n, e := range h.events {
		named := slices.ContainsFunc(h.logs, func(l *broughtLog) bool { return slices.Contains(l.events, e) })
		held := h.held && slices.Contains(e.by, 0)
		want := e.gone || !named && !held && !slices.Contains(e.brought, false)
		for _, uri := range e.uris {
			if _, err := h.g.Resolver.Context(h.Context(), uri, 1, 0); (err != nil) != want {
				h.Errorf("step %d: event %d is gone: %v", h.at, n, !want)
			} else if unfit := (*resolver.Error)(nil); err != nil && !errors.As(err, &unfit) {
				h.Fatal(err)
			}
		}
		if want && !e.gone {
			h.went++
		}
		e.gone = want
	}
}
