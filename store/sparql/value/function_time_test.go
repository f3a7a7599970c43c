package value

import (
	"math/rand/v2"
	"testing"

	"github.com/segraph/segraph/store/rdf"
)

// The parts of a xsd:dateTime are the same whether it was computed or read from its text.
func TestPartsOfComputedTimesAreThoseOfTheirText(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		at := rng.Int64N(400_000_000_000) - 200_000_000_000 // years -4368 to 8307
		computed := DateTime(at, rng.IntN(1000)*1e6, rng.IntN(2*14*60+1)-14*60, true)
		if rng.IntN(3) == 0 {
			computed = DateTime(at, 0, 0, false)
		}
		read := FromTerm(computed.Term())
		for name, part := range map[string]func(Value) Value{"year": year, "month": month, "day": day, "hours": hours, "minutes": minutes, "seconds": seconds} {
			if got, want := part(computed).Term(), part(read).Term(); got != want {
				t.Fatalf("%s of %s is %s, want %s", name, read.Term(), got, want)
			}
		}
	}
}

// The time between two moments is the exact difference, near to each other and far apart.
func TestTimeBetweenMomentsIsExact(t *testing.T) {
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
