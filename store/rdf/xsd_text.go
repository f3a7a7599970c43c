package rdf

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// isText reports whether the values of the datatype are its lexical forms.
func isText(datatype string) bool {
	switch datatype {
	case XSDString, RDFLangString, XSDAnyURI, XSDNormalizedString, XSDToken, XSDLanguage, XSDName, XSDNCName, XSDNMToken:
		return true
	}
	return false
}

// validText reports whether s is a lexical form of a datatype for which isText is true (XSD 1.1
// part 2, sections 3.3.1, 3.3.17 and 3.4.1 to 3.4.7).
func validText(s, datatype string) (valid bool) {
	if !validChars(s) {
		return false
	}
	switch datatype {
	case XSDNormalizedString:
		return !strings.ContainsAny(s, "\t\n\r")
	case XSDToken:
		return !strings.ContainsAny(s, "\t\n\r") && !strings.Contains(s, "  ") && s == strings.Trim(s, " ")
	case XSDLanguage:
		return validLanguageType(s)
	case XSDNMToken:
		return s != "" && strings.IndexFunc(s, func(r rune) bool { return !isNameChar(r) }) < 0
	case XSDName, XSDNCName:
		hasColon := strings.Contains(s, ":")
		if s == "" || hasColon && datatype == XSDNCName {
			return false
		}
		for i, r := range s {
			if !isNameStart(r) && (i == 0 || !isNameChar(r)) {
				return false
			}
		}
	}
	return true
}

// validChars reports whether s consists of XML 1.1 characters.
func validChars(s string) bool {
	for i, r := range s {
		switch r {
		case 0, 0xFFFE, 0xFFFF:
			return false
		case utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return false
			}
		}
	}
	return true
}

// validLanguageType reports whether s matches the pattern
// [a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})* of xsd:language.
func validLanguageType(s string) bool {
	for part := range strings.SplitSeq(s, "-") {
		if len(part) > 8 {
			return false
		}
	}
	return IsLanguageTag(s)
}

// isNameStart reports whether r is a NameStartChar of XML.
func isNameStart(r rune) bool { return IsNameStart(r) || r == '_' || r == ':' }

// isNameChar reports whether r is a NameChar of XML.
func isNameChar(r rune) bool { return IsNameChar(r) || r == '.' || r == ':' }

// canonicalHex returns the form with capital letters.
func canonicalHex(lexical string) (form string, ok bool) {
	if _, err := hex.DecodeString(lexical); err != nil {
		return "", false
	}
	return strings.ToUpper(lexical), true
}

// canonicalBase64 returns the form without spaces. Lexical forms may have single spaces
// between characters (XSD 1.1 part 2, section 3.3.16).
func canonicalBase64(lexical string) (form string, ok bool) {
	if strings.ContainsAny(lexical, "\r\n") || strings.Contains(lexical, "  ") || lexical != strings.Trim(lexical, " ") {
		return "", false
	}
	form = strings.ReplaceAll(lexical, " ", "")
	if _, err := base64.StdEncoding.Strict().DecodeString(form); err != nil {
		return "", false
	}
	return form, true
}
