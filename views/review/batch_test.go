package review

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/views/viewstest"
)

// TestABatchDecidesWhatNobodyElseDid decides a sample by hand, lets another admin decide
// some cases meanwhile, decides the rest at once, and undoes that.
func TestABatchDecidesWhatNobodyElseDid(t *testing.T) {
	t.Parallel()
	s := newService(t)
	cases := s.AddCases(40)
	ari, maria := s.SignedInAs("ari", "admin"), s.SignedInAs("maria", "admin")
	batch := ari.OpenBatch("reason=subject_missing&least=5", "accept")
	if batch.Total != 40 || len(batch.Sample) != service.BatchSample {
		t.Fatalf("%+v", batch)
	}
	s.Now = s.Now.Add(time.Second)
	late := s.AddCasesAt(7, 1)[0] // a case that comes later is not in it
	form := url.Values{"id": {batch.ID}}
	viewstest.WantPage(t, ari.Post("/shared-context/batch/run", form), 409, "20 cases of the sample are undecided")
	for i, id := range batch.Sample {
		do := "accept"
		if i == 0 {
			do = "reject"
		}
		ari.Follow(ari.Post("/shared-context/decide", url.Values{"case": {id}, "do": {do}, "back": {"batch=" + batch.ID}}))
	}
	address := batchAddress(batch.ID)
	viewstest.Want(t, ari.Get(address).Body.String(), "<b>19 of 20</b> verdicts by hand agree", "at least 80", "Different in the sample: 1 case", "Decide the other 20: same event")
	viewstest.WantPage(t, maria.Post("/shared-context/batch/run", form), 409, "Only &#34;ari&#34; may decide")

	sample := strings.Join(batch.Sample, " ")
	taken := 0
	for _, id := range cases {
		if taken < 10 && !strings.Contains(sample, id) {
			taken++
			maria.Follow(maria.Post("/shared-context/decide", url.Values{"case": {id}, "do": {"reject"}}))
		}
	}
	ran := ari.Post("/shared-context/batch/run", form)
	if to := ran.Header().Get("Location"); to != address+"&more=1" {
		t.Errorf("a batch of many requests does not continue at %s", to)
	}
	viewstest.Want(t, ari.Follow(ran), "Done.", "10 cases decided at once: same event", "or no longer matching: 10 cases.", "Undo all 10")
	stats, err := s.Contexts.Stats(t.Context())
	if err != nil || stats.AcceptedReviews != 29 || stats.RejectedReviews != 11 || stats.PendingReviews != 1 {
		t.Errorf("%+v, %v", stats, err)
	}
	if k, err := s.Contexts.Case(t.Context(), late); err != nil || k.Status != "pending" {
		t.Errorf("a later case is %+v, %v", k, err)
	}
	page, err := s.Service.Logs(t.Context(), journal.Filter{Limit: 100}, nil)
	entries := 0
	for _, e := range page.Entries {
		if e.Batch == batch.ID && e.Action == journal.Accept && e.Actor == "ari" && e.Case != "" && e.Decision != "" {
			entries++
		}
	}
	if err != nil || entries != 10 {
		t.Errorf("the journal has %d decisions of the batch, %v", entries, err)
	}
	viewstest.Want(t, ari.Follow(ari.Post("/shared-context/batch/run", form)), "10 cases decided at once") // pressed twice
	viewstest.Want(t, ari.Get("/shared-context?view=quality").Body.String(), "Decided together", "40 cases: no person, ≥ 5")

	var mine string // a decision of the batch that is undone by hand first
	for _, e := range page.Entries {
		if e.Batch == batch.ID {
			mine = e.Decision
		}
	}
	ari.Follow(ari.Post("/shared-context/undo", url.Values{"id": {mine}}))
	viewstest.Want(t, ari.Follow(ran), "Done.", "9 cases decided at once", "Undone by hand: 1 case.", "Undo all 9")
	kept, err := s.Store.Notes.List("batch", "ari")
	if err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	if _, text, found := strings.Cut(kept[0].Text, `"ended":`); found { // as if it was undone while the others were decided
		kept[0].Text = strings.Replace(kept[0].Text, `"ended":`+text[:strings.Index(text, "Z")+2], `"unended":0`, 1)
	}
	if err := s.Store.Notes.Put(t.Context(), kept[0]); err != nil {
		t.Fatal(err)
	}
	viewstest.Want(t, ari.Get(address).Body.String(), "9 decided, 0 left.")
	viewstest.Want(t, ari.Follow(ari.Post("/shared-context/batch/run", form)), "Done.", "9 cases decided at once")
	viewstest.Want(t, ari.Follow(ari.Post("/shared-context/batch/undo", form)), "Undone.", "10 decisions reversed")
	if stats, err = s.Contexts.Stats(t.Context()); err != nil || stats.AcceptedReviews != 19 || stats.PendingReviews != 11 {
		t.Errorf("after the undo: %+v, %v", stats, err)
	}
	viewstest.Want(t, ari.Follow(ari.Post("/shared-context/batch/run", form)), "Undone.") // changes nothing
	if kept, err = s.Store.Notes.List("batch", "ari"); err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	older := regexp.MustCompile(`"(ended|undoing)":"[^"]*",`).ReplaceAllString(kept[0].Text, "") // undone before it ended, by an older version
	if kept[0].Text = older; !strings.Contains(older, `"undone"`) {
		t.Fatal(older)
	}
	if err := s.Store.Notes.Put(t.Context(), kept[0]); err != nil {
		t.Fatal(err)
	}
	viewstest.WantPage(t, ari.Post("/shared-context/batch/run", form), 409, "batch was undone")
	if _, err := s.Store.Inspect(t.Context()); err != nil {
		t.Errorf("the check: %v", err)
	}
}

func TestABatchOfASampleAloneIsDecidedByHand(t *testing.T) {
	t.Parallel()
	s := newService(t)
	cases := s.AddCases(3)
	ari := s.SignedIn("admin")
	batch := ari.OpenBatch("", "reject")
	for _, id := range cases {
		ari.Follow(ari.Post("/shared-context/decide", url.Values{"case": {id}, "do": {"reject"}}))
	}
	viewstest.Want(t, ari.Get(batchAddress(batch.ID)).Body.String(), "<b>3 of 3</b>", "No other case is left")
	viewstest.WantPage(t, ari.Get("/shared-context/batch?id=none"), 404, "There is no batch")
	viewstest.WantPage(t, ari.Post("/shared-context/batch", url.Values{"filter": {"reason=none"}, "do": {"accept"}}), 409, "No pending case matches the filter")
	viewstest.WantPage(t, ari.Post("/shared-context/batch", url.Values{"do": {"maybe"}}), 422, "neither accept nor reject")
}
