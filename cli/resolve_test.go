package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
)

const replayed = `{"event_kind":"human_utterance","observed_at":"2026-02-11T09:12:13.150Z","subject_uri":"http://ex/maria","modality":"speech","text":"Could you show me climate news?","robot_uri":"http://ex/ari"}

{"i":1,"at_ms":5,"body":{"event_kind":"human_utterance","observed_at":"2026-02-11T09:12:13.950Z","subject_uri":"http://ex/maria","modality":"speech","text":"Could you show me climate news?","robot_uri":"http://ex/tiago"}}
{"event_kind":"human_utterance","timestamp":"2026-02-11T09:12:13.650Z","subject":null,"modality":"speech","text":"Could you show me climate news?","robot":"http://ex/pepper"}
{"i":1,"at_ms":5,"body":{"event_kind":"human_utterance","observed_at":"2026-02-11T09:12:13.950Z","subject_uri":"http://ex/maria","modality":"speech","text":"Could you show me climate news?","robot_uri":"http://ex/tiago"}}
`

func TestResolvePrintsOutcomesAndASummary(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("day.jsonl", []byte(replayed), 0o600); err != nil {
		t.Fatal(err)
	}
	got := segraph("", nil, "resolve", "--data", "x.db", "day.jsonl")
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("%+v", got)
	}
	lines := strings.Split(got.stdout, "\n")
	uri := strings.Fields(lines[0])[2]
	for i, want := range []string{"created ", "matched ", "ambiguous ", "matched "} {
		if !strings.HasPrefix(lines[i], want) || strings.Contains(lines[i], uri) != (want != "ambiguous ") {
			t.Errorf("line %d is %q, want %s", i, lines[i], want)
		}
	}
	if !strings.Contains(lines[2], "review_") || !strings.Contains(lines[2], "(subject_missing)") || !strings.HasSuffix(lines[3], "sent before") {
		t.Errorf("the lines are %q", lines[2:4])
	}
	for _, want := range []string{"4 observations decided in ", "2 contexts: 1 ambiguous", "3 observations: 1 created, 1 matched, 1 ambiguous, 1 sent before", "1 pending case,"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("the summary lacks %q:\n%s", want, got.stdout)
		}
	}
	// The stored result is used the next time, and SPARQL returns the same.
	again := segraph(replayed, nil, "resolve", "--data", "x.db", "-")
	if again.code != 0 || strings.Count(again.stdout, "sent before") != 5 {
		t.Errorf("%+v", again)
	}
	asked := segraph("", nil, "query", "--data", "x.db", "--format", "csv", `PREFIX sc: <urn:segraph:ns#>
		SELECT (COUNT(*) AS ?n) { GRAPH <urn:segraph:contexts> { ?o a sc:Observation } }`)
	if asked.stdout != "n\r\n3\r\n" {
		t.Errorf("%+v", asked)
	}
	if checked := segraph("", nil, "check", "x.db"); checked.code != 0 {
		t.Errorf("%+v", checked)
	}
}

func TestResolveDryStoresNothing(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	got := segraph(replayed, nil, "resolve", "--dry-run", "--format", "json", "-")
	if got.code != 0 || !strings.Contains(got.stderr, "3 observations: 1 created, 1 matched, 1 ambiguous") {
		t.Fatalf("%+v", got)
	}
	for i, line := range strings.Split(strings.TrimSpace(got.stdout), "\n") {
		var a resolver.Resolution
		if err := json.Unmarshal([]byte(line), &a); err != nil || a.SharedContextURI == "" || a.Explanation.Reason == "" {
			t.Errorf("line %d: %v in %s", i, err, line)
		}
	}
	if left, err := filepath.Glob("*"); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}

func TestResolveFollowsTheSettings(t *testing.T) {
	t.Chdir(t.TempDir())
	got := segraph(replayed, []string{"SHARED_CONTEXT_NAMESPACE=https://museum.example/event/"}, "resolve", "--dry-run", "--shared-context-max-gap-seconds", "0.5", "-")
	if got.code != 0 || !strings.Contains(got.stdout, "https://museum.example/event/") || strings.Contains(got.stdout, "\nmatched    0.9") {
		t.Errorf("%+v", got)
	}
}

func TestResolveSaysWhichLineIsWrong(t *testing.T) {
	t.Chdir(t.TempDir())
	first, _, _ := strings.Cut(replayed, "\n")
	for want, in := range map[string]string{
		"line 2: observed_at is missing": first + "\n{\"event_kind\":\"wave\"}\n",
		"line 1: ":                       "wave\n",
		"after line 0":                   strings.Repeat("x", 2<<20),
	} {
		if got := segraph(in, nil, "resolve", "--dry-run", "-"); got.code != exitFailed || !strings.Contains(got.stderr, want) {
			t.Errorf("want %q: %d %.300s", want, got.code, got.stderr)
		}
	}
	for want, args := range map[string][]string{
		"which file?":      {"resolve"},
		"no such file":     {"resolve", "--dry-run", "missing.jsonl"},
		"can't be printed": {"resolve", "--dry-run", "--format", "turtle", "-"},
	} {
		if got := segraph("", nil, args...); got.code == 0 || !strings.Contains(got.stderr, want) {
			t.Errorf("want %q: %+v", want, got)
		}
	}
}

func TestResolveNamesMembersAsJSONDoes(t *testing.T) {
	t.Chdir(t.TempDir())
	for in, want := range map[string]string{
		`{"event_kind":3,"observed_at":"2026-02-11"}`:            `line 1: the member "event_kind" must be text or null`,
		`{"body":{"event_kind":"wave","observed_at":["x"]}}`:     `line 1: the member "observed_at" must be a date and time such as "2026-02-11T09:12:13.150Z"`,
		`{"event_kind":"wave","observed_at":"tomorrow"}`:         `line 1: observed_at must be a date and time such as "2026-02-11T09:12:13.150Z"`,
		`{"event_kind":"wave","observed_at":1,"received_at":{}}`: `line 1: the member "received_at" must be a date and time`,
		`{"body":{},"body":{}}`:                                  `line 1: the member "body" is repeated`,
		`[1]`:                                                    `line 1: not a JSON object`,
		`{"event_kind":`:                                         `line 1: not JSON: line 1, column 15: expected a value, found the end of the text`,
	} {
		got := segraph(in+"\n", nil, "resolve", "--dry-run", "-")
		if got.code != exitFailed || !strings.Contains(got.stderr, want) || strings.Contains(got.stderr, "Go ") {
			t.Errorf("%s: %d %s", in, got.code, got.stderr)
		}
	}
	if got := segraph(`{"event_kind":"wave","observed_at":1770801133,"received_at":1770801134.5,"body":"of what"}`+"\n", nil, "resolve", "--dry-run", "-"); got.code != 0 {
		t.Errorf("%+v", got)
	}
}

// TestARecordingArrivesAsItWasSent has a robot that posts at once and whose clock is 5 s
// ahead. Only the times of arrival show that with one person.
func TestARecordingArrivesAsItWasSent(t *testing.T) {
	t.Chdir(t.TempDir())
	begin := time.Date(2026, 2, 11, 9, 0, 0, 0, time.UTC)
	var live, recorded strings.Builder
	for i := range 40 {
		for n, robot := range []string{"ari", "tiago"} {
			said := begin.Add(time.Duration(i) * 30 * time.Second)
			body := fmt.Sprintf(`{"event_kind":"human_utterance","observed_at":"%s","subject_uri":"http://ex/maria","modality":"speech","text":"the sentence number %d of this long day","robot_uri":"http://ex/%s"}`,
				said.Add(time.Duration(5*n)*time.Second).Format("2006-01-02T15:04:05.000Z"), i*7919, robot)
			fmt.Fprintf(&live, "{\"at_ms\":%d,\"body\":%s}\n", said.Sub(begin).Milliseconds()+200, body)
			fmt.Fprintln(&recorded, body)
		}
	}
	for in, want := range map[string]bool{live.String(): true, recorded.String(): false} {
		got := segraph(in, nil, "resolve", "--dry-run", "-")
		if n := strings.Count(got.stdout, "\nmatched "); got.code != 0 || n >= 30 != want {
			t.Errorf("%d of 40 pairs matched, with times of arrival: %v; %s", n, want, got.stderr)
		}
	}
}
