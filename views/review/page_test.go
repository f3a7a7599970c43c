package review

import (
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestTheReviewPage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Review", "/shared-context")
	f.Scripts, f.Styles, f.Width = []string{"review.js"}, []string{"review.css"}, "wide"
	counts := resolver.Statistics{PendingReviews: 1234, ActiveContexts: 20, AcceptedReviews: 2, RejectedReviews: 1}
	left, right := views.Compare("Could you show me climate news?", "could you tell climate news </mark><script>")
	offer := ReviewOffer{URI: `urn:c:1"><b>`, Share: 0.93, Chosen: true, KeptApart: true, Text: "“news”", Evidence: []ReviewEvidence{{Name: "before any evidence", Weight: -1.4}, {Name: "time", Seen: "0.5 s", Weight: 2}, {Name: "text", Weight: 0}},
		Rows:       []ReviewRow{{Name: "Text", Source: left, Target: right, Verdict: "close", Words: "70 % alike"}, {Name: "Who", Verdict: "missing"}, {Name: "Robot", Verdict: "different", Fine: true}},
		More:       []ReviewSight{{At: "09:00", Robot: "ari", Text: "<i>"}},
		Conditions: []ReviewCondition{{Holds: true, Words: "Same."}, {Words: "It matches up to 1.50 s; the gap is 3.40 s."}}}
	other := offer
	other.Chosen, other.KeptApart, other.URI = false, false, "urn:c:2"
	c := &ReviewCase{ID: "review_1", Seen: "9 1:1", Decision: "decision_9", Status: "pending", Sentence: "the texts are not alike enough", Kind: "human utterance", Title: "“<b>”", Share: 0.995,
		Opened: viewstest.Now.Add(-time.Hour), Weighed: viewstest.Now.Add(-time.Minute), Offers: []ReviewOffer{offer, other}}
	entry := ReviewEntry{ID: "decision_1", Kind: "accepted", By: "ari", Text: "news", Event: "human_utterance", Case: "/shared-context?case=review_0", Context: "/shared-context/context?uri=urn%3Ac%3A1", At: viewstest.Now.Add(-time.Minute), Undoable: true}
	queue := ReviewQueue{Reasons: []Choice{{"", "any reason"}, {"gap", "far apart (1)"}}, Kinds: []Choice{{"", "any kind"}}, Orders: []Choice{{"", "oldest first"}}, Reason: "gap",
		Filtered: true, All: "/shared-context", Total: 2, Position: 1, First: 1, Next: "/shared-context?case=review_2", NextID: "review_2", Query: "reason=gap", Case: c, Cut: true,
		Lines: []ReviewLine{{Href: "/shared-context?case=review_1", Text: "<b>", Kind: "human utterance", Reason: "gap", Share: 0.5, Opened: viewstest.Now.Add(-time.Hour), Current: true}}}
	viewstest.Show(t, ReviewPage(f, Review{View: "queue", Counts: counts, Queue: queue, Last: &entry, Tabs: []views.Tab{{Name: "Queue", Href: "/shared-context?view=queue", Current: true}}})).
		Golden("review-counts", `id="counts"`).Golden("review-last", `id="said"`).Golden("review-queue", `class="card queue"`).Holds(`
<div class="stack" id="desk" data-pending="1234">
<nav class="tabs" aria-label="Views">
<a href="/shared-context?view=queue" aria-current="page">
<section class="decide stack" id="case" tabindex="-1" aria-labelledby="case-title" data-next="/shared-context?case=review_2">
<form id="decision" action="/shared-context/decide" method="post" class="stack" data-desk>
<fieldset class="card offer" aria-label="Candidate 1">
<fieldset class="card offer" aria-label="Candidate 2">
<label class="check warned">
<input type="checkbox" name="override" value="urn:c:1&#34;&gt;&lt;b&gt;">
<input type="radio" name="target" value="urn:c:2">
`).Reads(`
# Review
Observations that may be one event.
Queue → /shared-context?view=queue
1,234 to review
20 events
2 same event
1 different
Your last decision: same event “news”, 1 minute ago
form post /shared-context/undo [id=decision_1] [back=reason=gap] [Undo it of decision_1]
form post /shared-context/decide [case=review_1] [seen=9 1:1] [next=review_2] [back=reason=gap]
# “<b>”
human utterance to review Prove this → /evidence?case=review_1
Needs review: the texts are not alike enough.
[Same event a: do=accept] [Different r: do=reject] Skip s → /shared-context?case=review_2 Next → /shared-context?case=review_2
Opened 1 hour ago; scores, gaps and conditions as of 1 minute ago
[*target=urn:c:1"><b>] “news” 93 % 1
[override=urn:c:1"><b>] A person kept these two apart before. Merge them anyway.
Attribute | This observation | Candidate | Verdict
…
[target=urn:c:2] “news” 93 % 2
Attribute | This observation | Candidate | Verdict
Text | Could you show me climate news? | could you tell climate news </mark><script> | close 70 % alike
Who | – | – | missing
Robot | – | – | different
1 more observation of this candidate
09:00 · ari · – · – · “<i>”
# Evidence
A green bar speaks for the same event, an orange one against it.
The weight of each kind of evidence
before any evidence | |
time | | 0.5 s
together | 93 % likely to be the same event
# Conditions of a match
holds: Same.
fails: It matches up to 1.50 s; the gap is 3.40 s.
review_1 · Open event →
# Queue
1 of 2
Filter and order
form get /shared-context
Why [reason= any reason; *far apart (1)]
Event [kind= *any kind]
Order [order= *oldest first]
Text [contains=]
From % [least=]
To % [most=]
[Show] All → /shared-context
form post /shared-context/batch [filter=reason=gap] Decide all 2, sample first: [All are the same: do=accept] [All are different: do=reject]
<b> 50 % human utterance · time gap 1 hour ago → /shared-context?case=review_1
Only the oldest 5,000 cases are listed.
`)
	viewstest.Show(t, reviewCase(f, *c, queue)).Golden("case-head", `class="card"`).Golden("case-offer", `class="check pick"`).
		Golden("case-sides", `class="sides flows"`).Golden("case-why", `class="why"`)
	decided := *c
	decided.Status, decided.By, decided.Decided = "accepted", "bea", viewstest.Now.Add(-time.Minute)
	decided.Offers = []ReviewOffer{offer}
	queue.Case = &decided
	viewstest.Show(t, ReviewPage(f, Review{View: "queue", Counts: counts, Queue: queue,
		Notice: &ReviewNotice{Kind: "warn", Title: "Already decided by bea: same event", Detail: "<i>", Undo: "review_1", Look: "/shared-context?case=review_1"}})).
		Golden("review-notice", `class="notice warn"`).Holds(`
<input type="radio" name="target" value="urn:c:1&#34;&gt;&lt;b&gt;" checked disabled>
`).Reads(`
…
Already decided by bea: same event
<i>
form post /shared-context/undo [id=review_1] [back=reason=gap] [Undo of review_1]
Open case → /shared-context?case=review_1
form post /shared-context/decide [case=review_1] [seen=9 1:1] [next=review_2] [back=reason=gap]
# “<b>”
human utterance same event Prove this → /evidence?case=review_1
Decided by bea, 1 minute ago.
Opened 1 hour ago; scores, gaps and conditions as of 1 minute ago
[*target=urn:c:1"><b>] “news” 93 %
…
form post /shared-context/undo [id=decision_9] [back=reason=gap] [Undo this decision of decision_9]
To the queue → /shared-context?case=review_2
review_1 · Open event →
# Queue
…
`)
	viewstest.Show(t, ReviewPage(f, Review{View: "queue", First: views.Command{Text: "curl http://h/api/shared-context/resolve"}})).Reads(`
# Review
Observations that may be one event.
0 to review
0 events
0 same event
0 different
# Nothing to review
The service is healthy. Robots send observations with this call; cases that need a person appear here.
curl http://h/api/shared-context/resolve
`)
	group := ReviewGroup{URI: "urn:c:1", Href: "/shared-context?group=urn%3Ac%3A1", Title: "<news>", Kind: "human utterance", Count: 2}
	open := group
	open.Cases = []ReviewMember{
		{ID: "review_1", Seen: "9 1:1", Others: []ReviewSight{{At: "10:00", Robot: "nao", Text: "<b>"}}, Href: "/shared-context?case=review_1", Text: "<b>", Sentence: "one side names no person", Offer: ReviewOffer{URI: "urn:c:1", Share: 0.97, KeptApart: true,
			Rows: []ReviewRow{{Name: "Text", Source: []views.Span{{Text: "<b>"}}, Target: []views.Span{{Text: "<i>", Marked: true}}, Verdict: "close", Words: "90 % alike"}, {Name: "Who", Verdict: "missing"}}}},
		{ID: "review_2", Offer: ReviewOffer{URI: "urn:c:2", Share: 0.4}}}
	queue.Groups, queue.Group = []ReviewGroup{group}, &open
	viewstest.Show(t, ReviewPage(f, Review{View: "queue", Counts: counts, Queue: queue, Many: &ReviewMany{Accepted: 1, Joined: 1, Refused: []string{"review_3: <gone>"}},
		Questions: []ReviewQuestion{{Sentence: "tiago’s clock is 5.1 s ahead: 40 sentences agree.", Action: "/shared-context/clock", Name: "clock", Fields: []views.Field{{Name: "robot", Value: "<tiago>"}},
			Yes: Choice{"yes", "Confirm"}, No: Choice{"no", "Dismiss"}}}})).Golden("review-group", `aria-labelledby="group-title"`).Golden("review-question", `class="row question"`).Golden("review-groups", `aria-label="Groups"`).Holds(`
<details class="card" id="questions" open>
<form class="decide stack" id="case" tabindex="-1" action="/shared-context/many" method="post" data-desk aria-labelledby="group-title">
`).Reads(`
…
Same event: 1 case
review_3: <gone>
1 case needed no decision: the observations already are one event.
Each is in the history → /shared-context?view=quality , where you can undo it.
1 question about robots and people
form post /shared-context/clock [robot=<tiago>]
tiago’s clock is 5.1 s ahead: 40 sentences agree.
[Confirm: tiago’s clock is 5.1 s ahead: 40 sentences agree.: clock=yes] [Dismiss: tiago’s clock is 5.1 s ahead: 40 sentences agree.: clock=no]
form post /shared-context/many
# <news>
human utterance
2 cases may be about one event. Each stays in the queue until you decide it.
[case=review_1] [seen review_1=9 1:1]
Case 1 97 % likely the same as this
Attribute | This observation | Best candidate | Verdict
Text | <b> | <i> | close 90 % alike
1 other candidate
10:00 · nao · – · – · “<b>”
A person kept these two apart before; to merge them anyway, open all evidence.
Needs review: one side names no person. All evidence of <b> → /shared-context?case=review_1
[as review_1=urn:c:1] Same event [as review_1=different] Different from all 2 [*as review_1=] Decide later
[case=review_2] [seen review_2=]
Case 2 40 % likely the same
Attribute | This observation | Best candidate | Verdict
Needs review: . All evidence of →
[as review_2=urn:c:2] Same event [as review_2=different] Different [*as review_2=] Decide later
[Save these decisions]
# Queue
…
<news> 2 cases human utterance · about one event → /shared-context?group=urn%3Ac%3A1
<b> 50 % human utterance · time gap 1 hour ago → /shared-context?case=review_1
Only the oldest 5,000 cases are listed.
`)
	undone := entry
	undone.Kind, undone.Undone, undone.Undoable, undone.Case = "merged", true, false, ""
	quality := ReviewQuality{ScaleMS: 200,
		Reviewers: ReviewReviewers{Decisions: 3, Reviewers: []Reviewer{{Name: "<ari>", Cases: 2, Accepted: 1, Median: 4 * time.Second}}, Reasons: []ReviewReason{{"no person", 1, 1}},
			Pairs: []ReviewPair{{"<ari>", "bea", 2, 1, 1, 2}}},
		History: ReviewHistory{Entries: []ReviewEntry{entry, undone}, Older: "/shared-context?view=quality&before=x"},
		Clocks: []ReviewClock{{Robot: "https://ex/robot/ari", Ahead: "−0.74 s", Sentences: 88}, {Robot: "https://ex/robot/tiago", Ahead: "+0.00 s", Arrival: "not live",
			Lead: "-40 ms per letter", Steps: []ReviewStep{{"+5.00 s by arrival", viewstest.Now.Add(-time.Hour)}}, Claim: "+5.10 s, 40 sentences", By: "eva"}},
		Relays: []resolver.Relay{{RobotURI: "https://ex/robot/relay", Of: "https://ex/robot/ari", State: "detected", Since: viewstest.Now.Add(-time.Hour), Reports: 20, Repeats: 20, LateReports: 4, DelayMS: 3100},
			{RobotURI: "https://ex/robot/nao", Of: "https://ex/robot/ari", State: "accepted", DecidedBy: "eva", Since: viewstest.Now}},
		Subjects: []resolver.Placeholder{{SubjectURI: "https://ex/human/<user>", State: "detected", Since: viewstest.Now.Add(-time.Hour), Conflicts: 4, JoinedBefore: 2},
			{SubjectURI: "https://ex/human/maria", State: "overruled", DecidedBy: "bea", Since: viewstest.Now.Add(-time.Minute), Conflicts: 4, Agreements: 1}},
		Reused: []resolver.RobotReuse{{RobotURI: new("https://ex/robot/ari"), Count: 3}, {Count: 1}}}
	viewstest.Golden(t, "quality-reviewers", reviewReviewers(quality.Reviewers))
	viewstest.Show(t, ReviewPage(f, Review{View: "quality", Counts: counts, Quality: quality})).Golden("quality-clocks", `aria-labelledby="clocks-title"`).Golden("quality-relays", `id="relays"`).
		Golden("quality-subjects", `id="subjects"`).Golden("quality-people", `id="people"`).Golden("quality-reused", `aria-labelledby="reused-title"`).Golden("quality-history", `id="history"`).Reads(`
# Review
Observations that may be one event.
…
# Reviewers
Reviewer | Cases | Same event | Undone later | Time per case
<ari> | 2 | 50 % | 0 | 4.0 s
The time is the median between two decisions, without breaks over 5 minutes.
# Verdicts by reason
Reason | Same event | Different
no person | 1 | 1
# Agreement
Reviewers | Cases of both | Agree | Cohen’s kappa
“<ari>” and bea | 2 | 50 % | 0.00
# Clocks
Offsets are relative to the median clock. Robots usually timestamp one event within 200 ms.
Robot | Ahead by | Compared in | How it sends | Hints | Confirmed by
ari | −0.74 s | 88 sentences | – | – | –
tiago | +0.00 s | 0 sentences | not live | -40 ms per letter · +5.10 s, 40 sentences +5.00 s by arrival, 1 hour ago | form post /shared-context/clock [view=quality] [seen=] [robot=https://ex/robot/tiago] eva [Revokethe clock of tiago: clock=revoke]
# Relays
A relay repeats what another robot reports, some seconds later.
Robot | Repeats | State | Repeated | Later by | Late reports | Decide
relay | ari | detected 1 hour ago | 20 of 20 | 3,100 ms | 4 | form post /shared-context/relay [view=quality] [seen=] [robot=https://ex/robot/relay] [of=https://ex/robot/ari] [Relayis relay: relay=yes] [Not a relayis relay: relay=no]
nao | ari | relay eva, just now | no repeats seen yet | form post /shared-context/relay [view=quality] [seen=] [robot=https://ex/robot/nao] [of=https://ex/robot/ari] [Not a relayis nao: relay=no]
# Placeholders
Robots report different texts by these subjects at the same moment. Placeholders count as unknown.
Subject | State | Conflicts | Agreements | Joined before | Decide
“<user>” | detected 1 hour ago | 4 | 0 | 2 | form post /shared-context/subject [view=quality] [seen=] [subject=https://ex/human/<user>] [One personis “<user>”: person=yes] [Placeholderis “<user>”: person=no]
maria | one person bea, 1 minute ago | 4 | 1 | 0 | form post /shared-context/subject [view=quality] [seen=] [subject=https://ex/human/maria] [Placeholderis maria: person=no]
# People with several names
Robots that name people by themselves give one person several names. Once decided, reports by either name can match. Nothing stored changes, and each decision can be taken back.
Decide on two names → /shared-context/people
# Reused ids
These robots reused an observation id for different contents. Each observation was kept.
Robot | Observations
ari | 3
no robot named | 1
# Decisions
When | Who | Decision | Observation | Do
1 minute ago | ari | same event | news → /shared-context?case=review_0 sentence → /shared-context/context?uri=urn%3Ac%3A1 | form post /shared-context/undo [id=decision_1] [back=view=quality] [Undo of decision_1]
1 minute ago | ari | merged automatically undone | news sentence → /shared-context/context?uri=urn%3Ac%3A1 |
Older → /shared-context?view=quality&before=x
`)
	viewstest.Show(t, ReviewPage(f, Review{View: "quality"})).Reads(`
# Review
Observations that may be one event.
0 to review
0 events
0 same event
0 different
# No decisions yet
This view compares reviewers and lists who decided what. To try other thresholds on a recorded stream, run segraph resolve.
# Clocks
Offsets are relative to the median clock. Robots usually timestamp one event within 0 ms.
No offsets are known yet. They come from sentences that two robots hear.
# People with several names
…
`)
}

func TestContextPage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Context", "/shared-context")
	f.Styles, f.Width = []string{"review.css"}, "wide"
	heard := SharedObservation{ID: "https://ex/o/1", When: "11 Feb 2026, 09:12:13.150 UTC", Robot: "ari", RobotHref: "/kg-graph?node=ari", Person: "<maria>", Modality: "speech",
		Text: "news</td>", Place: "kitchen", Joined: "created"}
	matched := heard
	matched.Joined, matched.Share, matched.Undo = "matched", "99.9 %", "/shared-context/context?undo=decision_2&uri=urn%3Ac%3A1"
	m := SharedEvent{URI: "urn:c:1", Title: "“<news>”", Kind: "human_utterance", Status: "active",
		Graph: "/kg-graph?node=c", Triples: "/query?q=c", Observations: []SharedObservation{heard, matched, {When: "2026-02-11", Joined: "unknown"}},
		Pages:  views.Pager{First: 1, Last: 3, Total: 120, After: "/shared-context/context?offset=3&uri=urn%3Ac%3A1"},
		Merges: []SharedMerge{{ID: "decision_3", By: "eva", Kind: "accepted", Text: "<news>", Case: "/shared-context?case=review_1", At: viewstest.Now.Add(-time.Hour)}, {ID: "decision_4", By: "the resolver", Kind: "merged", At: viewstest.Now}},
		Cases:  []views.Link{{Path: "/shared-context?case=review_2", Name: "review_2"}}, Apart: []views.Link{{Path: "/shared-context/context?uri=urn%3Ac%3A2", Name: "urn:c:2"}}}
	viewstest.Show(t, ContextPage(f, m)).Golden("context-head", `class="head"`).Golden("context-observations", `class="observations flows"`).
		Golden("context-merges", `aria-labelledby="merges-title"`).Golden("context-cases", `aria-labelledby="cases-title"`).Holds(`
<div class="stack" id="event">
<div class="scroll after" tabindex="0" role="group" aria-labelledby="observations-title">
<h2 id="observations-title">
<section class="card" aria-labelledby="apart-title">
rel="next">
`).Reads(`
# “<news>”
sentence, 120 observations
Graph → /kg-graph?node=c Triples → /query?q=c
# Who observed it
When | Robot | Person | Modality | Text | Place | Joined | Undo
11 Feb 2026, 09:12:13.150 UTC | ari → /kg-graph?node=ari | <maria> | speech | news</td> | kitchen | created |
11 Feb 2026, 09:12:13.150 UTC | ari → /kg-graph?node=ari | <maria> | speech | news</td> | kitchen | matched 99.9 % | This is not the same event → /shared-context/context?undo=decision_2&uri=urn%3Ac%3A1
2026-02-11 | – | – | – | – | – | unknown |
1–3 of 120 After → /shared-context/context?offset=3&uri=urn%3Ac%3A1
IRI
urn:c:1
# Merges
When | Who | Decision | Merged text | Undo
1 hour ago | eva | same event → /shared-context?case=review_1 | <news> | form post /shared-context/undo [id=decision_3] [back=view=quality] [Undo of decision_3]
just now | the resolver | merged automatically | | form post /shared-context/undo [id=decision_4] [back=view=quality] [Undo of decision_4]
# To review
review_2 → /shared-context?case=review_2
# Kept separate
urn:c:2 → /shared-context/context?uri=urn%3Ac%3A2
`)
	m.Undo = &UndoMatch{Decision: "decision_2", Context: "urn:c:1", Observation: matched, Back: "/shared-context/context?uri=urn%3Ac%3A1"}
	m.Asked, m.AskedText = "urn:c:0", "<news>"
	viewstest.Show(t, ContextPage(f, m)).Golden("context-undo", `aria-labelledby="undo-title"`).Reads(`
# “<news>”
sentence, 120 observations
Graph → /kg-graph?node=c Triples → /query?q=c
“<news>” was merged into this event.
# Separate this observation?
“news</td>” ari, 11 Feb 2026, 09:12:13.150 UTC
The observation becomes an event of its own, and stays separate from this one.
form post /shared-context/context/undo [decision=decision_2] [uri=urn:c:1] [Separate it] Cancel → /shared-context/context?uri=urn%3Ac%3A1
# Who observed it
When | Robot | Person | Modality | Text | Place | Joined | Undo
11 Feb 2026, 09:12:13.150 UTC | ari → /kg-graph?node=ari | <maria> | speech | news</td> | kitchen | created |
11 Feb 2026, 09:12:13.150 UTC | ari → /kg-graph?node=ari | <maria> | speech | news</td> | kitchen | matched 99.9 % | This is not the same event
2026-02-11 | – | – | – | – | – | unknown |
1–3 of 120 After → /shared-context/context?offset=3&uri=urn%3Ac%3A1
IRI
urn:c:1
of the event that was merged into it:
urn:c:0
# To review
…
`)
	viewstest.Show(t, ContextPage(f, SharedEvent{URI: "urn:c:1", Title: "gesture", Kind: "human_gesture", Status: "ambiguous", Observations: []SharedObservation{heard},
		Notice: &EventNotice{Title: "Separated", Detail: "The observation is now an event of its own.", Link: views.Link{Path: "/shared-context/context?uri=urn%3Ac%3A2", Name: "Open it"}}})).Reads(`
# gesture
human gesture, 0 observations, to review
Graph →
Separated
The observation is now an event of its own. Open it → /shared-context/context?uri=urn%3Ac%3A2
# Who observed it
When | Robot | Person | Modality | Text | Place | Joined | Undo
11 Feb 2026, 09:12:13.150 UTC | ari → /kg-graph?node=ari | <maria> | speech | news</td> | kitchen | created |
IRI
urn:c:1
`)
}

func TestWordsOfTheReview(t *testing.T) {
	t.Parallel()
	for share, want := range map[float64]string{0: "0", 0.304: "30", 0.9799: "98", 0.9951: "99.5", 0.99999: "99.9", 1: "100"} {
		if got := views.Likelihood(share); got != want+"\u00a0%" {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
	for iri, want := range map[string]string{"https://ex/human/maria": "maria", "https://ex/human/maria/": "maria", "urn:x:ari": "ari", "plain": "plain", "http://e/#": "e", "": ""} {
		if got := views.Short(iri); got != want {
			t.Errorf("%q is %q, want %q", iri, got, want)
		}
	}
	steps := []ReviewEvidence{{Weight: -1}, {Weight: 3}}
	x, width := bar(steps, steps[1])
	if x != "250" || width != "750" || zero(steps) != "250" {
		t.Errorf("bar at %s of %s, zero at %s", x, width, zero(steps))
	}
}

// TestTheReviewPageCountsWhatItDoesNotShow has more observations and cases than are read.
func TestTheReviewPageCountsWhatItDoesNotShow(t *testing.T) {
	t.Parallel()
	one := []ReviewSight{{Text: "x"}}
	for count, want := range map[int]string{0: "1 more observation", 1: "1 more observation", 120: "120 more observations (the first 1 are here)"} {
		if got := moreSeen(count, one); got != want {
			t.Errorf("of %d it says %q", count, got)
		}
	}
	for count, want := range map[int]string{maxGroup: "", maxGroup + 1: "; the first 50 are here"} {
		if got := (&ReviewGroup{Count: count}).shown(); got != want {
			t.Errorf("of %d cases it says %q", count, got)
		}
	}
}
