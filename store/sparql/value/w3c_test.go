package value

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
)

// solutions reads SPARQL results in XML. A variable without a value is missing from
// its row.
func solutions(t *testing.T, path string) []map[string]Value {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Results []struct {
			Bindings []struct {
				Name    string  `xml:"name,attr"`
				IRI     *string `xml:"uri"`
				Blank   *string `xml:"bnode"`
				Literal *struct {
					Lexical  string `xml:",chardata"`
					Datatype string `xml:"datatype,attr"`
					Language string `xml:"lang,attr"`
				} `xml:"literal"`
			} `xml:"binding"`
		} `xml:"results>result"`
	}
	if err := xml.Unmarshal(text, &document); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var rows []map[string]Value
	for _, result := range document.Results {
		row := make(map[string]Value)
		for _, b := range result.Bindings {
			switch {
			case b.IRI != nil:
				row[b.Name] = FromTerm(rdf.NewIRI(*b.IRI))
			case b.Blank != nil:
				row[b.Name] = FromTerm(rdf.NewBlank(*b.Blank))
			case b.Literal.Language != "":
				row[b.Name] = FromTerm(rdf.NewLang(b.Literal.Lexical, b.Literal.Language))
			default:
				row[b.Name] = FromTerm(rdf.NewLiteral(b.Literal.Lexical, b.Literal.Datatype))
			}
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no results", path)
	}
	return rows
}

// same compares results as the suite does: terms must be identical, but numbers of
// the same datatype are compared by value.
func same(a, b Value) bool {
	if a.IsError() || b.IsError() {
		return a.IsError() && b.IsError()
	}
	return a.Term().EqualFold(b.Term()) || a.IsNumeric() && a.datatype() == b.datatype() && Equal(a, b) == True
}

// TestW3CResultsFollowFromTheirArguments uses results of W3C tests that contain a
// function's arguments beside its value. The function must return that value.
func TestW3CResultsFollowFromTheirArguments(t *testing.T) {
	keyword := func(name string, more ...string) func(row map[string]Value, arg string) Value {
		return func(row map[string]Value, arg string) Value {
			args := []Value{row[arg]}
			for _, s := range more {
				args = append(args, val(t, s))
			}
			v, err := callWith(t, &Context{}, name, args)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	operator := func(f func(a, b Value) Value) func(row map[string]Value, arg string) Value {
		return func(row map[string]Value, _ string) Value { return f(row["left"], row["right"]) }
	}
	folder, checked := suite.Shared(t, "w3c", "sparql"), 0
	for _, c := range []struct {
		file, argument, result string
		function               func(row map[string]Value, arg string) Value
	}{
		{"sparql11/cast/cast-bool.srx", "v", "boolean", keyword("xsd:boolean")},
		{"sparql11/cast/cast-decimal.srx", "v", "decimal", keyword("xsd:decimal")},
		{"sparql11/cast/cast-double.srx", "v", "double", keyword("xsd:double")},
		{"sparql11/cast/cast-float.srx", "v", "float", keyword("xsd:float")},
		{"sparql11/cast/cast-int.srx", "v", "integer", keyword("xsd:integer")},
		{"sparql11/cast/cast-string.srx", "v", "string", keyword("xsd:string")},
		{"sparql11/functions/ceil01.srx", "num", "ceil", keyword("CEIL")},
		{"sparql11/functions/floor01.srx", "num", "floor", keyword("FLOOR")},
		{"sparql11/functions/round01.srx", "num", "round", keyword("ROUND")},
		{"sparql11/functions/length01.srx", "str", "len", keyword("STRLEN")},
		{"sparql11/functions/length01-non-bmp.srx", "str", "len", keyword("STRLEN")},
		{"sparql11/functions/encode01.srx", "str", "encoded", keyword("ENCODE_FOR_URI")},
		{"sparql11/functions/encode01-non-bmp.srx", "str", "encoded", keyword("ENCODE_FOR_URI")},
		{"sparql11/functions/substring01.srx", "str", "substr", keyword("SUBSTR", "1", "1")},
		{"sparql11/functions/substring01-non-bmp.srx", "str", "substr", keyword("SUBSTR", "1", "1")},
		{"sparql11/functions/substring02.srx", "str", "substr", keyword("SUBSTR", "2")},
		{"sparql11/functions/substring02-non-bmp.srx", "str", "substr", keyword("SUBSTR", "2")},
		{"sparql11/functions/strbefore02.srx", "str", "bb", keyword("STRBEFORE", `"b"`)},
		{"sparql11/functions/strbefore02.srx", "str", "bbc", keyword("STRBEFORE", `"bc"`)},
		{"sparql11/functions/strbefore02.srx", "str", "bbcy", keyword("STRBEFORE", `"b"@cy`)},
		{"sparql11/functions/strbefore02.srx", "str", "b", keyword("STRBEFORE", `""`)},
		{"sparql11/functions/strbefore02.srx", "str", "ben", keyword("STRBEFORE", `""@en`)},
		{"sparql11/functions/strbefore02.srx", "str", "bxyzx", keyword("STRBEFORE", `"xyz"`)},
		{"sparql11/functions/strafter02.srx", "str", "ab", keyword("STRAFTER", `"b"`)},
		{"sparql11/functions/strafter02.srx", "str", "aab", keyword("STRAFTER", `"ab"`)},
		{"sparql11/functions/strafter02.srx", "str", "abcy", keyword("STRAFTER", `"b"@cy`)},
		{"sparql11/functions/strafter02.srx", "str", "a", keyword("STRAFTER", `""`)},
		{"sparql11/functions/strafter02.srx", "str", "aen", keyword("STRAFTER", `""@en`)},
		{"sparql11/functions/strafter02.srx", "str", "axyzx", keyword("STRAFTER", `"xyz"`)},
		{"sparql11/functions/plus-1.srx", "x", "sum", func(row map[string]Value, _ string) Value { return Add(row["x"], row["y"]) }},
		{"sparql10/expr-ops/result-add-numbers-cast.srx", "", "result", operator(Add)},
		{"sparql10/expr-ops/result-subtract-numbers-cast.srx", "", "result", operator(Subtract)},
		{"sparql10/expr-ops/result-multiply-numbers-cast.srx", "", "result", operator(Multiply)},
		{"sparql10/expr-ops/result-divide-numbers-cast.srx", "", "result", operator(Divide)},
		{"sparql10/expr-ops/result-unminus-2.srx", "v", "result", func(row map[string]Value, arg string) Value { return Negate(row[arg]) }},
		{"sparql10/expr-ops/result-unplus-2.srx", "v", "result", func(row map[string]Value, arg string) Value { return Plus(row[arg]) }},
	} {
		for _, row := range solutions(t, filepath.Join(folder, filepath.FromSlash(c.file))) {
			if got, want := c.function(row, c.argument), row[c.result]; !same(got, want) {
				t.Errorf("%s, %s: of %s, %s, %s: %s, want %s", c.file, c.result, show(row[c.argument]), show(row["left"]), show(row["right"]), show(got), show(want))
			}
			checked++
		}
	}
	t.Logf("%d results", checked)
}

// TestW3COpenWorld checks that exactly the pairs named by the tests open-eq-07 to 10
// are equal, or not equal, in their data.
func TestW3COpenWorld(t *testing.T) {
	folder := suite.Shared(t, "w3c", "sparql", "sparql10", "open-world")
	var p, q []Value
	for _, s := range []string{`"xyz"`, `"xyz"@en`, `"xyz"@EN`, `"xyz"`, `"xyz"^^xsd:integer`, `"xyz"^^x:unknown`, "_:xyz", "<http://example/xyz>"} {
		p = append(p, val(t, s))
		q = append(q, val(t, strings.ReplaceAll(s, "xyz", "abc")))
	}
	for _, c := range []struct {
		file, subject string
		right         []Value
		test          func(a, b Value) Truth
	}{
		{"open-eq-07-result.srx", "x", p, Equal},
		{"open-eq-08-result.srx", "x", p, func(a, b Value) Truth { return Not(Equal(a, b)) }},
		{"open-eq-10-result.srx", "y", q, func(a, b Value) Truth { return Not(Equal(a, b)) }},
		{"open-eq-11-result.srx", "y", q, func(a, b Value) Truth { return Or(Not(Equal(a, b)), Equal(a, b)) }},
	} {
		named := make(map[string]bool)
		for _, row := range solutions(t, filepath.Join(folder, c.file)) {
			subjects := ""
			for _, name := range []string{"x", "x1", "x2", "y"} {
				if v, ok := row[name]; ok {
					subjects += strings.TrimPrefix(v.text(), "http://example/")
				}
			}
			named[subjects] = true
		}
		for i, a := range p {
			for j, b := range c.right {
				pair := "x" + string(rune('1'+i)) + c.subject + string(rune('1'+j))
				if got := c.test(a, b) == True; got != named[pair] {
					t.Errorf("%s: %s, that is %s and %s: %v", c.file, pair, show(a), show(b), got)
				}
			}
		}
	}
}
