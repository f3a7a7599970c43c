package syntax_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
)

func TestBenchmarkQueriesParse(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(suite.Shared(t, "bench", "queries"), "*.rq"))
	if err != nil || len(files) != 34 {
		t.Fatalf("%d queries, %v; want 34", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parseTest(t, suiteTest{name: filepath.Base(file), path: file, text: string(text)})
	}
}

// Lines end with "\n", or with "\r\n", whose "\r" ends a comment and counts as a column.
// Columns count characters of any size. A byte order mark does not count.
func TestPlacesCountLinesAndCharacters(t *testing.T) {
	runErrors(t, []errorCase{
		{"ASK {\r\n  ?s ?p }", "line 2, column 9: expected an object: a variable, an IRI, a literal or a blank node, found \"}\""},
		{"ASK { # c\r\n\r\n?s ?p }", "line 3, column 7: expected an object: a variable, an IRI, a literal or a blank node, found \"}\""},
		{"ASK { '''a\nb\n''' ?p }", "line 3, column 8: expected an object: a variable, an IRI, a literal or a blank node, found \"}\""},
		{"ASK { 'é日😀' ?p }", "line 1, column 16: expected an object: a variable, an IRI, a literal or a blank node, found \"}\""},
		{"\uFEFFASK { ?s ?p }", "line 1, column 13: expected an object: a variable, an IRI, a literal or a blank node, found \"}\""},
		{"ASK { ?s ?p\t}", "line 1, column 13: expected an object: a variable, an IRI, a literal or a blank node, found \"}\""},
		{"ASK {\n# c", "line 2, column 4: the text ends without the \"}\" that closes the bracket at line 1, column 5"},
	})
}

// White space is allowed between all tokens, and may be omitted where tokens stay
// separate.
func TestSpaceBetweenTokensMeansNothing(t *testing.T) {
	dense := `PREFIX :<http://e/>SELECT(COUNT(*)AS?n)WHERE{?s:p[:q"a"@en,1.5;a()].FILTER(!?s=1||?o<-2)OPTIONAL{}}ORDER BY?n`
	loose := "PREFIX : <http://e/> SELECT ( COUNT ( * ) AS ?n ) WHERE { ?s :p [ :q \"a\" @en , 1.5 ; a ( ) ] . FILTER ( ! ?s = 1 || ?o < -2 ) OPTIONAL { } } ORDER BY ?n "
	want := parse(t, dense).String()
	for _, space := range []string{" ", "\t", "\n", "\r\n", " # comment\n", "#\r"} {
		if got := parse(t, strings.ReplaceAll(loose, " ", space)).String(); got != want {
			t.Errorf("with %q between the tokens:\n%s\nwant\n%s", space, got, want)
		}
	}
}

func TestKeywordsHaveNoCaseButA(t *testing.T) {
	text := "BASE <x:> PREFIX p: <x:> SELECT DISTINCT (GROUP_CONCAT(DISTINCT ?x; SEPARATOR=',') AS ?y) FROM NAMED <g> WHERE { OPTIONAL {} {} UNION {} MINUS {} GRAPH ?g {} SERVICE SILENT ?s {} BIND(1 AS ?x) VALUES ?v { UNDEF true } FILTER(?a NOT IN (1) && NOT EXISTS {}) } GROUP BY ?x HAVING (1) ORDER BY ASC(?x) DESC(?x) LIMIT 1 OFFSET 1 VALUES () {}"
	lower := strings.NewReplacer("SEPARATOR", "separator").Replace(text)
	for _, keyword := range strings.Fields("BASE PREFIX SELECT DISTINCT GROUP_CONCAT AS FROM NAMED WHERE OPTIONAL UNION MINUS GRAPH SERVICE SILENT BIND VALUES UNDEF FILTER NOT IN EXISTS GROUP BY HAVING ORDER ASC DESC LIMIT OFFSET") {
		lower = strings.ReplaceAll(lower, keyword, strings.ToLower(keyword))
	}
	if parse(t, text).String() != parse(t, lower).String() {
		t.Error("a query in lower case is another query")
	}
	runErrors(t, []errorCase{{"ASK { ?s A ?o }", "line 1, column 10: expected a predicate: a variable, an IRI or a, found A"}})
}

func TestBaseOfOptionsHoldsUntilBase(t *testing.T) {
	q, err := syntax.ParseQuery("PREFIX a: <p#> BASE <sub/> ASK { a:x <y> <> }", syntax.Options{Base: "http://h/d/f?q"})
	if err != nil {
		t.Fatal(err)
	}
	got := q.Where.Patterns[0].(*syntax.BGP).Triples[0]
	for i, want := range []string{"http://h/d/p#x", "http://h/d/sub/y", "http://h/d/sub/"} {
		n := []syntax.Node{got.Subject, got.Predicate, got.Object}[i]
		if term, ok := n.(*syntax.Term); !ok || term.Term != rdf.NewIRI(want) {
			t.Errorf("node %d is %v, want <%s>", i, n, want)
		}
	}
	if q.Prologue.Base != "http://h/d/sub/" {
		t.Errorf("the base at the end of the prologue is %q", q.Prologue.Base)
	}
}

// Concurrent use does not change a query.
func TestQueriesCanBeReadByMany(t *testing.T) {
	q := parse(t, "SELECT * { ?s ?p [ ?q ?r ] { SELECT (COUNT(*) AS ?n) { ?a <x:p>/<x:q> ?b } } }")
	want := q.String()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if q.String() != want || q.RefuseService() != nil {
				t.Error("another text")
			}
		})
	}
	wait.Wait()
}

// Every error of a broken text has a position in the text. The test truncates every
// tenth query of the evaluation suites after each of its characters, and changes each
// of its bytes.
func TestBrokenQueriesGiveErrorsInTheText(t *testing.T) {
	suite.NotShort(t)
	ten, eleven, _ := evaluationTests(t)
	tests := append(ten, eleven...)
	for i := 0; i < len(tests); i += 10 {
		text := tests[i].text
		for n := range text {
			wantPlaced(t, text[:n])
			wantPlaced(t, text[:n]+"\x01"+text[n+1:])
			wantPlaced(t, text[:n]+"}"+text[n+1:])
		}
	}
}

func wantPlaced(t *testing.T, text string) {
	t.Helper()
	_, err := syntax.ParseQuery(text, syntax.Options{Base: "http://e/"})
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		checkPlace(t, text, wrong)
	} else if err != nil {
		t.Fatalf("%q gives a %T: %v", text, err, err)
	}
}

func parse(t *testing.T, text string) *syntax.Query {
	t.Helper()
	q, err := syntax.ParseQuery(text, syntax.Options{})
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return q
}
