package report

import (
	"testing"
	"time"

	"github.com/segraph/segraph/store/rdf"
)

func TestTheWeekBeginsOnMonday(t *testing.T) {
	r := &Report{}
	monday := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	week := r.week(tally{monday: 1, monday.AddDate(0, 0, 7): 2, monday.AddDate(0, 0, 6).Add(15 * time.Hour): 4})
	if week[0][8].N != 3 || week[6][23].N != 4 || week[0][8].Href == "" || week[1][8].Href != "" {
		t.Errorf("Monday at 8 has %+v, Sunday at 23 %+v, Tuesday at 8 %+v", week[0][8], week[6][23], week[1][8])
	}
}

func TestAQuarterOfAnHourIsReadInItsZone(t *testing.T) {
	for _, c := range []struct{ hour, n, zone, want string }{
		{"2026-03-02T08", "0", "", "2026-03-02T08:00:00Z"},
		{"2026-03-02T08", "3", "Z", "2026-03-02T08:45:00Z"},
		{"2026-03-02T08", "1.0", "+05:45", "2026-03-02T02:30:00Z"},
		{"2026-03-02T08", "x", "Z", ""},
	} {
		at, ok := quarter([]rdf.Term{rdf.NewString(c.hour), rdf.NewString(c.n), rdf.NewString(c.zone)})
		if ok != (c.want != "") || ok && at.UTC().Format(time.RFC3339) != c.want {
			t.Errorf("%v: %v, %t", c, at, ok)
		}
	}
}

func TestALaneContinuesWithTheSameValue(t *testing.T) {
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
