package explore

import (
	"testing"

	"github.com/segraph/segraph/views/viewstest"
)

func TestTheWhyPage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Why?", "/why")
	f.Styles = []string{"why.css"}
	sign := GraphSign{"pill", 3}
	log := &WhyLog{ID: "0198", All: "/query/logs?triple=1", Time: viewstest.Now, Actor: "<ari>"}
	m := Why{IRI: "http://e/a", Name: "ARI said “<b>”", Kind: "oro:ResponseAction", Sign: sign, Graph: "/kg-graph?node=a", Replay: "/replay?at=t", Depth: 6, Depths: []int{4, 6},
		Story: []WhyStep{{Text: "ARI said “<b>”", Called: "answer <1>", Href: "/why?iri=a", Time: "4 Jun 2026, 11:53:18 UTC", Log: log},
			{Head: "What came before it", Lead: "because", Text: "ARI heard Maria", Href: "/why?iri=b", Time: "11:53:17 UTC", Level: 1, Log: &WhyLog{All: "/query/logs?triple=2"}, LinkLog: &WhyLog{ID: "0197", Time: viewstest.Now, Actor: "curator", Claimed: "ari"}}, {Lead: "perhaps because", Text: "ARI recognized sadness", Href: "/why?iri=c", Level: 9, Unlinked: true}},
		StoryMore: true, Missing: []WhyGap{{Text: "No log says who.", Of: []WhyRef{{"a", "/why?iri=a"}, {"b", "/why?iri=b"}}, More: 3}, {Text: "No log says which version.", Calm: true}},
		Drawing: &WhyDrawing{Width: 446, Height: 150, Boxes: []WhyBox{{X: 2, Y: 2, Sign: sign, Lines: []string{"ARI heard", "“<i>”"}, Note: "11:53:17", Full: "ARI heard “<i>”", Href: "/why?iri=b"}, {X: 252, Y: 2, Sign: sign, Lines: []string{"ARI said"}, Full: "ARI said", Href: "/why?iri=a", Start: true}},
			Arrows: []WhyArrow{{Path: "M0 0C1 1 2 2 3 3", Title: "<b>", Kind: "trigger", Href: "/log?id=0198"}}, Words: []WhyWord{{"trigger", "triggered"}}, Left: 2},
		Effects: []WhyAct{{Text: "ARI moved", Href: "/why?iri=d", Time: "11:54:00"}}, Around: []WhyAct{{Text: "TIAGo heard", Href: "/why?iri=e", Time: "11:53:00", Note: "before"}},
		People: []WhyPerson{{Name: "Maria", Href: "/why?iri=m", Did: "spoke", Place: "hall", Sign: GraphSign{"human", 2}}}, Models: []WhyModel{{Name: "ASR", Href: "/why?iri=f", Version: "1.0", Score: "89 %", By: []string{"ARI", "TIAGo"}}, {Name: "Face"}},
		Notes: []string{"There are causes more than 8 steps away."}, Deeper: "/why?iri=a&depth=10", DeeperSteps: 10, Shortened: "There are consequences more than 8 steps away."}
	m.Seen = []WhySeen{{Text: "ARI heard “<b>”", Time: "4 Jun 2026, 11:53:18", Here: true, Log: log}, {Text: "TIAGo heard “<i>”", Href: "/why?iri=e", Time: "11:53:17", Log: &WhyLog{All: "/query/logs?triple=3"}}}
	viewstest.Show(t, whyAnswer(m)).Golden("why-story", `aria-label="Explanation"`).Golden("why-diagram", `aria-labelledby="diagram-name"`).Golden("why-people", `id="people"`).
		Golden("why-models", `id="models"`).Golden("why-around", `id="around"`).Golden("why-effects", `id="effects"`).Golden("why-missing", `id="missing"`).Reads(`
oro:ResponseAction Graph → /kg-graph?node=a Replay → /replay?at=t
# One event, logged 2 times
ARI heard “<b>” 4 Jun 2026, 11:53:18 · log 0198 → /log?id=0198 by “<ari>”
TIAGo heard “<i>” → /why?iri=e 11:53:17 · log → /query/logs?triple=3
This happened on 4 Jun 2026, 11:53:18 UTC · log → /log?id=0198 · label in the log: “answer <1>”
# What came before it
because ARI heard Maria → /why?iri=b 11:53:17 UTC · log → /query/logs?triple=2 · linked by another log → /log?id=0197
perhaps because ARI recognized sadness → /why?iri=c not linked
The chain is longer. Choose one of its causes to read on.
There are causes more than 8 steps away.
form get /why Steps [depth= 4; *6] [iri=http://e/a] [Show] Show 10 steps → /why?iri=a&depth=10
# Diagram
Causes are at the left, consequences at the right. The graph also has the training and the settings of models.
<b>
→ /log?id=0198
ARI heard
“<i>”
11:53:17
→ /why?iri=b
ARI said
→ /why?iri=a
triggered
2 nodes not drawn.
# Who was there
Maria → /why?iri=m spoke · in hall
# Models
ASR → /why?iri=f 1.0 used by ARI and TIAGo · scored 89 % in its evaluation · trained on: not logged
Face → no evaluation logged · trained on: not logged
# At the same event
What else robots logged about this event. No log calls these records a cause.
TIAGo heard → /why?iri=e 11:53:00 before
# Consequences
There are consequences more than 8 steps away.
ARI moved → /why?iri=d 11:54:00
# What is missing
No log says who: a → /why?iri=a · b → /why?iri=b and 3 more
No log says which version:
`)
	viewstest.Show(t, WhyPage(f, Why{Asked: `"><script>`, Begin: []GraphLink{{"ARI", "oro:Robot", sign, "/why?iri=a", "ari:robot"}}})).
		Golden("why-head", `class="head"`).Golden("why-begin", `class="card begin"`).Reads(`
# Why?
Why did a robot say or do something? Choose it, and read what led to it.
form get /why Words, name or IRI [iri="><script>] [Find]
# What to explain
ARI → /why?iri=a oro:Robot
`)
	viewstest.Golden(t, "why-party", whyAnswer(Why{Name: "ARI", Sign: sign, Part: []WhyAct{{Text: "ARI heard “<i>”", Href: "/why?iri=b", Time: "4 Jun 2026, 11:53:17"}}, PartCut: true, Met: "/reports?who=ari", Triples: "/query?query=d", Others: []WhyRef{{"http://ex/<b>", "/kg-graph?node=b"}}, Same: "/shared-context/people?first=a"}))
}
