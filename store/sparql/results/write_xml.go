package results

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// xmlEncoder writes the SPARQL 1.2 Query Results XML Format, one row per line. Without
// triple terms and base directions, that is also the format of SPARQL 1.1.
type xmlEncoder struct {
	names []string // by variable, the start tag of its binding
}

const xmlStart = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<sparql xmlns="` + sparqlNS + `">` + "\n"

func (e *xmlEncoder) head(b []byte, vars []string) ([]byte, error) {
	b = append(b, xmlStart+"<head>\n"...)
	for _, name := range vars {
		quoted, err := appendXML(nil, name)
		if err != nil {
			return b, fmt.Errorf("the name of the variable %q: %w", name, err)
		}
		b = append(append(append(b, `<variable name="`...), quoted...), "\"/>\n"...)
		e.names = append(e.names, `<binding name="`+string(quoted)+`">`)
	}
	return append(b, "</head>\n<results>\n"...), nil
}

// row appends a result with a binding for each bound variable.
func (e *xmlEncoder) row(b []byte, terms []rdf.Term) (_ []byte, column int, err error) {
	b = append(b, "<result>"...)
	for i, t := range terms {
		if t.IsZero() {
			continue
		}
		b = append(b, e.names[i]...)
		var err error
		if b, err = appendXMLTerm(b, t); err != nil {
			return b, i, err
		}
		b = append(b, "</binding>"...)
	}
	return append(b, "</result>\n"...), 0, nil
}

func (e *xmlEncoder) boolean(b []byte, value bool) ([]byte, error) {
	return fmt.Appendf(b, "%s<head></head>\n<boolean>%t</boolean>\n", xmlStart, value), nil
}

func (e *xmlEncoder) end(b []byte, isBoolean bool) []byte {
	if !isBoolean {
		b = append(b, "</results>\n"...)
	}
	return append(b, "</sparql>\n"...)
}

// errEdge reports white space at the ends of a label, which XML readers would drop.
var errEdge = errors.New("its label begins or ends with white space; request JSON")

// appendXMLTerm appends a term as the results format in XML has it.
func appendXMLTerm(b []byte, t rdf.Term) (_ []byte, err error) {
	switch t.Kind() {
	case rdf.KindIRI:
		b, err = appendXML(append(b, "<uri>"...), t.Value())
		return append(b, "</uri>"...), err
	case rdf.KindBlank:
		if strings.Trim(t.Value(), " \t\r\n") != t.Value() {
			return b, errEdge
		}
		b, err = appendXML(append(b, "<bnode>"...), t.Value())
		return append(b, "</bnode>"...), err
	case rdf.KindTriple:
		return appendXMLTriple(b, t.Triple())
	}
	b = append(b, "<literal"...)
	if t.Tag() != "" {
		if dir := t.Direction(); dir != "" {
			b = append(append(b, ` xmlns:its="`+itsNS+`" its:version="2.0" its:dir="`...), dir...)
			b = append(b, '"')
		}
		b, err = appendXML(append(b, ` xml:lang="`...), t.Language())
		b = append(b, '"')
	} else if datatype := t.Datatype(); datatype != rdf.XSDString {
		b, err = appendXML(append(b, ` datatype="`...), datatype)
		b = append(b, '"')
	}
	if err != nil {
		return b, err
	}
	b, err = appendXML(append(b, '>'), t.Value())
	return append(b, "</literal>"...), err
}

// appendXMLTriple appends the triple term of t (SPARQL 1.2 Query Results XML, section
// 2.3.1).
func appendXMLTriple(b []byte, t rdf.Triple) (_ []byte, err error) {
	b = append(b, "<triple>"...)
	for i, part := range [...]rdf.Term{t.S, t.P, t.O} {
		name := partNames[i]
		b = append(append(append(b, '<'), name...), '>')
		if b, err = appendXMLTerm(b, part); err != nil {
			return b, err
		}
		b = append(append(append(b, "</"...), name...), '>')
	}
	return append(b, "</triple>"...), nil
}

// xmlEscapes has the characters that need an escape in XML.
var xmlEscapes = [256]string{'<': "&lt;", '>': "&gt;", '&': "&amp;", '"': "&quot;", '\t': "&#x9;", '\n': "&#xA;", '\r': "&#xD;"}

// appendXML appends s as the text of an element or attribute. It escapes white space
// other than spaces, because XML readers would change it: all of it in attributes, and
// carriage returns everywhere.
func appendXML(b []byte, s string) ([]byte, error) {
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if ' ' <= c && c < utf8.RuneSelf && xmlEscapes[c] == "" {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			if r, size = utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && size == 1 {
				return b, errNotUTF8
			}
		}
		if forbiddenInXML(r) {
			return b, fmt.Errorf("it contains U+%04X, which XML can't represent; request JSON", r)
		}
		if escaped := xmlEscapes[c]; escaped != "" {
			b = append(append(b, s[from:i]...), escaped...)
			from = i + size
		}
		i += size
	}
	return append(b, s[from:]...), nil
}
