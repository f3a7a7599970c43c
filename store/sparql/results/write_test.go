package results_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/turtle"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

// everything returns an answer with a term of every kind, and text that every format must
// escape.
func everything() answer {
	return answer{vars: []string{"x", "größe", "_1"}, rows: [][]rdf.Term{
		{rdf.NewIRI("http://example.org/a?b=1&c='2'"), rdf.NewBlank("b0"), rdf.NewString("plain")},
		{rdf.NewLang("color", "en-US"), rdf.NewLiteral("-5", rdf.XSDInteger), rdf.NewLiteral("2.50", rdf.XSDDecimal)},
		{rdf.NewLiteral("true", rdf.XSDBoolean), rdf.NewLiteral("1e9", rdf.XSDDouble), rdf.NewLiteral("2025-03-04", rdf.XSDDate)},
		{{}, rdf.NewString(""), {}},
		{{}, {}, {}},
		{rdf.NewString("a \"quote\", a comma,\ta tab\r\nand a \\ line"), rdf.NewString("<b>&amp;</b>]]>"), rdf.NewString("é 日本 😀 \u2028\u2029")},
		{rdf.NewLiteral("+5", rdf.XSDInteger), rdf.NewLiteral(".5", rdf.XSDDecimal), rdf.NewLiteral("five", rdf.XSDInteger)},
		{rdf.NewBlank("nodeID://b1 é"), rdf.NewBlank("x--1"), rdf.NewBlank("a.")},
	}}
}

func TestWriteGolden(t *testing.T) {
	for _, tt := range []struct {
		name    string
		format  results.Format
		answer  answer
		options []func(*results.Writer)
	}{
		{"everything.srj", results.JSON, everything(), nil},
		{"everything.srx", results.XML, everything(), nil},
		{"everything.csv", results.CSV, everything(), nil},
		{"everything.tsv", results.TSV, everything(), nil},
		{"everything.ttl", results.Turtle, everything(), nil},
		{"guarded.csv", results.CSV, formulas(), []func(*results.Writer){guarded}},
		{"unguarded.csv", results.CSV, formulas(), nil},
		{"direction.srj", results.JSON, one(rdf.NewLang("שלום", "he--rtl")), nil},
		{"direction.srx", results.XML, one(rdf.NewLang("שלום", "he--rtl")), nil},
		{"direction.tsv", results.TSV, one(rdf.NewLang("שלום", "he--rtl")), nil},
		{"direction.ttl", results.Turtle, one(rdf.NewLang("שלום", "he--rtl")), nil},
		{"true.srj", results.JSON, answer{isBool: true, boolean: true}, nil},
		{"false.srx", results.XML, answer{isBool: true}, nil},
		{"true.csv", results.CSV, answer{isBool: true, boolean: true}, nil},
		{"false.tsv", results.TSV, answer{isBool: true}, nil},
		{"none.srj", results.JSON, answer{vars: []string{"x"}}, nil},
		{"none.srx", results.XML, answer{vars: []string{"x"}}, nil},
		{"none.ttl", results.Turtle, answer{vars: []string{"x"}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := write(tt.answer, tt.format, tt.options...)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", tt.name)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Cells that a spreadsheet may take for formulas, and cells that it does not take for
// formulas.
var (
	dangerous = []string{
		"=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "=HYPERLINK(\"http://e/\",\"x\")", " =1+1", "\t=1+1", "\r\n=1",
		"\u200b=1", "＝1", "－1", "-INF", "--1", "+49 170 1", "-", " -3", "-3 ", "+1e", "-1,5",
	}
	harmless = []string{"-3", "+3.5", "-1e-5", "-.5", "+5.e1", "a=b", "'=1", "1+1", "", " ", "http://example.org/=1"}
)

func formulas() answer {
	a := answer{vars: []string{"cell"}}
	for _, s := range slices.Concat(dangerous, harmless) {
		a.rows = append(a.rows, []rdf.Term{rdf.NewString(s)})
	}
	return a
}

// With Guard, a cell that may be a formula is prefixed with '. Other cells, and all cells
// without Guard, are unchanged.
func TestGuardedCellsAreHarmless(t *testing.T) {
	for _, guard := range []bool{false, true} {
		for _, s := range slices.Concat(dangerous, harmless) {
			want := s
			if guard && slices.Contains(dangerous, s) {
				want = "'" + s
			}
			for _, term := range []rdf.Term{rdf.NewString(s), rdf.NewLang(s, "en"), rdf.NewLiteral(s, rdf.XSDInteger), rdf.NewIRI(s)} {
				text, err := write(one(term), results.CSV, func(w *results.Writer) { w.Guard = guard })
				if err != nil {
					t.Fatal(err)
				}
				got, err := read(strings.NewReader(text), results.CSV)
				if err != nil || len(got.rows) != 1 || got.rows[0][0].Value() != want {
					t.Errorf("guard %v: %q is written as %q", guard, s, text)
				}
				// encoding/csv reads CRLF in quotes as LF, and skips empty lines.
				lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
				if err != nil || len(lines) != 2 || lines[1][0] != strings.ReplaceAll(want, "\r\n", "\n") {
					t.Errorf("guard %v: %q is read as %q, %v", guard, s, lines, err)
				}
			}
		}
	}
	blank, err := write(answer{vars: []string{"=x"}, rows: [][]rdf.Term{{rdf.NewBlank("=1")}}}, results.CSV, guarded)
	if want := "'=x\r\n_:=1\r\n"; blank != want || err != nil {
		t.Errorf("a head and a blank node: %q, %v; want %q", blank, err, want)
	}
}

// hostile lists text that breaks careless output.
var hostile = []string{
	"</script><script>alert(1)</script>", "<![CDATA[", "]]>", "<!--", "&lt;", "&#0;", "<?xml?>", "\"}]}}", "\\\"", "\\", "\\u0000", "\\n", "'", "''", "\"\"", "\"", ",", ";", "\t", "\n", "\r", "\r\n", " ", "  x  ",
	"\u2028", "\u2029", "\u202Eevil", "\u0085", "\u00A0", "\uFEFF", "\uFFFD", "\x7f", "\u0080", "𝒳😀", "é", "e\u0301", "%s%n", "${x}", "{{x}}", "true", "1", "1.", ".5", "1e5", "+1", "-0", "01", "NaN", "_:b", "<x:y>", "@en", "^^", "?x", "a.b.", "\U0010FFFD",
	strings.Repeat("long ", 50_000),
}

// notXML lists text that XML 1.0 can't represent.
var notXML = []string{"\x00", "a\x01b", "\x08", "\x0b", "\x0c", "\x1b[31m", "\x1f", "\uFFFE", "\uFFFF"}

// Hostile text in any part of a term reads back unchanged, with this package's readers
// and those of the standard library.
func TestWriteHostileText(t *testing.T) {
	a := answer{vars: []string{"string", "lang", "typed", "blank", "iri"}}
	for _, s := range slices.Concat(hostile, notXML) {
		a.rows = append(a.rows, []rdf.Term{rdf.NewString(s), rdf.NewLang(s, "en-x-a"), rdf.NewLiteral(s, "http://example.org/t"), rdf.NewBlank("b"), rdf.NewIRI("http://example.org/i")})
	}
	for _, f := range []results.Format{results.JSON, results.TSV} {
		text := mustWrite(t, a, f)
		if !utf8.ValidString(text) {
			t.Errorf("%s is not UTF-8", f)
		}
		if got, err := read(strings.NewReader(text), f); err != nil || !got.equal(a) {
			t.Errorf("%s comes back as %.2000s, %v", f, got, err)
		}
	}
	if !json.Valid([]byte(mustWrite(t, a, results.JSON))) {
		t.Error("the JSON is not valid")
	}
	if _, err := turtle.Parse([]byte(mustWrite(t, a, results.Turtle)), turtle.Turtle, turtle.Options{}); err != nil {
		t.Error(err)
	}
	if got, err := read(strings.NewReader(mustWrite(t, a, results.Turtle)), results.Turtle); err != nil || !got.equal(a) {
		t.Errorf("Turtle comes back as %.2000s, %v", got, err)
	}
	got, err := read(strings.NewReader(mustWrite(t, a, results.CSV)), results.CSV)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range got.rows {
		if row[0] != a.rows[i][0] || row[1].Value() != a.rows[i][1].Value() || row[3] != rdf.NewString("_:b") || row[4] != rdf.NewString("http://example.org/i") {
			t.Errorf("CSV comes back as %v, want the values of %v", row, a.rows[i])
		}
	}
	a.rows = a.rows[:len(hostile)]
	text := mustWrite(t, a, results.XML)
	if got, err := read(strings.NewReader(text), results.XML); err != nil || !got.equal(a) {
		t.Errorf("XML comes back as %.2000s, %v", got, err)
	}
	for dec := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// A term that a format can't represent is an error with the term and the reason, before
// any part of its row.
func TestWriteRefusesWhatAFormatCannotCarry(t *testing.T) {
	broken := "caf\xe9"
	tests := []struct {
		format results.Format
		term   rdf.Term
		want   string
	}{
		{results.XML, rdf.NewIRI("http://example.org/\x01"), "it contains U+0001, which XML can't represent; request JSON"},
		{results.XML, rdf.NewBlank("\x02"), "it contains U+0002"},
		{results.XML, rdf.NewBlank(" "), "its label begins or ends with white space; request JSON"},
		{results.XML, rdf.NewBlank("a\r"), "its label begins or ends with white space"},
		{results.XML, rdf.NewLang("x", "e\x03"), "it contains U+0003"},
		{results.XML, rdf.NewLiteral("x", "http://example.org/\x04"), "it contains U+0004"},
		{results.TSV, rdf.NewIRI("http://example.org/a b"), "which is not allowed in an IRI"},
		{results.TSV, rdf.NewIRI("http://example.org/<"), "which is not allowed in an IRI"},
		{results.TSV, rdf.NewIRI("relative"), "is not absolute"},
		{results.TSV, rdf.NewIRI("http://example.org/" + broken), "not UTF-8"},
		{results.TSV, rdf.NewLiteral("x", "bad datatype:"), "not allowed in an IRI"},
		{results.TSV, rdf.NewLang("x", "en us"), "is not a language tag"},
		{results.TSV, rdf.NewLang("x", "en\t"), "is not a language tag"},
		{results.Turtle, rdf.NewIRI("http://example.org/\n"), "not allowed in an IRI"},
		{results.Turtle, rdf.NewLang("x", "-"), "is not a language tag"},
		{results.JSON, rdf.NewBlank(broken), "not UTF-8"},
		{results.JSON, rdf.NewLang("x", broken), "not UTF-8"},
		{results.JSON, rdf.NewLiteral("x", broken), "not UTF-8"},
		{results.CSV, rdf.NewIRI(broken), "not UTF-8"},
	}
	for _, f := range everyFormat {
		tests = append(tests, struct {
			format results.Format
			term   rdf.Term
			want   string
		}{f, rdf.NewString(broken), "not UTF-8"})
	}
	for _, s := range notXML {
		tests = append(tests, struct {
			format results.Format
			term   rdf.Term
			want   string
		}{results.XML, rdf.NewString(s), "which XML can't represent; request JSON"})
	}
	for _, tt := range tests {
		var out bytes.Buffer
		w := results.NewWriter(&out, tt.format)
		good := []rdf.Term{rdf.NewString("good"), {}}
		if err := errors.Join(w.Head([]string{"a", "b"}), w.Row(good)); err != nil {
			t.Fatal(err)
		}
		err := w.Row([]rdf.Term{rdf.NewString("bad"), tt.term})
		var term *results.TermError
		if !errors.As(err, &term) || term.Format != tt.format || term.Variable != "b" || term.Term != tt.term || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s of %v: %v; want %q of ?b", tt.format, tt.term, err, tt.want)
		}
		// The error is permanent, and no ending follows that would make the answer look
		// complete.
		if again := errors.Join(w.Row(good), w.Flush(), w.Close()); again == nil || !strings.Contains(again.Error(), tt.want) {
			t.Errorf("%s of %v: after the error %v", tt.format, tt.term, again)
		}
		if strings.Contains(out.String(), "bad") {
			t.Errorf("%s of %v: half a row went out: %q", tt.format, tt.term, out.String())
		}
	}
}

func TestWriteRefusesBadHeads(t *testing.T) {
	for _, f := range everyFormat {
		for _, vars := range [][]string{{""}, {"a", "a"}, {"a b"}, {"a\tb"}, {"a\n"}, {"\xff"}, {"a\x00"}, {"\x7f"}, {"\uFFFE"}} {
			if text, err := write(answer{vars: vars}, f); err == nil || text != "" {
				t.Errorf("%s: %q: %q, %v", f, vars, text, err)
			}
		}
	}
}

// Names outside SPARQL's VARNAME, which other services use, read back too.
func TestWriteNamesOfVariables(t *testing.T) {
	a := answer{vars: []string{"x", "X", "1", "_", "größe", "名前", "callret-0", "-a", "a,b", "a\"b", "a<&>'b", "a%b", "a.b", "a/b#c?d", "=x", "\uFEFFx", "true"}}
	row := make([]rdf.Term, len(a.vars))
	for i := range row {
		row[i] = rdf.NewString(a.vars[i])
	}
	a.rows = [][]rdf.Term{row}
	for _, f := range everyFormat {
		text := mustWrite(t, a, f)
		if got, err := read(strings.NewReader(text), f); err != nil || !got.equal(a) {
			t.Errorf("%s: %s comes back as %s, %v", f, text, got, err)
		}
	}
}

func TestWriteOutOfTurn(t *testing.T) {
	head := func(w *results.Writer) error { return w.Head([]string{"x"}) }
	row := func(w *results.Writer) error { return w.Row([]rdf.Term{{}}) }
	wide := func(w *results.Writer) error { return w.Row([]rdf.Term{{}, {}}) }
	boolean := func(w *results.Writer) error { return w.Boolean(true) }
	end := func(w *results.Writer) error { return w.Close() }
	for _, f := range everyFormat {
		for name, calls := range map[string][]func(*results.Writer) error{
			"row first":        {row},
			"two heads":        {head, head},
			"a boolean too":    {head, boolean},
			"a head too":       {boolean, head},
			"two booleans":     {boolean, boolean},
			"row of a boolean": {boolean, row},
			"nothing":          {end},
			"too many terms":   {head, wide},
			"row after Close":  {head, end, row},
		} {
			w := results.NewWriter(io.Discard, f)
			var err error
			for i, call := range calls {
				if err = call(w); err != nil && i < len(calls)-1 && f != results.Turtle {
					t.Errorf("%s, %s: call %d: %v", f, name, i, err)
				}
			}
			if err == nil {
				t.Errorf("%s: %s is taken", f, name)
			}
		}
		w := results.NewWriter(io.Discard, f)
		if err := errors.Join(head(w), row(w), end(w), end(w)); err != nil {
			t.Errorf("%s: a second Close: %v", f, err)
		}
	}
	if _, err := write(answer{isBool: true}, results.Turtle); !errors.Is(err, results.ErrNoBoolean) {
		t.Errorf("ASK as Turtle: %v", err)
	}
	if _, err := write(one(rdf.Term{}), 99); err == nil || !strings.Contains(err.Error(), "there is no format 99") {
		t.Errorf("a format that there is not: %v", err)
	}
}

// failing accepts some bytes and then fails.
type failing struct{ left int }

var errDisk = errors.New("disk full")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

func TestWriteGivesTheErrorOfTheWriter(t *testing.T) {
	a := log(5000)
	for _, f := range everyFormat {
		w := results.NewWriter(&failing{left: 100_000}, f)
		err := w.Head(a.vars)
		for i := 0; err == nil && i < len(a.rows); i++ {
			err = w.Row(a.rows[i])
		}
		if !errors.Is(err, errDisk) || !errors.Is(w.Close(), errDisk) {
			t.Errorf("%s: %v, then %v", f, err, w.Close())
		}
	}
}

func TestWriteStreams(t *testing.T) {
	for _, f := range everyFormat {
		var out bytes.Buffer
		w := results.NewWriter(&out, f)
		row := []rdf.Term{rdf.NewString(strings.Repeat("x", 1000))}
		if err := errors.Join(w.Head([]string{"x"}), w.Row(row)); err != nil {
			t.Fatal(err)
		}
		if out.Len() > 0 {
			t.Errorf("%s: %d bytes go out for one row", f, out.Len())
		}
		if err := w.Flush(); err != nil || out.Len() < 1000 {
			t.Errorf("%s: Flush: %d bytes, %v", f, out.Len(), err)
		}
		for range 100 {
			if err := w.Row(row); err != nil {
				t.Fatal(err)
			}
		}
		if out.Len() < 50_000 {
			t.Errorf("%s: only %d bytes went out of 100 rows", f, out.Len())
		}
	}
}

func TestWriteAllocatesNothingForARow(t *testing.T) {
	a := log(100)
	for _, f := range everyFormat {
		w := results.NewWriter(io.Discard, f)
		if err := w.Head(a.vars); err != nil {
			t.Fatal(err)
		}
		i := 0
		if n := testing.AllocsPerRun(5000, func() { _ = w.Row(a.rows[i%100]); i++ }); n > 0 {
			t.Errorf("%s: %v allocations a row", f, n)
		}
	}
}
