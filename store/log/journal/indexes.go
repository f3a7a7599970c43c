package journal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxIndexes is how many characters Indexes returns at most, without the last range, which has at most maxRange.
const (
	maxIndexes = 20_000
	maxRange   = 42      // a comma, two numbers and a dash
	maxLength  = 1 << 24 // of a range that is parsed, in entries: parseIndexes lists them
)

// Indexes returns the log indexes of the entries with some numbers, which are in order, as in
// "3,7-9", cut off after about 20,000 characters.
func Indexes(seqs []uint64) string {
	var b strings.Builder
	for i := 0; i < len(seqs) && b.Len() < maxIndexes; {
		n := i + 1
		for n < len(seqs) && seqs[n] == seqs[n-1]+1 {
			n++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatUint(seqs[i]-1, 10))
		if n > i+1 {
			b.WriteString("-" + strconv.FormatUint(seqs[n-1]-1, 10))
		}
		i = n
	}
	return b.String()
}

// Ranges are the log indexes that a text of Indexes names: the first and the last of each range.
type Ranges [][2]uint64

// Has reports whether an index is in one of the ranges.
func (r Ranges) Has(index uint64) bool {
	return slices.ContainsFunc(r, func(x [2]uint64) bool { return x[0] <= index && index <= x[1] })
}

// ParseRanges returns the ranges that a text of Indexes names. If Indexes cut the text off, the last ones are missing.
// The error is that it is no such text, or that a range has more than 16 million entries.
func ParseRanges(text string) (ranges Ranges, err error) {
	if len(text) > maxIndexes+maxRange {
		return nil, fmt.Errorf("it has more than %d characters", maxIndexes+maxRange)
	}
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		from, err := strconv.ParseUint(first, 10, 63)
		to, failed := strconv.ParseUint(last, 10, 63)
		if err != nil || failed != nil || to < from || to-from > maxLength {
			return nil, fmt.Errorf("%.40q is not a log index, or two with a dash", part)
		}
		ranges = append(ranges, [2]uint64{from, to})
	}
	return ranges, nil
}

// parseIndexes returns the numbers for which Indexes returns a text.
func parseIndexes(text string) (seqs []uint64, err error) {
	ranges, err := ParseRanges(text)
	for _, r := range ranges {
		for i := r[0]; i <= r[1]; i++ {
			seqs = append(seqs, i+1)
		}
	}
	return seqs, err
}

// AddIndexes adds numbers to a text of Indexes. full reports that it should not grow more.
func AddIndexes(text string, seqs []uint64) (sum string, full bool, err error) {
	if text != "" {
		old, err := parseIndexes(text)
		if err != nil {
			return "", false, err
		}
		seqs = append(old, seqs...)
	}
	slices.Sort(seqs)
	sum = Indexes(slices.Compact(seqs))
	return sum, len(sum) > maxIndexes/2, nil
}
