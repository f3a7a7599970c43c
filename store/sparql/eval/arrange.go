package eval

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/segraph/segraph/store/sparql/budget"
)

// arranger sorts the numbers 0 to n-1 by their keys, either all of them or only those
// at wanted positions. It compares words of 64 bits. A word holds a number and as much
// of its keys as fits, without the bits that all keys share.
type arranger struct {
	b       *budget.Budget
	columns []keyColumn
	// tie orders numbers with equal keys. If it is nil, the lower number comes first.
	tie func(a, b int) int
	// together also sorts the numbers outside the wanted positions whose keys equal
	// those of a number inside.
	together   bool
	numberBits int
	scratch    []uint64
	buckets    []uint16
}

// keyColumn holds a key for each number. If keys in the first column are equal, later
// columns decide.
type keyColumn struct {
	keys []uint64
	flip uint64 // ^0 if the greatest key comes first
}

const (
	// manyRows is the number of rows from which several processors are used. bucketRows
	// is the number of rows of one task.
	manyRows   = 16384
	bucketRows = 4096
	// fewRows is the number of rows up to which they are compared one by one.
	fewRows = 12
)

// arrange returns the numbers 0 to n-1, partly sorted. The positions from lo up to hi
// hold the same numbers as if all were sorted. Numbers that sort earlier are before lo,
// and numbers that sort later are from hi on, in any order.
func (a *arranger) arrange(n, lo, hi int) ([]uint64, error) {
	a.numberBits = bits.Len(uint(max(n, 1) - 1))
	words := make([]uint64, n)
	for i := range words {
		words[i] = uint64(i)
	}
	if n > bucketRows {
		a.scratch, a.buckets = make([]uint64, n), make([]uint16, n)
	}
	if err := a.split(words, lo, hi); err != nil {
		return nil, err
	}
	mask := a.numberMask()
	for i := range words {
		words[i] &= mask
	}
	return words, nil
}

// arrangeSize is the number of bytes that arrange needs per number.
const arrangeSize = 8 + 8 + 2

func (a *arranger) numberMask() uint64 { return 1<<a.numberBits - 1 }

// pack puts as much of the keys of each word's number as fits into the bits above the
// number. It reports whether all keys fit.
func (a *arranger) pack(words []uint64) (all bool) {
	mask, room := a.numberMask(), 64-a.numberBits
	for _, c := range a.columns {
		least, greatest, differ := c.span(words, mask)
		shift := bits.TrailingZeros64(differ)
		width := bits.Len64((greatest - least) >> shift)
		if width == 0 {
			continue
		}
		cut := max(0, width-room)
		for i, w := range words {
			key := (c.keys[w&mask] ^ c.flip) - least
			words[i] = (w&^mask)<<(width-cut) | key>>shift>>cut<<a.numberBits | w&mask
		}
		if room -= width; room < 0 {
			return false
		}
	}
	return true
}

// span returns the least and greatest key of the given numbers, and the bits in which
// keys differ.
func (c *keyColumn) span(words []uint64, mask uint64) (least, greatest, differ uint64) {
	first := c.keys[words[0]&mask] ^ c.flip
	least, greatest = first, first
	for _, w := range words {
		key := c.keys[w&mask] ^ c.flip
		least, greatest, differ = min(least, key), max(greatest, key), differ|(key^first)
	}
	return least, greatest, differ
}

// split arranges words with buckets. It leaves buckets without a wanted position
// unsorted.
func (a *arranger) split(words []uint64, lo, hi int) error {
	if len(words) <= bucketRows {
		a.sort(words)
		return nil
	}
	clear := a.numberMask()
	for i := range words {
		words[i] &= clear
	}
	all := a.pack(words)
	ends, err := a.distribute(words, all && a.tie == nil && !a.together)
	if err != nil {
		return err
	}
	var large [][2]int
	var small [][2]int
	for i, end := range ends {
		begin := 0
		if i > 0 {
			begin = ends[i-1]
		}
		switch {
		case begin == end || end <= lo || begin >= hi:
		case end-begin > max(manyRows, len(words)/4):
			large = append(large, [2]int{begin, end})
		default:
			small = append(small, [2]int{begin, end})
		}
	}
	sort := func(i int) { a.sortPacked(words[small[i][0]:small[i][1]], all) }
	if len(words) >= manyRows {
		err = parallel(a.b, len(small), sort)
	} else {
		for i := range small {
			sort(i)
		}
	}
	for _, bucket := range large { // their packed keys are mostly equal
		if err == nil {
			err = a.splitRuns(words[bucket[0]:bucket[1]], all, lo-bucket[0], hi-bucket[0])
		}
	}
	return err
}

// splitRuns is split for packed words that are mostly equal. Splitting those again would
// not help.
func (a *arranger) splitRuns(words []uint64, all bool, lo, hi int) error {
	slices.Sort(words)
	if all && a.tie == nil {
		return nil
	}
	for begin, end := range a.runs(words) {
		var err error
		switch {
		case end <= lo || begin >= hi:
		case all || end-begin <= manyRows:
			a.sortRun(words[begin:end], all)
			err = a.b.Check()
		default:
			err = a.split(words[begin:end], lo-begin, hi-begin)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// distribute puts words into buckets so that all words of a bucket come before those of
// the next. It returns the ends of the buckets. If whole is set, it compares whole
// words. Otherwise words that differ only in their numbers go into the same bucket.
func (a *arranger) distribute(words []uint64, whole bool) (ends []int, err error) {
	splitters := a.splitters(words, whole)
	chunks := (len(words) + bucketRows - 1) / bucketRows
	counts := make([][]int, chunks)
	buckets, scratch := a.buckets[:len(words)], a.scratch[:len(words)]
	each := func(f func(chunk, begin, end int)) error {
		if len(words) < manyRows {
			for i := range chunks {
				f(i, i*bucketRows, min(len(words), (i+1)*bucketRows))
			}
			return nil
		}
		return parallel(a.b, chunks, func(i int) { f(i, i*bucketRows, min(len(words), (i+1)*bucketRows)) })
	}
	if err := each(func(chunk, begin, end int) {
		count := make([]int, len(splitters)+1)
		for i, w := range words[begin:end] {
			at := bucketOf(splitters, w)
			buckets[begin+i] = uint16(at)
			count[at]++
		}
		counts[chunk] = count
	}); err != nil {
		return nil, err
	}
	at := 0
	for bucket := range len(splitters) + 1 {
		for _, count := range counts {
			count[bucket], at = at, at+count[bucket]
		}
		ends = append(ends, at)
	}
	if err := each(func(chunk, begin, end int) {
		next := counts[chunk]
		for i := begin; i < end; i++ {
			bucket := buckets[i]
			scratch[next[bucket]] = words[i]
			next[bucket]++
		}
	}); err != nil {
		return nil, err
	}
	copy(words, scratch)
	return ends, nil
}

// bucketOf returns how many of the splitters are at most w.
func bucketOf(splitters []uint64, w uint64) int {
	lo, n := 0, len(splitters)
	for n > 0 {
		half := n / 2
		if splitters[lo+half] <= w {
			lo, n = lo+half+1, n-half-1
		} else {
			n = half
		}
	}
	return lo
}

// maxBuckets is the largest number of buckets that distribute uses at a time.
const maxBuckets = 1024

// splitters returns words that divide all words into buckets of about bucketRows.
func (a *arranger) splitters(words []uint64, whole bool) []uint64 {
	const samples = 8 // per bucket
	n := min(len(words)/bucketRows+1, maxBuckets)
	sample := make([]uint64, n*samples)
	for i := range sample {
		sample[i] = words[uint64(i)*uint64(len(words))/uint64(len(sample))]
	}
	slices.Sort(sample)
	out := make([]uint64, n-1)
	for i := range out {
		if out[i] = sample[(i+1)*samples]; !whole {
			out[i] &^= a.numberMask()
		}
	}
	return slices.Compact(out)
}

// sort sorts words, which need not be packed.
func (a *arranger) sort(words []uint64) {
	if len(words) < 2 {
		return
	}
	mask := a.numberMask()
	if len(words) <= fewRows {
		slices.SortFunc(words, func(x, y uint64) int { return a.compare(x&mask, y&mask) })
		return
	}
	for i := range words {
		words[i] &= mask
	}
	a.sortPacked(words, a.pack(words))
}

// sortPacked sorts packed words. all is set if they hold all of the keys.
func (a *arranger) sortPacked(words []uint64, all bool) {
	slices.Sort(words)
	if all && a.tie == nil {
		return
	}
	for begin, end := range a.runs(words) {
		a.sortRun(words[begin:end], all)
	}
}

// sortRun sorts packed words that differ only in their numbers.
func (a *arranger) sortRun(words []uint64, all bool) {
	if !all {
		a.sort(words)
		return
	}
	mask := a.numberMask()
	slices.SortFunc(words, func(x, y uint64) int { return a.compareTied(x&mask, y&mask) })
}

// runs returns the begin and end of each run of two or more words that differ only in
// their numbers.
func (a *arranger) runs(words []uint64) func(yield func(begin, end int) bool) {
	return func(yield func(begin, end int) bool) {
		for begin := 0; begin < len(words); {
			end, key := begin+1, words[begin]>>a.numberBits
			for end < len(words) && words[end]>>a.numberBits == key {
				end++
			}
			if end-begin > 1 && !yield(begin, end) {
				return
			}
			begin = end
		}
	}
}

// compare compares two numbers by their keys.
func (a *arranger) compare(x, y uint64) int {
	for _, c := range a.columns {
		if order := cmp.Compare(c.keys[x]^c.flip, c.keys[y]^c.flip); order != 0 {
			return order
		}
	}
	return a.compareTied(x, y)
}

// compareTied compares two numbers with equal keys.
func (a *arranger) compareTied(x, y uint64) int {
	if a.tie != nil {
		if order := a.tie(int(x), int(y)); order != 0 {
			return order
		}
	}
	return cmp.Compare(x, y)
}

// tied returns the begin and end of each run of numbers with the same keys that reaches
// into the wanted positions. It returns nil unless together is set.
func (a *arranger) tied(numbers []uint64, lo, hi int) (runs [][2]int) {
	if !a.together || lo >= hi {
		return nil
	}
	same := func(i int) bool {
		for _, c := range a.columns {
			if c.keys[numbers[i-1]] != c.keys[numbers[i]] {
				return false
			}
		}
		return true
	}
	begin := lo
	for begin > 0 && same(begin) {
		begin--
	}
	for begin < hi {
		end := begin + 1
		for end < len(numbers) && same(end) {
			end++
		}
		if end-begin > 1 {
			runs = append(runs, [2]int{begin, end})
		}
		begin = end
	}
	return runs
}
