package review

import (
	"testing"
	"time"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestTheReviewPage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Review", "/shared-context")
	f.Scripts, f.Styles, f.Width = []string{"review.js"}, []string{"review.css"}, "wide"
	counts := ReviewCounts{Pending: 1234, Active: 20, Merged: 3, Aliases: 3, Accepted: 2, Rejected: 1}
	left, right := Compare("Could you show me climate news?", "could you tell climate news </mark><script>")
	steps, sum := Waterfall([]ReviewEvidence{{Name: "before any evidence", Weight: -1.4}, {Name: "time", Seen: "0.5 s", Weight: 2}, {Name: "text", Weight: 0}})
	offer := ReviewOffer{URI: `urn:c:1"><b>`, Share: 0.93, Chosen: true, KeptApart: true, Text: "“news”", Sum: sum, Evidence: steps,
		Rows:       []ReviewRow{{Name: "Text", Source: left, Target: right, Verdict: "close", Words: "70 % alike"}, {Name: "Who", Verdict: "missing"}, {Name: "Robot", Verdict: "different", Fine: true}},
		More:       []ReviewSight{{At: "09:00", Robot: "ari", Text: "<i>"}},
		Conditions: []ReviewCondition{{Holds: true, Words: "Same."}, {Words: "It matches up to 1.50 s; the gap is 3.40 s."}}}
	other := offer
	other.Chosen, other.KeptApart, other.URI = false, false, "urn:c:2"
	c := &ReviewCase{ID: "review_1", Status: "pending", Sentence: "the texts are not alike enough", Kind: "human utterance", Title: "“<b>”", Share: 0.995,
		Opened: viewstest.Now.Add(-time.Hour), Weighed: viewstest.Now.Add(-time.Minute), Offers: []ReviewOffer{offer, other}}
	entry := ReviewEntry{ID: "decision_1", Kind: "accepted", By: "ari", Text: "news", Event: "human_utterance", Case: "/shared-context?case=review_0", Context: "/shared-context/context?uri=urn%3Ac%3A1", At: viewstest.Now.Add(-time.Minute), Undoable: true}
	queue := ReviewQueue{Reasons: []Choice{{"", "any reason"}, {"gap", "far apart (1)"}}, Kinds: []Choice{{"", "any kind"}}, Orders: []Choice{{"", "oldest first"}}, Reason: "gap",
		Filtered: true, All: "/shared-context", Total: 2, Position: 1, First: 1, Next: "/shared-context?case=review_2", NextID: "review_2", Query: "reason=gap", Case: c, Cut: true,
		Lines: []ReviewLine{{Href: "/shared-context?case=review_1", Text: "<b>", Kind: "human utterance", Reason: "gap", Share: 0.5, Opened: viewstest.Now.Add(-time.Hour), Current: true}}}
	viewstest.Golden(t, "review", ReviewPage(f, Review{View: "queue", Counts: counts, Queue: queue, Last: &entry, Tabs: []views.Tab{{Name: "Queue", Href: "/shared-context?view=queue", Current: true}}}))
	decided := *c
	decided.Status, decided.By, decided.Decided = "accepted", "bea", viewstest.Now.Add(-time.Minute)
	decided.Offers = []ReviewOffer{offer}
	queue.Case = &decided
	viewstest.Golden(t, "review-decided", ReviewPage(f, Review{View: "queue", Counts: counts, Queue: queue,
		Notice: &ReviewNotice{Kind: "warn", Title: "Already accepted by bea", Detail: "<i>", Undo: "review_1", Look: "/shared-context?case=review_1"}}))
	viewstest.Golden(t, "review-empty", ReviewPage(f, Review{View: "queue", First: views.Command{Text: "curl http://h/api/shared-context/resolve"}}))
	group := ReviewGroup{URI: "urn:c:1", Href: "/shared-context?group=urn%3Ac%3A1", Title: "<news>", Kind: "human utterance", Count: 2}
	open := group
	open.Cases = []ReviewMember{{ID: "review_1", Target: "urn:c:1", Href: "/shared-context?case=review_1", Text: "<b>", Gap: "0.50 s", Share: 0.97, Sure: true}, {ID: "review_2", Target: "urn:c:2", Who: "maria", Share: 0.4}}
	queue.Groups, queue.Group = []ReviewGroup{group}, &open
	viewstest.Golden(t, "review-group", ReviewPage(f, Review{View: "queue", Counts: counts, Queue: queue, Many: &ReviewMany{Accepted: 1, Joined: 1, Refused: []string{"review_3: <gone>"}},
		Questions: []ReviewQuestion{{Sentence: "tiago's clock is 5.1 s ahead: 40 sentences agree.", Action: "/shared-context/clock", Name: "clock", Fields: []views.Field{{Name: "robot", Value: "<tiago>"}},
			Yes: Choice{"yes", "Confirm"}, No: Choice{"no", "Dismiss"}}}}))
	undone := entry
	undone.Kind, undone.Undone, undone.Undoable, undone.Case = "merged", true, false, ""
	viewstest.Golden(t, "review-quality", ReviewPage(f, Review{View: "quality", Counts: counts, Quality: ReviewQuality{ScaleMS: 200,
		Reviewers: ReviewReviewers{Decisions: 3, Reviewers: []Reviewer{{Name: "<ari>", Cases: 2, Accepted: 1, Median: 4 * time.Second}}, Reasons: []ReviewReason{{"no person", 1, 1}},
			Pairs: []ReviewPair{{"<ari>", "bea", 2, 1, 1, 2}}},
		History: ReviewHistory{Entries: []ReviewEntry{entry, undone}, Older: "/shared-context?view=quality&before=x"},
		Clocks: []ReviewClock{{Robot: "https://ex/robot/ari", Ahead: "−0.74 s", Sentences: 88}, {Robot: "https://ex/robot/tiago", Ahead: "+0.00 s", Arrival: "not live",
			Lead: "-40 ms per letter", Steps: []ReviewStep{{"+5.00 s by arrival", viewstest.Now.Add(-time.Hour)}}, Claim: "+5.10 s, 40 sentences", By: "eva"}},
		Relays: []ReviewRelay{{Robot: "https://ex/robot/relay", Of: "https://ex/robot/ari", State: "detected", Since: viewstest.Now.Add(-time.Hour), Reports: 20, Repeats: 20, Late: 4, DelayMS: 3100},
			{Robot: "https://ex/robot/nao", Of: "https://ex/robot/ari", State: "accepted", By: "eva", Since: viewstest.Now}},
		Subjects: []ReviewSubject{{URI: "https://ex/human/<user>", State: "detected", Since: viewstest.Now.Add(-time.Hour), Conflicts: 4, Joined: 2},
			{URI: "https://ex/human/maria", State: "overruled", By: "bea", Since: viewstest.Now.Add(-time.Minute), Conflicts: 4, Agreements: 1}},
		Reused: []ReviewReuse{{Robot: "https://ex/robot/ari", Count: 3}, {Count: 1}}}}))
	viewstest.Golden(t, "review-quality-empty", ReviewPage(f, Review{View: "quality"}))
}

func TestContextPage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Context", "/shared-context")
	f.Styles, f.Width = []string{"review.css"}, "wide"
	heard := SharedObservation{ID: "https://ex/o/1", When: "2026-02-11 09:12:13.150 UTC", Robot: "ari", RobotHref: "/kg-graph?node=ari", Person: "<maria>", Modality: "speech",
		Text: "news</td>", Place: "kitchen", Joined: "created"}
	matched := heard
	matched.Joined, matched.Share, matched.Undo = "matched", "99.9 %", "/shared-context/context?undo=decision_2&uri=urn%3Ac%3A1"
	m := SharedEvent{URI: "urn:c:1", Title: "“<news>”", Kind: "human_utterance", Status: "active", Person: "maria", PersonHref: "/kg-graph?node=maria", Modality: "speech",
		Graph: "/kg-graph?node=c", Triples: "/query?q=c", Observations: []SharedObservation{heard, matched, {When: "2026-02-11", Joined: "unknown"}},
		Pages:  views.Pager{First: 1, Last: 3, Total: 120, After: "/shared-context/context?offset=3&uri=urn%3Ac%3A1"},
		Merges: []SharedMerge{{ID: "decision_3", By: "eva", Kind: "accepted", Text: "<news>", Case: "/shared-context?case=review_1", At: viewstest.Now.Add(-time.Hour)}, {ID: "decision_4", By: "the resolver", Kind: "merged", At: viewstest.Now}},
		Cases:  []views.Link{{Path: "/shared-context?case=review_2", Name: "review_2"}}, Apart: []views.Link{{Path: "/shared-context/context?uri=urn%3Ac%3A2", Name: "urn:c:2"}}}
	viewstest.Golden(t, "context", ContextPage(f, m))
	m.Undo = &UndoMatch{Decision: "decision_2", Context: "urn:c:1", Observation: matched, Back: "/shared-context/context?uri=urn%3Ac%3A1"}
	m.Asked = "urn:c:0"
	viewstest.Golden(t, "context-undo", ContextPage(f, m))
	viewstest.Golden(t, "context-undone", ContextPage(f, SharedEvent{URI: "urn:c:1", Title: "gesture", Kind: "human_gesture", Status: "ambiguous", Observations: []SharedObservation{heard},
		Notice: &EventNotice{Title: "Match undone", Detail: "The observation has a context of its own now.", Link: views.Link{Path: "/shared-context/context?uri=urn%3Ac%3A2", Name: "Open it"}}}))
}

func TestWordsThatDifferAreMarked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, left, right string }{
		{"Hello there.", "hello there", "Hello there.", "hello there"},
		{"show me the news", "show the old news", "show [me] the news", "show the [old] news"},
		{"", "hello", "", "[hello]"},
		{"yes", "no", "[yes]", "[no]"},
	} {
		left, right := Compare(c.a, c.b)
		if got := [2]string{written(left), written(right)}; got != [2]string{c.left, c.right} {
			t.Errorf("%q, %q: %q", c.a, c.b, got)
		}
	}
}

func written(spans []Span) (out string) {
	for i, s := range spans {
		if i > 0 {
			out += " "
		}
		if s.Marked {
			out += "[" + s.Text + "]"
		} else {
			out += s.Text
		}
	}
	return out
}

func TestWordsOfTheReview(t *testing.T) {
	t.Parallel()
	for share, want := range map[float64]string{0: "0", 0.304: "30", 0.9799: "98", 0.9951: "99.5", 0.99999: "99.9", 1: "100"} {
		if got := Percent(share); got != want+"\u00a0%" {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
	for iri, want := range map[string]string{"https://ex/human/maria": "maria", "https://ex/human/maria/": "maria", "urn:x:ari": "ari", "plain": "plain", "http://e/#": "e", "": ""} {
		if got := views.Short(iri); got != want {
			t.Errorf("%q is %q, want %q", iri, got, want)
		}
	}
	steps, sum := Waterfall([]ReviewEvidence{{Weight: -1}, {Weight: 3}})
	x, width := bar(steps, steps[1])
	if sum != 2 || steps[1].From != -1 || x != "0" || width != "1000" || zero(steps) != "333" {
		t.Errorf("sum %v, %+v, bar at %s of %s, zero at %s", sum, steps, x, width, zero(steps))
	}
}
