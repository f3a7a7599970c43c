package text

// Similarity says how alike two texts are, from 0 to 1, 1 for the same normal form. It is
// the likeness of their letters, or its mean with that of their words where that is greater: words heard
// whole count for more than as many letters here and there.
func Similarity(a, b *Text) float64 {
	if a.Normal == b.Normal {
		return 1
	}
	letters := 1 - float64(distance(a.runes, b.runes))/float64(max(len(a.runes), len(b.runes)))
	return max(letters, (letters+wordLikeness(a, b))/2)
}

// distance is the optimal string alignment distance: how many letters are put in, left out, changed
// or swapped with their neighbour, no place touched twice. Neither is longer than MaxRunes.
func distance(a, b []rune) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(b) == 0 {
		return len(a)
	}
	var rows [3][MaxRunes + 1]uint16
	before, last, row := rows[0][:len(b)+1], rows[1][:len(b)+1], rows[2][:len(b)+1]
	for j := range last {
		last[j] = uint16(j)
	}
	for i := range a {
		row[0] = uint16(i + 1)
		for j := range b {
			cost := uint16(1)
			if a[i] == b[j] {
				cost = 0
			}
			d := min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
		}
		before, last, row = last, row, before
	}
	return int(last[len(b)])
}

// minWordLikeness is from where two words may be one that was misheard.
const minWordLikeness = 0.6

// wordLikeness is the share of letters that are in words that both texts have, or nearly: a soft
// Dice coefficient. Every word is paired once, the most alike first.
func wordLikeness(a, b *Text) float64 {
	usedA, usedB := make([]bool, len(a.words)), make([]bool, len(b.words))
	sum := 0.0
	at := make(map[string][]int, len(b.words))
	for j, w := range b.words {
		at[w.text] = append(at[w.text], j)
	}
	left := len(a.words)
	for i, w := range a.words {
		if js := at[w.text]; len(js) > 0 {
			at[w.text] = js[1:]
			usedA[i], usedB[js[0]] = true, true
			sum += float64(2 * len(w.runes))
			left--
		}
	}
	if left > 0 && left < len(a.words)+len(b.words) {
		sum += nearWords(a, b, usedA, usedB)
	}
	return sum / float64(a.total+b.total)
}

// nearWords pairs the words that are left and gives what they add.
func nearWords(a, b *Text, usedA, usedB []bool) float64 {
	type pair struct {
		i, j int
		s    float64
	}
	var pairs []pair
	for i, v := range a.words {
		if usedA[i] {
			continue
		}
		for j, w := range b.words {
			short, long := min(len(v.runes), len(w.runes)), max(len(v.runes), len(w.runes))
			if usedB[j] || float64(short) < minWordLikeness*float64(long) {
				continue
			}
			if s := 1 - float64(distance(v.runes, w.runes))/float64(long); s >= minWordLikeness {
				pairs = append(pairs, pair{i, j, s})
			}
		}
	}
	sum := 0.0
	for len(pairs) > 0 {
		best := 0
		for k := range pairs {
			if pairs[k].s > pairs[best].s {
				best = k
			}
		}
		p := pairs[best]
		usedA[p.i], usedB[p.j] = true, true
		sum += p.s * float64(len(a.words[p.i].runes)+len(b.words[p.j].runes))
		kept := pairs[:0]
		for _, q := range pairs {
			if q.i != p.i && q.j != p.j {
				kept = append(kept, q)
			}
		}
		pairs = kept
	}
	return sum
}
