package views

import (
	"net/http"
	"testing"
)

// TestAProblemPageHasItsOwnTitle checks that no page shows a phrase of RFC 9110.
func TestAProblemPageHasItsOwnTitle(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503, 504, 507} {
		phrase := http.StatusText(status)
		if title := ProblemTitle(Problem{Status: status, Title: phrase}); title == phrase && status != 404 {
			t.Errorf("the title of %d is %q", status, title)
		}
	}
}
