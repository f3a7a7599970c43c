package results

import (
	"fmt"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// tsvEncoder writes TSV (SPARQL 1.1 Query Results CSV and TSV Formats, section 4). An
// unbound variable is an empty field.
type tsvEncoder struct{}

func (tsvEncoder) head(b []byte, vars []string) ([]byte, error) {
	for i, name := range vars {
		if i > 0 {
			b = append(b, '\t')
		}
		b = append(append(b, '?'), name...)
	}
	return append(b, '\n'), nil
}

func (tsvEncoder) row(b []byte, terms []rdf.Term) (_ []byte, column int, err error) {
	for i, t := range terms {
		if i > 0 {
			b = append(b, '\t')
		}
		if t.IsZero() {
			continue
		}
		if b, err = appendTerm(b, t); err != nil {
			return b, i, err
		}
	}
	return append(b, '\n'), 0, nil
}

func (tsvEncoder) boolean(b []byte, value bool) ([]byte, error) {
	return fmt.Appendf(b, "%t\n", value), nil
}

func (tsvEncoder) end(b []byte, _ bool) []byte { return b }

// turtleEncoder writes rows as Turtle.
type turtleEncoder struct {
	properties []string // by variable: its property, with the separator before it and a space after it
}

func (e *turtleEncoder) head(b []byte, vars []string) ([]byte, error) {
	for _, name := range vars {
		e.properties = append(e.properties, " ;\n    "+property(name)+" ")
	}
	return append(b, "@prefix ns: <"+ResultNamespace+"> .\n\n"...), nil
}

// row appends a blank node with a property for each bound variable.
func (e *turtleEncoder) row(b []byte, terms []rdf.Term) (_ []byte, column int, err error) {
	b = append(b, "[] a ns:Result"...)
	for i, t := range terms {
		if t.IsZero() {
			continue
		}
		b = append(b, e.properties[i]...)
		if b, err = appendTerm(b, t); err != nil {
			return b, i, err
		}
	}
	return append(b, " .\n"...), 0, nil
}

func (e *turtleEncoder) boolean(b []byte, _ bool) ([]byte, error) { return b, ErrNoBoolean }

func (e *turtleEncoder) end(b []byte, _ bool) []byte { return b }

// property returns the property of a variable, whose name is not empty. A name of ASCII
// letters, digits, "_" and "-" that does not begin with "-" is a local name of Turtle, and
// is written with the prefix. Any other name is written in an IRI, and each byte that an
// IRI excludes is escaped with %.
func property(name string) string {
	local, iri := name[0] != '-', []byte("<"+ResultNamespace)
	for i := range len(name) {
		c := name[i]
		local = local && (isDigit(c) || isLetter(c) || c == '_' || c == '-')
		if c <= ' ' || strings.IndexByte("<>\"{}|^`\\%", c) >= 0 {
			iri = fmt.Appendf(iri, "%%%02X", c)
		} else {
			iri = append(iri, c)
		}
	}
	if local {
		return "ns:" + name
	}
	return string(iri) + ">"
}
