package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A person who was erased stays away: a robot that still names them gets 201 and stores the rest,
// also by observations and lines, a start takes them out of a restored backup before it is ready,
// and a start without the list says so.
func TestAnErasedPersonStaysAway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "segraph.db")
	const person = "http://example.org/id/maria"
	log := fmt.Sprintf(`{"user": "ari", "ttl_content": "<%s> <http://schema.org/name> \"Marker\" . <http://ex/a> <http://ex/b> 1 ."}`, person)
	observation := fmt.Sprintf(`{"event_kind": "heard", "observed_at": "2026-01-01T12:00:00Z", "subject_uri": "%s#she", "text": "Marker speaks", "robot_uri": "http://ex/r"}`, person)
	send := func(s *service, path, body string) answer {
		t.Helper()
		kind := "application/json"
		if path == "/batch" {
			kind = "application/x-ndjson"
		}
		return request(t, "POST", s.api+path, []byte(body), "Content-Type", kind)
	}
	mentions := func(s *service) bool {
		t.Helper()
		a := request(t, "POST", s.api+"/query", []byte(`ASK { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } FILTER (CONTAINS(STR(?s), "maria") || CONTAINS(STR(?o), "maria") || CONTAINS(STR(?o), "Marker")) }`),
			"Content-Type", "application/sparql-query", "Accept", "application/sparql-results+json")
		if a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.body)
		}
		return strings.Contains(string(a.body), "true")
	}
	erase := func(more ...string) string {
		t.Helper()
		cmd := exec.Command(binary, append([]string{"erase", "--data", data, person}, more...)...)
		cmd.Env = environ()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	s := serve(t, dir, nil, "--data", data)
	if a := send(s, "/ttl", log); a.status != http.StatusCreated {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := send(s, "/shared-context/resolve", observation); a.status != http.StatusOK && a.status != http.StatusCreated {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if !mentions(s) {
		t.Fatal("nobody is there to be erased")
	}
	if a := request(t, "GET", s.api+"/admin/backup", nil); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	s.stop()
	if len(snapshots(t, data)) == 0 {
		t.Error("there is no snapshot to be removed")
	}
	before, err := os.ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	if out := erase(); !strings.Contains(out, "nothing was changed") || !strings.Contains(out, "triples: 1, of 1 logs\nobservations: 1") {
		t.Errorf("the preview says\n%s", out)
	}
	receipt := filepath.Join(dir, "receipt.json")
	if out := erase("--yes", "--reason", "asked for", "--out", receipt); !strings.Contains(out, "erased: log index ") {
		t.Errorf("the erasure says\n%s", out)
	}
	key := strings.TrimSpace(command(t, dir, nil, "", "audit", "key", "--data", data).stdout)
	if said := command(t, dir, nil, "", "evidence", "verify", receipt, "--key", key); said.code != 0 || !strings.Contains(said.stdout, person) {
		t.Errorf("of the receipt, evidence verify says %+v", said)
	}
	if left := snapshots(t, data); len(left) > 0 {
		t.Errorf("snapshots are left: %q", left)
	}
	find := func() (out string, ok bool) {
		t.Helper()
		ok = true
		for _, text := range []string{"maria", "marker"} {
			cmd := exec.Command(binary, "check", "--data", data, "--forgotten", text)
			cmd.Env = environ()
			said, err := cmd.CombinedOutput()
			out, ok = out+string(said), ok && err == nil
		}
		return out, ok
	}
	if said, ok := find(); !ok || strings.Contains(said, "still there") {
		t.Errorf("after the erasure, check says\n%s", said)
	}
	text := filepath.Join(dir, "again.nt")
	if err := os.WriteFile(text, fmt.Appendf(nil, "<%s> <http://schema.org/name> \"Marker\" .\n<http://ex/a> <http://ex/b> \"3\" .\n", person), 0o600); err != nil {
		t.Fatal(err)
	}
	load := exec.Command(binary, "load", "--data", data, text)
	load.Env = environ()
	if said, err := load.CombinedOutput(); err != nil || !strings.Contains(string(said), "1 triples were omitted") {
		t.Errorf("a load says %v\n%s", err, said)
	}
	if said, ok := find(); !ok || strings.Contains(said, "still there") {
		t.Errorf("after a load, check says\n%s", said)
	}
	for name, content := range map[string][]byte{"the file": nil, "a restored backup": before} {
		if content != nil {
			if err := os.WriteFile(data, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s = serve(t, dir, nil, "--data", data)
		if mentions(s) {
			t.Errorf("%s: the person is there", name)
		}
		line := fmt.Sprintf(`{"key": "k1", "graph": {"@id": "%s#she", "http://ex/in": "Marker"}}`, person)
		for path, body := range map[string]string{"/ttl": log, "/batch": line} {
			a := send(s, path, body)
			if !strings.Contains(string(a.body), `"withheld":1`) {
				t.Errorf("%s: %s: %d %s", name, path, a.status, a.body)
			}
		}
		if a := send(s, "/shared-context/resolve", observation); a.status >= 300 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
		if mentions(s) {
			t.Errorf("%s: a robot made the person known again", name)
		}
		s.stop()
	}
	if err := os.Remove(data + ".forgotten"); err != nil {
		t.Fatal(err)
	}
	s = serve(t, dir, nil, "--data", data)
	defer s.stop()
	if said := s.stderr.String(); !strings.Contains(said, "the list of people who were erased is missing") {
		t.Errorf("without the list a start says\n%s", said)
	}
}

// A person who is erased from a running service leaves no byte behind, although others post meanwhile.
func TestAPersonIsErasedFromARunningService(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "segraph.db")
	s := serve(t, dir, nil, "--data", data)
	call := func(method, path, body string, status int) (out struct{ ID string }) {
		t.Helper()
		a := request(t, method, s.api+path, []byte(body), "Content-Type", "application/json")
		if a.status != status {
			t.Fatalf("%s: %d %s", path, a.status, a.body)
		}
		_ = json.Unmarshal(a.body, &out) // a backup has none
		return out
	}
	post := func(i int) {
		call("POST", "/ttl", fmt.Sprintf(`{"user": null, "ttl_content": "<http://ex/s%d> <http://ex/p> \"text %[1]d\" ."}`, i), 201)
	}
	call("POST", "/ttl", `{"user": null, "ttl_content": "<http://ex/id/maria> <http://schema.org/name> \"Marker\" ."}`, 201)
	call("GET", "/admin/backup", "", 200)
	x := call("POST", "/admin/erasures", `{"person": "http://ex/id/maria", "reason": "a letter"}`, 201)
	call("POST", "/admin/erasures/"+x.ID+"/confirm", "{}", 200)
	receipt := request(t, "POST", s.api+"/admin/erasures/"+x.ID+"/receipt", nil)
	for i := 0; len(snapshots(t, data)) > 0; i++ {
		if i == 10_000 {
			t.Fatal("the snapshots stay")
		}
		post(i)
	}
	s.stop()
	for i := 0; i < 5 && command(t, dir, nil, "", "check", "--data", data, "--forgotten", "maria").code != 0; i++ {
		s = serve(t, dir, nil, "--data", data) // which removes what it had not removed yet
		time.Sleep(time.Second)
		s.stop()
	}
	key := strings.TrimSpace(command(t, dir, nil, "", "audit", "key", "--data", data).stdout)
	for name, text := range map[string]string{"hers.json": string(receipt.body), "another.json": strings.Replace(string(receipt.body), "maria", "marie", 1)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		said := command(t, dir, nil, "", "evidence", "verify", name, "--key", key)
		if holds := strings.Contains(said.stdout, "maria") && said.code == 0; holds != (name == "hers.json") || !holds && said.code != 4 {
			t.Errorf("%s: %+v", name, said)
		}
	}
	for _, text := range []string{"maria", "Marker"} {
		if said := command(t, dir, nil, "", "check", "--data", data, "--forgotten", text); said.code != 0 || strings.Contains(said.stdout, "still there") {
			t.Errorf("check says %+v", said)
		}
	}
}

// With SEGRAPH_TWO_PERSONS, only another admin than the one who asked confirms an erasure, by the API and on the page. A
// restart forgets what was asked for, and a legal hold outranks both.
func TestAnotherAdminConfirmsAnErasure(t *testing.T) {
	t.Parallel()
	dir, env := t.TempDir(), []string{"SECRET_KEY=" + secret, "SEGRAPH_TWO_PERSONS=true"}
	s := serve(t, dir, env)
	eva, bea, ari := issue(t, "admin"), adminOf(t, "bea"), issueTo(t, "ari", "logger")
	call := func(token, path, body string, status int) (out struct {
		ID    string
		LogID string `json:"log_id"`
	}) {
		t.Helper()
		a := request(t, "POST", s.api+path, []byte(body), "Content-Type", "application/json", "Authorization", "Bearer "+token)
		if a.status != status {
			t.Errorf("%s: %d %s, want %d", path, a.status, a.body, status)
		}
		_ = json.Unmarshal(a.body, &out) // an error has none
		return out
	}
	ask := func(token string) (at string) {
		t.Helper()
		return "/admin/erasures/" + call(token, "/admin/erasures", `{"person": "http://ex/id/maria", "reason": "a letter"}`, 201).ID
	}
	log := call(ari, "/ttl", `{"user": null, "ttl_content": "<http://ex/id/maria> <http://ex/p> 1 . <http://ex/s> <http://ex/p> 2 ."}`, 201).LogID
	at := ask(eva)
	call(eva, at+"/confirm", "{}", 409)
	call(ari, at+"/confirm", "{}", 403)
	browser := signedIn(t, s) // as eva
	page, err := browser.PostForm(s.ui+"/personal-data/erase", url.Values{"do": {"confirm"}, "id": {path.Base(at)}})
	if err != nil {
		t.Fatal(err)
	}
	if page.Body.Close(); page.StatusCode != http.StatusConflict {
		t.Errorf("who asked confirms on the page: %d", page.StatusCode)
	}
	call(bea, at+"/cancel", "{}", 200)
	call(bea, at+"/confirm", "{}", 404)
	at = ask(eva)
	s.stop()
	s = serve(t, dir, env)
	call(bea, at+"/confirm", "{}", 404)
	at = ask(eva)
	hers := ask(bea)
	for _, of := range []string{`"person": "http://ex/id/maria"`, fmt.Sprintf(`"log_id": %q`, log), `"from": "2026-01-01T00:00:00Z", "to": "2999-01-01T00:00:00Z"`} {
		hold := call(bea, "/admin/holds", "{"+of+`, "reason": "case 7"}`, 201).ID
		call(bea, at+"/confirm", "{}", 409)
		call(bea, "/admin/holds/"+hold+"/lift", "{}", 200)
	}
	call(bea, at+"/confirm", "{}", 200)
	call(eva, hers+"/confirm", "{}", 404)
	for _, path := range []string{"/admin/erasures", "/events"} {
		a := request(t, "GET", s.api+path, nil, "Authorization", "Bearer "+eva)
		if a.status != 200 || strings.Contains(string(a.body), "maria") || path == "/events" && !strings.Contains(string(a.body), "http://ex/s") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

// snapshots returns the paths of a file's snapshots.
func snapshots(t *testing.T, data string) []string {
	t.Helper()
	paths, err := filepath.Glob(data + ".snapshots/*.db")
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
