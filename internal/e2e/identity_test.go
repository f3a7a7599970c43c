package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// issued maps the URIs and ids that services assigned to the service that assigned them.
type issued map[string]string

// issue lets a service open a context, match an observation, and open a context with a
// case, for event n. It checks that all assigned names are new. Events with different
// numbers are a day apart.
func (all issued) issue(s *service, who string, n int) {
	s.t.Helper()
	day := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC).AddDate(0, 0, n)
	for i, robot := range []string{"ari", "tiago", "pepper"} {
		subject := `"http://ex/human/maria"`
		if i == 2 {
			subject = "null"
		}
		got := s.resolved(fmt.Sprintf(`{"event_kind":"human_utterance","observed_at":%q,"subject_uri":%s,"modality":"speech",`+
			`"text":"Could you show me climate news?","robot_uri":"http://ex/robot/%s"}`, day.Add(time.Duration(i)*200*time.Millisecond).Format(time.RFC3339Nano), subject, robot))
		if want := []string{"created", "matched", "ambiguous"}[i]; got.Outcome != want || got.Duplicate {
			s.t.Fatalf("%s, event %d: %+v, want %s", who, n, got, want)
		}
		names := []string{*got.Decision}
		if got.Outcome != "matched" {
			names = append(names, got.URI)
		}
		if got.CaseID != nil {
			names = append(names, *got.CaseID)
		}
		for _, name := range names {
			if before, ok := all[name]; ok {
				s.t.Errorf("%s was assigned by %s and again by %s", name, before, who)
			}
			all[name] = who
		}
	}
	rows := s.rows(`SELECT ?o { GRAPH <urn:segraph:contexts> { ?o a <urn:segraph:ns#Observation> ; <urn:segraph:ns#observedAt> ?at FILTER(STRSTARTS(STR(?at), "` +
		day.Format("2006-01-02") + `")) } }`)
	if len(rows) != 3 {
		s.t.Errorf("%s, event %d: %q", who, n, rows)
	}
	for _, name := range rows {
		if before, ok := all[name]; ok {
			s.t.Errorf("%s was assigned by %s and again by %s", name, before, who)
		}
		all[name] = who
	}
}

// checked stops the service and verifies its file.
func (s *service) checked(dir string) {
	s.t.Helper()
	s.stop()
	if r := command(s.t, dir, nil, "", "check"); r.code != 0 {
		s.t.Errorf("check: exit %d\n%s", r.code, r.stderr)
	}
}

func TestNoURIIsIssuedTwiceAfterARestore(t *testing.T) {
	t.Parallel()
	dir, all := t.TempDir(), issued{}
	s := serve(t, dir, nil)
	all.issue(s, "the service", 0)
	if r := command(t, dir, nil, "", "backup", "copy.db", "--url", s.api); r.code != 0 {
		t.Fatalf("backup: exit %d\n%s", r.code, r.stderr)
	}
	all.issue(s, "the service after the backup", 1)
	for round := range 2 {
		s.stop()
		if r := command(t, dir, nil, "", "restore", "copy.db"); r.code != 0 {
			t.Fatalf("restore: exit %d\n%s", r.code, r.stderr)
		}
		s = serve(t, dir, nil)
		all.issue(s, fmt.Sprintf("restored service %d", round), 2)
		s = s.restarted(dir)
		all.issue(s, fmt.Sprintf("restored service %d, started again", round), 3)
	}
	s.checked(dir)
}

func TestTwoMachinesFromOneFileIssueNoURITwice(t *testing.T) {
	t.Parallel()
	one, two, all := t.TempDir(), t.TempDir(), issued{}
	s := serve(t, one, nil)
	all.issue(s, "the first machine", 0)
	s.stop()
	content, err := os.ReadFile(filepath.Join(one, "segraph.db"))
	if err == nil {
		err = os.WriteFile(filepath.Join(two, "segraph.db"), content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, machine := range []string{one, two} {
		s := serve(t, machine, nil)
		for n := range 3 {
			all.issue(s, machine, 1+n)
		}
		s.checked(machine)
	}
}

func TestNoURIIsIssuedTwiceAfterContextsWereCleared(t *testing.T) {
	t.Parallel()
	dir, all := t.TempDir(), issued{}
	s := serve(t, dir, nil)
	for round := range 3 {
		all.issue(s, fmt.Sprintf("round %d", round), 0)
		a := request(t, "POST", s.api+"/ttl/delete_all", []byte(`{"user":"eva","contexts":true}`), "Content-Type", "application/json")
		if a.status != http.StatusOK {
			t.Fatalf("%d\n%s", a.status, a.body)
		}
		if round == 1 {
			s = s.restarted(dir)
		}
	}
	s.checked(dir)
}

// A match can be undone once, by the decision that its answer names. The journal, SPARQL
// and the answer to a repeat show it.
func TestAMatchIsUndoneByItsDecision(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, nil)
	one, two := s.resolved(first), s.resolved(second)
	a := s.decides("undo", *two.Decision, "")
	own, _ := a.member(t, "source_context_uri").(string)
	wantVerdict(t, a, 200, "target_context_uri", one.URI)
	for range 2 {
		wantVerdict(t, s.decides("undo", *two.Decision, ""), 409, "code", "not_undoable")
		wantVerdict(t, s.decides("undo", *one.Decision, ""), 409, "code", "not_undoable")
		if again := s.resolved(second); !again.Duplicate || again.URI != own || own == one.URI {
			t.Errorf("a repeat answers %+v, want %s", again, own)
		}
		if n := s.count("SELECT (COUNT(*) AS ?n) { GRAPH <urn:segraph:contexts> { <" + own + "> <urn:segraph:ns#notSameEventAs> <" + one.URI + "> . " +
			"?o <http://www.w3.org/ns/prov#specializationOf> <" + own + "> ; <urn:segraph:ns#observedBy> <http://ex/robot/tiago> } }"); n != 1 {
			t.Errorf("the graph of contexts has it %d times", n)
		}
		var log struct {
			Entries []struct{ Action, Decision, Source, Target, Undone string }
		}
		if err := json.Unmarshal(request(t, "GET", s.api+"/logs", nil).body, &log); err != nil || len(log.Entries) != 1 || log.Entries[0].Action != "undo" ||
			log.Entries[0].Undone != *two.Decision || log.Entries[0].Source != own || log.Entries[0].Target != one.URI {
			t.Errorf("the journal has %+v, %v", log, err)
		}
		if a := request(t, "GET", s.api+"/shared-context/contexts?uri="+own, nil); a.status != 200 || !strings.Contains(string(a.body), `"not_same_event_as":["`+one.URI+`"]`) {
			t.Errorf("%d %s", a.status, a.body)
		}
		s = s.restarted(dir)
	}
	s.checked(dir)
}
