package config

// Nearest returns the candidate with the fewest edits from word, the first among equals,
// or "" without candidates.
func Nearest(word string, candidates []string) string {
	best, least := "", -1
	for _, c := range candidates {
		if d := edits(word, c); least < 0 || d < least {
			best, least = c, d
		}
	}
	return best
}

// Similar reports whether a may be a misspelling of b, with at most a third of it wrong.
func Similar(a, b string) bool {
	return edits(a, b) <= max(len(a), len(b), 3)/3
}

// edits returns the optimal string alignment distance of a and b: the number of
// insertions, deletions, replacements and swaps of neighbours. Names are ASCII, so it
// compares bytes.
func edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
