package drawing

import "testing"

func BenchmarkForceOfThreeHundred(b *testing.B) {
	nodes, edges := star(299)
	for b.Loop() {
		Force(nodes, edges, nil)
	}
}
