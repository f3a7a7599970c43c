package results_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/turtle"
)

// FuzzRead checks that, for any bytes, nothing panics, the position of an error is in the
// text, the result does not depend on how the text is split, and an answer that was read
// can be written and read again in every format that can represent it.
func FuzzRead(f *testing.F) {
	for _, a := range []answer{everything(), {isBool: true}, {vars: []string{"x"}}, {}, one(rdf.NewLang("a", "en--rtl")), one(nested)} {
		f.Add([]byte(mustWrite(f, a, results.JSON)))
	}
	for _, text := range []string{
		`{"results":{"bindings":[{"x":{"type":"literal","value":"\ud83d\ude00\u0000"}}]},"x":[1e5,-0.1,{}],"head":{"vars":["x"]}}`,
		`{"head":{},"boolean":true,"results":0}`, `{"\ud800":1}`,
		`{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"a","xml:lang":""}}]}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := read(bytes.NewReader(text), results.JSON)
		again, errAgain := read(iotest.OneByteReader(bytes.NewReader(text)), results.JSON)
		if !again.equal(a) || (err == nil) != (errAgain == nil) || err != nil && err.Error() != errAgain.Error() {
			t.Fatalf("at once %s and %v, byte by byte %s and %v", a, err, again, errAgain)
		}
		if err != nil {
			checkPlace(t, text, err)
			return
		}
		for _, f := range everyFormat {
			checkComesBack(t, a, f)
		}
	})
}

func checkPlace(t *testing.T, text []byte, err error) {
	t.Helper()
	var syntax *results.SyntaxError
	if !errors.As(err, &syntax) {
		t.Fatalf("%T: %v", err, err)
	}
	if syntax.Line == 0 {
		return
	}
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	lines := bytes.Split(text, []byte{'\n'})
	if syntax.Line > len(lines) {
		t.Fatalf("%v, but there are %d lines", err, len(lines))
	}
	if bytes := len(lines[syntax.Line-1]); syntax.Column < 1 || syntax.Column > bytes+1 {
		t.Fatalf("%v, but the line has %d bytes", err, bytes)
	}
	if len(err.Error()) > 1000 {
		t.Fatalf("the error has %d bytes", len(err.Error()))
	}
}

// checkComesBack writes an answer and reads it again. Terms that a format can't represent
// must be refused. Information that it loses by design is not compared.
func checkComesBack(t *testing.T, a answer, f results.Format) {
	t.Helper()
	text, err := write(a, f)
	var term *results.TermError
	switch {
	case errors.As(err, &term) && f != results.JSON:
		return
	case errors.Is(err, results.ErrNoBoolean) && f == results.Turtle && a.isBool:
		return
	case err != nil:
		t.Fatalf("writing %s: %v", f, err)
	case !utf8.ValidString(text):
		t.Fatalf("%s is not UTF-8: %q", f, text)
	case f == results.JSON && !json.Valid([]byte(text)):
		t.Fatalf("not JSON: %q", text)
	}
	got, err := read(strings.NewReader(text), f)
	if err != nil {
		t.Fatalf("%s does not come back: %v from %q", f, err, text)
	}
	switch f {
	case results.CSV:
		if len(a.vars) == 1 && len(a.rows) == 0 && got.isBool {
			return // a variable named true or false
		}
		a = valuesOnly(a)
	case results.TSV:
		a, got = labelsInOrder(a), labelsInOrder(got)
	case results.Turtle:
		if _, err := turtle.Parse([]byte(text), turtle.Turtle, turtle.Options{}); err != nil {
			t.Fatalf("not Turtle: %v in %q", err, text)
		}
		if len(got.rows) != len(a.rows) {
			t.Fatalf("%d rows as Turtle, want %d: %q", len(got.rows), len(a.rows), text)
		}
		return // the order of the variables is lost
	}
	if !got.equal(a) {
		t.Fatalf("%s comes back as %s, want %s, from %q", f, got, a, text)
	}
}

// valuesOnly returns the part of an answer that CSV keeps.
func valuesOnly(a answer) answer {
	out := answer{vars: a.vars, boolean: a.boolean, isBool: a.isBool}
	for _, row := range a.rows {
		var values []rdf.Term
		for _, t := range row {
			switch {
			case t.IsBlank():
				t = rdf.NewString("_:" + t.Value())
			case !t.IsZero():
				t = rdf.NewString(t.Value())
			}
			values = append(values, t)
		}
		out.rows = append(out.rows, values)
	}
	return out
}

// labelsInOrder relabels blank nodes in order of appearance.
func labelsInOrder(a answer) answer {
	out := answer{vars: a.vars, boolean: a.boolean, isBool: a.isBool}
	labels := map[string]string{}
	for _, row := range a.rows {
		var terms []rdf.Term
		for _, t := range row {
			if t.IsBlank() {
				if labels[t.Value()] == "" {
					labels[t.Value()] = "n" + strings.Repeat("'", len(labels))
				}
				t = rdf.NewBlank(labels[t.Value()])
			}
			terms = append(terms, t)
		}
		out.rows = append(out.rows, terms)
	}
	return out
}

// FuzzWrite checks that, for any text in any part of a term, every format either refuses
// it with a TermError or writes it so that it reads back, and that guarded CSV contains
// no formula.
func FuzzWrite(f *testing.F) {
	for _, s := range hostile[:len(hostile)-1] {
		f.Add(s, s, "en", uint8(0))
		f.Add("a", "http://example.org/"+s, s, uint8(1))
	}
	f.Add("\x00\ufffe\xff", "http://example.org/t", "en--ltr", uint8(2))
	f.Fuzz(func(t *testing.T, lexical, iri, tag string, which uint8) {
		typed := rdf.NewLiteral(lexical, iri)
		if iri == rdf.RDFLangString || iri == rdf.RDF+"dirLangString" || iri == "" || iri[0] == '@' {
			typed = rdf.NewLiteral(lexical, rdf.XSDInteger)
		}
		terms := []rdf.Term{rdf.NewString(lexical), typed, rdf.NewLang(lexical, tag), rdf.NewIRI(iri), rdf.NewBlank(lexical), {}}
		if language := strings.TrimSuffix(strings.TrimSuffix(tag, "--ltr"), "--rtl"); language == "" || strings.Contains(language, "--") {
			terms[2] = rdf.Term{} // no reader makes such a term
		}
		n := int(which) % len(terms)
		a := answer{vars: []string{"x", "y"}, rows: [][]rdf.Term{{terms[n], terms[(n+1)%len(terms)]}, {{}, terms[n]}}}
		for _, format := range everyFormat {
			text, err := write(a, format)
			var term *results.TermError
			if err != nil && !errors.As(err, &term) {
				t.Fatalf("%s: %v", format, err)
			}
			if !utf8.ValidString(text) {
				t.Fatalf("%s is not UTF-8: %q", format, text)
			}
			if err != nil {
				continue
			}
			got, err := read(strings.NewReader(text), format)
			if err != nil {
				var syntax *results.SyntaxError
				if !errors.As(err, &syntax) || !readersRefuse(terms) {
					t.Fatalf("%s does not come back: %v from %q", format, err, text)
				}
				continue
			}
			if (format == results.JSON || format == results.XML) && !got.equal(a) && !trimmed(terms) {
				t.Fatalf("%s comes back as %s, want %s", format, got, a)
			}
		}
		checkGuard(t, a)
	})
}

// readersRefuse reports whether terms are invalid: JSON and XML can represent them, and
// writers write them unchanged, but readers refuse them.
func readersRefuse(terms []rdf.Term) bool {
	bad := false
	for _, t := range terms {
		iri := t.Datatype()
		if t.IsIRI() {
			iri = t.Value()
		}
		bad = bad || (t.IsIRI() || t.IsLiteral()) && strings.ContainsFunc(iri, func(r rune) bool { return r <= ' ' || strings.ContainsRune("<>\"{}|^`\\", r) })
		bad = bad || (t.IsIRI() || t.IsLiteral()) && !rdf.IsAbsoluteIRI(iri) || t.IsBlank() && strings.Trim(t.Value(), " \t\r\n") == ""
		for _, part := range strings.Split(strings.TrimSuffix(strings.TrimSuffix(t.Tag(), "--ltr"), "--rtl"), "-") {
			bad = bad || t.Tag() != "" && (part == "" || strings.Trim(strings.ToLower(part), "abcdefghijklmnopqrstuvwxyz0123456789") != "")
			bad = bad || t.Tag() != "" && strings.ContainsAny(strings.SplitN(t.Tag(), "-", 2)[0], "0123456789")
		}
	}
	return bad
}

// trimmed reports whether terms include labels or invalid IRIs whose white space XML
// loses.
func trimmed(terms []rdf.Term) bool {
	for _, t := range terms {
		if !t.IsLiteral() && strings.Trim(t.Value(), " \t\r\n") != t.Value() {
			return true
		}
	}
	return false
}

func checkGuard(t *testing.T, a answer) {
	t.Helper()
	text, err := write(a, results.CSV, guarded)
	if err != nil {
		return
	}
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	for _, line := range lines {
		for _, cell := range line {
			if strings.HasPrefix(cell, "=") || strings.HasPrefix(cell, "@") {
				t.Fatalf("the cell %q begins a formula", cell)
			}
		}
	}
}
