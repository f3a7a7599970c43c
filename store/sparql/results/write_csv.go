package results

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// csvEncoder writes CSV (RFC 4180, and SPARQL 1.1 Query Results CSV and TSV Formats,
// section 3): only values, in lines that end with CRLF. An unbound variable is an empty
// cell, and the empty string is "", so that readers can tell them apart. A triple term is
// in N-Triples.
type csvEncoder struct{ guard bool }

// head appends the line of names.
func (e *csvEncoder) head(b []byte, vars []string) ([]byte, error) {
	for i, name := range vars {
		if i > 0 {
			b = append(b, ',')
		}
		// At the start of a file, U+FEFF would be a byte order mark.
		b = e.cell(b, "", name, strings.HasPrefix(name, "\uFEFF"))
	}
	return append(b, "\r\n"...), nil
}

// row appends a line of cells. An empty text is in quotes, an unbound cell is empty.
func (e *csvEncoder) row(b []byte, terms []rdf.Term) (_ []byte, column int, err error) {
	for i, t := range terms {
		if i > 0 {
			b = append(b, ',')
		}
		if t.IsZero() {
			continue
		}
		if !utf8.ValidString(t.Value()) {
			return b, i, errNotUTF8
		}
		before := ""
		if t.IsBlank() {
			before = "_:"
		}
		b = e.cell(b, before, t.Value(), before == "" && t.Value() == "")
	}
	return append(b, "\r\n"...), 0, nil
}

func (e *csvEncoder) boolean(b []byte, value bool) ([]byte, error) {
	return fmt.Appendf(b, "%t\r\n", value), nil
}

func (e *csvEncoder) end(b []byte, _ bool) []byte { return b }

// cell appends a cell that consists of before and value, in quotes if needed or if quote
// is set.
func (e *csvEncoder) cell(b []byte, before, value string, quote bool) []byte {
	if e.guard && before == "" && isFormula(value) {
		before = "'" // or a spreadsheet computes the cell
	}
	if !quote && !strings.ContainsAny(value, "\",\r\n") {
		return append(append(b, before...), value...)
	}
	b = append(append(b, '"'), before...)
	for {
		i := strings.IndexByte(value, '"')
		if i < 0 {
			return append(append(b, value...), '"')
		}
		b = append(append(b, value[:i+1]...), '"')
		value = value[i+1:]
	}
}

// Harmless returns cell, prefixed with ' if a spreadsheet might run it as a formula.
// See Writer.Guard.
func Harmless(cell string) string {
	if isFormula(cell) {
		return "'" + cell
	}
	return cell
}

// isFormula reports whether a spreadsheet might run a cell as a formula. A number is
// not a formula.
func isFormula(s string) bool {
	trimmed := strings.TrimLeftFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	})
	if trimmed == "" {
		return false
	}
	switch first, _ := utf8.DecodeRuneInString(trimmed); first {
	case '=', '+', '-', '@', '＝', '＋', '－', '＠':
		isNumber := len(trimmed) == len(s) && rdf.NumberDatatype(s) != ""
		return !isNumber
	}
	return false
}
