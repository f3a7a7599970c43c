package resolver_test

import (
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/weigh"
)

// TestTwoPersonsAreTwoEventsUnlessAPersonIsToLook tests both settings for known,
// different subjects.
func TestTwoPersonsAreTwoEventsUnlessAPersonIsToLook(t *testing.T) {
	for _, tt := range []struct {
		setting, text string
		outcome       resolver.Outcome
	}{
		{resolver.SubjectsSeparate, news, resolver.Created},
		{resolver.SubjectsReview, news, resolver.Ambiguous}, // a robot may have mistaken one person for another
		{resolver.SubjectsReview, "yes", resolver.Created},  // two people often say this
	} {
		settings := resolver.Defaults()
		settings.SubjectConflict = tt.setting
		r, err := resolver.Open(&memory.Store{}, resolver.Options{Settings: settings, Now: clock()})
		if err != nil {
			t.Fatal(err)
		}
		resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, tt.text))
		x := resolve(t, r, said("2026-02-11T09:12:13.650Z", "https://ex/human/juan", tiago, tt.text))
		if x.Outcome != tt.outcome || x.Outcome == resolver.Ambiguous && x.Reason != weigh.SubjectDiffers {
			t.Errorf("%s, %q: %s %s, %s", tt.setting, tt.text, x.Outcome, x.Reason, x.Explanation.Reason)
		}
		if tt.setting == resolver.SubjectsReview {
			if y, err := r.Reconcile(t.Context(), judge); err != nil || y.MergedCount+y.OpenedCases+y.ClosedCases > 0 {
				t.Errorf("%q: reconciled %+v, %v", tt.text, y, err)
			}
		}
	}
}
