package pack

import (
	"bytes"

	"github.com/segraph/segraph/internal/varint"
)

// What logs said repeats its IRIs, so in a pack a line of N-Quads consists of three numbers, for its subject, its predicate
// and the rest up to the final dot: 0 for a new string, which follows in another column, 1 for the same string as in the
// line before, and n+2 for the n-th of all strings. That halves the size after zstd.

// sameAgain and firstTerm are the numbers that are not those of new strings.
const (
	newTerm = iota
	sameAgain
	firstTerm
)

// maxTerms is how many strings the columns of a pack may have. Contents with more are sent as texts.
const maxTerms = 1 << 20

// terms are the contents of a pack, in columns.
type terms struct {
	ids   map[string]uint64
	texts []byte // of new strings, each with a line feed
	last  [3]string
	lines [3][]byte
}

// add adds N-Quads, and returns the number of lines. It returns false, and adds nothing, if they are not lines as fields
// splits them, or may have too many strings.
func (t *terms) add(content []byte) (lines uint64, ok bool) {
	most := len(t.ids)
	for l := range bytes.Lines(content) {
		most += len(t.lines)
		if _, ok := fields(l); !ok || most > maxTerms {
			return 0, false
		}
	}
	for l := range bytes.Lines(content) {
		all, _ := fields(l)
		for i, term := range all {
			t.lines[i] = varint.Append(t.lines[i], t.number(i, term))
		}
		lines++
	}
	return lines, true
}

// number returns the number of a string of a column, and adds the string if it is new.
func (t *terms) number(column int, term []byte) uint64 {
	if t.last[column] == string(term) {
		return sameAgain
	}
	id, known := t.ids[string(term)]
	if !known {
		id, t.ids[string(term)] = newTerm, uint64(len(t.ids)+firstTerm)
		t.texts = append(append(t.texts, term...), '\n')
	}
	t.last[column] = string(term)
	return id
}

// fields splits a line of N-Quads into its subject, its predicate and the rest up to the final dot. ok reports whether
// the line can be rebuilt from them: as the three with a space after each, a dot and a line feed.
func fields(line []byte) (all [3][]byte, ok bool) {
	rest, ok := bytes.CutSuffix(line, []byte(" .\n"))
	for i := range 2 {
		var found bool
		all[i], rest, found = bytes.Cut(rest, []byte(" "))
		ok = ok && found
	}
	all[2] = rest
	return all, ok
}

// append appends the columns to a pack.
func (t *terms) append(b []byte) []byte {
	b = varint.AppendString(b, t.texts)
	for _, l := range t.lines {
		b = varint.AppendString(b, l)
	}
	return b
}

// reading reads contents that terms has added.
type reading struct {
	texts []byte
	terms [][]byte
	last  [3][]byte
	lines [3]varint.Reader
	left  int // bytes that contents may have
}

func newReading(r *varint.Reader) *reading {
	t := &reading{texts: r.Bytes(r.Count(r.Len())), left: Max}
	for i := range t.lines {
		t.lines[i] = varint.NewReader(r.Bytes(r.Count(r.Len())))
	}
	return t
}

// content returns the next content, of some lines, or false if the pack is malformed or contents are longer than Max.
func (t *reading) content(lines uint64) (content []byte, ok bool) {
	for ; lines > 0; lines-- {
		for i := range t.lines {
			if !t.next(i) {
				return nil, false
			}
			if len(content)+len(t.last[i])+len(" .\n") > t.left {
				return nil, false
			}
			content = append(append(content, t.last[i]...), ' ')
		}
		content = append(content, ".\n"...)
	}
	t.left -= len(content)
	return content, true
}

// next sets t.last[column] to the next string of a column. It returns false if the pack
// is malformed.
func (t *reading) next(column int) (ok bool) {
	n := t.lines[column].Uint()
	unknown, tooMany := n >= firstTerm+uint64(len(t.terms)), n == newTerm && len(t.terms) == maxTerms
	switch {
	case t.lines[column].Failed() || unknown || tooMany:
		return false
	case n >= firstTerm:
		t.last[column] = t.terms[n-firstTerm]
	case n == newTerm:
		if t.last[column], t.texts, ok = bytes.Cut(t.texts, []byte("\n")); !ok {
			return false
		}
		t.terms = append(t.terms, t.last[column])
	}
	return true
}
