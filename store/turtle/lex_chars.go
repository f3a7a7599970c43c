package turtle

// Classes of ASCII characters, as bits of charClass. Names in capitals are productions of
// the Turtle grammar (RDF 1.1 Turtle, section 6.5).
const (
	nameStart      = 1 << iota // PN_CHARS_BASE
	nameChar                   // PN_CHARS
	labelStart                 // PN_CHARS_U or a digit: the start of a blank node label
	localStart                 // the start of PN_LOCAL, except % and \
	localChar                  // PN_CHARS or ":"
	iriChar                    // IRIREF, except \
	plainInQuotes              // in "…" and '…' not an escape, an end or forbidden
	localEscapable             // PN_LOCAL_ESC, after \
)

// charClass holds the classes of every byte. Bytes from 0x80 are parts of characters.
// Names must decode these, while IRIs and strings allow all of them.
var charClass = func() (t [256]uint8) {
	for c := range t {
		b := byte(c)
		letter := 'a' <= b|0x20 && b|0x20 <= 'z' && b < 0x80
		digit := '0' <= b && b <= '9'
		set := func(class uint8, in bool) {
			if in {
				t[c] |= class
			}
		}
		set(nameStart, letter)
		set(nameChar, letter || digit || b == '_' || b == '-')
		set(labelStart, letter || digit || b == '_')
		set(localStart, letter || digit || b == '_' || b == ':')
		set(localChar, letter || digit || b == '_' || b == '-' || b == ':')
		set(iriChar, b > ' ')
		set(plainInQuotes, true)
	}
	for _, c := range []byte("<>\"{}|^`\\") {
		t[c] &^= iriChar
	}
	for _, c := range []byte("\"'\\\n\r") {
		t[c] &^= plainInQuotes
	}
	for _, c := range []byte("_~.-!$&'()*+,;=/?#@%") {
		t[c] |= localEscapable
	}
	return t
}()

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func startsNumber(c byte) bool { return isDigit(c) || c == '+' || c == '-' || c == '.' }

func isLetter(c byte) bool { return charClass[c]&nameStart != 0 }
