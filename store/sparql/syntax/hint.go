package syntax

import "strings"

// keywords are the words of the grammar that are not functions.
const keywords = `BASE PREFIX VERSION SELECT CONSTRUCT DESCRIBE ASK DISTINCT REDUCED FROM NAMED WHERE
GROUP BY HAVING ORDER ASC DESC LIMIT OFFSET VALUES UNDEF OPTIONAL UNION MINUS GRAPH SERVICE SILENT
FILTER BIND AS EXISTS NOT IN SEPARATOR TRUE FALSE BOUND COUNT SUM MIN MAX AVG SAMPLE GROUP_CONCAT`

// words holds the keywords, the words of updates and the names of functions. longestWord
// is the length of the longest one. Both are read-only.
var words, longestWord = allWords()

// allWords returns the words that a text may contain: keywords, also of updates, and functions.
// longest is the length of the longest one in bytes.
func allWords() (all map[string]bool, longest int) {
	all = map[string]bool{}
	list := append(strings.Fields(keywords+" DATA ALL DEFAULT SILENT INTO TO USING"), updateWords...)
	for name := range functions {
		list = append(list, string(name))
	}
	for _, word := range list {
		all[word] = true
		longest = max(longest, len(word))
	}
	return all, longest
}

// hint returns advice on an unexpected token for an error message, or "".
func (p *parser) hint() string {
	switch rest := p.lex.text[p.lex.off:]; {
	case p.atWord("UNION"):
		return " (it belongs between groups: { … } UNION { … })"
	case p.tok.kind == tokenWord:
		if word := nearest(p.tok.text); word != "" {
			return " (did you mean " + word + "?)"
		}
	case p.at("<<"):
		return " (a reified triple << … >> is allowed only in patterns; a triple term is <<( … )>>)"
	case p.at("<") && rest != "" && isIRIChar(rune(rest[0])):
		return ` (an IRI contains no space and ends with ">")`
	}
	return ""
}

// nearest returns the keyword or function that word probably misspells. At most two
// letters may be wrong, missing, extra or swapped, and only one in a word of fewer than
// five letters. It returns "" if there is none, or if word is correct.
func nearest(word string) string {
	word = strings.ToUpper(word)
	best, distance := "", 3 // distance is above what is allowed until there is a best
	if len(word) < 5 {
		distance = 2
	}
	try := func(known string) {
		if d := EditDistance(word, known); d < distance || d == distance && best != "" && known < best {
			best, distance = known, d
		}
	}
	if 2 < len(word) && len(word) < 20 {
		for known := range strings.FieldsSeq(keywords) {
			try(known)
		}
		for known := range functions {
			try(string(known))
		}
	}
	if distance == 0 {
		return ""
	}
	return best
}

// EditDistance returns the optimal string alignment distance of a and b: the number of
// bytes inserted, deleted or replaced, and of swaps of neighbours.
func EditDistance(a, b string) int {
	// Three rows of a table: the distances of the first i-1, i and i+1 bytes of a from
	// each prefix of b.
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
