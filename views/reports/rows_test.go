package reports

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
)

// TestAnAddressNamesItsQuery parses addresses again and expects the same terms.
func TestAnAddressNamesItsQuery(t *testing.T) {
	t.Parallel()
	r := &Report{From: noon, To: noon.Add(time.Hour + time.Microsecond)}
	for _, term := range []rdf.Term{
		rdf.NewIRI("http://e/a?b=c&d#é"), rdf.NewIRI("urn:x:%3A"), rdf.NewString("pending"), rdf.NewString(""), rdf.NewString(`a "quoted" \ text"`), rdf.NewString("7"),
		rdf.NewLang("triste", "es-ES"), rdf.NewLiteral("7", rdf.XSDInteger), rdf.NewLiteral("-0", rdf.XSDInteger), rdf.NewLiteral("x", rdf.XSDInteger), rdf.NewLiteral("0.5", rdf.XSDFloat),
	} {
		at, err := url.Parse(r.row("sent-rows", binding{"who", term}))
		if err != nil {
			t.Fatal(err)
		}
		q := at.Query()
		if got, err := termOf(q.Get("who")); err != nil || got != term {
			t.Errorf("%v returns as %v, %v", term, got, err)
		}
		text, err := r.RowsQuery("sent-rows", url.Values{"who": q["who"]})
		if err == nil {
			_, err = sparql.Prepare(t.Context(), text, sparql.Options{})
		}
		if err != nil || !strings.HasSuffix(text, "VALUES (?who) { ( "+term.String()+" ) }\n") || q.Get("from") != "2026-03-01T12:00:00" || q.Get("to") != "2026-03-01T13:00:00.000001" {
			t.Errorf("%s: %v\n%s", at, err, text)
		}
	}
	if to := r.row("sent-rows", binding{"who", rdf.NewBlank("b")}); to != r.href("sent-rows") {
		t.Errorf("a blank node is in %s", to)
	}
}

func TestAnAddressOfRowsIsChecked(t *testing.T) {
	t.Parallel()
	many := make([]string, maxValues+1)
	for i := range many {
		many[i] = "1"
	}
	for _, c := range []struct {
		query, want string
		values      url.Values
	}{
		{"none", "there is no query", nil},
		{"../report", "there is no query", nil},
		{"sent-rows", "not the name of a variable", url.Values{"who) {} #": {"1"}}},
		{"sent-rows", "neither an IRI", url.Values{"who": {"<http://e/a> } #"}}},
		{"sent-rows", "neither an IRI", url.Values{"who": {`"a"@e s`}}},
		{"sent-rows", "neither an IRI", url.Values{"who": {`"`}}},
		{"sent-rows", "more than 200", url.Values{"who": many}},
		{"used", "needs an IRI", url.Values{"what": {"1"}}},
		{"used", "needs an IRI", nil},
	} {
		if text, err := (&Report{}).RowsQuery(c.query, c.values); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %q\n%s", c.query, c.values, err, c.want, text)
		}
	}
	text, err := (&Report{}).RowsQuery("said-rows", url.Values{"who": {"urn:a", "urn:b"}, "whom": {"urn:c"}})
	if err != nil || !strings.HasSuffix(text, "VALUES (?who ?whom) { ( <urn:a> <urn:c> ) ( <urn:b> <urn:c> ) }\n") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestEveryNumberHasAQueryOfItsRows(t *testing.T) {
	t.Parallel()
	for count, rows := range rowsOf {
		for _, name := range []string{count, rows} {
			if _, err := (&Report{}).RowsQuery(name, nil); err != nil {
				t.Error(err)
			}
		}
	}
}
