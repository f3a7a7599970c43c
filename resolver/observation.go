package resolver

import (
	"cmp"

	"github.com/segraph/segraph/internal/strictjson"
)

// Observation is what one robot saw, as it was sent. An empty text is an absent one.
type Observation struct {
	EventKind      string `json:"event_kind"`  // required; case and outer spaces do not count
	ObservedAt     string `json:"observed_at"` // required; in one of the forms that readTime takes
	SubjectURI     string `json:"subject_uri,omitempty"`
	Modality       string `json:"modality,omitempty"`
	Text           string `json:"text,omitempty"`
	ObservationURI string `json:"observation_uri,omitempty"`
	RobotURI       string `json:"robot_uri,omitempty"`
	LocationURI    string `json:"location_uri,omitempty"` // the place, such as a room
	// ReceivedAt is when the observation arrived, as observed_at, for streams that are
	// replayed. Empty is now.
	ReceivedAt string `json:"received_at,omitempty"`
	// TimeWindowSeconds is used for this observation instead of the setting; 0 is the
	// setting.
	TimeWindowSeconds float64 `json:"time_window_seconds,omitempty"`
}

// ReadObservation reads the body of a request to resolve. null is absent, unknown members
// are ignored, and the shorter names subject, robot and timestamp stand in for
// subject_uri, robot_uri and observed_at. What the values may be is for the resolver to
// say. The error is a *strictjson.Error.
func ReadObservation(body []byte) (Observation, error) {
	m, err := strictjson.Parse(body)
	if err != nil {
		return Observation{}, err
	}
	o := readObservation(m)
	return o, m.Err()
}

// UnmarshalJSON reads an observation of a stream that is replayed: as ReadObservation
// does, and received_at, which no robot may say of itself.
func (o *Observation) UnmarshalJSON(body []byte) error {
	m, err := strictjson.Parse(body)
	if err != nil {
		return err
	}
	*o = readObservation(m)
	o.ReceivedAt = timeText(m, "received_at")
	return m.Err()
}

func readObservation(m *strictjson.Object) Observation {
	o := Observation{
		EventKind:      m.OptionalText("event_kind"),
		ObservedAt:     cmp.Or(timeText(m, "observed_at"), timeText(m, "timestamp")),
		SubjectURI:     cmp.Or(m.OptionalText("subject_uri"), m.OptionalText("subject")),
		Modality:       m.OptionalText("modality"),
		Text:           m.OptionalText("text"),
		ObservationURI: m.OptionalText("observation_uri"),
		RobotURI:       cmp.Or(m.OptionalText("robot_uri"), m.OptionalText("robot")),
		LocationURI:    m.OptionalText("location_uri"),
	}
	if window := m.OptionalNumber("time_window_seconds"); window != nil {
		if o.TimeWindowSeconds = *window; *window == 0 { // which to the resolver is no window of its own
			m.Fault("time_window_seconds", "the member \"time_window_seconds\" must be more than 0")
		}
	}
	return o
}
