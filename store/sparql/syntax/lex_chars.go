package syntax

import (
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' && c < 0x80 }

// isVarChar reports whether r may continue a variable's name: PN_CHARS without "-".
func isVarChar(r rune) bool {
	return r != '-' && rdf.IsNameChar(r)
}

// isVarStart reports whether r may begin a variable's name, a label or a local name:
// PN_CHARS_U or a digit.
func isVarStart(r rune) bool {
	return rdf.IsNameStart(r) || '0' <= r && r <= '9' || r == '_'
}

// isIRIChar reports whether r may occur in IRIREF.
func isIRIChar(r rune) bool { return r > ' ' && !strings.ContainsRune("<>\"{}|^`\\", r) }

// isLocalEscape reports whether c may follow the "\" in PN_LOCAL_ESC.
func isLocalEscape(c byte) bool { return strings.IndexByte("_~.-!$&'()*+,;=/?#@%", c) >= 0 }
