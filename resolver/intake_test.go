package resolver_test

import (
	"strings"
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
)

// Decisions name robots and subjects as reports do: without control characters, which the journal has none of, and
// with at most 1,024 characters.
func TestDecisionsNameWhatReportsCanName(t *testing.T) {
	r := open(t, &memory.Store{})
	long := strings.Repeat("é", 1024)
	for name, taken := range map[string]bool{"": false, " \n": false, "urn:\x00": false, "urn:\u0098x": false, long + "é": false, long: true, " urn:x\n": true} {
		_, subject := r.DecideSubject(t.Context(), name, true, judge)
		_, relay := r.DecideRelay(t.Context(), name, "urn:of", true, judge)
		errs := map[string]error{"subject": subject, "relay": relay}
		if name != "" && name != " \n" { // no other robot
			_, errs["of"] = r.DecideRelay(t.Context(), "urn:relay", name, true, judge)
		}
		observation := said("2026-02-11T09:12:13.150Z", maria, name, news)
		observation.EventKind = "a"
		for what, err := range errs {
			if (err == nil) != taken || err != nil && code(t, err) != resolver.Invalid {
				t.Errorf("%s %.20q: %v", what, name, err)
			}
		}
		if _, err := r.Resolve(t.Context(), observation, "ari"); (err == nil) != (taken || strings.TrimSpace(name) == "") {
			t.Errorf("a report of %.20q: %v", name, err)
		}
	}
	if _, err := r.DecideRelay(t.Context(), "urn:new", "", true, judge); code(t, err) != resolver.Unsupported {
		t.Errorf("a relay of no robot: %v", err)
	}
}
