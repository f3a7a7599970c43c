package rdf

import "strings"

// NewTripleTerm returns the triple term that states t (RDF 1.2 Concepts, section 3.1). The
// subject of t must be an IRI or a blank node, its predicate an IRI, and its object any
// term. RDF allows a triple term only as the object of a triple.
func NewTripleTerm(t Triple) Term {
	return Term{kind: KindTriple, value: string(t.appendTerm(nil))}
}

// MaxTripleDepth limits the nesting of triple terms in documents and stores. The text
// of a triple term contains the texts of all terms nested in it, so deep nesting
// would take much memory.
const MaxTripleDepth = 50

// TripleDepth returns how deep triple terms are nested in t: 1 for a triple term with no
// other in it, and 0 for other terms.
func (t Term) TripleDepth() int {
	if t.kind != KindTriple {
		return 0
	}
	_, deepest := scanTriple(t.value)
	return deepest
}

// IsTriple reports whether t is a triple term.
func (t Term) IsTriple() bool { return t.kind == KindTriple }

// Triple returns the triple that a triple term states, and the zero Triple for other
// terms. Each call parses the text that Value returns, so keep the result if speed
// matters.
func (t Term) Triple() Triple {
	if t.kind != KindTriple {
		return Triple{}
	}
	rest := strings.TrimPrefix(t.value, tripleOpen)
	var parts [3]Term
	for i := range parts {
		parts[i], rest = cutTerm(rest)
	}
	return Triple{parts[0], parts[1], parts[2]}
}

// IsReadable reports whether Triple returns the triple that NewTripleTerm was given, at
// every level of nesting. Triple does not if an IRI, a label or a tag contains a character that
// ends it in N-Triples, such as a space. It is true for terms that are not triple terms.
func (t Term) IsReadable() bool {
	for ; t.kind == KindTriple; t = t.Triple().O {
		if NewTripleTerm(t.Triple()) != t {
			return false
		}
	}
	return true
}

const tripleOpen, tripleClose = "<<( ", ")>>"

// appendTerm appends the triple term that states t in canonical N-Triples.
func (t Triple) appendTerm(b []byte) []byte {
	b = append(b, tripleOpen...)
	for _, term := range [...]Term{t.S, t.P, t.O} {
		b = append(term.AppendNTriples(b), ' ')
	}
	return append(b, tripleClose...)
}

// cutTerm reads the term at the start of s, which AppendNTriples wrote, and the space
// after it. It returns the rest of s.
func cutTerm(s string) (t Term, rest string) {
	switch {
	case strings.HasPrefix(s, tripleOpen):
		end := tripleEnd(s)
		return Term{kind: KindTriple, value: s[:end]}, strings.TrimPrefix(s[end:], " ")
	case s != "" && s[0] == '"':
		return cutLiteral(s)
	}
	s, rest, _ = strings.Cut(s, " ")
	if label, blank := strings.CutPrefix(s, "_:"); blank {
		return NewBlank(label), rest
	}
	return NewIRI(strings.Trim(s, "<>")), rest
}

// cutLiteral cuts a literal from the beginning of s, and returns the rest behind a space.
func cutLiteral(s string) (t Term, rest string) {
	end := quotedEnd(s)
	lexical := s[1 : end-1]
	if strings.IndexByte(lexical, '\\') >= 0 {
		lexical = unquote.Replace(lexical)
	}
	tag, rest, _ := strings.Cut(s[end:], " ")
	if datatype, ok := strings.CutPrefix(tag, "^^<"); ok {
		tag = strings.TrimSuffix(datatype, ">")
	}
	return Term{kind: KindLiteral, value: lexical, tag: tag}, rest
}

// unquote undoes the escapes of appendQuoted.
var unquote = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n", `\r`, "\r")

// quotedEnd returns the length of the quoted string at the start of s.
func quotedEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// tripleEnd returns the length of the triple term at the start of s.
func tripleEnd(s string) int {
	end, _ := scanTriple(s)
	return end
}

// scanTriple returns the length of the triple term at the start of s, and how deep triple
// terms are nested in it.
func scanTriple(s string) (end, deepest int) {
	depth := 0
	for i := 0; i < len(s); {
		switch {
		case s[i] == '"':
			i += quotedEnd(s[i:])
		case strings.HasPrefix(s[i:], tripleOpen):
			depth++
			deepest = max(deepest, depth)
			i += len(tripleOpen)
		case strings.HasPrefix(s[i:], tripleClose):
			i += len(tripleClose)
			if depth--; depth == 0 {
				return i, deepest
			}
		default:
			i++
		}
	}
	return len(s), deepest
}
