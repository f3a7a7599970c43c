package drawing

import (
	"math/rand/v2"
	"testing"
)

func TestLayersLeadToTheRightAndNothingSharesACell(t *testing.T) {
	at, routes := Layers(4, [][2]int{{0, 2}, {1, 2}, {2, 3}, {0, 3}})
	if at[0].Column != 0 || at[1].Column != 0 || at[2].Column != 1 || at[3].Column != 2 || len(routes[3]) != 1 || routes[3][0].Column != 1 {
		t.Errorf("%v, routes %v", at, routes)
	}
	if at, _ := Layers(3, [][2]int{{0, 1}, {1, 0}, {1, 2}}); at[2].Column <= at[1].Column {
		t.Errorf("with a cycle: %v", at)
	}
	rnd := rand.New(rand.NewPCG(17, 2))
	for range 200 {
		n := 1 + rnd.IntN(40)
		var edges [][2]int
		for range rnd.IntN(60) {
			if a, b := rnd.IntN(n), rnd.IntN(n); a < b {
				edges = append(edges, [2]int{a, b})
			}
		}
		at, routes := Layers(n, edges)
		taken := map[Cell]bool{}
		for k, e := range edges {
			if at[e[0]].Column+len(routes[k])+1 != at[e[1]].Column {
				t.Fatalf("%v of %v: %v, passes %v", e, edges, at, routes[k])
			}
			at = append(at, routes[k]...)
		}
		for i, c := range at {
			if taken[c] || c.Column < 0 || c.Row < 0 {
				t.Fatalf("cell %d of %v: %v", i, edges, c)
			}
			taken[c] = true
		}
	}
}
