package webui

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/journal"
)

// TestABatchDecidesWhatNobodyElseDid decides a sample by hand, lets another admin decide
// some cases meanwhile, decides the rest at once, and undoes that.
func TestABatchDecidesWhatNobodyElseDid(t *testing.T) {
	s := newService(t)
	cases := s.addCases(40)
	ari, maria := s.signedInAs("ari", "admin"), s.signedInAs("maria", "admin")
	batch := ari.openBatch("reason=subject_missing&least=5", "accept")
	if batch.Total != 40 || len(batch.Sample) != service.BatchSample {
		t.Fatalf("%+v", batch)
	}
	s.now = s.now.Add(time.Second)
	late := s.addCasesAt(7, 1)[0] // a case that comes later is not in it
	form := url.Values{"id": {batch.ID}}
	wantPage(t, ari.post("/shared-context/batch/run", form), 409, "20 cases of the sample are undecided")
	for i, id := range batch.Sample {
		do := "accept"
		if i == 0 {
			do = "reject"
		}
		ari.follow(ari.post("/shared-context/decide", url.Values{"case": {id}, "do": {do}, "back": {"batch=" + batch.ID}}))
	}
	address := batchAddress(batch.ID)
	want(t, ari.get(address).Body.String(), "<b>19 of 20</b> verdicts by hand agree", "at least 80", "Different in the sample: 1 case", "Decide the other 20: same event")
	wantPage(t, maria.post("/shared-context/batch/run", form), 409, "Only ari may decide")

	sample := strings.Join(batch.Sample, " ")
	taken := 0
	for _, id := range cases {
		if taken < 10 && !strings.Contains(sample, id) {
			taken++
			maria.follow(maria.post("/shared-context/decide", url.Values{"case": {id}, "do": {"reject"}}))
		}
	}
	want(t, ari.follow(ari.post("/shared-context/batch/run", form)), "Done.", "10 cases decided at once: same event", "or no longer matching: 10 cases.", "Undo all 10")
	stats, err := s.contexts.Stats(t.Context())
	if err != nil || stats.AcceptedReviews != 29 || stats.RejectedReviews != 11 || stats.PendingReviews != 1 {
		t.Errorf("%+v, %v", stats, err)
	}
	if k, err := s.contexts.Case(t.Context(), late); err != nil || k.Status != "pending" {
		t.Errorf("a later case is %+v, %v", k, err)
	}
	page, err := s.service.Logs(t.Context(), journal.Filter{Limit: 100}, nil)
	entries := 0
	for _, e := range page.Entries {
		if e.Batch == batch.ID && e.Action == journal.Accept && e.Actor == "ari" && e.Case != "" && e.Decision != "" {
			entries++
		}
	}
	if err != nil || entries != 10 {
		t.Errorf("the journal has %d decisions of the batch, %v", entries, err)
	}
	want(t, ari.follow(ari.post("/shared-context/batch/run", form)), "10 cases decided at once") // pressed twice
	want(t, ari.get("/shared-context?view=quality").Body.String(), "Decided together", "40 cases: no person, ≥ 5")

	var mine string // a decision of the batch that is undone by hand first
	for _, e := range page.Entries {
		if e.Batch == batch.ID {
			mine = e.Decision
		}
	}
	ari.follow(ari.post("/shared-context/undo", url.Values{"id": {mine}}))
	want(t, ari.follow(ari.post("/shared-context/batch/undo", form)), "Undone.", "10 decisions reversed")
	if stats, err = s.contexts.Stats(t.Context()); err != nil || stats.AcceptedReviews != 19 || stats.PendingReviews != 11 {
		t.Errorf("after the undo: %+v, %v", stats, err)
	}
	want(t, ari.follow(ari.post("/shared-context/batch/run", form)), "Undone.") // changes nothing
	if _, err := s.store.Inspect(t.Context()); err != nil {
		t.Errorf("the check: %v", err)
	}
}

func TestABatchOfASampleAloneIsDecidedByHand(t *testing.T) {
	s := newService(t)
	cases := s.addCases(3)
	ari := s.signedIn("admin")
	batch := ari.openBatch("", "reject")
	for _, id := range cases {
		ari.follow(ari.post("/shared-context/decide", url.Values{"case": {id}, "do": {"reject"}}))
	}
	want(t, ari.get(batchAddress(batch.ID)).Body.String(), "<b>3 of 3</b>", "No other case is left")
	wantPage(t, ari.get("/shared-context/batch?id=none"), 404, "There is no batch")
	wantPage(t, ari.post("/shared-context/batch", url.Values{"filter": {"reason=none"}, "do": {"accept"}}), 409, "No pending case matches the filter")
	wantPage(t, ari.post("/shared-context/batch", url.Values{"do": {"maybe"}}), 422, "neither accept nor reject")
}
