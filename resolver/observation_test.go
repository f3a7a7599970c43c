package resolver

import (
	"encoding/json"
	"testing"
)

func TestObservationTakesWhatClientsSend(t *testing.T) {
	full := Observation{EventKind: "human_utterance", ObservedAt: "2026-02-11T09:12:13.150Z",
		SubjectURI: "https://ex/human/maria", RobotURI: "https://ex/robot/ari", TimeWindowSeconds: 2}
	for _, tt := range []struct {
		name, body string
		want       Observation
	}{
		{"usual names", `{"event_kind":"human_utterance","observed_at":"2026-02-11T09:12:13.150Z","subject_uri":"https://ex/human/maria","robot_uri":"https://ex/robot/ari","time_window_seconds":2.0}`, full},
		{"short names", `{"event_kind":"human_utterance","timestamp":"2026-02-11T09:12:13.150Z","subject":"https://ex/human/maria","robot":"https://ex/robot/ari","time_window_seconds":2.0}`, full},
		{"null, empty and unknown", `{"event_kind":"a","observed_at":"2026-02-11T09:12:13Z","subject_uri":null,"text":"","language":["en"]}`,
			Observation{EventKind: "a", ObservedAt: "2026-02-11T09:12:13Z"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got Observation
			if err := json.Unmarshal([]byte(tt.body), &got); err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
	var o Observation
	if err := json.Unmarshal([]byte(`{"event_kind":3}`), &o); err == nil {
		t.Error("a number was taken for event_kind")
	}
}
