package rdf

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode/utf8"
)

// CheckIRI returns nil if s is an IRI with a scheme (RFC 3987, section 2.2), and
// otherwise an error with the reason. Turtle's grammar allows more: a reader keeps an IRI
// such as <http://a/100%> unchanged. CheckIRI checks neither the rules of a scheme nor
// whether names exist.
func CheckIRI(s string) error {
	n := schemeLength(s)
	if n == 0 {
		return errNoScheme
	}
	rest := s[n+1:]
	if strings.HasPrefix(rest, "//") {
		end := 2
		for end < len(rest) && rest[end] != '/' && rest[end] != '?' && rest[end] != '#' {
			end++
		}
		if err := checkAuthority(rest[2:end]); err != nil {
			return err
		}
		rest = rest[end:]
	}
	i := iriRun(rest, inPath)
	if i < len(rest) && rest[i] == '?' {
		i++
		i += iriRun(rest[i:], inQuery)
	}
	if i < len(rest) && rest[i] == '#' {
		i++
		i += iriRun(rest[i:], inFragment)
	}
	if i < len(rest) {
		return wrongInIRI(rest[i:])
	}
	return nil
}

// CheckReference returns nil if s is an IRI or a relative reference, and otherwise an
// error. Check the resolved IRI separately.
func CheckReference(s string) error {
	if schemeLength(s) > 0 {
		return CheckIRI(s)
	}
	first, _, _ := strings.Cut(s, "/")
	first = first[:strings.IndexAny(first+"?", "?#")] // without a query or fragment
	if strings.Contains(first, ":") {
		return errors.New(`the part before its ":" is not a scheme`)
	}
	return CheckIRI("x:" + s) // the rest is as after any scheme
}

var errNoScheme = errors.New("it does not begin with a scheme such as http")

// Parts of an IRI that an ASCII character may occur in, as bits of iriClass.
const (
	inName     = 1 << iota // a host name, except "%": unreserved and sub-delims (RFC 3986, section 2)
	inUser                 // before the "@" of a host
	inPath                 // ipchar and "/"
	inQuery                // ipchar, "/" and "?"
	inFragment             // the same
)

var iriClass = func() (t [256]uint8) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for characters, where := range map[string]uint8{
		letters + "0123456789-._~!$&'()*+,;=": inName | inUser | inPath | inQuery | inFragment,
		":":                                   inUser | inPath | inQuery | inFragment,
		"@/":                                  inPath | inQuery | inFragment,
		"?":                                   inQuery | inFragment,
	} {
		for _, c := range []byte(characters) {
			t[c] |= where
		}
	}
	return t
}()

// iriRun returns how many bytes at the start of s may occur in a part of an IRI.
func iriRun(s string, where uint8) int {
	for i := 0; ; {
		for i < len(s) && iriClass[s[i]]&where != 0 {
			i++
		}
		if i == len(s) {
			return i
		}
		switch c := s[i]; {
		case c == '%' && i+2 < len(s) && HexValue(s[i+1]) >= 0 && HexValue(s[i+2]) >= 0:
			i += 3
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			allowed := isUCSChar(r) || where == inQuery && isPrivate(r)
			if !allowed { // nor is U+FFFD, for invalid UTF-8
				return i
			}
			i += size
		default:
			return i
		}
	}
}

// isUCSChar reports whether r is a ucschar (RFC 3987, section 2.2). The last two
// characters of each plane are not, and the last planes have few.
func isUCSChar(r rune) bool {
	switch {
	case r < 0xFFF0:
		return 0xA0 <= r && r < 0xD800 || 0xF900 <= r && r < 0xFDD0 || 0xFDF0 <= r
	case r < 0x10000:
		return false
	case r < 0xE0000:
		return r&0xFFFF < 0xFFFE
	}
	return 0xE1000 <= r && r < 0xEFFFE
}

// isPrivate reports whether r is an iprivate, which may occur only in a query.
func isPrivate(r rune) bool {
	return 0xE000 <= r && r < 0xF900 || r >= 0xF0000 && r&0xFFFF < 0xFFFE
}

// checkAuthority checks the text between "//" and the path: a user, a host and a port.
func checkAuthority(s string) error {
	if user, host, ok := strings.Cut(s, "@"); ok {
		if i := iriRun(user, inUser); i < len(user) {
			return wrongInIRI(user[i:])
		}
		s = host
	}
	var end int
	if strings.HasPrefix(s, "[") {
		if end = strings.IndexByte(s, ']') + 1; end == 0 {
			return errors.New(`its host begins with "[" but has no "]"`)
		}
		if !isIPLiteral(s[1 : end-1]) {
			return fmt.Errorf("its host %s is not an IPv6 address", s[:end])
		}
	} else {
		end = iriRun(s, inName)
	}
	if end == len(s) {
		return nil
	}
	if s[end] != ':' {
		return wrongInIRI(s[end:])
	}
	if port := s[end+1:]; port != "" && !digits(port) {
		return fmt.Errorf("its port %q is not a number", port)
	}
	return nil
}

// isIPLiteral reports whether s, without its brackets, is an IPv6 address or an
// IPvFuture.
func isIPLiteral(s string) bool {
	if s == "" || s[0]|0x20 != 'v' {
		address, err := netip.ParseAddr(s)
		return err == nil && address.Is6() && address.Zone() == ""
	}
	version, address, ok := strings.Cut(s[1:], ".")
	return ok && version != "" && address != "" &&
		strings.Trim(version, "0123456789abcdefABCDEF") == "" &&
		strings.IndexFunc(address, func(r rune) bool { return r >= utf8.RuneSelf || iriClass[byte(r)]&inUser == 0 }) < 0
}

// wrongInIRI returns an error about the character at the start of s.
func wrongInIRI(s string) error {
	if s[0] == '%' {
		return errors.New(`two hexadecimal digits must follow "%"; write %25 for the character itself`)
	}
	r, _ := utf8.DecodeRuneInString(s)
	if r > ' ' && r < 0x7F {
		return fmt.Errorf(`the character %q is not allowed there; write %%%02X`, string(r), r)
	}
	return fmt.Errorf("the character U+%04X is not allowed there", r)
}
