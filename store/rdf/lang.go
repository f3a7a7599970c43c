package rdf

import "strings"

// ValidLanguage reports whether tag is well-formed by BCP 47 (RFC 5646, section 2.1),
// without regard to case. It does not ask whether its subtags are registered. Turtle's
// grammar takes more than this: a reader keeps a tag such as "abcdefghi" that is not
// well-formed.
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

// irregularLanguage tells the grandfathered tags that the grammar does not give otherwise.
func irregularLanguage(tag string) bool {
	switch strings.ToLower(tag) {
	case "en-gb-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak", "i-klingon",
		"i-lux", "i-mingo", "i-navajo", "i-pwn", "i-tao", "i-tay", "i-tsu",
		"sgn-be-fr", "sgn-be-nl", "sgn-ch-de":
		return true
	}
	return false
}

// subtags walks over the parts of a language tag between its hyphens.
type subtags struct {
	rest string
	more bool // whether rest is still to come: an empty last subtag is one too
}

func (p *subtags) peek() string {
	s, _, _ := strings.Cut(p.rest, "-")
	return s
}

func (p *subtags) take() (s string) {
	s, p.rest, p.more = strings.Cut(p.rest, "-")
	return s
}

// extension takes a singleton and its subtags: at least one, of 2 to 8 characters.
func (p *subtags) extension() bool {
	p.take()
	n := 0
	for s := p.peek(); len(s) >= 2 && len(s) <= 8 && alphanumeric(s); s = p.peek() {
		p.take()
		n++
	}
	return n > 0
}

// privateUse takes "x" and what follows: at least one subtag, of 1 to 8 characters.
func (p *subtags) privateUse() bool {
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

// Clone returns t with texts of its own.
func (t Term) Clone() Term {
	return Term{kind: t.kind, value: strings.Clone(t.value), tag: strings.Clone(t.tag)}
}

// WithLexical returns the literal t with another lexical form and the same datatype and
// language tag. A reader makes one literal for each datatype and tag and the others from
// it, which costs no allocation.
func (t Term) WithLexical(lexical string) Term {
	t.value = lexical
	return t
}
