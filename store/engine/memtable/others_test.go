package memtable

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/orders"
)

// Every copy of a level has all orders of its own content, whichever order is read first,
// with several readers at once.
func TestOrdersAreBuiltFromAnyCopy(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		there := map[index.Tuple]bool{}
		l := New()
		copies := []*Level{l}
		for range 30 {
			own := New()
			for range r.IntN(6) {
				spo := index.Tuple{1 + r.Uint64N(4), 1 + r.Uint64N(3), 1 + r.Uint64N(3)}
				there[spo] = !there[spo]
				own.Set(dict.ID(spo[0]%2), []index.Tuple{spo}, there[spo])
			}
			l = l.Copy()
			l.Merge(own)
			if r.IntN(3) == 0 { // read while it is still written
				triplesOf(l, orders.POS)
				spo := index.Tuple{9, 1 + r.Uint64N(3), r.Uint64()}
				l.Set(0, []index.Tuple{spo}, true)
			}
			copies = append(copies, l)
		}
		var readers sync.WaitGroup
		for range 3 {
			read := slices.Clone(copies)
			r.Shuffle(len(read), func(i, j int) { read[i], read[j] = read[j], read[i] })
			readers.Go(func() {
				for _, l := range read {
					for _, o := range orders.Others {
						want := slices.Clone(treesOf(l).triples.Items())
						slices.SortFunc(want, func(a, b *triple) int {
							if less(o)(a, b) {
								return -1
							}
							return 1
						})
						if got := triplesOf(l, o).Items(); !slices.Equal(got, want) {
							t.Errorf("seed %d, %s: %v, want %v", seed, o, values(got), values(want))
						}
					}
				}
			})
		}
		readers.Wait()
	}
}
