package results_test

import (
	"bytes"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/internal/suite/answers"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/turtle"
)

// suiteFiles returns the want files of the W3C's SPARQL suites with an extension.
func suiteFiles(t *testing.T, extension string, want int) (paths []string) {
	t.Helper()
	root := suite.Shared(t, "w3c", "sparql")
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == extension {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) < want {
		t.Errorf("%d files %s, want %d", len(paths), extension, want)
	}
	return paths
}

// Every result of the suites can be read, and written and read again in every lossless
// format. Some of them have triple terms.
func TestW3CResultsRoundTrip(t *testing.T) {
	for _, tt := range []struct {
		format      results.Format
		extension   string
		files       int
		tripleTerms int
	}{
		{results.JSON, ".srj", 53, 18},
		{results.XML, ".srx", 449, 2},
		{results.TSV, ".tsv", 3, 0},
		{results.CSV, ".csv", 3, 0},
	} {
		t.Run(tt.format.String(), func(t *testing.T) {
			tripleTerms := 0
			for _, path := range suiteFiles(t, tt.extension, tt.files) {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				a, err := read(bytes.NewReader(text), tt.format)
				if slices.ContainsFunc(a.rows, func(row []rdf.Term) bool { return slices.ContainsFunc(row, rdf.Term.IsTriple) }) {
					tripleTerms++
				}
				if err != nil {
					t.Errorf("%s: %v", path, err)
					continue
				}
				comesBack(t, path, a)
			}
			if tripleTerms != tt.tripleTerms {
				t.Errorf("%d files with triple terms, want %d", tripleTerms, tt.tripleTerms)
			}
		})
	}
}

func comesBack(t *testing.T, path string, a answer) {
	t.Helper()
	for _, f := range []results.Format{results.JSON, results.XML, results.TSV} {
		text := mustWrite(t, a, f)
		if again, err := read(strings.NewReader(text), f); err != nil || !again.equal(a) {
			t.Errorf("%s: as %s it comes back as\n%s\n%v\nwant\n%s", path, f, again, err, a)
		}
	}
}

// The SPARQL 1.0 result sets that are graphs. (Ten more, in the folder sort, are in
// RDF/XML.)
func TestW3CResultSetsInTurtle(t *testing.T) {
	read, ordered := 0, 0
	for _, path := range suiteFiles(t, ".ttl", 554) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("ResultSet")) || strings.Contains(path, "manifest") {
			continue
		}
		quads, err := turtle.Parse(text, turtle.Turtle, turtle.Options{Base: "file://" + (&url.URL{Path: path}).EscapedPath()})
		if err != nil {
			t.Fatal(err)
		}
		var triples []rdf.Triple
		solutions, values := 0, 0
		for _, q := range quads {
			triples = append(triples, q.Triple())
			switch q.P.Value()[strings.LastIndexByte(q.P.Value(), '#')+1:] {
			case "solution":
				solutions++
			case "value":
				values++
			case "index":
				ordered++
			}
		}
		got, err := answers.FromGraph(triples)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		a := answerOf(got)
		bound := 0
		for _, row := range a.rows {
			for _, term := range row {
				if !term.IsZero() {
					bound++
				}
			}
		}
		if len(a.rows) != solutions || bound != values {
			t.Errorf("%s: %d rows with %d values, want %d with %d", path, len(a.rows), bound, solutions, values)
		}
		comesBack(t, path, a)
		read++
	}
	if read < 119 || ordered < 20 {
		t.Errorf("%d result sets, %d rows with an index", read, ordered)
	}
}

// The tests of CSV and TSV: writing their data, sorted like their queries, yields their
// files.
func TestW3CCSVAndTSVToTheByte(t *testing.T) {
	ex := func(s string) rdf.Term { return rdf.NewIRI("http://example.org/" + s) }
	typed := func(lexical, name string) rdf.Term { return rdf.NewLiteral(lexical, rdf.XSD+name) }
	spo := func(label string) answer {
		return answer{vars: []string{"s", "p", "o"}, rows: [][]rdf.Term{
			{ex("s1"), ex("p1"), ex("s2")},
			{ex("s2"), ex("p2"), rdf.NewString("foo")},
			{ex("s3"), ex("p3"), rdf.NewString("bar")},
			{ex("s4"), ex("p4"), typed("4", "integer")},
			{ex("s5"), ex("p5"), typed("5.5", "decimal")},
			{ex("s6"), ex("p6"), rdf.NewBlank(label)},
		}}
	}
	optional := func(label string) answer {
		a := spo(label)
		a.vars = append(a.vars, "p2", "o2")
		for i := range a.rows {
			a.rows[i] = append(a.rows[i], rdf.Term{}, rdf.Term{})
		}
		a.rows[0][3], a.rows[0][4] = ex("p2"), rdf.NewString("foo")
		return a
	}
	types := func(double string) answer {
		return answer{vars: []string{"s", "p", "o"}, rows: [][]rdf.Term{
			{ex("s1"), ex("p1"), rdf.NewString("1")},
			{ex("s2"), ex("p2"), typed("2.2", "decimal")},
			{ex("s3"), ex("p3"), typed("-3", "negativeInteger")},
			{ex("s4"), ex("p4"), rdf.NewString("4,4")},
			{ex("s5"), ex("p5"), rdf.NewLiteral("5,5", "http://example.org/myCustomDatatype")},
			{ex("s6"), ex("p6"), typed(double, "double")},
			{ex("s7"), ex("p7"), typed("a7", "hexBinary")},
		}}
	}
	for _, tt := range []struct {
		file   string
		format results.Format
		answer answer
	}{
		{"csvtsv01.csv", results.CSV, spo("a")},
		{"csvtsv01.tsv", results.TSV, spo("b0")},
		{"csvtsv02.csv", results.CSV, optional("a")},
		{"csvtsv02.tsv", results.TSV, optional("b0")},
		{"csvtsv03.csv", results.CSV, types("1.0E6")},
		// The file has 1.0e6 for 1.0E6 in the data: the same number, but another literal.
		{"csvtsv03.tsv", results.TSV, types("1.0e6")},
	} {
		t.Run(tt.file, func(t *testing.T) {
			want, err := os.ReadFile(suite.Shared(t, "w3c", "sparql", "sparql11", "csv-tsv-res", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			got := mustWrite(t, tt.answer, tt.format)
			if tt.format == results.CSV {
				// RFC 4180 and section 3 of the standard require CRLF at line ends, but
				// the files have LF.
				if strings.Count(got, "\n") != strings.Count(got, "\r\n") {
					t.Error("a line that does not end in CRLF")
				}
				got = strings.ReplaceAll(got, "\r\n", "\n")
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
