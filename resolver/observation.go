package resolver

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// Observation is what one robot saw, as it was sent. An empty text is an absent one.
type Observation struct {
	EventKind      string `json:"event_kind"`  // required; case and outer spaces do not count
	ObservedAt     string `json:"observed_at"` // required; an xsd:dateTime, UTC where it has no zone
	SubjectURI     string `json:"subject_uri,omitempty"`
	Modality       string `json:"modality,omitempty"`
	Text           string `json:"text,omitempty"`
	ObservationURI string `json:"observation_uri,omitempty"`
	RobotURI       string `json:"robot_uri,omitempty"`
	LocationURI    string `json:"location_uri,omitempty"` // the place, such as a room
	// ReceivedAt is when the observation arrived, an xsd:dateTime, for streams that are replayed. Empty is now.
	ReceivedAt string `json:"received_at,omitempty"`
	// TimeWindowSeconds is used for this observation instead of the setting; 0 is the setting.
	TimeWindowSeconds float64 `json:"time_window_seconds,omitempty"`
}

// UnmarshalJSON reads the body of a request. null is "", unknown members are ignored, and the
// shorter names subject, robot and timestamp stand in for subject_uri, robot_uri and observed_at.
func (o *Observation) UnmarshalJSON(body []byte) error {
	type plain Observation
	var in struct {
		plain
		Subject   string `json:"subject"`
		Robot     string `json:"robot"`
		Timestamp string `json:"timestamp"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return fmt.Errorf("reading an observation: %w", err)
	}
	*o = Observation(in.plain)
	o.SubjectURI = cmp.Or(o.SubjectURI, in.Subject)
	o.RobotURI = cmp.Or(o.RobotURI, in.Robot)
	o.ObservedAt = cmp.Or(o.ObservedAt, in.Timestamp)
	return nil
}
