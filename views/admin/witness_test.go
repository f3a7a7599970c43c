package admin

import (
	"testing"
	"time"

	"github.com/segraph/segraph/store/log/cosigners"
	"github.com/segraph/segraph/store/log/witness"
)

// TestTheHealthPageTellsHowWitnessesAre expects a row for each state.
func TestTheHealthPageTellsHowWitnessesAre(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for _, x := range []struct {
		status              cosigners.Status
		state, kind, detail string
	}{
		{cosigners.Status{}, "not asked yet", "warn", ""},
		{cosigners.Status{State: cosigners.Agrees, Size: 7, Time: at}, "cosigns", "good", ""},
		{cosigners.Status{State: cosigners.Agrees, Detail: "its clock differs"}, "cosigns", "good", "Its clock differs."},
		{cosigners.Status{State: cosigners.Agrees, Warning: "it forgot"}, "cosigns", "warn", "It forgot."},
		{cosigners.Status{State: cosigners.Unreachable, Detail: "x"}, "can't be reached", "warn", "X."},
		{cosigners.Status{State: cosigners.Refuses, Detail: "x"}, "refuses", "warn", "X."},
		{cosigners.Status{State: cosigners.Contradicts, Detail: "x", Warning: "y"}, "contradicts", "bad", "X."},
	} {
		row := witnesses([]cosigners.Status{x.status})[0]
		if row.State != x.state || row.Kind != x.kind || row.Detail != x.detail || row.Entries != x.status.Size || !row.Time.Equal(x.status.Time) {
			t.Errorf("%+v: %+v", x.status, row)
		}
	}
	for _, x := range []struct {
		status              witness.Status
		state, kind, detail string
	}{
		{witness.Status{Origin: "a"}, "not seen yet", "warn", ""},
		{witness.Status{Origin: "a", Size: 7, Time: at}, "continues", "good", ""},
		{witness.Status{Time: at, Doubt: &witness.Doubt{Detail: "x"}}, "in doubt", "bad", "X."},
		{witness.Status{Time: at, Doubt: &witness.Doubt{Detail: "x", Proven: true}}, "two histories", "bad", "X."},
	} {
		row := witnessed([]witness.Status{x.status})[0]
		if row.Name != x.status.Origin || row.State != x.state || row.Kind != x.kind || row.Detail != x.detail || row.Entries != x.status.Size {
			t.Errorf("%+v: %+v", x.status, row)
		}
	}
}
