package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

const retentionRules = `
- {kind: urn:Emotion, keep: 30d, by: event}
- {user: safety, keep: forever}
- {robot: urn:r1, keep: 10d, by: event}
- {robot: urn:r2, keep: 10d}
- {kind: human_utterance, keep: 30d, by: event}
- {kind: urn:wave, keep: forever}
`

// A minute after a start goes what is too old by SEGRAPH_RETENTION and the first rule of SEGRAPH_RETENTION_RULES that it
// meets. What is under a legal hold, of the command, the API or the page, stays.
func TestTheServiceWithdrawsWhatIsTooOld(t *testing.T) {
	suite.Slow(t, "it waits for a minute")
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "rules.yaml"), []byte(retentionRules), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir, []string{"SEGRAPH_RETENTION=1s", "SEGRAPH_RETENTION_RULES=rules.yaml"})
	if n := strings.Count(s.stderr.String(), "less than 184 days"); n != 5 {
		t.Errorf("%d warnings name the articles, want one for each rule that removes:\n%s", n, s.stderr)
	}
	const event, old = "> a <http://www.w3.org/ns/prov#Activity> ; <http://www.w3.org/ns/prov#startedAtTime> ", `"2020-01-01T10:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>`
	recent := fmt.Sprintf(`%q^^<http://www.w3.org/2001/XMLSchema#dateTime>`, time.Now().Add(-time.Hour).Format(time.RFC3339))
	logs, stay := map[string]string{}, []string{}
	for _, l := range []struct {
		name, user, says string
		stays            bool
	}{
		{"anything", "ari", "> <urn:p> 1 .", false},
		{"emotion", "ari", event + old + "; a <urn:Emotion> .", false},
		{"emotion-of-safety", "safety", event + old + "; a <urn:Emotion> .", false}, // an earlier rule
		{"emotion-recent", "ari", event + old + "," + recent + "; a <urn:Emotion> .", true},
		{"safety", "safety", "> <urn:p> 1 .", true},
		{"r1", "ari", event + old + "; <http://www.w3.org/ns/prov#wasAssociatedWith> <urn:r1> .", false},
		{"r2", "ari", event + old + "; <http://www.w3.org/ns/prov#wasAssociatedWith> <urn:r2> .", true}, // by arrival
		{"held-log", "ari", "> <urn:p> 1 .", true},
		{"held-person", "ari", "> <urn:p> <urn:maria#voice> .", true},
		{"held-session", "ari", event + strings.Replace(old, "2020", "2010", 1) + ".", true},
		{"after-session", "ari", event + strings.Replace(old, "2020-01-01T10:00", "2010-01-01T10:01", 1) + ".", false},
		{"lifted", "ari", "> <urn:p> 1 .", false},
	} {
		a := s.publish("<urn:log:"+l.name+l.says, l.user)
		if a.status != http.StatusCreated {
			t.Fatalf("%s: %d %s", l.name, a.status, a.body)
		}
		logs[l.name], _ = a.member(t, "log_id").(string)
		if l.stays {
			stay = append(stay, "urn:log:"+l.name)
		}
	}
	var contexts []string
	for _, kind := range []string{"human_utterance", "urn:wave", "sight"} {
		contexts = append(contexts, s.resolved(fmt.Sprintf(`{"event_kind":%q,"observed_at":"2020-01-01T10:00:00Z","robot_uri":"urn:r3"}`, kind)).URI)
	}
	hold := func(args ...string) string {
		t.Helper()
		r := command(t, dir, nil, "", append([]string{"hold"}, append(args, "--url", s.api)...)...)
		if r.code != 0 {
			t.Fatalf("hold %q: %+v", args, r)
		}
		return strings.TrimSpace(r.stdout)
	}
	hold("add", "--from", "2010-01-01T10:00:00Z", "--to", "2010-01-01T10:01:00Z", "--reason", "accident")
	hold("lift", hold("add", "--log", logs["lifted"], "--reason", "no case"))
	if a := request(t, "POST", s.api+"/admin/holds", []byte(`{"person":"urn:maria","reason":"case 7","until":"2999-01-01T00:00:00Z"}`), "Content-Type", "application/json"); a.status != 201 {
		t.Errorf("a hold: %d %s", a.status, a.body)
	}
	form := url.Values{"do": {"hold"}, "what": {logs["held-log"]}, "reason": {"case 8"}}.Encode()
	request(t, "POST", s.ui+"/personal-data", []byte(form), "Content-Type", "application/x-www-form-urlencoded")
	page := string(request(t, "GET", s.ui+"/personal-data", nil).body)
	list := hold("list")
	for _, of := range []string{"accident", "case 7", "case 8"} {
		if !strings.Contains(page, of) || !strings.Contains(list, of) {
			t.Errorf("the page of holds or the list lacks %q:\n%s", of, list)
		}
	}
	if strings.Contains(page+list, "no case") || !strings.Contains(page, "30 days after the event") {
		t.Errorf("a hold was not lifted, or the page lacks the rules:\n%s", list)
	}
	within(t, 3*time.Minute, "retention has its entry", func() bool {
		time.Sleep(time.Second)
		return request(t, "GET", s.api+"/logs?action=expire", nil).number(t, "count") == 1
	})
	left := strings.Fields(string(s.query("SELECT DISTINCT ?s { ?s ?p ?o } ORDER BY ?s", "csv").body))[1:]
	if slices.Sort(stay); !slices.Equal(left, stay) {
		t.Errorf("left are %q, want %q", left, stay)
	}
	for i, want := range []int{404, 200, 404} {
		if a := request(t, "GET", s.api+"/shared-context/contexts?uri="+url.QueryEscape(contexts[i]), nil); a.status != want {
			t.Errorf("context %d: %d, want %d", i, a.status, want)
		}
	}
	entry := request(t, "GET", s.api+"/logs?action=expire", nil).body
	for _, said := range []string{`kind \"urn:Emotion\", 30 days after the event: logs: 2`, `kind \"human_utterance\", 30 days after the event: contexts: 1`, "all logs, 1s: logs: 3", "all logs, 1s: contexts: 1"} {
		if !bytes.Contains(entry, []byte(said)) {
			t.Errorf("the entry lacks %s: %s", said, entry)
		}
	}
}
