package rdf

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// IsAbsoluteIRI reports whether s begins with a scheme and ":" (RFC 3986, section 3.1),
// so that it means the same in every document. It does not check the rest: s may have a
// fragment, or characters that an IRI excludes.
func IsAbsoluteIRI(s string) bool { return schemeLength(s) > 0 }

// IsIRI reports whether s can be written as an absolute IRI in Turtle: it has a scheme,
// none of the characters that IRIREF excludes (RDF 1.1 Turtle, section 6.5), and is valid
// UTF-8.
func IsIRI(s string) bool {
	return IsAbsoluteIRI(s) && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || strings.ContainsRune("<>\"{}|^`\\", r)
	})
}

// HasScheme is like IsAbsoluteIRI for bytes.
func HasScheme(b []byte) bool { return schemeLength(b) > 0 }

// schemeLength returns the number of bytes before the ":" after the scheme of s, or 0 if
// it has none.
func schemeLength[T string | []byte](s T) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case c == ':':
			return i
		default:
			return 0
		}
	}
	return 0
}

// ResolveIRI resolves the reference ref against the base IRI base, by RFC 3986, section
// 5.2, in its strict form, for IRIs (RFC 3987, section 6.5). It returns an absolute ref
// unchanged, removes dot segments from a relative one, and encodes, decodes and normalises
// nothing else. It returns an error if base is not absolute, or if the path of the result
// would be parsed as a host name.
func ResolveIRI(base, ref string) (string, error) {
	b, err := ParseBaseIRI(base)
	if err != nil {
		return "", err
	}
	return b.Resolve(ref)
}

// BaseIRI is a base IRI, parsed once so that resolving against it is fast. The zero
// BaseIRI has no IRI and resolves only absolute references.
type BaseIRI struct {
	iri string
	// Offsets in iri of the ends of its parts: the scheme with ":", the authority with
	// "//", the path, and the query with "?". The rest is the fragment, which a base
	// ignores.
	scheme, authority, path, query int
}

// ParseBaseIRI parses an absolute IRI as a base.
func ParseBaseIRI(iri string) (BaseIRI, error) {
	n := schemeLength(iri)
	if n == 0 {
		return BaseIRI{}, fmt.Errorf("the base IRI <%s> is not absolute: it has no scheme such as http", iri)
	}
	b := BaseIRI{iri: iri, scheme: n + 1}
	rest := parseReference(iri[b.scheme:])
	b.authority = b.scheme + rest.authority
	b.path = b.scheme + rest.path
	b.query = b.scheme + rest.query
	return b, nil
}

// String returns the base IRI as given, or "" for the zero BaseIRI.
func (b *BaseIRI) String() string { return b.iri }

// Resolve resolves ref against the base, like ResolveIRI.
func (b *BaseIRI) Resolve(ref string) (string, error) {
	if IsAbsoluteIRI(ref) {
		return ref, nil
	}
	out, err := b.Append(nil, []byte(ref))
	return string(out), err
}

var (
	errNoBase = errors.New("a relative IRI without a base IRI to resolve it against")
	// RFC 3986 section 3.3: without an authority a path may not begin with "//".
	errEmptyAuthority = errors.New("a relative IRI whose path would be parsed as a host name when resolved")
)

// Append appends ref, resolved against the base, to dst. It does not allocate if dst has room. It returns an error if ref
// is relative and the base has no IRI, or if the path of the result would be parsed as a host name. dst may then end with
// a part of the result.
func (b *BaseIRI) Append(dst, ref []byte) ([]byte, error) {
	if HasScheme(ref) {
		return append(dst, ref...), nil
	}
	if b.iri == "" {
		return dst, errNoBase
	}
	r := parseReference(ref)
	if r.authority > 0 {
		dst = append(dst, b.iri[:b.scheme]...)
		dst = append(dst, ref[:r.authority]...)
		start := len(dst)
		dst = append(dst, ref[r.authority:r.path]...)
		dst = dst[:start+len(removeDotSegments(dst[start:]))]
		return append(dst, ref[r.path:]...), nil
	}
	switch path := ref[:r.path]; {
	case len(path) == 0 && r.query == 0:
		dst = append(dst, b.iri[:b.query]...)
	case len(path) == 0:
		dst = append(dst, b.iri[:b.path]...)
	default:
		dst = append(dst, b.iri[:b.authority]...)
		start := len(dst)
		if path[0] != '/' {
			dst = append(dst, b.directory()...)
		}
		dst = append(dst, path...)
		dst = dst[:start+len(removeDotSegments(dst[start:]))]
		if b.authority == b.scheme && bytes.HasPrefix(dst[start:], []byte("//")) {
			return dst, errEmptyAuthority
		}
	}
	return append(dst, ref[r.path:]...), nil
}

// directory returns the base's path up to and including its last "/", to which a relative
// path is appended (RFC 3986, section 5.2.3).
func (b *BaseIRI) directory() string {
	path := b.iri[b.authority:b.path]
	if path == "" && b.authority > b.scheme {
		return "/"
	}
	return path[:strings.LastIndexByte(path, '/')+1]
}

// reference holds the ends of the parts of a reference without a scheme: the authority
// with "//" (0 if absent), the path, and the query with "?".
type reference struct{ authority, path, query int }

// parseReference finds where the parts of a relative reference end (RFC 3986, section 4.2).
func parseReference[T string | []byte](s T) (r reference) {
	i := 0
	until := func(stop string) int {
		for i < len(s) && strings.IndexByte(stop, s[i]) < 0 {
			i++
		}
		return i
	}
	if len(s) >= 2 && s[0] == '/' && s[1] == '/' {
		i = 2
		r.authority = until("/?#")
	}
	r.path = until("?#")
	r.query = until("#")
	return r
}
