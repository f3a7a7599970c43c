package front

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/segraph/segraph/service"
)

// maxFaults is how many parameters one answer names.
const maxFaults = 20

// parameters reads a request's query.
func Parameters(r *http.Request) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, NewProblem(http.StatusUnprocessableEntity, "the query of the address can't be read: %v", err)
	}
	return query, nil
}

// refuse returns a problem that names the given parameters for which refused holds, or
// nil. why says what the route does, and what the client can do.
func Refuse(given url.Values, refused func(name string) bool, why string) error {
	var names []string
	for name := range given {
		if refused(name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return nil
	}
	slices.Sort(names)
	var faults []Fault
	for _, name := range names[:min(len(names), maxFaults)] {
		faults = append(faults, Fault{[]string{"query", name}, service.Sentence(fmt.Sprintf("the parameter %.100q is not accepted: %s", name, why))})
	}
	return Invalid(faults...)
}

// among reports whether a name is one of a list, as refuse asks.
func Among(list []string) func(string) bool {
	return func(name string) bool { return slices.Contains(list, name) }
}
