package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// A bundle about a SELECT or ASK has the triples that its patterns match. Patterns that match
// nothing themselves, or other graphs, must not be among them.
func TestAQueryIsProvedByTheTriplesOfItsPatterns(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		query   string
		triples int // in the template; 0 means that the query is refused
	}{
		{`SELECT * { ?s ?p ?o }`, 1},
		{`ASK { ?s <http://e/p> 1 ; <http://e/q> ?o }`, 2},
		{`SELECT ?s { ?s ?p ?o OPTIONAL { ?o ?q ?r } }`, 2},
		{`SELECT ?s { { ?s <http://e/p> ?o } UNION { ?o <http://e/q> ?s } }`, 2},
		{`SELECT ?s { { ?s <http://e/p> ?o { ?o <http://e/q> ?r } } }`, 2},
		{`SELECT ?s { { SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s } ?s <http://e/p> ?n }`, 2},
		{`SELECT ?s { ?s ?p ?o MINUS { ?s <http://e/q> ?r } FILTER NOT EXISTS { ?o <http://e/q> ?r } }`, 1},
		{`SELECT ?s { ?s ?p ?o GRAPH ?g { ?s ?q ?r } }`, 1},
		{`SELECT ?s { ?s <http://e/p> [ <http://e/q> ?o ] }`, 0}, // a blank node in a template would be another one
		{`SELECT ?s { ?s <http://e/p>/<http://e/q> ?o }`, 0},
		{`SELECT ?s { ?s <http://e/p>* ?o }`, 0},
		{`SELECT ?s { VALUES ?s { 1 } }`, 0},
		{`SELECT ?s { GRAPH ?g { ?s ?p ?o } }`, 0},
		{`ASK {}`, 0},
	} {
		text, err := constructed(x.query)
		if x.triples == 0 {
			if !errors.Is(err, ErrNoPatterns) {
				t.Errorf("%s: %v, %s", x.query, err, text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", x.query, err)
			continue
		}
		q, err := syntax.ParseQuery(text, syntax.Options{})
		if err != nil || q.Form != syntax.Construct || len(q.Template) != x.triples {
			t.Errorf("%s became %s, %v", x.query, text, err)
		}
	}
	for _, kept := range []string{`CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }`, `DESCRIBE <http://e/a>`} {
		if text, err := constructed(kept); text != kept || err != nil {
			t.Errorf("%s became %s, %v", kept, text, err)
		}
	}
	if _, err := constructed(`SELECT`); err == nil || errors.Is(err, ErrNoPatterns) {
		t.Errorf("half a query: %v", err)
	}
}

// The CONSTRUCT drops the grouping and the order of a SELECT, and keeps what limits its
// solutions.
func TestLimitsOfSolutionsStay(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		`SELECT ?s { ?s ?p ?o } ORDER BY ?s LIMIT 3 OFFSET 1`:                        "limit 3, offset 1, 1 keys",
		`SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s ORDER BY ?n LIMIT 3`:    "limit -1, offset 0, 0 keys",
		`SELECT ?s { ?s ?p ?o } GROUP BY ?s HAVING (COUNT(*) > 1) LIMIT 3 OFFSET 1`:  "limit -1, offset 0, 0 keys",
		`SELECT DISTINCT ?s { ?s ?p ?o } ORDER BY STRLEN(?o) LIMIT 3`:                "limit 3, offset 0, 0 keys",
		`SELECT REDUCED (STR(?s) AS ?x) { ?s ?p ?o } ORDER BY ?s DESC(?x + 1)`:       "limit -1, offset 0, 0 keys",
		`PREFIX e: <http://e/> SELECT (?o AS ?x) { e:a ?p ?o } ORDER BY ?o LIMIT 10`: "limit 10, offset 0, 1 keys",
	} {
		text, err := constructed(query)
		if err != nil {
			t.Fatal(err)
		}
		q, err := syntax.ParseQuery(text, syntax.Options{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		limit := int64(q.Limit)
		if q.Limit == syntax.NoLimit {
			limit = -1
		}
		if got := fmt.Sprintf("limit %d, offset %d, %d keys", limit, int64(q.Offset), len(q.OrderBy)); got != want || q.Grouped || q.Distinct || q.Reduced {
			t.Errorf("%s became %s: %s, want %s", query, text, got, want)
		}
	}
}

// A page must show text as it is, and let no text hide or forge another part of the page.
func TestThePageEscapesWhatLogsSay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`<script>alert("&'")</script>`: "&lt;script&gt;alert(&quot;&amp;&#39;&quot;)&lt;/script&gt;",
		"a\x00b\x1b[2Jc\u0085\u202ed":  "a⟨U+0000⟩b⟨U+001B⟩[2Jc⟨U+0085⟩⟨U+202E⟩d",
		"two\nlines":                   "two\nlines",
		"Größe 中文":                     "Größe 中文",
	} {
		if got := esc(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for line, want := range map[string]string{
		`<http://e/a> <http://schema.org/text> "x"@en .`:                                          `<td>&lt;http://e/a&gt;<td>schema:text<td><bdi>&quot;x&quot;@en</bdi>`,
		`_:c14n0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://schema.org/Message> .`: `<td><bdi>_:c14n0</bdi><td>a<td>schema:Message`,
		`<http://e/a> <http://e/b> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .`:             `<td>&lt;http://e/a&gt;<td>&lt;http://e/b&gt;<td><bdi>&quot;1&quot;</bdi>^^xsd:integer`,
		`<http://schema.org/> <http://schema.org/a/b> <http://schema.org/a%20b> .`:                `<td>&lt;http://schema.org/&gt;<td>&lt;http://schema.org/a/b&gt;<td>&lt;http://schema.org/a%20b&gt;`,
		`<http://e/a> <http://e/b> "\"^^<http://schema.org/x>" .`:                                 `<td>&lt;http://e/a&gt;<td>&lt;http://e/b&gt;<td><bdi>&quot;\&quot;</bdi>^^&lt;http://schema.org/x&gt;&quot;`, // no datatype is shortened
		`<http://e/a> <http://e/b> <<( <http://e/c> <http://e/d> "x" )>> .`:                       `<td>&lt;http://e/a&gt;<td>&lt;http://e/b&gt;<td>&lt;&lt;( &lt;http://e/c&gt; &lt;http://e/d&gt; &quot;x&quot; )&gt;&gt;`,
		`no triple .`: `<td colspan="3"><bdi>no triple .</bdi>`,
	} {
		w := &writer{}
		if got := w.cells(line); got != want {
			t.Errorf("%s:\n%s, want\n%s", line, got, want)
		}
	}
}

func TestEachEntryIsToldInASentence(t *testing.T) {
	t.Parallel()
	at := time.Date(2100, 3, 1, 12, 0, 0, 5e6, time.UTC)
	for want, e := range map[string]journal.Entry{
		"“ari” sent the log L with 1 triple, 1 of them new":                                      {Action: journal.Insert, Actor: "ari", LogID: "L", Triples: 1, Added: 1},
		"“ari” (as “robot 7”) sent the log L with 1,234,567 triples, 0 of them new":              {Action: journal.Insert, Actor: "ari", Claimed: "robot 7", LogID: "L", Triples: 1234567},
		"“ari” removed 1,000 triples":                                                            {Action: journal.Remove, Actor: "ari", Claimed: "ari", Removed: 1000},
		"“eva” deleted the whole graph, 0 triples (“before the season”)":                         {Action: journal.Clear, Actor: "eva", Removed: -1, Detail: "before the season"},
		"“eva” withdrew the log L, which removed 2 triples":                                      {Action: journal.Withdraw, Actor: "eva", Withdrawn: "L", Removed: 2},
		"“eva” merged “c1” into “c2”":                                                            {Action: journal.Accept, Actor: "eva", Source: "c1", Target: "c2"},
		"“eva” kept “c1” and “c2” separate":                                                      {Action: journal.Reject, Actor: "eva", Source: "c1", Target: "c2"},
		"“eva” reversed the decision “d1” on “c1” and “c2”":                                      {Action: journal.Undo, Actor: "eva", Undone: "d1", Source: "c1", Target: "c2"},
		"“eva” decided whether the robot “r” is a relay":                                         {Action: journal.Relay, Actor: "eva", Robot: "r"},
		"“eva” decided whether “m” is one person":                                                {Action: journal.Subject, Actor: "eva", Subject: "m"},
		"“eva” decided on the clock of the robot “r”":                                            {Action: journal.Clock, Actor: "eva", Robot: "r"},
		"“eva” added the key k, with which “ari” signs":                                          {Action: journal.UseKey, Actor: "eva", Signer: "k", Owner: "ari"},
		"“eva” removed the key k of “ari”":                                                       {Action: journal.DropKey, Actor: "eva", Signer: "k", Owner: "ari"},
		"“segraph” gave the log o the key k":                                                     {Action: journal.Rotate, Actor: "segraph", Origin: "o", Key: "k"},
		"“ari” reported an observation of “r” (“speech”), which was answered with “c” (matched)": {Action: journal.Resolve, Actor: "ari", Robot: "r", Kind: "speech", Context: "c", Outcome: "matched"},
		"“x” wrote an entry: of tomorrow":                                                        {Action: "of tomorrow", Actor: "x"},
	} {
		e.Time = at
		if got := describe(&e); got != want+", at 2100-03-01 12:00:00.005 UTC." {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// The message about a page that was changed must show where it differs, however long it is.
func TestTheFirstDifferenceOfTwoPagesIsShown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10_000)
	for _, x := range []struct {
		a, b     string
		line     int
		is, want string
	}{
		{"a\nb\n", "a\nb\n", 0, "", ""},
		{"a\nb\n", "a\nc\n", 2, "b", "c"},
		{"", "a", 1, "", "a"},
		{"a\n", "a", 1, "a", "a (the last line)"},
		{"a", "a\n", 1, "a (the last line)", "a"},
		{long + "1", long + "2", 1, strings.Repeat("x", 60) + "1", strings.Repeat("x", 60) + "2"},
		{"a" + long, "b", 1, "a" + long[:299], "b"},
	} {
		line, is, want := difference([]byte(x.a), []byte(x.b))
		if line != x.line || is != x.is || want != x.want {
			t.Errorf("%.20q and %.20q: line %d is %q, want %q", x.a, x.b, line, is, want)
		}
	}
}

// The time of an entry is found without decoding it, and decoding finds the same.
func TestTheTimeOfAnEntryIsFoundInItsText(t *testing.T) {
	t.Parallel()
	link := bytes.Repeat([]byte{0}, 32)
	at := time.Date(2100, 3, 1, 12, 0, 0, 123456789, time.UTC)
	for _, text := range []string{
		`{"log_id":"L","action":"insert","time":"2100-03-01T12:00:00.123456789Z","actor":"ari"}`,
		`{"log_id":"` + strings.Repeat("L", 300) + `","action":"insert","time":"2100-03-01T12:00:00.123456789Z","actor":"ari"}`,
		`{"time":"2100-03-01T12:00:00.123456789Z","log_id":"L","action":"insert","actor":"ari"}`,
	} {
		if got, err := timeOf(append(link, text...)); err != nil || !got.Equal(at) {
			t.Errorf("%.50s: %s, %v", text, got, err)
		}
	}
	if _, err := timeOf([]byte("x")); err == nil {
		t.Error("a text that is no entry has a time")
	}
}
