package syntax

// tokenKind is the kind of a token. Names in capitals are terminals of the grammar
// (SPARQL 1.1, section 19.8).
type tokenKind uint8

const (
	tokenEnd     tokenKind = iota // the end of the text
	tokenWord                     // a keyword, the name of a function, or another word
	tokenIRI                      // IRIREF
	tokenName                     // PNAME_NS or PNAME_LN
	tokenVar                      // VAR1 or VAR2
	tokenBlank                    // BLANK_NODE_LABEL
	tokenString                   // STRING_LITERAL1, 2, _LONG1 and _LONG2
	tokenLang                     // LANGTAG
	tokenInteger                  // INTEGER, INTEGER_POSITIVE or INTEGER_NEGATIVE
	tokenDecimal
	tokenDouble
	tokenPunctuation
)

// token is one token of the text.
type token struct {
	Pos
	kind tokenKind
	text string // as written
	// value is the content, with escapes decoded: the reference in an IRI's brackets, the
	// name of a variable, a label, the content of a string, a language tag without its
	// "@", or the part of a prefixed name after the first colon.
	value  string
	prefix string // of a prefixed name, without its colon
	long   bool   // of a string: in three quotes on each side
}

// maxFound is the largest number of characters that an error quotes.
const maxFound = 40

// describe describes the token for an error message.
func (t *token) describe() string {
	switch t.kind {
	case tokenEnd:
		return "the end of the query"
	case tokenString:
		return "the string " + shorten(t.text)
	case tokenIRI:
		return "the IRI " + shorten(t.text)
	case tokenVar:
		return "the variable " + shorten(t.text)
	case tokenInteger, tokenDecimal, tokenDouble:
		return "the number " + shorten(t.text)
	case tokenWord:
		return shorten(t.text)
	}
	return `"` + shorten(t.text) + `"`
}

// shorten cuts a long text, or one of several lines, for an error message.
func shorten(s string) string {
	n := 0
	for i, r := range s {
		if n++; n > maxFound || r < ' ' {
			return s[:i] + "..."
		}
	}
	return s
}
