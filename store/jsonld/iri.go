package jsonld

import (
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

func isIRI(s string) bool { return rdf.IsAbsoluteIRI(s) }

// wellFormed reports whether s is an IRI that RDF allows. The standard drops one with "#" in its fragment, which RFC 3987
// does not allow. With Options.Strict, nothing is dropped, and such an IRI is allowed as in the other formats, so that what
// they brought into a store can be read back.
func wellFormed(s string, strict bool) bool {
	return turtle.CheckIRI(s) == nil && (strict || strings.Count(s, "#") < 2)
}

func isBlank(s string) bool { return strings.HasPrefix(s, "_:") }

// reading is how a string may be read, if it is not an IRI with a scheme.
type reading uint8

const (
	asVocab    reading = 1 << iota // a term, or relative to @vocab
	asDocument                     // relative to the base IRI
)

// iri expands a string to an IRI, a blank node or a keyword (JSON-LD 1.1 API, section
// 5.2). ok is false if the result is null.
func (e *expander) iri(c *context, value string, as reading) (iri string, ok bool) {
	iri, _ = e.expandIRI(c, value, as, nil) // only a definition could fail
	return iri, iri != "" || value == ""    // without a base, "" stays a relative IRI
}

// expandIRI returns the IRI, blank node or keyword that value stands for, or "" for null. as says how to read a value
// without a scheme. If d is not nil, expandIRI first defines the terms of d that value uses, and returns their errors.
func (e *expander) expandIRI(c *context, value string, as reading, d *definitions) (string, error) {
	if isKeyword(value) {
		return value, nil
	}
	if likeKeyword(value) { // reserved for later keywords: null
		return "", nil
	}
	if e.tooLong() { // Read returns an error
		return "", nil
	}
	define := func(name string) error {
		if d == nil || !d.local.has(name) {
			return nil
		}
		return d.create(name)
	}
	if err := define(value); err != nil {
		return "", err
	}
	if t := c.term(value); t != nil && (as&asVocab != 0 || isKeyword(t.iri)) {
		if more := excess(len(t.iri)); more > 0 && t.iri != e.long {
			e.excess, e.long = e.excess+more, t.iri
		}
		return t.iri, nil
	}
	if len(value) > 1 {
		if colon := strings.Index(value[1:], ":") + 1; colon > 0 {
			prefix, suffix := value[:colon], value[colon+1:]
			if prefix == "_" || strings.HasPrefix(suffix, "//") {
				return value, nil
			}
			if err := define(prefix); err != nil {
				return "", err
			}
			if t := c.term(prefix); t != nil && t.iri != "" && t.prefix {
				return e.joined(t.iri, suffix), nil
			}
			if isIRI(value) {
				return value, nil
			}
		}
	}
	if as&asVocab != 0 && c.vocab.set {
		return e.joined(c.vocab.value, value), nil
	}
	if as&asDocument != 0 && c.base != "" {
		e.excess += excess(len(c.base)) // the result may be shorter, but all of it is read
		if iri, err := rdf.ResolveIRI(c.base, value); err == nil {
			return iri, nil
		}
	}
	return value, nil // still relative: definitions refuse it, and the emitter drops it
}

// joined returns namespace + name, and accounts for the length that a namespace of the
// context adds. It returns "" if the terms are too long already: then Read returns an error.
func (e *expander) joined(namespace, name string) string {
	if e.excess += excess(len(namespace)); e.tooLong() {
		return ""
	}
	return namespace + name
}

// excess returns by how much the n bytes that a context adds to a term exceed freePart.
func excess(n int) int64 { return int64(max(0, n-freePart)) }

// tooLong reports whether the context makes the terms of the document too long.
func (e *expander) tooLong() bool { return e.excess > maxExcess+excessPerByte*e.length }

// hides reports whether the context defines a term as null.
func (c *context) hides(name string) bool {
	t := c.term(name)
	return t != nil && t.iri == ""
}

// value expands v, a scalar, of a property (section 5.3.2).
func (e *expander) value(active *context, property string, v any) any {
	t := active.term(property)
	s, isString := v.(string)
	named := t != nil && (t.typ == "@id" || t.typ == "@vocab")
	if named && isString {
		as := asDocument
		if t.typ == "@vocab" {
			as |= asVocab
		}
		iri, _ := e.iri(active, s, as)
		return objectOf("@id", iri)
	}
	out := objectOf("@value", v)
	switch {
	case t != nil && t.typ != "" && t.typ != "@id" && t.typ != "@vocab" && t.typ != "@none":
		e.excess += excess(len(t.typ))
		out.set("@type", t.typ)
	case isString:
		language, direction := active.language, active.direction
		if t != nil && t.language.set {
			language = t.language.value
		}
		if t != nil && t.direction.set {
			direction = t.direction.value
		}
		if language != "" {
			e.excess += excess(len(language))
			out.set("@language", language)
		}
		if direction != "" {
			out.set("@direction", direction)
		}
	}
	return out
}
