package reports

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// summed has the queries that count for each person, by the column of the number. The columns before it say what is
// counted.
var summed = map[string]int{"sent": 1, "heard": 1, "said": 2, "overheard": 2, "noticed": 2, distribution: 2}

// distribution also has, after its number, a mean, a maximum, and of how many numbers that is the mean.
const distribution = "emotion-distribution"

// asOne returns the rows of a query with one name for each person. Where the query counts, rows that differ only in
// such names become one row, with the sum, and in the distribution of emotions with the mean and the highest
// intensity.
func (r *Report) asOne(name string, rows [][]rdf.Term) [][]rdf.Term {
	if len(r.Persons) == 0 {
		return rows
	}
	r.Persons.Replace(rows)
	at, counts := summed[name]
	if !counts {
		return rows
	}
	var out [][]rdf.Term
	index := map[string]int{}
	for _, row := range rows {
		key := ""
		for _, t := range row[:at] {
			key += t.String() + "\n"
		}
		i, known := index[key]
		if !known {
			index[key], out = len(out), append(out, row)
			continue
		}
		into := out[i]
		if name == distribution {
			a, b := parseCount(into[5]), parseCount(row[5])
			if a+b > 0 {
				mean := (fraction(into[3])*float64(a) + fraction(row[3])*float64(b)) / float64(a+b)
				into[3] = rdf.NewLiteral(strconv.FormatFloat(mean, 'f', -1, 64), rdf.XSDDecimal)
			}
			if fraction(row[4]) > fraction(into[4]) {
				into[4] = row[4]
			}
			into[5] = integer(a + b)
		}
		into[at] = integer(parseCount(into[at]) + parseCount(row[at]))
	}
	if name == distribution { // its rows are in the order of people
		slices.SortStableFunc(out, func(a, b []rdf.Term) int { return strings.Compare(a[0].String(), b[0].String()) })
	}
	return out
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
