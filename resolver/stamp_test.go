package resolver

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/strictjson"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
)

// stamps are times in JSON and what must be stored for them; "" means refused. pydantic
// 2.13 reads each as the same time, unless a comment says otherwise.
var stamps = []struct {
	sent, stored string
	fraction     string
}{
	{`"2026-02-11T09:12:13.150Z"`, "2026-02-11T09:12:13.150Z", "150"},
	{`"2026-02-11T09:12:13.000Z"`, "2026-02-11T09:12:13.000Z", "000"},
	{`"2026-02-11T09:12:13Z"`, "2026-02-11T09:12:13Z", ""},
	{`"2026-02-11T09:12:13"`, "2026-02-11T09:12:13", ""},
	{`"2026-02-11T09:12:13.5+05:30"`, "2026-02-11T09:12:13.5+05:30", "5"},
	{`"2026-02-11T09:12:13-00:00"`, "2026-02-11T09:12:13-00:00", ""},
	{`"2026-02-11 09:12:13"`, "2026-02-11T09:12:13Z", ""},
	{`"2026-02-11 09:12:13.150"`, "2026-02-11T09:12:13.150Z", "150"},
	{`"2026-02-11 09:12:13.000000+00:00"`, "2026-02-11T09:12:13.000000Z", "000000"},
	{`"2026-02-11_09:12:13"`, "2026-02-11T09:12:13Z", ""},
	{`"2026-02-11t09:12:13z"`, "2026-02-11T09:12:13Z", ""},
	{`"2026-02-11T09:12:13+0100"`, "2026-02-11T08:12:13Z", ""},
	{`"2026-02-11T09:12:13.150+0530"`, "2026-02-11T03:42:13.150Z", "150"},
	{`"2026-02-11T00:12:13-0100"`, "2026-02-11T01:12:13Z", ""},
	{`"2026-02-11T09:12:13+01"`, "2026-02-11T08:12:13Z", ""}, // refused by pydantic
	{`"2026-02-11T09:12:13−01:00"`, "2026-02-11T10:12:13Z", ""},
	{`"2026-02-11T09:12:13+14:30"`, "2026-02-10T18:42:13Z", ""},
	{`"2026-02-11T09:12:13+23:59"`, "2026-02-10T09:13:13Z", ""},
	{`"2026-02-11T09:12"`, "2026-02-11T09:12:00Z", ""},
	{`"2026-02-11T09:12Z"`, "2026-02-11T09:12:00Z", ""},
	{`"2026-02-11 09:12+0100"`, "2026-02-11T08:12:00Z", ""},
	{`"2026-02-11"`, "2026-02-11T00:00:00Z", ""},
	{`"2026-02-11T09:12:13,5Z"`, "2026-02-11T09:12:13.5Z", "5"},
	{`"2026-02-11 09:12:13.1234567891Z"`, "2026-02-11T09:12:13.1234567891Z", "1234567891"},
	{`1770801133`, "2026-02-11T09:12:13Z", ""},
	{`1770801133.15`, "2026-02-11T09:12:13.150Z", "150"},
	{`1770801133.0`, "2026-02-11T09:12:13.000Z", "000"},
	{`1770801133.1234567`, "2026-02-11T09:12:13.123457Z", "123457"},
	{`1770801133.9999999`, "2026-02-11T09:12:14.000Z", "000"},
	{`1770801133150`, "2026-02-11T09:12:13.150Z", "150"},
	{`1770801133000`, "2026-02-11T09:12:13.000Z", "000"},
	{`1770801133150.25`, "2026-02-11T09:12:13.150250Z", "150250"},
	{`1.7708e9`, "2026-02-11T08:53:20Z", ""},
	{`"1770801133"`, "2026-02-11T09:12:13Z", ""},
	{`"1770801133150"`, "2026-02-11T09:12:13.150Z", "150"},
	{`"+1770801133.15"`, "2026-02-11T09:12:13.150Z", "150"},
	{`"1770801133."`, "2026-02-11T09:12:13.000Z", "000"},
	{`".5"`, "1970-01-01T00:00:00.500Z", "500"},
	{`-1`, "1969-12-31T23:59:59Z", ""},
	{`"-1.5"`, "1969-12-31T23:59:58.500Z", "500"},
	{`20000000001`, "1970-08-20T11:33:20.001Z", "001"},
	{`20000000000`, "1970-08-20T11:33:20.000Z", "000"}, // seconds for pydantic
	{`5e-324`, "1970-01-01T00:00:00Z", ""},
	{`1.5e-1`, "1970-01-01T00:00:00.150Z", "150"},
	{`" 2026-02-11 09:12:13 "`, "2026-02-11T09:12:13Z", ""}, // refused by pydantic
	{`"2026-02-11T24:00:00Z"`, "2026-02-11T24:00:00Z", ""},  // refused by pydantic; an xsd:dateTime

	{sent: `"0001-01-01T00:00:00Z"`}, {sent: `"1336-03-23 12:26:40"`}, // pydantic accepts any year
	{sent: `true`}, {sent: `[]`}, {sent: `{}`}, {sent: `"now"`}, {sent: `"1e9"`}, {sent: `"1_770_801_133"`}, {sent: `"1770801133,15"`},
	{sent: `1e400`}, {sent: `1e300`}, {sent: `-1e17`}, {sent: `1770801133150000`}, {sent: `99999999999999999999`}, {sent: `"99999999999999999999"`}, {sent: `"NaN"`}, {sent: `"inf"`},
	{sent: `"2026-02-11T09"`}, {sent: `"2026-02-11Z"`}, {sent: `"2026-02-11T"`}, {sent: `"2026-02-11T09:12:13.Z"`}, {sent: `"2026-02-11T09:12.5Z"`},
	{sent: `"2026-02-11T09:12:60Z"`}, {sent: `"2026-02-11T25:00Z"`}, {sent: `"2026-02-30 00:00:00"`}, {sent: `"2026-13-01 00:00"`},
	{sent: `"2026-02-11T09:12:13 Z"`}, {sent: `"2026-02-11T09:12:13 +01:00"`}, {sent: `"2026-02-11T09:12:13+1"`}, {sent: `"2026-02-11T09:12:13+24:00"`},
	{sent: `"2026-02-11T09:12:13+0160"`}, {sent: `"2026-02-11T09:12:13+0100Z"`}, {sent: `"2026-02-11T09:12:13UTC"`}, {sent: `"2026-02-11  09:12:13"`},
	{sent: `"20260211T091213Z"`}, {sent: `"2026-2-11T09:12:13"`}, {sent: `"2026-02-11T9:12:13"`}, {sent: `"٢٠٢٦-02-11T09:12:13Z"`}, {sent: `"11.02.2026 09:12"`},
}

// intake parses an observation like a resolver with default settings.
func intake(o Observation) (*sighting, error) { return newPolicy(Defaults()).intake(o, time.Now) }

// observedAt parses an observation with a time like a service, and returns what would be
// stored.
func observedAt(t testing.TB, sent string) (*sighting, error) {
	t.Helper()
	o, err := ReadObservation([]byte(`{"event_kind":"wave","observed_at":` + sent + `}`))
	if err != nil {
		return nil, err
	}
	return intake(o)
}

func TestTimesAreReadInTheFormsThatClientsSend(t *testing.T) {
	for _, c := range stamps {
		got, err := observedAt(t, c.sent)
		if c.stored == "" {
			if err == nil {
				t.Errorf("%s is taken as %s", c.sent, got.ObservedAt)
			} else if !strings.Contains(err.Error(), "2026-02-11T09:12:13.150Z") || !strings.Contains(err.Error(), "observed_at") {
				t.Errorf("%s: the error has no example or no name: %v", c.sent, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.sent, err)
			continue
		}
		if got.ObservedAt != c.stored {
			t.Errorf("%s is stored as %s, want %s", c.sent, got.ObservedAt, c.stored)
		}
		s, err := readTime("observed_at", c.stored)
		if err != nil || s.at != got.At || s.fraction != c.fraction {
			t.Errorf("%s: %+v, %v, want the fraction %q and %d µs", c.sent, s, err, c.fraction, got.At)
		}
	}
}

func TestATimeWithoutAZoneIsUTC(t *testing.T) {
	want := time.Date(2026, 2, 11, 9, 12, 0, 0, time.UTC).UnixMicro()
	for _, sent := range []string{`"2026-02-11T09:12:00"`, `"2026-02-11 09:12"`, `"2026-02-11T09:12:00Z"`, `"2026-02-11T10:12:00+0100"`, `1770801120`, `1770801120000`} {
		if got, err := observedAt(t, sent); err != nil || got.At != want {
			t.Errorf("%s: %+v, %v", sent, got, err)
		}
	}
}

func TestATimeInAnyFormIsTheSameObservation(t *testing.T) {
	var first record.Hash
	u := &unit{committed: &committed{hasher: record.NewHasher(record.Secret{})}}
	for _, sent := range []string{`"2026-02-11T09:12:13.150Z"`, `"2026-02-11 10:12:13.15+0100"`, `1770801133.15`, `1770801133150`} {
		o, err := ReadObservation([]byte(`{"event_kind":"wave","robot":"urn:ari","timestamp":` + sent + `}`))
		if err != nil {
			t.Fatal(err)
		}
		s, err := intake(o)
		if err != nil {
			t.Fatal(err)
		}
		key := u.repeatKey(s)
		if first == (record.Hash{}) {
			first = key
		}
		if key != first || key == (record.Hash{}) {
			t.Errorf("%s is another observation", sent)
		}
	}
}

// FuzzObservation checks that any input is parsed, or refused with an error that does not
// mention Go types, and that its time is stored as an xsd:dateTime of the same moment.
func FuzzObservation(f *testing.F) {
	for _, c := range stamps {
		f.Add(`{"event_kind":"wave","observed_at":` + c.sent + `}`)
	}
	for _, seed := range []string{`{"event_kind":3}`, `{"event_kind":"a","timestamp":null,"observed_at":1,"robot":"x","received_at":"2026-02-11"}`,
		`{"event_kind":"a","observed_at":"2026-02-11","time_window_seconds":0}`, `{"received_at":{},"observed_at":"\ud800"}`, `[]`, `{`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var replayed Observation
		_ = replayed.UnmarshalJSON([]byte(body)) // must not panic
		o, err := ReadObservation([]byte(body))
		var s *sighting
		if err == nil {
			s, err = intake(o)
		}
		if err != nil {
			var shape *strictjson.Error
			var refused *Error
			if !errors.As(err, &shape) && !errors.As(err, &refused) || strings.Contains(err.Error(), "Go ") {
				t.Errorf("%q: %v", body, err)
			}
			return
		}
		d, ok := rdf.ParseDateTime(s.ObservedAt, rdf.XSDDateTime)
		if whole, _ := d.Unix(); !ok || whole != floor(s.At, second) {
			t.Errorf("%q: stored as %q, which is %v; read as %d", body, s.ObservedAt, ok, s.At)
		}
		sent, err := json.Marshal(s.ObservedAt)
		if err != nil {
			t.Fatal(err)
		}
		again, err := observedAt(t, string(sent))
		if err != nil || again.At != s.At || again.ObservedAt != s.ObservedAt || again.member.Coarse != s.member.Coarse {
			t.Errorf("%q: stored as %q, which is read as %+v, %v", body, s.ObservedAt, again, err)
		}
	})
}

func floor(a, b int64) int64 {
	if a < 0 {
		return (a - b + 1) / b
	}
	return a / b
}
