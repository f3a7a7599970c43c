package reports

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/segraph/segraph/vocabulary"
)

// countsPeople has the queries that count for each person.
var countsPeople = []string{"sent", "heard", "said", "overheard", "noticed", "emotion-distribution"}

// asOne makes a query that counts for each person treat all names of a person as one: ?who and ?whom become ?namedwho and
// ?namedwhom in its patterns, and are then bound to the person's first name. FILTER lines compare the persons. It returns
// other queries unchanged.
func (r *Report) asOne(name, query string) string {
	head, rest, _ := strings.Cut(query, "{\n")
	body, end, grouped := strings.Cut(rest, "}\nGROUP BY")
	if len(r.Persons) == 0 || !grouped || !slices.Contains(countsPeople, name) {
		return query
	}
	var names strings.Builder
	for _, iri := range slices.Sorted(maps.Keys(r.Persons)) {
		fmt.Fprintf(&names, " (<%s> <%s>)", iri, r.Persons.First(iri))
	}
	lines := strings.SplitAfter(body, "\n")
	for _, v := range []string{"who", "whom"} {
		word, is := regexp.MustCompile(`\?`+v+`\b`), false
		for i, line := range lines {
			if word.MatchString(line) && !strings.HasPrefix(line, "  FILTER") {
				lines[i], is = word.ReplaceAllString(line, "?named"+v), true
			}
		}
		if is {
			lines = append(lines, fmt.Sprintf("  OPTIONAL { VALUES (?named%[1]s ?first%[1]s) {%[2]s } }\n  BIND(COALESCE(?first%[1]s, ?named%[1]s) AS ?%[1]s)\n", v, names.String()))
		}
	}
	return head + "{\n" + strings.Join(lines, "") + "}\nGROUP BY" + end
}

// furtherNames counts the humans of the graph that are further names of others.
func (r *Report) furtherNames(ctx context.Context) (n int, err error) {
	if len(r.Persons) == 0 {
		return 0, nil
	}
	rows, err := r.Ask(ctx, r.Query("participants"))
	if err != nil {
		return 0, fmt.Errorf("ask participants: %w", err)
	}
	names, persons := map[string]bool{}, map[string]bool{}
	for _, row := range rows {
		if iri := row[0].Value(); r.Persons[iri] != nil && row[1].Value() != vocabulary.OroRobot {
			names[iri], persons[r.Persons.First(iri)] = true, true
		}
	}
	return len(names) - len(persons), nil
}
