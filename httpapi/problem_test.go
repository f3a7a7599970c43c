package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	storefile "github.com/segraph/segraph/store/engine/file"
)

func TestADetailIsOneSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"the disk is full":         "The disk is full.",
		"The disk is full.":        "The disk is full.",
		"did you mean /ttl?":       "Did you mean /ttl?",
		"stop!":                    "Stop!",
		"it begins with abc…":      "It begins with abc…",
		"émile is not a role":      "Émile is not a role.",
		"http://x/y was not found": "http://x/y was not found.",
		"line 3: it is empty":      "Line 3: it is empty.",
		`expected "." or ";"`:      `Expected "." or ";".`,
		"the limit (1) is too low": "The limit (1) is too low.",
	} {
		if got := service.Sentence(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	faults := []front.Fault{{Msg: "The member \"user\" is missing."}, {Msg: "x."}, {Msg: "y."}}
	for n, want := range []string{`The member "user" is missing.`, `The member "user" is missing (and 1 more).`, `The member "user" is missing (and 2 more).`} {
		if got := front.Invalid(faults[:n+1]...).Detail; got != want {
			t.Errorf("%d faults: %q, want %q", n+1, got, want)
		}
	}
}

// Damage is reported as damage, with what to do about it. Its location is only in the
// log.
func TestAnErrorAboutDamageHidesTheFile(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for _, c := range []struct {
		err    error
		status int
		words  string
	}{
		{&storefile.DamagedError{Path: "/secret/place.db", Detail: "page 7"}, 500, "restore a backup"},
		{&store.UnreadyError{Detail: "the file of the store is damaged", Err: &storefile.DamagedError{Path: "/secret/place.db", Detail: "page 7"}}, 503, "is damaged; try again later"},
	} {
		s.graph.err = fmt.Errorf("reading: %w", c.err)
		for _, path := range []string{"/events", "/query?query=ASK%7B%7D", "/logs"} {
			p := wantProblem(t, s.do(t, call{method: "GET", path: path}), c.status, c.words)
			if strings.Contains(p.Detail, "secret") || strings.Contains(p.Detail, "page 7") {
				t.Errorf("%s: %s", path, p.Detail)
			}
		}
	}
	if !strings.Contains(s.lines(), "/secret/place.db") {
		t.Error("the log does not say where")
	}
}
