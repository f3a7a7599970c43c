package logs

import "strings"

// HoldsToken reports whether a text contains what looks like a JWT or the start of one.
// Such a text must not be stored. HoldsToken is slightly less strict than the log, so
// that a robot may be called KeyJackson: a match that begins inside a word counts only if
// it has several parts.
func HoldsToken(s string) bool {
	for from := 0; ; {
		start, end := findToken(s, from)
		if start < 0 {
			return false
		}
		begins := start == 0 || s[start-1] == '.' || !tokenByte(s[start-1])
		if begins || strings.Contains(strings.Trim(s[start:end], "."), ".") {
			return true
		}
		from = end
	}
}

// redact replaces everything that looks like a JWT or the start of one.
func redact(s string) string {
	const instead = "[token]"
	for from := 0; ; {
		start, end := findToken(s, from)
		if start < 0 {
			return s
		}
		s = s[:start] + instead + s[end:]
		from = start + len(instead)
	}
}

// findToken finds the next JWT at or after from: "eyJ", the base64url form of the initial
// `{"`, and at least five more characters of a token. start is -1 if there is none.
func findToken(s string, from int) (start, end int) {
	const mark, least = "eyJ", 8
	for {
		i := strings.Index(s[from:], mark)
		if i < 0 {
			return -1, -1
		}
		start = from + i
		end = start
		for end < len(s) && tokenByte(s[end]) {
			end++
		}
		if end-start >= least {
			return start, end
		}
		from = end
	}
}

func tokenByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.'
}
