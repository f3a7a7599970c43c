package resolver_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
)

// TestPairsOfObservations runs the kit's cases of two observations. Each case has its own
// kind, people and robots.
func TestPairsOfObservations(t *testing.T) {
	text, err := os.ReadFile(suite.Shared(t, "er", "pairs.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name   string             `json:"name"`
		Gap    float64            `json:"gap_s"`
		First  map[string]*string `json:"first"`
		Second map[string]*string `json:"second"`
		Expect []resolver.Outcome `json:"expect"`
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	r := open(t, &memory.Store{})
	start := time.Date(2026, 2, 10, 12, 0, 0, 123_456_000, time.UTC)
	for i, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			tag := fmt.Sprint(i)
			one := resolve(t, r, pairBody(t, c.First, "robot/a", start, tag))
			two := resolve(t, r, pairBody(t, c.Second, "robot/b", start.Add(time.Duration(c.Gap*float64(time.Second))), tag))
			same := one.SharedContextURI == two.SharedContextURI
			if one.Outcome != resolver.Created || !slices.Contains(c.Expect, two.Outcome) || same != (two.Outcome == resolver.Matched) {
				t.Errorf("%s, then %s (%s: %s), same context: %v; want %v", one.Outcome, two.Outcome, two.Reason, two.Explanation.Reason, same, c.Expect)
			}
		})
	}
}

// pairBody creates an observation like the kit: a default one with some members changed,
// or removed if they are null.
func pairBody(t *testing.T, change map[string]*string, robot string, at time.Time, tag string) resolver.Observation {
	t.Helper()
	member := func(s string) *string { return &s }
	body := map[string]*string{"event_kind": member("human_utterance"), "subject_uri": member("human/maria"), "modality": member("speech"),
		"text": member("Could you show me climate news?"), "robot_uri": &robot}
	maps.Copy(body, change)
	if zone := body["zone"]; zone != nil {
		hours, err := time.ParseDuration((*zone)[:3] + "h")
		if err != nil {
			t.Fatal(err)
		}
		at = at.In(time.FixedZone("", int(hours.Seconds())))
		delete(body, "zone")
	}
	body["observed_at"] = member(at.Format("2006-01-02T15:04:05.000000Z07:00"))
	body["event_kind"] = member(*body["event_kind"] + "_" + tag)
	for _, m := range []string{"subject_uri", "robot_uri"} {
		if v := body[m]; v != nil && *v != "" {
			body[m] = member("https://pairs.example/" + tag + "/" + *v)
		}
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	var o resolver.Observation
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	return o
}
