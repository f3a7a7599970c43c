package logs

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes a text safe for a log line. It cuts it to MaxText, replaces tokens, and
// escapes unprintable characters, so that neither a line break nor a bidirectional
// control character can forge a line.
func clean(s string) string {
	if len(s) > MaxText {
		end := MaxText
		for end > 0 && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end] + "…"
	}
	s = redact(s)
	if printable(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			b.WriteString(`\x` + hex(s[i]))
		case printableRune(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

// printable reports whether a line of the log shows all of s. ASCII is tested first, because most
// texts are that.
func printable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !printableRune(r) }) < 0
		}
	}
	return true
}

func printableRune(r rune) bool { return unicode.IsPrint(r) }

func hex(c byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[c>>4], digits[c&15]})
}

// field quotes a text that would not be a single word in a line. It escapes the separator
// of a line's fields, so that a line can be split without a parser.
func field(s string) string {
	if s == "" || strings.ContainsAny(s, " |=\"") {
		return strings.ReplaceAll(strconv.Quote(s), "|", `\x7c`)
	}
	return s
}
