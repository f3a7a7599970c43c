package resolver

import (
	"cmp"
	"strings"

	"github.com/segraph/segraph/internal/strictjson"
)

// Observation is what one robot observed, as it was sent. An empty text counts as
// missing.
type Observation struct {
	EventKind      string `json:"event_kind"`  // required; case and surrounding space are ignored
	ObservedAt     string `json:"observed_at"` // required; in a form that readTime accepts
	SubjectURI     string `json:"subject_uri,omitempty"`
	Modality       string `json:"modality,omitempty"`
	Text           string `json:"text,omitempty"`
	ObservationURI string `json:"observation_uri,omitempty"`
	RobotURI       string `json:"robot_uri,omitempty"`
	LocationURI    string `json:"location_uri,omitempty"` // the place, such as a room
	// ReceivedAt is the time of arrival, in the forms of ObservedAt, for replayed
	// streams. "" means now.
	ReceivedAt string `json:"received_at,omitempty"`
	// TimeWindowSeconds replaces the setting for this observation; 0 means the setting.
	TimeWindowSeconds float64 `json:"time_window_seconds,omitempty"`
	// Alias is the URI of the context that another service answered. From the first observation
	// with it on, the URI leads to the context of that observation. "" means none.
	Alias string `json:"-"`
}

// ReadObservation parses the body of a request to resolve. null counts as missing and
// unknown members are ignored. The shorter names subject, robot and timestamp are
// accepted for subject_uri, robot_uri and observed_at. Resolve checks the values. The
// error is a *strictjson.Error.
func ReadObservation(body []byte) (Observation, error) {
	m, err := strictjson.Parse(body)
	if err != nil {
		return Observation{}, err
	}
	o := readObservation(m)
	return o, m.Err()
}

// UnmarshalJSON parses an observation of a replayed stream: like ReadObservation, but
// also received_at, which robots must not set themselves.
func (o *Observation) UnmarshalJSON(body []byte) error {
	m, err := strictjson.Parse(body)
	if err != nil {
		return err
	}
	*o = readObservation(m)
	o.ReceivedAt = timeText(m, "received_at")
	return m.Err()
}

// Withhold takes people out of the observation, with what was observed of them. of reports whether an IRI is
// theirs, and what replaces it, "" if nothing does. It reports whether it found somebody.
func (o *Observation) Withhold(of func(iri string) (to string, theirs bool)) (found bool) {
	for _, iri := range []*string{&o.SubjectURI, &o.ObservationURI, &o.RobotURI, &o.LocationURI} {
		if to, theirs := of(strings.TrimSpace(*iri)); theirs {
			*iri, o.Text, found = to, "", true
		}
	}
	return found
}

// readObservation reads an observation of the API. Some members have a second name, which clients of SEGB send.
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
		if o.TimeWindowSeconds = *window; *window == 0 { // 0 would mean the setting
			m.Fault("time_window_seconds", "the member \"time_window_seconds\" must be more than 0")
		}
	}
	return o
}
