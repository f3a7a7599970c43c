package reports

import (
	"testing"
	"time"

	"github.com/segraph/segraph/views"
)

func TestTimesAreReadInEveryForm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-03-02T08:00:00": "2026-03-02T08:00:00Z", "2026-03-02T08:00:00.25+05:45": "2026-03-02T02:15:00.25Z", "2026-03-01T24:00:00": "2026-03-02T00:00:00Z",
		"2026-12-31T24:00:00-01:00": "2027-01-01T01:00:00Z", "-0044-03-15T12:00:00": "-0044-03-15T12:00:00Z", "0000-01-01T00:00:00Z": "0000-01-01T00:00:00Z",
		"12026-03-02T08:00:00Z": "12026-03-02T08:00:00Z", "2026-03-02T08:00:00.1234567891234": "2026-03-02T08:00:00.123456789Z",
		"2026-03-02 08:00": "2026-03-02T08:00:00Z", "2026-03-02T08:00+01:00": "2026-03-02T07:00:00Z", "2026-03-02": "2026-03-02T00:00:00Z", " 12026-03-02 08:00:00 ": "12026-03-02T08:00:00Z",
		"2026-03-02T08:00:00 01:00": "2026-03-02T07:00:00Z", "2026-03-02 08:00 05:45": "2026-03-02T02:15:00Z", "2026-03-02T08:00 x": "", // an address turns + into a space
		"": "", "noon": "", "2026-03-02T25:00:00": "", "2026-02-30": "", "T08:00": "", "2026-03-02T8:00": "",
	} {
		at, ok := views.ParseTime(text)
		if ok != (want != "") || ok && at.Format(time.RFC3339Nano) != want {
			t.Errorf("%q is %v, %t, want %s", text, at, ok, want)
		}
		if again, same := views.ParseTime(want); ok && (!same || !again.Equal(at)) {
			t.Errorf("%s, which addresses have, is %v", want, again)
		}
	}
}

func TestALaneContinuesWithTheSameValue(t *testing.T) {
	t.Parallel()
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	var l lane
	l.put(at(0), at(10), "a", "A")
	l.put(at(5), at(15), "a", "A")  // the same value: continues
	l.put(at(10), at(20), "b", "B") // another value: the first one ends
	l.put(at(30), at(40), "b", "B") // after the end of the log: a new part
	want := []stay{
		{from: at(0), last: at(5), to: at(10), key: "a", value: "A"},
		{from: at(10), last: at(10), to: at(20), key: "b", value: "B"},
		{from: at(30), last: at(30), to: at(40), key: "b", value: "B"},
	}
	if len(l.parts) != len(want) {
		t.Fatalf("%+v", l.parts)
	}
	for i, p := range l.parts {
		if p != want[i] {
			t.Errorf("part %d is %+v, want %+v", i, p, want[i])
		}
	}
}
