package reports

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// rowsOf maps queries that count to the queries that return the rows they count. The last
// column of each of those identifies a row.
var rowsOf = map[string]string{
	"triples": "triple-rows", "activities": "activity-rows", "messages": "message-rows", "robots": "robot-rows", "humans": "human-rows",
	"emotions": "emotion-rows", "models": "model-rows", "by-robot": "activity-rows", "by-kind": "kind-rows", "by-hour": "activity-rows",
	"robot-hours": "robot-hour-rows", "sent": "sent-rows", "heard": "heard-rows", "said": "said-rows", "overheard": "overheard-rows", "noticed": "noticed-rows",
	"ml-usage": "ml-usage-rows", "emotion-distribution": "emotion-distribution-rows", "places": "place-rows",
	"resolver-pending": "case-rows", "resolver-cases": "case-rows", "resolver-contexts": "context-rows", "resolver-decisions": "decision-rows",
	"resolver-shared": "shared-rows", "shared-events": "shared-event-rows", "classes": "class-rows",
	"unplaced": "unplaced-rows", "term-uses": "term-use-rows",
}

// byClock are the queries by the hours of a clock. An address of one names the clock's zone, so that it
// shows others the same.
var byClock = []string{"robot-hours", "robot-hour-rows"}

// usedQuery is the name, in addresses, of the query for a node's own triples and for the
// nodes that have it as their class, category or place.
const usedQuery = "used"

// maxValues is how many rows of values an address may have.
const maxValues = 200

// binding is a variable and its value.
type binding struct {
	variable string
	value    rdf.Term
}

// href returns the address of the query with a name. It is short, because it does not
// contain the query; see RowsQuery.
func (r *Report) href(name string) string { return r.address(name, r.From, r.To) }

// counted returns the address of the rows that the named query counts, limited to those
// with the given values.
func (r *Report) counted(name string, bound ...binding) string { return r.row(rowsOf[name], bound...) }

// row returns the address of the query with a name, limited to rows with the given
// values. If a value is unbound or a blank node, it returns the address of the whole
// query.
func (r *Report) row(name string, bound ...binding) string {
	return r.address(name, r.From, r.To, bound...)
}

// address returns the address of the named query for a range, limited to rows with the given
// values as that of row is.
func (r *Report) address(name string, from, to time.Time, bound ...binding) string {
	var b strings.Builder
	b.WriteString("/reports/rows?q=" + name)
	for _, end := range []struct {
		name string
		at   time.Time
	}{{"from", from}, {"to", to}} {
		if !end.at.IsZero() {
			b.WriteString("&" + end.name + "=" + end.at.UTC().Format(views.RangeTime))
		}
	}
	if r.zone() != time.UTC && slices.Contains(byClock, name) {
		b.WriteString("&clock=" + escaped(r.zone().String()))
	}
	if slices.ContainsFunc(bound, func(x binding) bool { return x.value.IsZero() || x.value.IsBlank() }) {
		return b.String()
	}
	for _, x := range bound {
		b.WriteString("&" + x.variable + "=" + escaped(valueOf(x.value)))
	}
	return b.String()
}

// escaped escapes a value of a query string. It leaves the characters that are allowed
// there and frequent in IRIs.
func escaped(text string) string { return readable.Replace(url.QueryEscape(text)) }

var readable = strings.NewReplacer("%3A", ":", "%2F", "/")

// valueOf returns the value of a term in an address: an IRI, an integer, or a literal in
// quotation marks with its language or datatype.
func valueOf(t rdf.Term) string {
	switch {
	case t.IsIRI():
		return t.Value()
	case t.Language() != "":
		return `"` + t.Value() + `"@` + t.Language()
	case t.Datatype() == rdf.XSDInteger && isInteger(t.Value()):
		return t.Value()
	case t.Datatype() == rdf.XSDString:
		return `"` + t.Value() + `"`
	}
	return `"` + t.Value() + `"^^` + t.Datatype()
}

func isInteger(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// termOf is the inverse of valueOf.
func termOf(text string) (rdf.Term, error) {
	if isInteger(text) {
		return rdf.NewLiteral(text, rdf.XSDInteger), nil
	}
	if end := strings.LastIndexByte(text, '"'); strings.HasPrefix(text, `"`) && end > 0 {
		lexical, rest := text[1:end], text[end+1:]
		language, tagged := strings.CutPrefix(rest, "@")
		datatype, typed := strings.CutPrefix(rest, "^^")
		switch {
		case rest == "":
			return rdf.NewString(lexical), nil
		case tagged && rdf.ValidLanguage(language):
			return rdf.NewLang(lexical, language), nil
		case typed && rdf.IsIRI(datatype):
			return rdf.NewLiteral(lexical, datatype), nil
		}
	} else if rdf.IsIRI(text) {
		return rdf.NewIRI(text), nil
	}
	return rdf.Term{}, fmt.Errorf(`%q is neither an IRI nor an integer nor a literal such as "pending"`, text)
}

// RowsQuery returns the text of the named query for the report's range, limited to rows
// where variables have one of their values. name and values are the parameters of an
// address that address returned.
func (r *Report) RowsQuery(name string, values url.Values) (string, error) {
	if _, err := queries.Open(queryFile(name)); err != nil && name != usedQuery {
		return "", fmt.Errorf("there is no query %q", name)
	}
	variables := slices.Sorted(maps.Keys(values))
	rows := []string{""} // of VALUES: each combination of the values
	for _, variable := range variables {
		if !isVariable(variable) {
			return "", fmt.Errorf("%q is not the name of a variable", variable)
		}
		var longer []string
		for _, text := range values[variable] {
			term, err := termOf(text)
			if err != nil {
				return "", err
			}
			if name == usedQuery && term.IsIRI() {
				return fmt.Sprintf("CONSTRUCT { ?who ?has %[1]s . %[1]s ?is ?what }\n{ { ?who ?has %[1]s } UNION { %[1]s ?is ?what } }\nLIMIT 1000\n", term), nil
			}
			for _, row := range rows {
				if !term.IsIRI() {
					longer = append(longer, row+" "+term.String())
					continue
				}
				for _, iri := range r.Persons.All(term.Value()) { // of a person with several names
					longer = append(longer, row+" "+rdf.NewIRI(iri).String())
				}
			}
		}
		if rows = longer; len(rows) > maxValues {
			return "", fmt.Errorf("there are more than %d combinations of values", maxValues)
		}
	}
	switch {
	case name == usedQuery:
		return "", fmt.Errorf("%q needs an IRI", name)
	case len(variables) == 0:
		return r.Query(name), nil
	}
	return r.Query(name) + fmt.Sprintf("VALUES (?%s) { (%s ) }\n", strings.Join(variables, " ?"), strings.Join(rows, " ) (")), nil
}

// isVariable reports whether a text is the name of a variable of the queries.
func isVariable(text string) bool {
	return text != "" && strings.IndexFunc(text, func(c rune) bool { return c < 'a' || c > 'z' }) < 0
}
