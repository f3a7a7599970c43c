package value

import (
	"math/rand/v2"
	"testing"

	"github.com/segraph/segraph/store/rdf"
)

// The parts of a date or time are those of its text, whether it was computed or
// parsed.
func TestPartsOfTimesAreThoseOfTheirText(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		at := rng.Int64N(400_000_000_000) - 200_000_000_000 // years -4368 to 8307
		v := DateTime(at, rng.IntN(1000)*1e6, rng.IntN(2*14*60+1)-14*60, true)
		if rng.IntN(3) == 0 {
			v = DateTime(at, 0, 0, false)
		}
		checkParts(t, v)
		for _, datatype := range []string{rdf.XSDDate, rdf.XSDTime, rdf.XSDDateTime} {
			f, _ := LookupCast(datatype)
			cast, err := f.Call(&Context{}, []Value{v})
			if err != nil {
				t.Fatal(err)
			}
			checkParts(t, cast)
		}
	}
	for _, text := range []string{"2024-02-29T24:00:00", "2023-12-31T24:00:00-14:00", "-0001-12-31T23:59:59.9999999999+14:00", "0000-02-29T00:00:00Z", "12345678901-01-01T00:00:00"} {
		checkParts(t, FromTerm(rdf.NewLiteral(text, rdf.XSDDateTime)))
	}
	checkParts(t, FromTerm(rdf.NewLiteral("24:00:00+14:00", rdf.XSDTime)))
	checkParts(t, FromTerm(rdf.NewLiteral("2024", rdf.XSDGYear)))
}

func checkParts(t *testing.T, v Value) {
	t.Helper()
	d := v.dateTime()
	hasDate, hasTime := v.kind == KindDateTime || v.kind == KindDate, v.kind == KindDateTime || v.kind == KindTime
	for name, want := range map[string]struct {
		part Value
		is   bool
	}{
		"YEAR": {Integer(d.Year()), hasDate}, "MONTH": {Integer(int64(d.Month())), hasDate}, "DAY": {Integer(int64(d.Day())), hasDate},
		"HOURS": {Integer(int64(d.Hour())), hasTime}, "MINUTES": {Integer(int64(d.Minute())), hasTime}, "SECONDS": {exact(KindDecimal, d.Second()), hasTime},
	} {
		if !want.is {
			want.part = Error()
		}
		f, _ := Lookup(name)
		if got, err := f.Call(&Context{}, []Value{v}); got.Term() != want.part.Term() || got.kind != want.part.kind || err != nil {
			t.Fatalf("%s of %s is %s, want %s", name, v.Term(), got.Term(), want.part.Term())
		}
	}
}

// The difference of two instants is exact, whether they are close together or far
// apart.
func TestTimeBetweenInstantsIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 5000 {
		far := int64(1) << (1 + r.IntN(40))
		a := DateTime(r.Int64N(far)-far/2, r.IntN(2)*r.IntN(1e9), 0, true)
		b := DateTime(r.Int64N(far)-far/2, r.IntN(2)*r.IntN(1000)*1e6, 60, true)
		seconds := rdf.DecimalOf(a.num).Sub(rdf.DecimalOf(b.num)).Add(Decimal(int64(a.nanos)-int64(b.nanos), 9).decimal())
		want := durationOf(0, seconds, rdf.XSDDayTimeDuration)
		if got := Subtract(a, b); got.Term() != want.Term() || got.kind != KindDuration {
			t.Fatalf("%v - %v is %v, want %v", a.Term(), b.Term(), got.Term(), want.Term())
		}
	}
}
