package orders

import "testing"

func TestEveryOrderHoldsAllPlacesAndHasItsName(t *testing.T) {
	names := map[string]bool{}
	for _, o := range All {
		name, seen := "", 0
		for _, place := range o.Places() {
			name += "spo"[place : place+1]
			seen |= 1 << place
		}
		if name != o.String() || seen != 0b111 || names[name] {
			t.Errorf("order %d is called %s and holds %s", o, o, name)
		}
		names[name] = true
	}
}

func TestEveryOrderReturnsATriple(t *testing.T) {
	spo := [3]uint64{7, 8, 9}
	for _, o := range All {
		tuple := o.Sorted(spo)
		for i, place := range o.Places() {
			if tuple[i] != spo[place] {
				t.Errorf("%s sorts %v as %v", o, spo, tuple)
			}
		}
		if got := o.Parts(tuple); got != spo {
			t.Errorf("%s converts %v back to %v", o, spo, got)
		}
	}
	if SPO.Sorted(spo) != spo {
		t.Error("SPO changes a triple")
	}
}

// TestSomeOrderBeginsWithTheKnownPositions: with these orders, no pattern needs a scan
// that reads more than it returns.
func TestSomeOrderBeginsWithTheKnownPositions(t *testing.T) {
	for known := range 8 {
		a := For(known)
		front, places := 0, a.Order.Places()
		for _, place := range places[:a.Known] {
			front |= 1 << place
		}
		if front != known {
			t.Errorf("of %03b only %03b is at the front of %s", known, front, a.Order)
		}
	}
	if a := For(0); a.Order != SPO || Others[0] == SPO || len(Others)+1 != Count {
		t.Error("SPO is not the first order")
	}
}
