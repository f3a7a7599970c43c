package webui

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/notes"
)

// opinionCase returns the case that a page offers for a second opinion, or "".
func opinionCase(page string) string {
	if m := regexp.MustCompile(`opinion"[^>]*><input type="hidden" name="case" value="([^"]+)"`).FindStringSubmatch(page); m != nil {
		return m[1]
	}
	return ""
}

func TestASecondOpinionIsBlindAndCounts(t *testing.T) {
	s := newService(t)
	cases := s.addCases(3)
	rita, maria := s.signedInAs("rita", "admin"), s.signedInAs("maria", "admin")
	want(t, maria.get("/shared-context?view=opinions").Body.String(), "No case for a second opinion")
	verdicts := map[string]string{}
	for i, do := range []string{"accept", "reject"} {
		verdicts[cases[i]] = do
		rita.follow(rita.post("/shared-context/decide", url.Values{"case": {cases[i]}, "do": {do}}))
	}
	want(t, rita.get("/shared-context?view=opinions").Body.String(), "No case for a second opinion") // rita knows the verdicts
	for n := range 2 {
		page := maria.get("/shared-context?view=opinions").Body.String()
		id := opinionCase(page)
		_, main, _ := strings.Cut(page, "<main")
		_, main, _ = strings.Cut(main, `id="case"`)
		for _, word := range []string{"rita", "accepted", "rejected", "contexts?uri", "context/context", " disabled"} {
			if strings.Contains(main, word) {
				t.Errorf("the case %s shows %q: %s", id, word, main)
			}
		}
		if verdicts[id] == "" {
			t.Fatalf("case %d is %q: %s", n, id, main)
		}
		want(t, main, fmt.Sprintf("%d case", 2-n))
		w := maria.post("/shared-context/opinion", url.Values{"case": {id}, "do": {"accept"}})
		if w.Code != 303 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		said := map[string]string{"accept": "You agree with rita", "reject": "You differ: rita rejected this case"}[verdicts[id]]
		want(t, maria.get(w.Header().Get("Location")).Body.String(), said)
		wantPage(t, maria.post("/shared-context/opinion", url.Values{"case": {id}, "do": {"accept"}}), 409, "You know the verdict on this case")
	}
	want(t, rita.get("/shared-context?view=reviewers").Body.String(), `<bdi>maria</bdi> and <bdi>rita</bdi></th><td class="num">2</td><td class="num">50`)
	stats, err := s.service.ContextStats(t.Context())
	if err != nil || stats.AcceptedReviews != 1 || stats.RejectedReviews != 1 || stats.PendingReviews != 1 {
		t.Errorf("opinions decided something: %+v %v", stats, err)
	}
	wantPage(t, maria.post("/shared-context/opinion", url.Values{"case": {cases[2]}, "do": {"accept"}}), 409, "nobody has decided it")
	wantPage(t, maria.post("/shared-context/opinion", url.Values{"case": {cases[0]}, "do": {"maybe"}}), 422, "neither accept nor reject")
}

// The newest opinions of a reviewer replace the oldest.
func TestOpinionsHaveALimit(t *testing.T) {
	s := openService(t)
	var reviews []resolver.Review
	for i := range notes.MaxOwned + 1 {
		reviews = append(reviews, resolver.Review{CaseID: fmt.Sprintf("review_%d", i), By: "ari"})
	}
	for _, r := range reviews {
		s.now = s.now.Add(time.Second)
		if err := s.service.GiveOpinion(t.Context(), auth.Actor{Username: "eva"}, r.CaseID, true, reviews); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.service.Opinions("eva")
	if err != nil || len(all) != notes.MaxOwned {
		t.Fatalf("%d opinions, %v", len(all), err)
	}
	for _, o := range all {
		if o.CaseID == "review_0" {
			t.Error("the oldest is kept")
		}
	}
}
