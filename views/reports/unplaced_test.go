package reports

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// TestReportsCountWhatTheyCannotPlace has activities with misspelt properties and with
// times that can't be read, and follows the link of each number.
func TestReportsCountWhatTheyCannotPlace(t *testing.T) {
	t.Parallel()
	r := reportOf(t, someActivities+`
<http://e/b1> a segb:LoggedActivity ; segb:performedBy <http://e/ari> ; prov:startedAt "2026-03-01T08:00:00Z"^^xsd:dateTime .
<http://e/b2> a segb:LoggedActivty ; segb:performedBy <http://e/ari> ; prov:startedAtTime "2026-03-01"^^xsd:date .
<http://e/b3> a segb:LoggedActivity ; prov:startedAtTime "yesterday", "2026-02-30T08:00:00Z"^^xsd:dateTime ; prov:endedAtTime "yesterday"^^xsd:dateTime .
<http://e/b4> a segb:LoggedActivity ; prov:startedAtTime "2026-03-01T24:00:00"^^xsd:dateTime, "-0044-03-15T08:00:00Z"^^xsd:dateTime, "12026-03-01T08:00:00.123456789+14:00"^^xsd:dateTime .
<http://e/b5> a <https://schema.org/Message>, <http://elsewhere.example/segb/LoggedActivty> ; <http://e/startedAt> 1 .
`)
	out := tablesOf(t, r, "classes")
	for _, c := range []struct {
		table string
		want  []string
	}{
		{"unplaced", []string{"prov:endedAtTime | not a valid xsd:dateTime | 1", "prov:startedAtTime | in the future | 1", "prov:startedAtTime | missing | 1", "prov:startedAtTime | not a valid xsd:dateTime | 2"}},
		{"term-uses", []string{"segb:performedBy | segb:wasPerformedBy | 2", "segb:LoggedActivty | segb:LoggedActivity | 1", "prov:startedAt | prov:startedAtTime | 1", "https://schema.org/Message | schema:Message | 1"}},
	} {
		var got []string
		for _, row := range out[c.table].Rows {
			got = append(got, row[0].Text+" | "+row[1].Text+" | "+row[2].Text)
			if rows := followed(t, r, row[2].Href); fmt.Sprint(len(rows)) != row[2].Text {
				t.Errorf("%s leads to %d rows: %v", row[2].Href, len(rows), rows)
			}
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", c.table, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	r = reportOf(t, someActivities+`<http://e/d1> a <http://e/Doc> ; <http://purl.org/dc/terms/date> "2026"^^xsd:gYear . <http://e/other> <http://purl.org/dc/terms/date> "2026"^^xsd:gYear .`)
	r.Classes = []Counted{{Class: "http://e/Doc", Time: "http://purl.org/dc/terms/date"}}
	rows := tablesOf(t, r, "classes")["unplaced"].Rows
	if len(rows) != 1 || rows[0][0].Value != "http://purl.org/dc/terms/date" || rows[0][2].Text != "1" || len(followed(t, r, rows[0][2].Href)) != 1 {
		t.Errorf("the times of a class: %v", rows)
	}
	out = tablesOf(t, reportOf(t, someActivities), "classes")
	for _, name := range []string{"unplaced", "term-uses"} {
		if rows := out[name].Rows; len(rows) > 0 || out[name].Name == "" {
			t.Errorf("%s of what is all right: %v", name, rows)
		}
	}
}

// TestTheQueryOfTermsKnowsEachNamespace compares the namespaces that the query of terms
// looks at with those of the lists.
func TestTheQueryOfTermsKnowsEachNamespace(t *testing.T) {
	t.Parallel()
	for _, p := range vocabulary.Prefixes() {
		wrong := p.Namespace + "labl"
		if meant, unknown := vocabulary.Unknown(wrong); !unknown {
			continue
		} else if rows, err := reportOf(t, fmt.Sprintf("<http://e/x> <%s> 1 .", wrong)).rows(t.Context(), "term-uses"); err != nil || len(rows) != 1 {
			t.Errorf("%s (%s): %v, %v", wrong, meant, rows, err)
		}
	}
}

func tablesOf(t *testing.T, r *Report, name string) (tables map[string]ReportTable) {
	t.Helper()
	out, err := r.Section(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	tables = map[string]ReportTable{}
	for _, table := range out.Tables {
		tables[table.Name] = table
	}
	return tables
}

// followed returns the rows of the query that a link of a report leads to.
func followed(t *testing.T, r *Report, href string) [][]rdf.Term {
	t.Helper()
	address, err := url.Parse(href)
	if err != nil {
		t.Fatal(err)
	}
	values, ranged := address.Query(), *r
	name := values.Get("q")
	for name, at := range map[string]*time.Time{"q": nil, "from": &ranged.From, "to": &ranged.To} {
		if text := values.Get(name); text != "" && at != nil {
			*at, _ = views.ParseTime(text)
		}
		values.Del(name)
	}
	query, err := ranged.RowsQuery(name, values)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := r.Ask(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
