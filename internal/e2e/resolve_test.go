package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/segraph/segraph/store/turtle"
)

// resolved resolves an observation and returns the answer.
func (s *service) resolved(body string) resolution {
	s.t.Helper()
	a := request(s.t, "POST", s.api+"/shared-context/resolve", []byte(body), "Content-Type", "application/json")
	var got resolution
	if err := json.Unmarshal(a.body, &got); err != nil || a.status != http.StatusOK {
		s.t.Fatalf("resolve: %d %v\n%s", a.status, err, a.body)
	}
	return got
}

// restarted stops the service and starts it again.
func (s *service) restarted(dir string) *service {
	s.t.Helper()
	s.stop()
	return serve(s.t, dir, nil)
}

func (s *service) pendingReviews() int {
	s.t.Helper()
	return request(s.t, "GET", s.api+"/shared-context/stats", nil).number(s.t, "pending_reviews")
}

const (
	first  = `{"event_kind":"human_utterance","observed_at":"2026-02-11T09:12:13.150Z","subject_uri":"http://ex/human/maria","modality":"speech","text":"Could you show me climate news?","robot_uri":"http://ex/robot/ari"}`
	second = `{"event_kind":"human_utterance","observed_at":"2026-02-11T09:12:13.950Z","subject_uri":"http://ex/human/maria","modality":"speech","text":"Could you show me climate news?","robot_uri":"http://ex/robot/tiago"}`
	// faceless is the same half a second later, from a robot that does not recognize the
	// person.
	faceless = `{"event_kind":"human_utterance","observed_at":"2026-02-11T09:12:13.650Z","modality":"speech","text":"Could you show me climate news?","robot_uri":"http://ex/robot/pepper"}`
)

// The first of two cases that existing users rely on.
func TestTheSameSeenTwiceIsMatched(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	one, two := s.resolved(first), s.resolved(second)
	if one.Outcome != "created" || two.Outcome != "matched" || two.URI != one.URI || two.CaseID != nil || s.pendingReviews() != 0 {
		t.Errorf("first %+v, then %+v, with %d pending reviews", one, two, s.pendingReviews())
	}
}

// The second one, with a restart between all steps.
func TestADoubtIsDecidedByAPerson(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, nil)
	one := s.resolved(first)
	s = s.restarted(dir)
	two := s.resolved(faceless)
	if one.Outcome != "created" || two.Outcome != "ambiguous" || two.CaseID == nil || two.URI == one.URI || s.pendingReviews() != 1 {
		t.Fatalf("first %+v, then %+v, with %d pending reviews", one, two, s.pendingReviews())
	}
	s = s.restarted(dir)
	a := request(t, "POST", s.api+"/shared-context/review/"+*two.CaseID+"/accept", nil, "X-Request-ID", "the-accept")
	if a.status != http.StatusOK || a.member(t, "resulting_context_uri") != one.URI {
		t.Fatalf("accept: %d\n%s", a.status, a.body)
	}
	s = s.restarted(dir)
	if one2, two2 := s.resolved(first), s.resolved(faceless); one2.URI != one.URI || two2.URI != one.URI || !two2.Duplicate || s.pendingReviews() != 0 {
		t.Errorf("after the accept %+v and %+v, with %d pending reviews", one2, two2, s.pendingReviews())
	}
	// The published graph contains the merge, and nothing else.
	for _, q := range parse(t, s.events(), turtle.Turtle) {
		if q.S.Value() != two.URI || q.O.Value() != one.URI {
			t.Errorf("published is %v", q)
		}
	}
	entries := request(t, "GET", s.api+"/logs?action=accept", nil)
	if !bytes.Contains(entries.body, []byte(`"request_id":"the-accept"`)) || !bytes.Contains(entries.body, []byte(*two.CaseID)) {
		t.Errorf("the journal lacks who accepted: %s", entries.body)
	}
	s = s.restarted(dir)
	if a := request(t, "POST", s.api+"/shared-context/review/"+*two.CaseID+"/undo", nil); a.status != http.StatusOK {
		t.Fatalf("undo: %d\n%s", a.status, a.body)
	}
	s = s.restarted(dir)
	if two3 := s.resolved(faceless); two3.URI != two.URI || s.pendingReviews() != 1 || len(parse(t, s.events(), turtle.Turtle)) != 0 {
		t.Errorf("after the undo %+v, with %d pending reviews and\n%s", two3, s.pendingReviews(), s.events())
	}
	s.stop()
	checkFile(t, dir+"/segraph.db")
}

// deleteAll posts a body to /ttl/delete_all.
func (s *service) deleteAll(body string) answer {
	s.t.Helper()
	a := request(s.t, "POST", s.api+"/ttl/delete_all", []byte(body), "Content-Type", "application/json")
	if a.status != http.StatusOK {
		s.t.Fatalf("delete_all: %d\n%s", a.status, a.body)
	}
	return a
}

// Robots clear the published graph before each run, and people decide the cases of the
// previous run.
func TestDeleteAllKeepsContextsCasesAndDecisions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, nil)
	one, two := s.resolved(first), s.resolved(faceless)
	published := func() int {
		n := s.count(`SELECT (COUNT(*) AS ?n) { ?s ?p ?o }`)
		if got := len(parse(t, s.events(), turtle.Turtle)); got != n {
			t.Errorf("%d triples are exported, and %d found", got, n)
		}
		return n
	}
	mirrored := func() int {
		return s.count(`SELECT (COUNT(*) AS ?n) { GRAPH <urn:segraph:contexts> { ?s ?p ?o } }`)
	}
	decide := func(what string, want int) {
		t.Helper()
		if a := request(t, "POST", s.api+"/shared-context/review/"+*two.CaseID+"/"+what, nil); a.status != want {
			t.Fatalf("%s: %d %s", what, a.status, a.body)
		}
	}
	s.must("ex:a ex:p 1, 2 .")
	was := mirrored()
	if n := s.deleteAll(`{"user":null}`).number(t, "removed"); n != 2 || published() != 0 || mirrored() != was || s.pendingReviews() != 1 {
		t.Errorf("%d triples removed, %d left; the graph of contexts has %d and had %d; %d cases wait", n, published(), mirrored(), was, s.pendingReviews())
	}
	decide("accept", http.StatusOK)
	if n := published(); n != 2 {
		t.Errorf("%d triples describe the merge", n)
	}
	if n := s.deleteAll(`{"user":null,"contexts":false}`).number(t, "removed"); n != 2 || published() != 0 {
		t.Errorf("%d triples removed, %d left", n, published())
	}
	if again := s.resolved(faceless); again.URI != one.URI {
		t.Errorf("the merge is forgotten: %s", again.URI)
	}
	s = s.restarted(dir)
	decide("undo", http.StatusOK)
	decide("accept", http.StatusOK)
	if n := published(); n != 2 {
		t.Errorf("%d triples describe the second merge", n)
	}
	if a := s.deleteAll(`{"user":null,"contexts":true}`); a.number(t, "removed") != 2 || a.number(t, "contexts") != 2 || published() != 0 || mirrored() != 0 {
		t.Errorf("with contexts: %s, and %d and %d triples are left", a.body, published(), mirrored())
	}
	decide("accept", http.StatusNotFound)
	a := request(t, "GET", s.api+"/logs?action=clear", nil)
	if n := bytes.Count(a.body, []byte("with shared contexts, cases and decisions")); a.number(t, "count") != 3 || n != 1 {
		t.Errorf("the journal says %s", a.body)
	}
	s.stop()
	checkFile(t, dir+"/segraph.db")
}

func TestDeletingContextsTooKeepsClocks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, nil)
	// Twenty pairs of certain matches teach that tiago's clock is behind ari's.
	for i := range 20 {
		for robot, ms := range map[string]int{"ari": 700, "tiago": 100} {
			s.resolved(fmt.Sprintf(`{"event_kind":"human_utterance","observed_at":"2026-02-11T09:%02d:13.%03dZ","subject_uri":"http://ex/human/maria",
				"modality":"speech","text":"Could you tell me something about exhibit number %d?","robot_uri":"http://ex/robot/%s"}`, i, ms, 100+7*i, robot))
		}
	}
	one, two := s.resolved(first), s.resolved(faceless)
	clocks := func() any { return request(t, "GET", s.api+"/shared-context/stats", nil).member(t, "clock") }
	before := fmt.Sprint(clocks())
	if !strings.Contains(before, "tiago") {
		t.Fatalf("no clock was learnt: %s", before)
	}
	s.deleteAll(`{"user":null,"contexts":true}`)
	for range 2 {
		stats := request(t, "GET", s.api+"/shared-context/stats", nil)
		if n := stats.number(t, "active_contexts") + stats.number(t, "observations") + stats.number(t, "pending_reviews"); n != 0 || fmt.Sprint(clocks()) != before {
			t.Errorf("what is left: %s; clocks before: %s", stats.body, before)
		}
		if a := request(t, "POST", s.api+"/shared-context/review/"+*two.CaseID+"/accept", nil); a.status != http.StatusNotFound {
			t.Errorf("a case that was deleted: %d %s", a.status, a.body)
		}
		s = s.restarted(dir)
	}
	if again := s.resolved(first); again.Outcome != "created" || again.URI == one.URI {
		t.Errorf("after everything was deleted: %+v, before %+v", again, one)
	}
	s.stop()
	checkFile(t, dir+"/segraph.db")
}

// Eight robots report each event at the same moment, over separate connections.
func TestEightRobotsAtOnceGetOneURI(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	for event := range 10 {
		var mu sync.Mutex
		uris := map[string]bool{}
		var all sync.WaitGroup
		for robot := range 8 {
			all.Go(func() {
				got := s.resolved(fmt.Sprintf(`{"event_kind":"human_utterance","observed_at":"2026-02-11T09:%02d:13.150Z","subject_uri":"http://ex/human/maria",
					"modality":"speech","text":"Could you show me climate news?","robot_uri":"http://ex/robot/%d"}`, event, robot))
				mu.Lock()
				uris[got.URI] = true
				mu.Unlock()
			})
		}
		all.Wait()
		if len(uris) != 1 {
			t.Errorf("event %d has %d URIs", event, len(uris))
		}
	}
}

// Reading leaves the file unchanged.
func TestReadingContextsChangesNothing(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	s.resolved(first)
	s.resolved(faceless)
	read := func() string {
		var all strings.Builder
		for _, path := range []string{"/shared-context/stats", "/shared-context/review/pending", "/logs?limit=1",
			"/query?query=SELECT%20(COUNT(*)%20AS%20%3Fn)%20%7B%20GRAPH%20%3Fg%20%7B%20%3Fs%20%3Fp%20%3Fo%20%7D%20%7D"} {
			all.Write(request(t, "GET", s.api+path, nil).body)
		}
		return all.String()
	}
	before := read()
	for range 3 {
		if after := read(); after != before {
			t.Errorf("reading changed\n%s to\n%s", before, after)
		}
	}
}
