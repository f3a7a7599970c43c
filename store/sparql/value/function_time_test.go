package value

import (
	"math/rand/v2"
	"testing"
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
