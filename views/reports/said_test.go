package reports

import (
	"context"
	"html"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/views/viewstest"
)

// claim goes on as a sentence of ours does. The pages that the tests read have it in every
// name and text that somebody sent.
const claim = `ari), at 2026-01-01 09:00. The director confirmed in person that`

// TestEveryPageSetsApartWhatSomebodySent has the demo with the claim in each of its names,
// labels and texts, and observations with it.
func TestEveryPageSetsApartWhatSomebodySent(t *testing.T) {
	t.Parallel()
	s := openService(t)
	demo, err := os.ReadFile("../../docs/examples/museum.ttl")
	if err != nil {
		t.Fatal(err)
	}
	s.Publish(regexp.MustCompile(`(label|name|firstName|text|description) "`).ReplaceAllString(string(demo), `$1 "`+claim+` `))
	cases := s.AddCases(2)
	for _, robot := range []string{"ari", "tiago"} {
		o := resolver.Observation{EventKind: "human_utterance", ObservedAt: "2026-02-11T15:00:00.000Z", Modality: "speech", Text: claim, RobotURI: "https://ex/robot/" + robot}
		if _, err := s.Contexts.Resolve(context.Background(), o, claim); err != nil {
			t.Fatal(err)
		}
	}
	s.Publish(`<https://ex/robot/ari> <http://www.w3.org/2000/01/rdf-schema#label> "` + claim + ` ARI" . <https://ex/robot/tiago> <http://www.w3.org/2000/01/rdf-schema#label> "` + claim + ` TIAGo" . <https://ex/human/maria> <http://www.w3.org/2000/01/rdf-schema#label> "` + claim + ` Maria" .`)
	const session = "/replay?from=2026-02-11T09:00:00Z&to=2026-02-11T09:40:00Z"
	b := s.NewVisitor()
	b.Post("/shared-context/decide", viewstest.Fields(b.Get("/shared-context?case="+cases[0]).Body.String()))
	node := func(name string) string { return url.QueryEscape("https://example.org/" + name) }
	const charted = "SELECT ?who ?at ?n ?m { ?a <http://www.w3.org/ns/prov#startedAtTime> ?at ; <http://www.w3.org/2000/01/rdf-schema#label> ?who BIND(MINUTES(?at) AS ?n) BIND(HOURS(?at) AS ?m) }"
	paths := []string{"/reports", "/logs", "/journal", "/tokens", session, session + "&view=table", session + "&view=table&kind=shared", session + "&view=print",
		"/shared-context", "/shared-context?case=" + cases[1], "/shared-context?case=" + cases[0], "/shared-context?view=quality", "/shared-context/people?first=" + node("human/maria") + "&second=" + node("robot/ari"), "/classes", "/kg-graph",
		"/kg-graph?node=" + node("ari/decision_1"), "/kg-graph?node=" + node("robot/ari"), "/why?iri=" + node("ari/decision_1"), "/why?iri=" + node("ari/emotion_1"), "/why?iri=" + node("human/maria"), "/why?iri=" + node("robot/ari"),
		"/search?q=director", "/query?view=chart&as=line&query=" + url.QueryEscape(charted), "/query?view=chart&as=scatter&query=" + url.QueryEscape(charted),
		"/query?view=chart&as=timeline&query=" + url.QueryEscape(charted), "/query?view=chart&as=bar&query=" + url.QueryEscape(charted), b.Post("/shared-context/batch", url.Values{"filter": {"reason="}, "do": {"accept"}}).Header().Get("Location"),
		"/reports?section=people&who=" + node("human/maria"), "/log?id=" + s.LastLog(), "/demo", "/system/logs", "/keys", "/logs/insert", "/logs/delete"}
	for _, name := range Names() {
		paths = append(paths, "/reports?section="+name)
	}
	var stage strings.Builder
	ask := LiveAsk{Robots: [2]string{claim + " ARI", claim + " TIAGo"}, Texts: [2]string{claim, claim}}
	turn := LiveTurn{Lines: []LiveLine{{Robot: claim, Speaker: claim, Text: claim, Mood: claim}, {Robot: claim, Text: claim, Answer: true}}}
	if err := LiveStage(Stage{Ask: &ask, Turns: []LiveTurn{turn}}).Render(t.Context(), &stage); err != nil {
		t.Fatal(err)
	}
	for _, text := range besideOurs(stage.String()) {
		t.Errorf("/live: %q", text)
	}
	for _, path := range paths {
		w := b.Get(path)
		if w.Code != 200 {
			t.Errorf("%s: %d", path, w.Code)
		}
		if strings.Contains(w.Body.String(), "<title>"+claim) {
			t.Errorf("%s: a mark has a title that is not quoted", path)
		}
		for _, text := range besideOurs(w.Body.String()) {
			t.Errorf("%s: %q", path, text)
		}
	}
}

// besideOurs returns the texts, titles and labels of a page in which a claim stands beside
// other words and outside of the marks of internal/quoted.
func besideOurs(page string) (out []string) {
	page = regexp.MustCompile(`(?s)<textarea.*?</textarea>|<pre.*?</pre>|<script.*?</script>|<blockquote.*?</blockquote>`).ReplaceAllString(page, "")
	texts := regexp.MustCompile(` (?:title|aria-label|alt)="([^"]*)"`).FindAllStringSubmatch(page, -1)
	page = strings.ReplaceAll(page, "</tspan>", " ") // ends a line of a label
	page = regexp.MustCompile(`</?(?:a|b|bdi|i|q|strong|code|tspan)(?: [^>]*)?>`).ReplaceAllString(page, "")
	texts = append(texts, regexp.MustCompile(`>([^<>]+)<`).FindAllStringSubmatch(page, -1)...)
	for _, m := range texts {
		text := strings.Join(strings.Fields(html.UnescapeString(m[1])), " ")
		rest := ""
		for _, p := range quoted.Parts(text) {
			if !p.Value {
				rest += p.Text
			}
		}
		alone := strings.HasPrefix(rest, claim) && strings.Count(rest, "confirmed") == 1 && !strings.ContainsAny(rest[len(claim):], "()→·") ||
			strings.HasSuffix(rest, "…") && strings.HasPrefix(claim, strings.TrimSuffix(rest, "…")) // a name that is cut
		if strings.Contains(rest, "The director") && !alone {
			out = append(out, text)
		}
	}
	return out
}
