package rdfxml

import (
	"regexp"
	"strings"
)

var (
	internalSubset = regexp.MustCompile(`(?s)^DOCTYPE\s(?:[^\["']|"[^"]*"|'[^']*')*(?:\[(.*)\]\s*)?$`)
	declaration    = regexp.MustCompile(`(?s)^\s*(?:<\?.*?\?>|<!(\w+)((?:[^"'<>]|"[^"]*"|'[^']*')*)>|$)`)
	entity         = regexp.MustCompile(`(?s)^\s+([^\s%"']+)\s+(?:"([^"]*)"|'([^']*)'|(SYSTEM|PUBLIC)\s.*)\s*$`)
	parameter      = regexp.MustCompile(`^\s*(?:<!ENTITY\s+)?%`)
	reference      = regexp.MustCompile(`&[^;]*;`)
)

// documentType reads a document type declaration. It keeps the declared entities and skips
// everything else. It loads nothing.
func (s *scanner) documentType(text string) error {
	if len(text) > maxTag {
		return s.errorf("the DOCTYPE is longer than %d bytes", maxTag)
	}
	found := internalSubset.FindStringSubmatch(text)
	if found == nil {
		return s.errorf("expected a comment, CDATA or DOCTYPE")
	}
	for rest := found[1]; rest != ""; {
		d := declaration.FindStringSubmatch(rest)
		switch {
		case parameter.MatchString(rest):
			return s.errorf("parameter entities are not supported")
		case d == nil:
			return s.errorf("expected a declaration, found %.40q", rest)
		case d[1] == "ATTLIST" && strings.ContainsAny(d[2], `"'`):
			return s.errorf("default values of attributes (<!ATTLIST) are not supported")
		case d[1] == "ENTITY":
			if err := s.entity(d[2]); err != nil {
				return err
			}
		}
		rest = rest[len(d[0]):]
	}
	return nil
}

// entity reads an entity declaration (XML 1.0, section 4.2). It does not record an external
// entity: a reference to it is an error, unless the document also declares an internal one of
// that name. The value may contain character references, but neither markup nor other entities.
func (s *scanner) entity(text string) (err error) {
	found := entity.FindStringSubmatch(text)
	if found == nil {
		return s.errorf("expected an entity with its value, found %.40q", text)
	}
	if found[4] != "" {
		return nil
	}
	name, value := found[1], found[2]+found[3]
	_, declared := s.entities[name] // then this value is not used, as for lt
	switch {
	case len(value) > maxExpansion:
		return s.errorf("the entity %s is longer than %d bytes", name, maxExpansion)
	case strings.ContainsAny(reference.ReplaceAllString(value, ""), "<%&"):
		return s.errorf("the entity %s contains markup, which is not supported", name)
	case !declared && len(s.entities) >= 5+maxEntities: // 5 are XML's own
		return s.errorf("the document declares more than %d entities", maxEntities)
	}
	value = reference.ReplaceAllStringFunc(value, func(r string) string {
		c, ok := character(strings.Trim(r, "&;"))
		switch {
		case !strings.HasPrefix(r, "&#"):
			err = s.errorf("the entity %s refers to another entity, which is not supported", name)
		case !ok:
			err = s.errorf("&#… is not a reference to a character that XML allows")
		case (c == "&" || c == "<") && !declared:
			err = s.errorf("the entity %s contains markup, which is not supported", name)
		}
		return c
	})
	if !declared {
		s.entities[name] = value
	}
	return err
}
