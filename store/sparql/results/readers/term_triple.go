package readers

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results/internal/scan"
)

var tripleOpen, tripleClose = []byte("<<("), []byte(")>>")

// triple parses all of b as a triple term. depth is its nesting in others.
func (p *termParser) triple(b []byte, depth int) (t rdf.Term, at int, err error) {
	if depth == scan.MaxDepth {
		return rdf.Term{}, 0, fmt.Errorf("nested deeper than %d levels", scan.MaxDepth)
	}
	var parts [3]rdf.Term
	n := len(tripleOpen)
	for i := range parts {
		n += spaces(b[n:])
		part := b[n : n+termLength(b[n:])]
		switch {
		case len(part) == 0:
			return rdf.Term{}, n, fmt.Errorf("a triple term without its %s", scan.Parts[i])
		case bytes.HasPrefix(part, tripleOpen):
			parts[i], at, err = p.triple(part, depth+1)
		default:
			parts[i], at, err = p.parse(part)
		}
		if err != nil {
			return rdf.Term{}, n + at, err
		}
		n += len(part)
	}
	if n += spaces(b[n:]); !bytes.HasPrefix(b[n:], tripleClose) {
		return rdf.Term{}, n, errors.New(`a triple term without its ")>>"`)
	}
	if n += len(tripleClose); n < len(b) {
		return rdf.Term{}, n, errAfterTerm
	}
	t, err = scan.NewTriple(parts)
	return t, 0, err
}

func spaces(b []byte) int { return len(b) - len(bytes.TrimLeft(b, " ")) }

// termLength returns the length of the term at the start of b, which is part of a triple
// term. It does not check the term.
func termLength(b []byte) int {
	switch {
	case bytes.HasPrefix(b, tripleClose) || len(b) == 0:
		return 0
	case bytes.HasPrefix(b, tripleOpen):
		return tripleLength(b)
	case b[0] == '<':
		return through(b, '>')
	case b[0] == '"' || b[0] == '\'':
		n := stringLength(b)
		if bytes.HasPrefix(b[n:], []byte("^^<")) {
			return n + through(b[n:], '>')
		}
		return n + wordLength(b[n:])
	}
	return wordLength(b)
}

// tripleLength is termLength for a triple term.
func tripleLength(b []byte) int {
	depth := 0
	for n := 0; n < len(b); {
		switch {
		case bytes.HasPrefix(b[n:], tripleOpen):
			depth++
			n += len(tripleOpen)
		case bytes.HasPrefix(b[n:], tripleClose):
			n += len(tripleClose)
			if depth--; depth == 0 {
				return n
			}
		case b[n] == ' ' || b[n] == ')':
			n++
		default:
			n += max(1, termLength(b[n:]))
		}
	}
	return len(b)
}

// through returns the length of b up to and including c, or of all of it.
func through(b []byte, c byte) int {
	if i := bytes.IndexByte(b, c); i >= 0 {
		return i + 1
	}
	return len(b)
}

// stringLength returns the length of the quoted string at the start of b.
func stringLength(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case b[0]:
			return i + 1
		}
	}
	return len(b)
}

// wordLength returns the length of what precedes white space or a bracket.
func wordLength(b []byte) int {
	if i := bytes.IndexAny(b, " )"); i >= 0 {
		return i
	}
	return len(b)
}
