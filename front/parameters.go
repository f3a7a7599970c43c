package front

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/segraph/segraph/service"
)

// maxFaults is how many faults one answer lists.
const maxFaults = 20

// Parameters parses a request's query string.
func Parameters(r *http.Request) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, NewProblem(http.StatusUnprocessableEntity, "the query string can't be parsed: %v", err)
	}
	return query, nil
}

// Refuse returns a problem that lists the parameters for which refused returns true, or
// nil if there are none. why says what the route does and what the client can do.
func Refuse(values url.Values, refused func(name string) bool, why string) error {
	var names []string
	for name := range values {
		if refused(name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return nil
	}
	slices.Sort(names)
	var faults []Fault
	for _, name := range names {
		faults = append(faults, Fault{[]string{"query", name}, service.Sentence(fmt.Sprintf("the parameter %.100q is not accepted: %s", name, why))})
	}
	return Invalid(faults...)
}

// Among returns a function that reports whether a name is in list, for Refuse.
func Among(list []string) func(string) bool {
	return func(name string) bool { return slices.Contains(list, name) }
}
