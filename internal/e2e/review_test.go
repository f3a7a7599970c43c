package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/turtle"
)

// utterance returns the observation of a robot that heard a sentence in the morning of a
// day. subject may be "".
func utterance(at, robot, subject, text string) string {
	body, err := json.Marshal(map[string]any{"event_kind": "human_utterance", "observed_at": "2026-02-11T09:" + at + "Z", "modality": "speech",
		"text": text, "robot_uri": "http://ex/robot/" + robot, "subject_uri": subject})
	if err != nil {
		panic(err) // can't happen with strings
	}
	return string(body)
}

const (
	maria = "http://ex/human/maria"
	news  = "Could you show me climate news?"
)

// decides sends a person's decision and returns the answer. An empty body is not sent.
func (s *service) decides(what, id, body string) answer {
	s.t.Helper()
	var header []string
	if body != "" {
		header = []string{"Content-Type", "application/json"}
	}
	return request(s.t, "POST", s.api+"/shared-context/review/"+id+"/"+what, []byte(body), header...)
}

// target returns the body of an acceptance.
func target(uri string) string { return fmt.Sprintf(`{"target_context_uri":%q}`, uri) }

// wantVerdict fails unless an answer to a decision has the given status and member.
func wantVerdict(t *testing.T, a answer, status int, member string, want any) {
	t.Helper()
	if got := a.member(t, member); a.status != status || got != want {
		t.Errorf("%d with %s %v, want %d with %v\n%s", a.status, member, got, status, want, a.body)
	}
}

// A decision has its status in the answer, even if the service was restarted since.
func TestEveryVerdictHasItsStatus(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir, nil)
	one := s.resolved(utterance("12:13.150", "ari", maria, news))
	two := s.resolved(utterance("12:13.350", "tiago", "", news))
	three := s.resolved(utterance("12:13.450", "pepper", "", news))
	four := s.resolved(utterance("12:13.550", "nao", "", news))
	if two.CaseID == nil || three.CaseID == nil || four.CaseID == nil {
		t.Fatalf("no doubt: %+v, %+v, %+v", two, three, four)
	}
	for _, what := range []string{"accept", "reject", "undo"} {
		for _, id := range []string{"review_0", "review_" + strings.Repeat("0", 22), "decision_7", "%20", strings.Repeat("x", 2000)} {
			wantVerdict(t, s.decides(what, id, ""), 404, "code", "case_not_found")
		}
	}
	for _, body := range []string{`{`, `[]`, `{"target_context_uri":7}`, `{"override_rejection":"yes"}`} {
		wantVerdict(t, s.decides("accept", *two.CaseID, body), 422, "status", 422.0)
	}
	wantVerdict(t, request(t, "POST", s.api+"/shared-context/review/"+*two.CaseID+"/accept", []byte("x"), "Content-Type", "text/plain"), 415, "status", 415.0)
	wantVerdict(t, s.decides("accept", *two.CaseID, target("http://ex/other")), 422, "code", "target_not_offered")
	wantVerdict(t, s.decides("undo", *two.CaseID, ""), 409, "code", "not_undoable")
	if s.pendingReviews() != 3 {
		t.Fatalf("a refused decision changed something: %d cases are pending", s.pendingReviews())
	}
	wantVerdict(t, s.decides("accept", *three.CaseID, target(one.URI)), 200, "already_decided", false)
	wantVerdict(t, s.decides("reject", *four.CaseID, ""), 200, "already_decided", false)
	for range 2 {
		wantVerdict(t, s.decides("accept", *three.CaseID, ""), 200, "already_decided", true)
		wantVerdict(t, s.decides("accept", *three.CaseID, target(one.URI)), 200, "already_decided", true)
		wantVerdict(t, s.decides("accept", *three.CaseID, target(two.URI)), 409, "code", "case_decided")
		wantVerdict(t, s.decides("reject", *three.CaseID, ""), 409, "code", "case_decided")
		wantVerdict(t, s.decides("reject", *four.CaseID, ""), 200, "already_decided", true)
		wantVerdict(t, s.decides("accept", *four.CaseID, target(one.URI)), 409, "code", "case_decided")
		s = s.restarted(dir)
	}
	for body, member := range map[string]string{`{"observed_at":"2026-02-11T09:12:13Z"}`: "event_kind", `{"event_kind":"wave"}`: "observed_at",
		`{"event_kind":"wave","observed_at":"yesterday"}`: "observed_at", `{"event_kind":"wave","observed_at":"2026-02-11T09:12:13Z","text":7}`: "text"} {
		a := request(t, "POST", s.api+"/shared-context/resolve", []byte(body), "Content-Type", "application/json")
		if a.status != 422 || !strings.Contains(fmt.Sprint(a.member(t, "errors")), member) {
			t.Errorf("%s: %d\n%s", body, a.status, a.body)
		}
	}
	s.stop()
	checkFile(t, dir+"/segraph.db")
}

// drifted lets two robots, with clocks 1.9 s apart, report what four people say. Until
// the offset is known, each report creates its own context. It returns the observations.
func drifted(s *service) (bodies []string) {
	for i, text := range []string{"where did i leave my glasses this morning", "could you bring me a cup of tea please", "what is the weather like in london today",
		"please remind me to call my daughter tonight", "who is waiting in front of the pharmacy", "the television is making a strange noise again",
		"i would like to talk about climate and music", "can you turn off the light in the meeting room", "how many people are in the library right now",
		"is there any news about the election in france", "my neighbour has bought a new bicycle yesterday", "please open the window because it is too warm",
		"when does the next train to barcelona leave", "tell me a story about the sea and the moon", "i have lost the keys of my apartment again",
		"which medicine do i have to take after dinner"} {
		for robot, seconds := range map[string]string{"ari": "13.000001", "tiago": "14.900001"} {
			bodies = append(bodies, utterance(fmt.Sprintf("%d:%s", 10+i, seconds), robot, fmt.Sprintf("http://ex/human/%d", i%4), text))
		}
	}
	slices.Sort(bodies) // by time
	for _, body := range bodies {
		s.resolved(body)
	}
	return bodies
}

// reconciled reconciles all contexts and returns the mappings.
func (s *service) reconciled() map[string]string {
	s.t.Helper()
	a := request(s.t, "POST", s.api+"/shared-context/reconcile", nil)
	var got struct{ Mappings map[string]string }
	if err := json.Unmarshal(a.body, &got); err != nil || a.status != http.StatusOK {
		s.t.Fatalf("reconcile: %d %v\n%s", a.status, err, a.body)
	}
	return got.Mappings
}

// mergers returns the automatic merges in force, according to SPARQL: source to decision.
func (s *service) mergers() map[string]string {
	s.t.Helper()
	q := `PREFIX sc: <urn:segraph:ns#> PREFIX prov: <http://www.w3.org/ns/prov#>
		SELECT ?source ?decision { GRAPH <urn:segraph:contexts> { ?decision a sc:AutoMerge ; prov:invalidated ?source . ?source sc:status "merged" } }`
	a := request(s.t, "POST", s.api+"/query", []byte(q), "Content-Type", "application/sparql-query")
	var rows struct {
		Results struct {
			Bindings []struct{ Source, Decision struct{ Value string } }
		}
	}
	if err := json.Unmarshal(a.body, &rows); err != nil {
		s.t.Fatalf("%v %s", err, a.body)
	}
	out := map[string]string{}
	for _, r := range rows.Results.Bindings {
		out[r.Source.Value] = strings.TrimPrefix(r.Decision.Value, "urn:segraph:")
	}
	return out
}

// An automatic merge can be undone by the id of its decision after a restart, and stays
// undone.
func TestAnAutomaticMergeIsUndoneByItsDecision(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir, nil)
	bodies := drifted(s)
	before := map[string]resolution{}
	for _, body := range bodies {
		before[body] = s.resolved(body)
	}
	merged := s.reconciled()
	if len(merged) == 0 {
		t.Fatal("nothing was merged once the clocks were learnt")
	}
	var waiting []string
	for _, x := range before {
		if into, ok := merged[x.URI]; ok && x.CaseID != nil {
			waiting = append(waiting, *x.CaseID)
			a := s.decides("accept", *x.CaseID, "")
			wantVerdict(t, a, 409, "code", "case_superseded")
			wantVerdict(t, a, 409, "current_context_uri", into)
			wantVerdict(t, s.decides("reject", *x.CaseID, ""), 409, "current_context_uri", into)
			wantVerdict(t, s.decides("accept", *x.CaseID, target(into)), 200, "already_decided", true)
		}
	}
	if len(waiting) == 0 {
		t.Error("no case was superseded")
	}
	s = s.restarted(dir)
	if again := s.reconciled(); len(again) != 0 {
		t.Errorf("reconciled again: %v", again)
	}
	decisions := s.mergers()
	if len(decisions) != len(merged) {
		t.Fatalf("%d merges have %d decisions", len(merged), len(decisions))
	}
	for source, id := range decisions {
		a := s.decides("undo", id, "")
		wantVerdict(t, a, 200, "source_context_uri", source)
		wantVerdict(t, a, 200, "target_context_uri", merged[source])
		wantVerdict(t, s.decides("undo", id, ""), 409, "code", "not_undoable")
	}
	for range 2 {
		for _, body := range bodies {
			if now := s.resolved(body); now.URI != before[body].URI || !now.Duplicate {
				t.Errorf("before the merges it was %+v, after they were undone %+v", before[body], now)
			}
		}
		stats := request(t, "GET", s.api+"/shared-context/stats", nil)
		if n := stats.number(t, "automatic_merges") + stats.number(t, "merged_contexts"); n != 0 || len(parse(t, s.events(), turtle.Turtle)) != 0 {
			t.Errorf("merges are left: %s\n%s", stats.body, s.events())
		}
		for _, id := range decisions {
			wantVerdict(t, s.decides("undo", id, ""), 409, "code", "not_undoable")
		}
		if again := s.reconciled(); len(again) != 0 {
			t.Errorf("an undone merge was repeated: %v", again)
		}
		s = s.restarted(dir)
	}
	s.stop()
	checkFile(t, dir+"/segraph.db")
}

// Two contexts that a person has kept apart are merged only by a person who confirms it.
// Undoing that merge puts the rejection back in force.
func TestAnAcceptanceAgainstARejectionSaysSo(t *testing.T) {
	dir := t.TempDir()
	const one = "SHARED_CONTEXT_MAX_CANDIDATES=1"
	s := serve(t, dir, []string{one})
	restart := func() {
		s.stop()
		s = serve(t, dir, []string{one})
	}
	a := s.resolved(utterance("12:13.150", "ari", maria, news))
	x := s.resolved(utterance("12:13.450", "tiago", "", news))
	q := s.resolved(utterance("12:13.460", "pepper", "", news))
	if x.CaseID == nil || q.CaseID == nil {
		t.Fatalf("no doubt: %+v, %+v", x, q)
	}
	wantVerdict(t, s.decides("reject", *q.CaseID, ""), 200, "status", "rejected") // q is not x
	s.reconciled()                                                                // so it may be a
	queue := request(t, "GET", s.api+"/shared-context/review/pending", nil)
	var pending struct {
		Cases []struct {
			ID     string `json:"case_id"`
			Source string `json:"source_context_uri"`
		} `json:"pending_cases"`
	}
	if err := json.Unmarshal(queue.body, &pending); err != nil || len(pending.Cases) != 2 || pending.Cases[1].Source != q.URI {
		t.Fatalf("%v\n%s", err, queue.body)
	}
	wantVerdict(t, s.decides("accept", pending.Cases[1].ID, target(a.URI)), 200, "resulting_context_uri", a.URI)
	restart()
	wantVerdict(t, s.decides("accept", *x.CaseID, ""), 409, "code", "case_rejected")
	wantVerdict(t, s.decides("accept", *x.CaseID, `{"override_rejection":false}`), 409, "code", "case_rejected")
	wantVerdict(t, s.decides("accept", *x.CaseID, `{"override_rejection":true}`), 200, "resulting_context_uri", a.URI)
	restart()
	if now := s.resolved(utterance("12:13.450", "tiago", "", news)); now.URI != a.URI {
		t.Errorf("after the override it is %+v", now)
	}
	wantVerdict(t, s.decides("undo", *x.CaseID, ""), 200, "case_status", "pending")
	restart()
	wantVerdict(t, s.decides("accept", *x.CaseID, ""), 409, "code", "case_rejected")
	s.stop()
	checkFile(t, dir+"/segraph.db")
}
