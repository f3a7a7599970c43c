//go:build amd64 || arm64

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
)

// act sends requests of all kinds until the service is gone.
func (o *outage) act(n, much int, read bool) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	random := rand.New(rand.NewPCG(uint64(n), uint64(much)))
	backedUp := false
	for i := range much {
		there := true
		switch at := random.IntN(40); {
		case at < 12:
			there = o.post(client) != ""
		case at < 14:
			there = o.withdraw(client)
		case at < 18:
			there = o.decide(client, random)
		case at < 21:
			there = o.undo(client)
		case at == 21 && read:
			a, _ := try(client, "POST", o.s.api+"/query", []byte("SELECT (COUNT(*) AS ?n) { GRAPH <urn:segraph:contexts> { ?s ?p ?o } }"), "Content-Type", "application/sparql-query")
			there = a.status == http.StatusOK
		case n == 0 && i >= much/2 && !backedUp && read:
			backedUp = true
			there = o.backup()
		default:
			there = o.see(client)
		}
		if !there {
			return
		}
	}
}

// ask sends a request; a document has a key. It returns nil if the service is gone.
func (o *outage) ask(client *http.Client, path, kind string, body []byte, good ...int) *answer {
	header := []string{"Content-Type", kind}
	if kind == "text/turtle" {
		header = append(header, "Idempotency-Key", path)
	}
	a, err := try(client, "POST", path, body, header...)
	if a.status == 0 || err != nil && slices.Contains(good, a.status) {
		return nil
	}
	if !slices.Contains(good, a.status) {
		o.t.Errorf("POST %s: %d %v\n%.1000s", path, a.status, err, a.body)
		return nil
	}
	return &a
}

// post publishes a document, with its name as the user in the journal. It returns the
// name, or "" if the service is gone.
func (o *outage) post(client *http.Client) string {
	o.mu.Lock()
	o.posts++
	name := fmt.Sprint("d", o.posts)
	o.mu.Unlock()
	a := o.ask(client, o.s.api+"/ttl?user="+name, "text/turtle", []byte(claimed(name)), http.StatusCreated)
	if a == nil {
		return ""
	}
	o.rec.Mark(ackedPost{name})
	o.mu.Lock()
	o.logs = append(o.logs, fmt.Sprint(a.member(o.t, "log_id")))
	o.mu.Unlock()
	return name
}

// claimed returns a document with a triple term, in canonical N-Triples.
func claimed(name string) string {
	return document(name) + strings.ReplaceAll("<http://example.org/$> <http://example.org/claims> <<( <http://example.org/$> <http://example.org/p0> \"$\" )>> .\n", "$", name)
}

// take removes and returns the last item of a list, or the zero value if it is empty.
func take[T any](o *outage, list *[]T) (out T, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(*list) == 0 {
		return out, false
	}
	last := len(*list) - 1
	out, *list = (*list)[last], (*list)[:last]
	return out, true
}

// withdraw withdraws a log.
func (o *outage) withdraw(client *http.Client) bool {
	log, ok := take(o, &o.logs)
	if !ok {
		return true
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := errors.Join(form.WriteField("action", "withdraw"), form.WriteField("log", log), form.Close()); err != nil {
		o.t.Error(err)
	}
	a := o.ask(client, o.s.ui+"/logs/insert", form.FormDataContentType(), body.Bytes(), http.StatusOK)
	if a != nil {
		o.rec.Mark(ackedWithdraw{log})
	}
	return a != nil
}

// clear deletes the graph, and optionally the contexts. Nothing else may be running.
func (o *outage) clear(contexts bool) {
	o.t.Helper()
	o.clears++
	if contexts {
		o.rec.Mark(forgetting{o.clears})
	}
	a := request(o.t, "POST", o.s.api+"/ttl/delete_all", fmt.Appendf(nil, `{"user":"eve","contexts":%v}`, contexts), "Content-Type", "application/json")
	if a.status != http.StatusOK {
		o.t.Fatalf("delete_all: %d\n%s", a.status, a.body)
	}
	o.rec.Mark(ackedClear{o.clears})
	o.logs = nil
	if contexts {
		o.cases, o.matches = nil, nil
	}
}

// backup requests a snapshot, which the service keeps.
func (o *outage) backup() bool {
	a, err := try(http.DefaultClient, "GET", o.s.api+"/admin/backup", nil)
	if a.status == 0 || err != nil {
		return false
	}
	if a.status != http.StatusOK {
		o.t.Errorf("GET /admin/backup: %d\n%s", a.status, a.body)
	}
	o.rec.Mark(ackedBackup{strings.Trim(a.header.Get("ETag"), `"`)})
	return true
}

// see resolves an observation.
func (o *outage) see(client *http.Client) bool {
	body := o.sights.sight()
	a := o.ask(client, o.s.api+"/shared-context/resolve", "application/json", []byte(body), http.StatusOK)
	if a == nil {
		return false
	}
	var got resolution
	if err := json.Unmarshal(a.body, &got); err != nil {
		o.t.Errorf("%v in %s", err, a.body)
	}
	o.rec.Mark(ackedSight{body, got.URI})
	o.mu.Lock()
	defer o.mu.Unlock()
	if got.CaseID != nil {
		o.cases = append(o.cases, *got.CaseID)
	}
	if got.Outcome == "matched" && got.Decision != nil {
		o.matches = append(o.matches, match{body, *got.Decision})
	}
	return true
}

// decide decides a case.
func (o *outage) decide(client *http.Client, random *rand.Rand) bool {
	id, ok := take(o, &o.cases)
	if !ok {
		return true
	}
	act := []string{"accept", "accept", "reject"}[random.IntN(3)]
	a := o.ask(client, o.s.api+"/shared-context/review/"+id+"/"+act, "", nil, http.StatusOK, http.StatusConflict)
	if a != nil && a.status == http.StatusOK {
		o.rec.Mark(ackedCase{id, act})
	}
	return a != nil
}

// undo undoes a match.
func (o *outage) undo(client *http.Client) bool {
	m, ok := take(o, &o.matches)
	if !ok {
		return true
	}
	o.rec.Mark(undoing{m.body})
	a := o.ask(client, o.s.api+"/shared-context/review/"+m.decision+"/undo", "", nil, http.StatusOK)
	if a != nil {
		o.rec.Mark(ackedSight{m.body, fmt.Sprint(a.member(o.t, "source_context_uri"))})
	}
	return a != nil
}
