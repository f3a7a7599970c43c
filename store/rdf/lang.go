package rdf

import "strings"

// IsLanguageTag reports whether s matches LANGTAG of Turtle and SPARQL, without "@":
// [a-zA-Z]+(-[a-zA-Z0-9]+)*. ValidLanguage accepts less.
func IsLanguageTag(s string) bool {
	part, digits := 0, false // the length of the part so far, and whether it may have digits
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '-' && part > 0:
			part, digits = 0, true
		case 'a' <= c|0x20 && c|0x20 <= 'z', digits && '0' <= c && c <= '9':
			part++
		default:
			return false
		}
	}
	return part > 0
}

// ValidLanguage reports whether tag is well-formed according to BCP 47 (RFC 5646, section
// 2.1), ignoring case. It does not check whether subtags are registered. Turtle's grammar
// allows more: a reader keeps a tag that is not well-formed, such as "abcdefghi".
func ValidLanguage(tag string) bool {
	if irregularLanguage(tag) {
		return true
	}
	p := subtags{rest: tag, more: tag != ""}
	if strings.EqualFold(p.peek(), "x") {
		return p.privateUse() && !p.more
	}
	language := p.take()
	switch {
	case !alphabetic(language) || len(language) < 2 || len(language) > 8:
		return false
	case len(language) <= 3:
		// up to three extended language subtags
		for n := 0; n < 3 && len(p.peek()) == 3 && alphabetic(p.peek()); n++ {
			p.take()
		}
	}
	if s := p.peek(); len(s) == 4 && alphabetic(s) { // script
		p.take()
	}
	if s := p.peek(); len(s) == 2 && alphabetic(s) || len(s) == 3 && digits(s) { // region
		p.take()
	}
	for isVariant(p.peek()) {
		p.take()
	}
	for s := p.peek(); len(s) == 1 && alphanumeric(s) && !strings.EqualFold(s, "x"); s = p.peek() {
		if !p.extension() {
			return false
		}
	}
	if strings.EqualFold(p.peek(), "x") && !p.privateUse() {
		return false
	}
	return !p.more
}

// irregularLanguage reports whether tag is a grandfathered tag that the grammar does not
// cover.
func irregularLanguage(tag string) bool {
	switch strings.ToLower(tag) {
	case "en-gb-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak", "i-klingon",
		"i-lux", "i-mingo", "i-navajo", "i-pwn", "i-tao", "i-tay", "i-tsu",
		"sgn-be-fr", "sgn-be-nl", "sgn-ch-de":
		return true
	}
	return false
}

// subtags iterates over the parts of a language tag between hyphens.
type subtags struct {
	rest string
	more bool // rest is still to be read: an empty last subtag counts
}

func (p *subtags) peek() string {
	s, _, _ := strings.Cut(p.rest, "-")
	return s
}

func (p *subtags) take() (s string) {
	s, p.rest, p.more = strings.Cut(p.rest, "-")
	return s
}

// extension reads a singleton and its subtags: at least one, of 2 to 8 characters.
func (p *subtags) extension() (ok bool) {
	p.take()
	n := 0
	for s := p.peek(); len(s) >= 2 && len(s) <= 8 && alphanumeric(s); s = p.peek() {
		p.take()
		n++
	}
	return n > 0
}

// privateUse reads "x" and its subtags: at least one, of 1 to 8 characters.
func (p *subtags) privateUse() (ok bool) {
	p.take()
	n := 0
	for s := p.peek(); s != "" && len(s) <= 8 && alphanumeric(s); s = p.peek() {
		p.take()
		n++
	}
	return n > 0
}

func isVariant(s string) bool {
	return alphanumeric(s) && (len(s) >= 5 && len(s) <= 8 || len(s) == 4 && digits(s[:1]))
}

func alphabetic(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func alphanumeric(s string) bool {
	return s != "" && strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// Clone returns t with its own copies of the strings.
func (t Term) Clone() Term {
	return Term{kind: t.kind, value: strings.Clone(t.value), tag: strings.Clone(t.tag)}
}

// WithLexical returns the literal t with another lexical form and the same datatype and
// language tag. A reader uses it to make literals without allocating.
func (t Term) WithLexical(lexical string) Term {
	t.value = lexical
	return t
}
