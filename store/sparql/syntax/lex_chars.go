package syntax

import "strings"

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' && c < 0x80 }

// isNameStart reports whether r is in PN_CHARS_BASE (SPARQL 1.1, section 19.8).
func isNameStart(r rune) bool {
	if r < 0x80 {
		return isLetter(byte(r))
	}
	switch {
	case r < 0xC0, r == 0xD7, r == 0xF7, 0x300 <= r && r < 0x370, r == 0x37E:
		return false
	case r < 0x2000, r == 0x200C, r == 0x200D:
		return true
	case 0x2070 <= r && r < 0x2190, 0x2C00 <= r && r < 0x2FF0, 0x3001 <= r && r < 0xD800:
		return true
	}
	return 0xF900 <= r && r < 0xFDD0 || 0xFDF0 <= r && r < 0xFFFE || 0x10000 <= r && r < 0xF0000
}

// isVarChar reports whether r may continue a variable's name: PN_CHARS without "-".
func isVarChar(r rune) bool {
	return isNameStart(r) || '0' <= r && r <= '9' || r == '_' ||
		r == 0xB7 || 0x300 <= r && r < 0x370 || r == 0x203F || r == 0x2040
}

// isVarStart reports whether r may begin a variable's name, a label or a local name:
// PN_CHARS_U or a digit.
func isVarStart(r rune) bool {
	return isNameStart(r) || '0' <= r && r <= '9' || r == '_'
}

// isNameChar reports whether r is in PN_CHARS.
func isNameChar(r rune) bool { return isVarChar(r) || r == '-' }

// isIRIChar reports whether r may occur in IRIREF.
func isIRIChar(r rune) bool { return r > ' ' && !strings.ContainsRune("<>\"{}|^`\\", r) }

// isLocalEscape reports whether c may follow the "\" in PN_LOCAL_ESC.
func isLocalEscape(c byte) bool { return strings.IndexByte("_~.-!$&'()*+,;=/?#@%", c) >= 0 }

// hexValue returns the value of a hexadecimal digit, or -1 for another character.
func hexValue(c byte) rune {
	switch {
	case isDigit(c):
		return rune(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return -1
}
