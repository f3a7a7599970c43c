package review

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

const (
	visitorURI = "https://ex/human/maria"
	words      = "Could you show me climate news?"
)

func TestAMatchIsUndoneOnThePageOfItsContext(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first := utterance("2026-02-11T09:12:13.150Z", visitorURI, "https://ex/robot/ari", words)
	first.LocationURI = "https://ex/place/kitchen"
	uri := s.hear(first).SharedContextURI
	if x := s.hear(utterance("2026-02-11T09:12:13.450Z", visitorURI, "https://ex/robot/tiago", words)); x.Outcome != "matched" {
		t.Fatalf("%+v", x)
	}
	b := s.SignedIn("admin")
	page := b.Get(views.ContextAddress(uri)).Body.String()
	viewstest.Want(t, page, "“"+words+"”", "11 Feb 2026, 09:12:13.150 UTC", ">kitchen<", ">tiago<", "matched", "began an event")
	b.Post("/session/zone", url.Values{"zone": {"Asia/Kolkata"}})
	viewstest.Want(t, b.Get(views.ContextAddress(uri)).Body.String(), "11 Feb 2026, 14:42:13.150 IST")
	asks := regexp.MustCompile(`href="([^"]*)">This is not the same event<`).FindAllStringSubmatch(page, -1)
	if len(asks) != 1 {
		t.Fatalf("%d observations can be taken out: %s", len(asks), page)
	}
	page = b.Get(html.UnescapeString(asks[0][1])).Body.String()
	viewstest.Want(t, page, "becomes an event of its own", "Separate it")
	form := url.Values{}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="(decision|uri)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		form.Set(m[1], html.UnescapeString(m[2]))
	}
	viewstest.WantPage(t, s.SignedIn("auditor").Post("/shared-context/context/undo", form), 403, "admin")
	page = b.Follow(b.Post("/shared-context/context/undo", form))
	viewstest.Want(t, page, "Separated", "Kept separate")
	if strings.Contains(page, ">tiago<") {
		t.Errorf("it still has the observation: %s", page)
	}
	own := regexp.MustCompile(`<a href="([^"]*)">Open it</a>`).FindStringSubmatch(page)
	if own == nil {
		t.Fatal("nothing leads to the new context")
	}
	viewstest.Want(t, b.Get(html.UnescapeString(own[1])).Body.String(), ">tiago<", "began an event")
	viewstest.WantPage(t, b.Post("/shared-context/context/undo", form), 409, "")
	viewstest.Want(t, b.Get("/shared-context?view=quality").Body.String(), ">undone<", own[1])
	viewstest.WantPage(t, b.Get(views.ContextAddress("https://ex/nothing_1")), 404, "no context")
	viewstest.WantPage(t, b.Get("/shared-context/context"), 404, "has no context")
}

func TestTheReviewQueueLeadsToContextsAndTheirMerges(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.AddCases(1)
	b := s.SignedIn("admin")
	page := b.Get("/shared-context").Body.String()
	target := regexp.MustCompile(`<a href="([^"]*)">Open event<span`).FindStringSubmatch(page)
	if target == nil {
		t.Fatalf("no context is linked: %s", page)
	}
	address := html.UnescapeString(target[1])
	source := html.UnescapeString(regexp.MustCompile(`<a href="([^"]*)">Open event</a>`).FindStringSubmatch(page)[1])
	viewstest.Want(t, b.Get(source).Body.String(), ">To review</h2>", ", to review", "began an event; waits for review")
	b.Decide(page, "accept")
	viewstest.Want(t, b.Get(address).Body.String(), "Merges", ">ari</td>", ">same event</a>", "could you show me climate news")
	merged := b.Get(source).Body.String()
	viewstest.Want(t, merged, "was merged into this event", "by the merge")
	if strings.Contains(merged, "waits for review") {
		t.Errorf("nothing waits, but the page says so: %s", merged)
	}
}
