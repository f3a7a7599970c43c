package rdfxml

import "strings"

// isNameStart reports whether a name may begin with c (XML 1.0, section 2.3, without ":").
func isNameStart(c rune) bool {
	switch {
	case c < 0x80:
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
	case c < 0x300:
		return c >= 0xC0 && c != 0xD7 && c != 0xF7
	}
	return c >= 0x370 && c <= 0x1FFF && c != 0x37E || c == 0x200C || c == 0x200D || c >= 0x2070 && c <= 0x218F ||
		c >= 0x2C00 && c <= 0x2FEF || c >= 0x3001 && c <= 0xD7FF || c >= 0xF900 && c <= 0xFDCF ||
		c >= 0xFDF0 && c <= 0xFFFD || c >= 0x10000 && c <= 0xEFFFF
}

// isNameChar reports whether a name may contain c.
func isNameChar(c rune) bool {
	return isNameStart(c) || c >= '0' && c <= '9' || c == '-' || c == '.' || c == 0xB7 || c >= 0x300 && c <= 0x36F || c == 0x203F || c == 0x2040
}

// isNCName reports whether s is a name without a colon (Namespaces in XML, section 3).
func isNCName(s string) bool {
	for i, c := range s {
		if i == 0 && !isNameStart(c) || !isNameChar(c) {
			return false
		}
	}
	return s != ""
}

// binding is a prefix and its namespace.
type binding struct {
	prefix, namespace string
	hidden            int // the position of the declaration that this one hides, from 1, or 0
}

// bindings are the declarations in scope, the innermost last.
type bindings struct {
	all   []binding
	place map[string]int // by prefix, the position of its innermost declaration, from 1
}

func (b *bindings) add(prefix, namespace string) {
	if b.place == nil {
		b.place = make(map[string]int)
	}
	b.all = append(b.all, binding{prefix, namespace, b.place[prefix]})
	b.place[prefix] = len(b.all)
}

// cut removes all declarations but the outermost n.
func (b *bindings) cut(n int) {
	for i := len(b.all) - 1; i >= n; i-- {
		b.place[b.all[i].prefix] = b.all[i].hidden
	}
	b.all = b.all[:n]
}

// namespace returns the namespace of a prefix. The empty prefix always has one, which may
// be "".
func (b *bindings) namespace(prefix string) (namespace string, ok bool) {
	if prefix == "xml" {
		return xmlNS, true
	}
	if i := b.place[prefix]; i > 0 {
		return b.all[i-1].namespace, true
	}
	return "", prefix == ""
}

// splitName splits a qualified name. ok is false if it is not one.
func splitName(name string) (prefix, local string, ok bool) {
	prefix, local, colon := strings.Cut(name, ":")
	if !colon {
		return "", name, isNCName(name)
	}
	return prefix, local, isNCName(prefix) && isNCName(local)
}
