package webui

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

const (
	visitorURI = "https://ex/human/maria"
	words      = "Could you show me climate news?"
)

func TestAMatchIsUndoneOnThePageOfItsContext(t *testing.T) {
	s := newService(t)
	first := utterance("2026-02-11T09:12:13.150Z", visitorURI, "https://ex/robot/ari", words)
	first.LocationURI = "https://ex/place/kitchen"
	uri := s.hear(first).SharedContextURI
	if x := s.hear(utterance("2026-02-11T09:12:13.450Z", visitorURI, "https://ex/robot/tiago", words)); x.Outcome != "matched" {
		t.Fatalf("%+v", x)
	}
	b := s.signedIn("admin")
	page := b.get(contextAddress(uri)).Body.String()
	want(t, page, "“"+words+"”", "2026-02-11 09:12:13.150 UTC", ">kitchen<", ">tiago<", "matched", "created")
	asks := regexp.MustCompile(`href="([^"]*)">This is not the same event<`).FindAllStringSubmatch(page, -1)
	if len(asks) != 1 {
		t.Fatalf("%d observations can be taken out: %s", len(asks), page)
	}
	page = b.get(html.UnescapeString(asks[0][1])).Body.String()
	want(t, page, "moves to a context of its own", "Undo match")
	form := url.Values{}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="(decision|uri)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		form.Set(m[1], html.UnescapeString(m[2]))
	}
	wantPage(t, s.signedIn("auditor").post("/shared-context/context/undo", form), 403, "admin")
	page = b.follow(b.post("/shared-context/context/undo", form))
	want(t, page, "Match undone", "Kept separate")
	if strings.Contains(page, ">tiago<") {
		t.Errorf("it still has the observation: %s", page)
	}
	own := regexp.MustCompile(`<a href="([^"]*)">Open it</a>`).FindStringSubmatch(page)
	if own == nil {
		t.Fatal("nothing leads to the new context")
	}
	want(t, b.get(html.UnescapeString(own[1])).Body.String(), ">tiago<", "created")
	wantPage(t, b.post("/shared-context/context/undo", form), 409, "")
	want(t, b.get("/shared-context?view=quality").Body.String(), ">undone<", own[1])
	wantPage(t, b.get(contextAddress("https://ex/nothing_1")), 404, "no context")
	wantPage(t, b.get("/shared-context/context"), 404, "has no context")
}

func TestTheReviewQueueLeadsToContextsAndTheirMerges(t *testing.T) {
	s := newService(t)
	s.addCases(1)
	b := s.signedIn("admin")
	page := b.get("/shared-context").Body.String()
	target := regexp.MustCompile(`<a href="([^"]*)">Open context<span`).FindStringSubmatch(page)
	if target == nil {
		t.Fatalf("no context is linked: %s", page)
	}
	address := html.UnescapeString(target[1])
	source := html.UnescapeString(regexp.MustCompile(`<a href="([^"]*)">Open context</a>`).FindStringSubmatch(page)[1])
	want(t, b.get(source).Body.String(), "Pending cases", ">ambiguous</span>")
	b.decide(page, "accept")
	want(t, b.get(address).Body.String(), "Merges", "<td>ari</td>", ">accepted</a>", "could you show me climate news")
	want(t, b.get(source).Body.String(), "was merged into this context")
}
