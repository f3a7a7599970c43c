package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// resolution is the service's answer to an observation.
type resolution struct {
	URI       string  `json:"shared_context_uri"`
	Outcome   string  `json:"outcome"`
	CaseID    *string `json:"case_id"`
	Decision  *string `json:"decision_id"`
	Reused    bool    `json:"id_reused"`
	Duplicate bool    `json:"duplicate"`
}

// verdict is the service's answer to a decision.
type verdict struct {
	Case      string `json:"case_id"`
	Status    string `json:"status"`
	Source    string `json:"source_context_uri"`
	Selected  string `json:"selected_context_uri"`
	Resulting string `json:"resulting_context_uri"`
	Already   bool   `json:"already_decided"`
}

// match is an observation, as a request body, that was matched by a decision.
type match struct{ body, decision string }

// witnesses are robots that report observations and people who decide cases. They record
// the answers.
type witnesses struct {
	mu       sync.Mutex
	seen     map[string]resolution // by request body
	open     []string              // undecided cases
	decided  map[string]string     // case -> "accept" or "reject", as answered
	matches  []match               // matches that were not undone
	undone   map[string]string     // request body -> the observation's own context, as answered
	settled  atomic.Int64          // decisions of cases
	unjoined atomic.Int64          // matches that were undone
	answered atomic.Int64
	next     atomic.Int64
}

// sight returns the next observation. Three robots see each event within half a second,
// and one of them does not recognize the person. So there are matches and doubts.
func (w *witnesses) sight() string {
	n := w.next.Add(1)
	event, robot := n/3, n%3
	at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC).Add(time.Duration(event)*20*time.Second + time.Duration(robot)*200*time.Millisecond)
	subject := fmt.Sprintf(`"http://example.org/human/%d"`, event%7)
	if robot == 2 {
		subject = "null"
	}
	return fmt.Sprintf(`{"event_kind":"human_utterance","observed_at":%q,"subject_uri":%s,"modality":"speech",`+
		`"text":"Could you tell me about number %d of the collection?","robot_uri":"http://example.org/robot/%d","observation_uri":"http://example.org/message/%d"}`,
		at.Format(time.RFC3339Nano), subject, event*event%997, robot, n)
}

// act resolves and decides until the service is gone.
func (w *witnesses) act(t *testing.T, api string) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for {
		switch rand.IntN(6) {
		case 0:
			if id := w.addCases(); id != "" {
				if !w.decide(t, client, api, id) {
					return
				}
				continue
			}
		case 1:
			if m, ok := w.mistake(); ok {
				if !w.undo(t, client, api, m) {
					return
				}
				continue
			}
		}
		body := w.sight()
		a, err := try(client, "POST", api+"/shared-context/resolve", []byte(body), "Content-Type", "application/json")
		if a.status == 0 {
			return // no answer began: the service is gone
		}
		var got resolution
		if a.status != http.StatusOK {
			t.Errorf("resolve: %d %v\n%s", a.status, err, a.body)
			return
		}
		if err != nil {
			return // cut off in the middle: the answer is unknown
		}
		if err := json.Unmarshal(a.body, &got); err != nil {
			t.Errorf("%v in %s", err, a.body)
			return
		}
		w.mu.Lock()
		w.seen[body] = got
		if got.CaseID != nil {
			w.open = append(w.open, *got.CaseID)
		}
		if got.Outcome == "matched" && got.Decision != nil {
			w.matches = append(w.matches, match{body, *got.Decision})
		}
		w.mu.Unlock()
		w.answered.Add(1)
	}
}

// doubt removes and returns an undecided case, or "".
func (w *witnesses) addCases() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.open) == 0 {
		return ""
	}
	i := rand.IntN(len(w.open))
	id := w.open[i]
	w.open = append(w.open[:i], w.open[i+1:]...)
	return id
}

// mistake removes and returns a match that was not undone.
func (w *witnesses) mistake() (match, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.matches) == 0 {
		return match{}, false
	}
	i := rand.IntN(len(w.matches))
	m := w.matches[i]
	w.matches = append(w.matches[:i], w.matches[i+1:]...)
	delete(w.seen, m.body) // its context is unknown until the answer arrives
	return m, true
}

// undo undoes a match and reports whether the service is still running.
func (w *witnesses) undo(t *testing.T, client *http.Client, api string, m match) bool {
	a, err := try(client, "POST", api+"/shared-context/review/"+m.decision+"/undo", nil)
	if a.status == 0 {
		return false
	}
	var got struct {
		Source string `json:"source_context_uri"`
	}
	if a.status != http.StatusOK {
		t.Errorf("undo: %d %v\n%s", a.status, err, a.body)
		return false
	}
	if err != nil {
		return false
	}
	if err := json.Unmarshal(a.body, &got); err != nil || got.Source == "" {
		t.Errorf("%v in %s", err, a.body)
		return false
	}
	w.mu.Lock()
	w.undone[m.body] = got.Source
	w.mu.Unlock()
	w.unjoined.Add(1)
	w.answered.Add(1)
	return true
}

// decide decides a case and reports whether the service is still running.
func (w *witnesses) decide(t *testing.T, client *http.Client, api, id string) bool {
	act := []string{"accept", "accept", "reject"}[rand.IntN(3)]
	a, err := try(client, "POST", api+"/shared-context/review/"+id+"/"+act, nil)
	switch {
	case a.status == 0:
		return false
	case a.status == http.StatusConflict: // another decision answered it
	case a.status != http.StatusOK:
		t.Errorf("%s: %d %v\n%s", act, a.status, err, a.body)
		return false
	default:
		w.mu.Lock()
		w.decided[id] = act
		w.mu.Unlock()
		w.settled.Add(1)
		w.answered.Add(1)
	}
	return true
}

// check repeats the requests. An observation is recognized, and belongs to the same event
// or to the one that this event was merged into. A case is decided as before.
func (w *witnesses) check(t *testing.T, s *service, round int) {
	t.Helper()
	most := 60 // a few of the older ones each time
	for body, was := range w.seen {
		if most--; most < 0 {
			break
		}
		a := request(t, "POST", s.api+"/shared-context/resolve", []byte(body), "Content-Type", "application/json")
		var got resolution
		if err := json.Unmarshal(a.body, &got); err != nil || a.status != http.StatusOK {
			t.Fatalf("round %d: %d %v\n%s", round, a.status, err, a.body)
		}
		if !got.Duplicate || got.URI != w.root(t, s, was.URI) {
			t.Errorf("round %d: an observation was answered %+v, and is now %+v\n%s", round, was, got, body)
		}
	}
	for body, own := range w.undone {
		a := request(t, "POST", s.api+"/shared-context/resolve", []byte(body), "Content-Type", "application/json")
		var got resolution
		if err := json.Unmarshal(a.body, &got); err != nil || a.status != http.StatusOK {
			t.Fatalf("round %d: %d %v\n%s", round, a.status, err, a.body)
		}
		if !got.Duplicate || got.URI != w.root(t, s, own) {
			t.Errorf("round %d: a match was undone, its observation is in %s, and now answers %+v\n%s", round, own, got, body)
		}
		if !s.ask("PREFIX sc: <urn:segraph:ns#> PREFIX prov: <http://www.w3.org/ns/prov#> ASK { GRAPH <urn:segraph:contexts> { " +
			"?undo a sc:Undo ; prov:generated <" + own + "> ; prov:used ?match . ?match a sc:Match ; prov:used ?left . <" + own + "> sc:notSameEventAs ?left } }") {
			t.Errorf("round %d: the graph does not say that %s was separated from another context", round, own)
		}
		w.seen[body] = resolution{URI: own}
		delete(w.undone, body)
	}
	for id, act := range w.decided {
		a := request(t, "POST", s.api+"/shared-context/review/"+id+"/"+act, nil)
		var v verdict
		if err := json.Unmarshal(a.body, &v); err != nil || a.status != http.StatusOK || !v.Already {
			t.Errorf("round %d: case %s was decided by %s, and now that is %d\n%s", round, id, act, a.status, a.body)
			continue
		}
		if act == "accept" && w.root(t, s, v.Source) != w.root(t, s, v.Selected) {
			t.Errorf("round %d: case %s was accepted, and its contexts are two", round, id)
		}
		delete(w.decided, id)
	}
}

// root follows the merges of a context with a SPARQL query.
func (w *witnesses) root(t *testing.T, s *service, uri string) string {
	t.Helper()
	q := "PREFIX sc: <urn:segraph:ns#> SELECT ?root { GRAPH <urn:segraph:contexts> { <" + uri + "> sc:mergedInto* ?root . ?root sc:status ?status } FILTER(?status != 'merged') }"
	a := request(t, "POST", s.api+"/query", []byte(q), "Content-Type", "application/sparql-query")
	var rows struct {
		Results struct {
			Bindings []struct{ Root struct{ Value string } }
		}
	}
	if err := json.Unmarshal(a.body, &rows); err != nil || len(rows.Results.Bindings) != 1 {
		t.Fatalf("%s leads to no event: %v %s", uri, err, a.body)
	}
	return rows.Results.Bindings[0].Root.Value
}

// Every answer about events is still valid after a kill, and no merge is half done. The
// file is valid, and its graph of contexts agrees with the records.
func TestEveryDecisionSurvivesAKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := &witnesses{seen: map[string]resolution{}, decided: map[string]string{}, undone: map[string]string{}}
	rounds := suite.Times(200, suite.Size(6, 3))
	s := serve(t, dir, nil)
	for round := range rounds {
		var all sync.WaitGroup
		for range clients {
			all.Go(func() { w.act(t, s.api) })
		}
		goal := w.answered.Load() + int64(rand.IntN(80))
		poll(t, "enough is answered", func() bool { return w.answered.Load() >= goal || t.Failed() })
		s.kill()
		all.Wait()
		checkFile(t, filepath.Join(dir, "segraph.db"))
		s = serve(t, dir, nil)
		w.check(t, s, round)
		if t.Failed() {
			return
		}
	}
	stats := request(t, "GET", s.api+"/shared-context/stats", nil)
	t.Logf("%d kills, %d answers, of them %d on cases and %d that undid a match\n%s", rounds, w.answered.Load(), w.settled.Load(), w.unjoined.Load(), stats.body)
	if w.unjoined.Load() == 0 {
		t.Error("no match was undone")
	}
	s.stop()
}
