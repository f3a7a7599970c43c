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
	best, distance := "", 3
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

// EditDistance returns how many edits turn a into b. An edit replaces, inserts or
// deletes a byte, or swaps two neighbours.
func EditDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
