package persist

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/forgotten"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/store/retention"
	"github.com/segraph/segraph/store/retries"
	"github.com/segraph/segraph/store/turtle"
)

// After any history of logs, observations, decisions, withdrawals, retention, deletions, holds, notes, backups, restarts,
// erasures and kills in them, nothing is found of who was erased, in the file or in a backup that is restored, and others
// have all that logs said.
func TestNoHistoryLeavesWhoWasErased(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	for seed := range suite.Times(1000, suite.Size(6, 1)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { live(t, seed) })
	}
}

// live goes through the history with a seed.
func live(t *testing.T, seed int) {
	h := &history{T: t, Rand: rand.New(rand.NewPCG(uint64(seed), 41)), seed: seed, people: make([]someone, 5)}
	h.start(openStore(t))
	for i := range h.people {
		h.people[i] = someone{token: fmt.Sprintf("wanted%cperson", 'a'+i), one: i, stated: map[int]bool{}}
	}
	for h.at = range 30 {
		h.step()
	}
	h.erase()
	h.check()
	h.restore()
	if err := h.s.Close(); err != nil || t.Failed() {
		t.Errorf("seed %d: %v\n%s", seed, err, strings.Join(h.did, "\n"))
	}
}

// history is a random one, with what must be so after it.
type history struct {
	*testing.T
	*rand.Rand
	seed, at int
	s        *Store
	g        ResolvedGraph
	people   []someone
	logs     []storedLog // published ones, by number
	loads    []storedLog
	backups  []string
	cases    []string
	seen     []observed
	times    atomic.Int64
	did      []string
}

// storedLog is a log.
type storedLog struct {
	id   string // "" once withdrawn
	at   int    // step
	who  []int  // numbers of the people whom it names
	line string // that stays, of a graph that was loaded
}

// observed is an observation.
type observed struct {
	context string
	at      int
	who     int
}

// someone has a token in the IRI, and in all that says something of them.
type someone struct {
	token        string // so long that no hash has it by chance
	one          int    // the number of the person whom this IRI is a name of
	held, erased bool
	stated       map[int]bool // numbers of the logs that stated the name
}

func (p someone) iri() string { return "http://ex/id/" + p.token }

func (h *history) start(s *Store) {
	h.s = s
	h.g = ResolvedGraph{Graph: s, Store: s, Resolver: openResolver(h.T, s.Contexts(), h.now)}
}

// now returns a time within the step.
func (h *history) now() time.Time {
	return began.Add(time.Duration(h.at)*time.Hour + time.Duration(h.times.Add(1))*time.Microsecond)
}

func (h *history) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatalf("seed %d: %v\n%s", h.seed, err, strings.Join(h.did, "\n"))
	}
}

// anybody returns the number of somebody who is not erased.
func (h *history) anybody() (int, bool) {
	for _, i := range h.Perm(len(h.people)) {
		if !h.people[i].erased {
			return i, true
		}
	}
	return 0, false
}

func (h *history) step() {
	a, some := h.anybody()
	if !some {
		return
	}
	b, _ := h.anybody()
	p := h.people[a]
	what := h.IntN(22)
	h.did = append(h.did, fmt.Sprintf("%d: %d of %s", h.at, what, p.token))
	switch what {
	case 0, 1, 2, 3, 4:
		h.publish(a, b)
	case 5:
		h.load(a)
	case 6, 7, 8:
		h.observe(a)
	case 9:
		_, err := h.g.Resolver.DecideSubject(h.Context(), p.iri()+"#w", h.IntN(2) == 0, entryOf(journal.Subject))
		h.must(err)
	case 10:
		h.decide()
	case 11:
		if a != b {
			d := resolver.PersonDecision{Subjects: []string{p.iri(), h.people[b].iri()}, One: true, Reason: "both are " + p.token}
			_, err := h.g.Resolver.DecidePerson(h.Context(), d, entryOf(journal.Subject))
			h.must(err)
			for i, was := 0, h.people[b].one; i < len(h.people); i++ {
				if h.people[i].one == was {
					h.people[i].one = p.one
				}
			}
		}
	case 12, 13:
		h.withdraw()
	case 14:
		h.hold(a)
	case 15:
		h.must(h.s.Notes.Put(h.Context(), notes.Note{Kind: "query", Owner: "ari", Name: fmt.Sprint("note ", h.at), Text: "SELECT * { <" + p.iri() + "> ?p ?o }"}))
	case 16:
		h.backups = append(h.backups, backedUp(h.T, h.s))
	case 17:
		path := h.s.Path()
		h.must(h.s.Close())
		h.start(reopen(h.T, path))
	case 18:
		h.retain()
	case 19:
		h.clear()
	default:
		h.erase()
	}
}

// began is when a history begins. A step takes an hour.
var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (h *history) insertion() journal.Entry {
	e := entryOf(journal.Insert)
	e.Time = began.Add(time.Duration(h.at) * time.Hour)
	return e
}

// load stores a log in graphs, one of them named after somebody.
func (h *history) load(a int) {
	p := h.people[a]
	text := fmt.Sprintf(`<http://ex/g%d> { <%s> <urn:in> "%s" . <http://ex/x> <urn:in> "%[1]d" } <%[2]s/g> { <urn:a> <urn:in> "%[3]s %[1]d" }`, h.at, p.iri(), p.token)
	e := h.insertion()
	_, err := h.s.Load(h.Context(), strings.NewReader(text), turtle.TriG, turtle.Options{}, e, nil)
	h.must(err)
	h.loads = append(h.loads, storedLog{e.LogID, h.at, []int{a}, fmt.Sprintf(`<http://ex/x> <urn:in> "%d" <http://ex/g%[1]d>`, h.at)})
}

// retain withdraws what is older than some hours, apart from what names somebody under a legal hold.
func (h *history) retain() {
	keep := h.IntN(20)
	now := func() time.Time { return began.Add(time.Duration(h.at) * time.Hour) }
	r := retention.New(retention.Options{Rules: []retention.Rule{{Keep: time.Duration(keep) * time.Hour}}, Store: h.s.Store, Provenance: h.s.Provenance, Times: ReportedTimes, Log: slog.New(slog.DiscardHandler), Now: now,
		Contexts: h.g.ExpireContexts})
	done, err := r.Day(h.Context())
	h.must(err)
	if done.Refused > 0 {
		h.Errorf("seed %d, step %d: %d logs can't be withdrawn", h.seed, h.at, done.Refused)
	}
	old := func(l storedLog) bool {
		return l.at < h.at-keep && !slices.ContainsFunc(l.who, func(n int) bool { return h.people[n].held && !h.people[n].erased })
	}
	for n, l := range h.logs {
		if old(l) {
			h.gone(n)
		}
	}
	h.loads = slices.DeleteFunc(h.loads, old)
	h.expired(keep, done.Contexts)
}

// expired checks which contexts are left of what was observed some hours before.
func (h *history) expired(keep int, by map[string]int) {
	here, may := map[string]bool{}, map[string]bool{} // by the context that was answered
	for _, o := range h.seen {
		_, err := h.g.Resolver.Context(h.Context(), o.context, 1, 0)
		here[o.context] = err == nil
		p := h.people[o.who]
		may[o.context] = may[o.context] || o.at >= h.at-keep || p.held && !p.erased
	}
	left := 0
	for uri, is := range here {
		if is {
			left++
		} else if may[uri] {
			h.Errorf("seed %d, step %d: %s is gone", h.seed, h.at, uri)
		}
	}
	h.seen = slices.DeleteFunc(h.seen, func(o observed) bool { return !here[o.context] })
	h.did = append(h.did, fmt.Sprintf("%d: contexts: %d left, went by %v", h.at, left, by))
	if s, err := h.g.Resolver.Stats(h.Context()); err != nil || (s.Observations == 0) != (left == 0) {
		h.Errorf("seed %d, step %d: %d observations are left of %d contexts, %v", h.seed, h.at, s.Observations, left, err)
	} else if keep == 0 && len(by) == 0 && s.Observations > 0 && !slices.ContainsFunc(h.people, func(p someone) bool { return p.held }) {
		h.Errorf("seed %d, step %d: %d observations stay", h.seed, h.at, s.Observations)
	}
}

// gone notes that a log was withdrawn.
func (h *history) gone(n int) {
	h.logs[n].id = ""
	for _, p := range h.people {
		delete(p.stated, n)
	}
}

// clear deletes the published graph, perhaps with the contexts.
func (h *history) clear() {
	contexts := h.IntN(2) == 0
	_, err := h.g.Clear(h.Context(), contexts, entryOf(journal.Clear))
	if h.must(err); contexts {
		h.seen = nil
	}
	for n := range h.logs {
		h.gone(n)
	}
}

// publish stores a log of two people.
func (h *history) publish(a, b int) {
	p, q := h.people[a], h.people[b]
	n := len(h.logs)
	text := fmt.Sprintf(`@prefix x: <%s#> . @prefix s: <http://schema.org/> . <%[1]s> s:name "%[2]s" ; s:knows <%[3]s> . x:part s:about <%[3]s/page> .
		<http://ex/m%[4]d> s:sender <%[1]s> ; s:text "%[2]s said %[4]d" ; s:position %[4]d . <http://ex/s%[4]d> <urn:keep> %[4]d .
		<http://ex/r%[4]d> <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( <%[3]s> s:name "%[5]s" )>> .`, p.iri(), p.token, q.iri(), n, q.token)
	if h.IntN(8) == 0 { // more than a delta of the log region
		for i := range 200 {
			text += fmt.Sprintf("<%s/%d> <urn:p> \"%s %d\" .\n", p.iri(), i, p.token, i)
		}
	}
	e := h.insertion()
	e.Claimed, e.RequestID = p.iri(), p.token
	d := document(h.T, turtle.Turtle, text)
	e.Triples = d.Distinct()
	_, err := h.s.Add(h.Context(), d, e)
	h.must(err)
	h.logs = append(h.logs, storedLog{id: e.LogID, at: h.at, who: []int{a, b}})
	p.stated[n] = true
}

func (h *history) observe(who int) {
	p := h.people[who]
	o := resolver.Observation{EventKind: "heard", SubjectURI: p.iri(), Text: p.token + " says what is the same", RobotURI: fmt.Sprint("http://ex/r", h.IntN(3)),
		ObservedAt: fmt.Sprintf("2026-01-01T12:%02d:%02dZ", h.at, h.IntN(20)), ObservationURI: fmt.Sprintf("%s/o%d", p.iri(), h.at)}
	e := entryOf(journal.Resolve)
	e.Time = h.now()
	x, err := h.g.Resolver.Record(h.Context(), o, e)
	h.must(err)
	h.seen = append(h.seen, observed{context: x.SharedContextURI, at: h.at, who: who})
	if x.CaseID != nil {
		h.cases = append(h.cases, *x.CaseID)
	}
}

// decide decides on a case, which may have been decided on or have gone.
func (h *history) decide() {
	if len(h.cases) == 0 {
		return
	}
	id := h.cases[h.IntN(len(h.cases))]
	switch h.IntN(3) {
	case 0:
		_, _ = h.g.Resolver.Accept(h.Context(), id, "", false, entryOf(journal.Accept))
	case 1:
		_, _ = h.g.Resolver.Reject(h.Context(), id, entryOf(journal.Reject))
	default:
		_, _ = h.g.Resolver.Undo(h.Context(), id, entryOf(journal.Undo))
	}
}

func (h *history) withdraw() {
	if len(h.logs) == 0 {
		return
	}
	n := h.IntN(len(h.logs))
	if h.logs[n].id == "" {
		return
	}
	_, err := h.s.Withdraw(h.Context(), h.logs[n].id, entryOf(journal.Withdraw))
	h.must(err)
	h.gone(n)
}

// hold puts somebody under a legal hold, or lifts all holds.
func (h *history) hold(who int) {
	all := holds.Of(h.s.Store)
	if h.IntN(3) > 0 {
		_, err := all.Add(h.Context(), holds.Hold{People: []string{h.people[who].iri()}, Reason: "a case"}, entryOf(journal.Hold).Complete())
		h.must(err)
		h.people[who].held = true
		return
	}
	h.lift()
}

func (h *history) lift() {
	all := holds.Of(h.s.Store)
	now, err := all.All(entryOf(journal.Lift).Complete().Time)
	h.must(err)
	for _, x := range now {
		_, _, err := all.Lift(h.Context(), x.ID, entryOf(journal.Lift).Complete())
		h.must(err)
	}
	for i := range h.people {
		h.people[i].held = false
	}
}

// erase erases somebody, or is killed in the middle, and looks for them.
func (h *history) erase() {
	who, some := h.anybody()
	if !some {
		return
	}
	held, iris := false, []string{}
	for _, p := range h.people {
		if p.one == h.people[who].one {
			held, iris = held || p.held, append(iris, p.iri())
		}
	}
	to := ""
	if h.IntN(2) == 0 {
		to = fmt.Sprint("urn:x:p", h.at)
	}
	var err error
	if h.IntN(4) == 0 && !held {
		h.must(h.s.Forgotten.Add(iris, to))
		h.kill()
		_, err = h.g.ApplyForgotten(h.Context(), entryOf(journal.Erasure))
	} else {
		_, err = h.g.Erase(h.Context(), h.people[who].iri(), to, entryOf(journal.Erasure).Complete())
	}
	if _, unfit := errors.AsType[*store.UnfitError](err); unfit && slices.ContainsFunc(h.people, func(p someone) bool { return p.held }) {
		return // they are held, or a log names somebody who is
	} else if h.must(err); held {
		h.Errorf("seed %d: somebody under a legal hold was erased", h.seed)
	}
	h.did = append(h.did, fmt.Sprintf("%d: erased %v to %q", h.at, iris, to))
	for i := range h.people {
		if h.people[i].one == h.people[who].one {
			h.people[i].erased = true
		}
	}
	h.purge()
	h.find(h.s)
	h.check()
}

// purge removes bytes, or is killed before, in the middle of, or after that, and goes on.
func (h *history) purge() {
	switch h.IntN(5) {
	case 0:
		h.kill()
	case 1:
		ctx, cancel := context.WithTimeout(h.Context(), time.Duration(h.IntN(5000))*time.Microsecond)
		_ = h.s.Purge(ctx, nil) // an error, or it was in time
		cancel()
		h.kill()
	case 2:
		killed := errors.New("killed")
		if err := h.s.Purge(h.Context(), func(context.Context) error { return killed }); !errors.Is(err, killed) {
			h.Errorf("seed %d, step %d: %v", h.seed, h.at, err)
		}
		h.kill()
	}
	_, err := h.g.ApplyForgotten(h.Context(), entryOf(journal.Erasure))
	h.must(err)
	h.must(h.s.Purge(h.Context(), nil))
}

// kill goes on with what a kill leaves.
func (h *history) kill() {
	path := leftBy(h.T, h.s)
	list, err := os.ReadFile(h.s.Forgotten.Path())
	h.must(err)
	h.must(os.WriteFile(path+forgotten.Suffix, list, 0o600))
	h.must(h.s.Close())
	h.start(reopen(h.T, path))
}

// find looks for all who were erased.
func (h *history) find(s *Store) {
	h.Helper()
	for _, p := range h.people {
		if p.erased {
			if places, err := s.Find(h.Context(), p.token, retries.Unpacked); err != nil || len(places) > 0 {
				h.Errorf("seed %d, step %d: %s is found in %v, %v", h.seed, h.at, p.token, places, err)
			}
		}
	}
}

// check checks what others said.
func (h *history) check() {
	h.Helper()
	mustCheck(h.T, h.s)
	text := dumped(h.T, h.s)
	want := func(line string, there bool) {
		h.Helper()
		if strings.Contains(text, line) != there {
			h.Errorf("seed %d, step %d: the file has %s: %v", h.seed, h.at, line, !there)
		}
	}
	for n, l := range h.logs {
		want(fmt.Sprintf("<http://ex/s%d> <urn:keep>", n), l.id != "")
		want(fmt.Sprintf("<http://ex/m%d> <http://schema.org/position>", n), l.id != "")
	}
	for _, l := range h.loads {
		want(l.line, true)
	}
	for _, p := range h.people {
		want(fmt.Sprintf("<%s> <http://schema.org/name> %q .", p.iri(), p.token), len(p.stated) > 0 && !p.erased)
	}
}

// restore opens one of the backups with the list beside the file, as a restore does.
func (h *history) restore() {
	if len(h.backups) == 0 {
		return
	}
	path := h.backups[h.IntN(len(h.backups))]
	list, err := os.ReadFile(h.s.Forgotten.Path())
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	h.must(err)
	h.must(os.WriteFile(path+forgotten.Suffix, list, 0o600))
	s := reopen(h.T, path)
	g, _ := resolved(h.T, s)
	_, err = g.ApplyForgotten(h.Context(), entryOf(journal.Erasure))
	h.must(err)
	h.must(s.Purge(h.Context(), nil))
	h.find(s)
	mustCheck(h.T, s)
	h.must(s.Close())
}

// A list that was stored in pieces and becomes short leaves none of them behind.
func TestAnErasureLeavesNoPieceWithoutALog(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, _ := resolved(t, s)
	for i := range 9 {
		person := fmt.Sprintf("http://ex/id/%d", i)
		var text strings.Builder
		for n := range 40 {
			fmt.Fprintf(&text, "<%s> <urn:p> %d . <http://ex/s%d> <urn:p> %[2]d .\n", person, n, i)
		}
		publish(t, s, text.String())
		if _, err := g.Erase(t.Context(), person, "", entryOf(journal.Erasure)); err != nil {
			t.Fatal(err)
		}
		mustCheck(t, s)
	}
}

// Triples that become the same under a pseudonym count once, so that each log can be withdrawn.
func TestLogsOfAPseudonymisedPersonCanBeWithdrawn(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, r := resolved(t, s)
	const a, b = "http://ex/id/a", "http://ex/id/b"
	logs := []string{
		publish(t, s, "<http://ex/c> <urn:knows> <urn:x:p> ."),
		publish(t, s, "<"+a+"> <urn:knows> <"+b+">, <http://ex/c> . <http://ex/c> <urn:knows> <"+a+"> ."),
		publish(t, s, "<"+b+"> <urn:knows> <"+a+">, <http://ex/c> . <"+a+"> <urn:knows> <"+b+"> ."),
		publish(t, s, "<urn:x:p> <urn:knows> <http://ex/c> . <http://ex/s> <urn:p> 1 ."),
	}
	d := resolver.PersonDecision{Subjects: []string{a, b}, One: true, Reason: "one"}
	if _, err := r.DecidePerson(t.Context(), d, entryOf(journal.Subject)); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Erase(t.Context(), a, "urn:x:p", entryOf(journal.Erasure)); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, s)
	for i, id := range logs {
		if _, err := s.Withdraw(t.Context(), id, entryOf(journal.Withdraw)); err != nil {
			t.Errorf("log %d: %v", i, err)
		}
	}
	if text := exported(t, s, turtle.NTriples); text != "" {
		t.Errorf("it still has %s", text)
	}
}

// What an erasure took from a log in named graphs is still known once the published graph is gone.
func TestALoadedLogCanBeWithdrawnAfterAnErasureAndADeletion(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, _ := resolved(t, s)
	const person = "http://ex/id/a"
	publish(t, s, "<http://ex/s> <urn:p> 1 .")
	e := entryOf(journal.Insert)
	text := "<urn:g> { <" + person + "> <urn:p> 1 . <http://ex/x> <urn:p> 1 } <" + person + "> { <urn:x> <urn:p> 1 }"
	if _, err := s.Load(t.Context(), strings.NewReader(text), turtle.TriG, turtle.Options{}, e, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Erase(t.Context(), person, "", entryOf(journal.Erasure)); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Clear(t.Context(), false, entryOf(journal.Clear)); err != nil {
		t.Fatal(err)
	}
	if gone, err := s.Withdraw(t.Context(), e.LogID, entryOf(journal.Withdraw)); err != nil || gone.Removed != 1 {
		t.Errorf("%+v, %v", gone, err)
	}
	mustCheck(t, s)
}
