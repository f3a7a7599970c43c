package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// word scans a prefixed name with a nonempty prefix, or a word.
func (l *lexer) word() (token, error) {
	first, _ := utf8.DecodeRuneInString(l.text[l.off:])
	if l.off >= l.noName && rdf.IsNameStart(first) {
		n := l.run(0, func(r rune) bool { return rdf.IsNameChar(r) || r == '.' })
		if l.at(n) == ':' && l.at(n-1) != '.' {
			return l.prefixedName(n)
		}
		l.noName = l.off + n
	}
	if l.off < l.words {
		return l.take(tokenWord, longestKeyword(l.text[l.off:l.words]), ""), nil
	}
	n := l.run(0, func(r rune) bool { return r < utf8.RuneSelf && isVarChar(r) })
	if n == 0 {
		return token{}, l.errorf(0, "%s is not allowed here", rdf.DescribeRune(first))
	}
	return l.take(tokenWord, l.keyword(n), ""), nil
}

// keyword returns the length of the first token in a word of n bytes. In a run of keywords
// and numbers, such as LIMIT5 or ORDERBY, that is the longest keyword, and l.words is set
// to the end of the run. Otherwise it is the whole word, which may be an error.
func (l *lexer) keyword(n int) int {
	run := l.text[l.off : l.off+n]
	for rest := run; rest != ""; {
		known := longestKeyword(rest)
		if known == 0 {
			return n
		}
		rest = rest[known:]
		_, number := rdf.ScanNumber(rest)
		rest = rest[number:]
	}
	l.words = l.off + n
	return longestKeyword(run)
}

// longestKeyword returns the length of the longest keyword or function name at the start
// of text, or 0.
func longestKeyword(text string) int {
	for n := min(len(text), longestWord); n > 0; n-- {
		if words[strings.ToUpper(text[:n])] {
			return n
		}
	}
	return 0
}

// run returns the end of the run of characters accepted by in that begins at offset n
// from off.
func (l *lexer) run(n int, in func(rune) bool) int {
	for l.off+n < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.text[l.off+n:])
		if !in(r) {
			break
		}
		n += size
	}
	return n
}

// prefixedName scans a prefixed name whose colon is at offset colon from off.
func (l *lexer) prefixedName(colon int) (token, error) {
	n, escaped, err := l.local(colon + 1)
	if err != nil {
		return token{}, err
	}
	local := l.text[l.off+colon+1 : l.off+n]
	if escaped {
		local = strings.ReplaceAll(local, `\`, "")
	}
	t := l.take(tokenName, n, local)
	t.prefix = t.text[:colon]
	return t, nil
}

// local returns the end of the PN_LOCAL that begins at offset n from off, which may be
// empty. escaped reports whether it contains a "\".
func (l *lexer) local(n int) (end int, escaped bool, err error) {
	end = n // without trailing dots
	first, _ := utf8.DecodeRuneInString(l.text[l.off+n:])
	if first == '.' || !isVarStart(first) && !strings.ContainsRune(`:%\`, first) {
		return n, false, nil
	}
	for {
		n = l.run(n, func(r rune) bool { return rdf.IsNameChar(r) || r == ':' })
		if l.at(n-1) != '.' {
			end = n
		}
		switch l.at(n) {
		case '.':
			n++
			continue
		case '%':
			if rdf.HexValue(l.at(n+1)) < 0 || rdf.HexValue(l.at(n+2)) < 0 {
				return 0, false, l.errorf(n, `two hexadecimal digits must follow "%%" in a name`)
			}
			n += 3
		case '\\':
			if c := l.at(n + 1); c == 0 || !isLocalEscape(c) {
				return 0, false, l.strayEscape(n)
			}
			n += 2
			escaped = true
		default:
			return end, escaped, nil
		}
		end = n
	}
}

// variable scans VAR1 or VAR2. A "?" alone is the operator of a path.
func (l *lexer) variable() (token, error) {
	first, _ := utf8.DecodeRuneInString(l.text[l.off+1:])
	if !isVarStart(first) || l.off+1 == len(l.text) {
		if l.at(0) == '?' {
			return l.take(tokenPunctuation, 1, ""), nil // of a path
		}
		return token{}, l.errorf(0, `the name of a variable must follow "$"`)
	}
	n := l.run(1, isVarChar)
	return l.take(tokenVar, n, l.text[l.off+1:l.off+n]), nil
}

// blank scans BLANK_NODE_LABEL.
func (l *lexer) blank() (token, error) {
	if l.at(1) != ':' {
		return token{}, l.errorf(0, `"_" begins a blank node such as _:a, and a colon must follow it`)
	}
	first, _ := utf8.DecodeRuneInString(l.text[l.off+2:])
	if !isVarStart(first) || l.off+2 == len(l.text) {
		return token{}, l.errorf(0, `a label must follow "_:"`)
	}
	n := l.run(2, func(r rune) bool { return rdf.IsNameChar(r) || r == '.' })
	label := strings.TrimRight(l.text[l.off+2:l.off+n], ".")
	return l.take(tokenBlank, 2+len(label), label), nil
}

// language scans a LANGTAG, or a LANG_DIR of SPARQL 1.2: a tag with a base direction.
func (l *lexer) language() (token, error) {
	n := l.run(1, func(r rune) bool { return r < utf8.RuneSelf && isLetter(byte(r)) })
	if n == 1 {
		return token{}, l.errorf(0, `a language such as en must follow "@"`)
	}
	subtag := func(r rune) bool { return r < utf8.RuneSelf && (isLetter(byte(r)) || isDigit(byte(r))) }
	for l.at(n) == '-' && l.at(n+1) != '-' {
		end := l.run(n+1, subtag)
		if end == n+1 {
			break
		}
		n = end
	}
	if l.at(n) == '-' && l.at(n+1) == '-' {
		end := l.run(n+2, subtag)
		if direction := l.text[l.off+n+2 : l.off+end]; direction != "ltr" && direction != "rtl" {
			return token{}, l.errorf(n+2, "the base direction of a text is ltr or rtl, not %q", shorten(direction))
		}
		n = end
	}
	return l.take(tokenLang, n, l.text[l.off+1:l.off+n]), nil
}
