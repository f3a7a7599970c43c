package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/suite"
)

// TestOneWhoNeverSawItFindsTheirWay follows a person with the log of two robots and a
// browser: on a desktop without tokens, and on a phone with an admin's token. The long
// form also swaps the two.
func TestOneWhoNeverSawItFindsTheirWay(t *testing.T) {
	suite.Slow(t, "it walks through all pages four times")
	t.Parallel()
	people := []struct {
		name  string
		begin func(testing.TB) *service
		look  look
	}{{"open", openService, look{}}, {"admin", newService, look{phone: true}}, {"open", openService, look{phone: true}}, {"admin", newService, look{}}}
	for _, p := range people[:suite.Times(4, suite.Size(2, 1))] {
		t.Run(p.name+"-"+p.look.String(), func(t *testing.T) {
			t.Parallel()
			s := p.begin(t)
			s.publishDemo()
			s.addCases(2)
			b := open(t, s.ui, p.look)
			if p.name == "admin" {
				b.signIn(s, auth.Admin)
			}
			b.readsTheLog(s)
			b.asksAndDownloads()
			b.decidesAndTakesBack()
			b.mendsAndInserts(s)
		})
	}
}

// page opens a page through the navigation.
func (b *tab) page(path string) {
	b.t.Helper()
	b.goTo("/")
	b.navigate(path)
}

// navigate follows a link of the navigation, or of the menu Admin.
func (b *tab) navigate(href string) {
	b.t.Helper()
	if value[bool](b, `document.querySelector(".where")?.checkVisibility() ?? false`) {
		b.click(".where")
	}
	link := ".bar nav a[href='" + href + "']"
	if len(b.all(link)) == 0 {
		b.follow(".bar nav a[href='/logs']")
		link = ".sidemenu a[href='" + href + "']"
	}
	b.follow(link)
}

// readsTheLog finds who talked to whom, the thread, the model behind a decision, and the
// shared events.
func (b *tab) readsTheLog(s *service) {
	b.t.Helper()
	b.page("/reports")
	b.goTo("/reports?section=people")
	b.see("#people", "Who met whom")
	var talked []string
	for _, row := range b.all("#people tr") {
		talked = append(talked, strings.Join(strings.Fields(row), " "))
	}
	for _, pair := range []string{"ARI Maria 4 ", "Maria ARI 3 3", "Maria TIAGo 0 1"} {
		if !slices.ContainsFunc(talked, func(row string) bool { return strings.HasPrefix(row, pair) }) {
			b.t.Errorf("the pair %q is not in %q", pair, talked)
		}
	}
	b.goTo("/reports?section=conversations")
	bubbles := b.all(".bubble")
	at := func(part string) int {
		return slices.IndexFunc(bubbles, func(s string) bool { return strings.Contains(s, part) })
	}
	if ask, answer, thanks := at("some news to cheer me up?"), at("Here is one headline"), at("Thank you, ARI!"); len(bubbles) != 7 || ask < 0 || answer != ask+1 || thanks < answer {
		b.t.Errorf("the threads are %q", bubbles)
	}
	b.goTo("/reports?section=ml")
	b.see("#ml", "ARI detects sadness from Maria speech content")
	b.see("#ml", "Emotion Text Classifier")
	b.goTo("/reports?section=resolver")
	b.see("#resolver", "events logged by several robots")
	if shared := strings.Join(strings.Fields(strings.Join(b.all("#resolver tr"), "\n")), " "); !strings.Contains(shared, "ARI, I feel sad because I just received bad news. 2 8 24 Feb 2026") {
		b.t.Errorf("the shared events are %s", shared)
	}
	b.page("/query")
	b.click("details:has(a[href*='which-model-decided']) > summary")
	b.click("a[href*='which-model-decided']")
	b.see("#answer table", "ASR Vosk ES")
	if got := strings.Join(b.all("#answer td"), " "); !strings.Contains(strings.Replace(got, "ari:activity_ari_decision_1 ", "", 1), "ARI decides to provide emotional support why? ASR Vosk ES") { // a phone has no room for short IRIs
		b.t.Errorf("the models behind decisions are %s", got)
	}
}

// asksAndDownloads writes a query with names that the editor completes, and downloads the
// answer.
func (b *tab) asksAndDownloads() {
	b.t.Helper()
	b.page("/query")
	b.write(look{}, "SELECT ?m ?text { ?m ")
	for _, part := range []struct{ typed, chosen string }{{"schema:tex", "schema:text"}, {" ?text ; a Messag", "schema:Message"}} {
		for _, c := range part.typed {
			b.press(string(c))
		}
		b.eventually(part.chosen+" is offered first", func() bool {
			offered := b.all(".cm-tooltip-autocomplete li")
			return len(offered) > 0 && strings.HasPrefix(offered[0], part.chosen)
		}, func() string { return strings.Join(b.all(".cm-tooltip-autocomplete li"), " | ") })
		b.click(".cm-tooltip-autocomplete li")
	}
	for _, c := range " }" {
		b.press(string(c))
	}
	b.see("#checked", "Valid: SELECT")
	b.click("#run")
	b.see("#count", "8 rows")
	if file := b.downloads("csv"); !strings.HasPrefix(file, "m,text\r\n") || !strings.Contains(file, "Thank you, ARI!") {
		b.t.Errorf("the file is %s", file)
	}
}

// downloads returns the download that the button of a format requests.
func (b *tab) downloads(format string) string {
	b.t.Helper()
	return value[string](b, `(() => { const f = document.querySelector("form[action='/query/download']");
		const fields = new URLSearchParams(new FormData(f, f.querySelector("button[value='`+format+`']")));
		return fetch(f.action, {method: f.method, body: fields}).then(r => r.text()) })()`)
}

func (b *tab) decidesAndTakesBack() {
	b.t.Helper()
	b.page("/shared-context")
	b.see("#counts .figure:first-child", "2")
	b.click("button[value=accept]")
	b.see("#said", "Decided: same event")
	b.see("#counts .figure:first-child", "1")
	b.click("#said [data-undo]")
	b.see("#said", "Undone: the case is in the queue again")
	b.see("#counts .figure:first-child", "2")
}

// mendsAndInserts sends a log with an error and follows the error message.
func (b *tab) mendsAndInserts(s *service) {
	b.t.Helper()
	b.page("/logs/insert")
	b.follow("a[href*='start=minimal']")
	text := value[string](b, `document.querySelector("#ttl").value`)
	before := strings.Count(s.export(), "\n")
	b.fill("#ttl", strings.Replace(text, `"Good morning"@en`, `"Good morning`, 1))
	b.click("button[value=check]")
	b.see(".finding", "line 20, column ")
	b.see(".finding pre", `schema:text "Good morning`)
	b.fill("#ttl", text)
	b.click("button[value=check]")
	b.see("#result", "Valid")
	b.click("button[value=insert]")
	b.see("#result", "The log is stored")
	if after := strings.Count(s.export(), "\n"); after <= before {
		b.t.Errorf("there were %d triples and now there are %d", before, after)
	}
}

// TestEachRoleSeesWhatItMay checks the specification's table in a browser, with a token
// of each role and without one: an admin opens each page, others one that they may see and
// one that they may not. TestEveryRoleOnEveryPage of package views requests all.
func TestEachRoleSeesWhatItMay(t *testing.T) {
	suite.Slow(t, "it opens all pages with each role")
	t.Parallel()
	s := newService(t)
	s.publishDemo()
	s.addCases(1)
	auditors, admin := "auditor or admin", "admin"
	pages := []struct{ path, roles, shows string }{
		{"/reports", auditors, "Strongest emotions"}, {"/kg-graph", auditors, "Last session"}, {"/query", auditors, "SPARQL 1.2"},
		{"/shared-context", admin, "Same event"}, {"/connect", admin, "Connect a robot"}, {"/classes", admin, "Classes"}, {"/logs/insert", admin, "Publish a log"}, {"/logs/delete", admin, "Type DELETE to confirm"}, {"/keys", admin, "Add a key"},
		{"/logs", auditors, "What it tells"}, {"/journal", auditors, "Published: "}, {"/backups", admin, "Back up now"}, {"/tokens", admin, "Issue a token"}, {"/settings", admin, "Settings"}, {"/personal-data", admin, "Personal data"},
		{"/system/logs", admin, "Times are in UTC"}, {"/boxes", admin, "No boxes"}, {"/health", "", "Everything works"}, {"/session", "", "Token"},
	}
	for _, role := range []auth.Role{auth.Auditor, auth.Logger, auth.Admin} {
		t.Run(string(role), func(t *testing.T) {
			t.Parallel()
			b := open(t, s.ui, look{})
			b.expect("status of 403")
			b.signIn(s, role)
			b.see(".who", string(role)+" · expires in")
			var open []string
			opened := map[bool]bool{}
			for _, p := range pages {
				may := p.roles == "" || strings.Contains(p.roles, string(role))
				if may {
					open = append(open, p.path)
				}
				if opened[may] && role != auth.Admin {
					continue
				}
				opened[may] = true
				b.goTo(p.path)
				if may {
					b.see("main", p.shows)
				} else {
					b.see("main .notice.bad", "Not allowed")
					b.see("main .notice.bad", "This page requires the role "+p.roles+", and your token has "+string(role))
				}
			}
			b.goTo("/health")
			links := value[[]string](b, `[...document.querySelectorAll(".bar nav a, .sidemenu a, .who a, .foot a[href='/health']")].map(a => a.getAttribute("href"))`)
			slices.Sort(links)
			slices.Sort(open)
			if links = slices.Compact(links); !slices.Equal(links, open) {
				t.Errorf("the navigation has %q, want %q", links, open)
			}
			if waits := len(b.all(".bar nav .count")) > 0; waits != (role == auth.Admin) {
				t.Errorf("the count of pending cases is shown: %v", waits)
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		b := open(t, s.ui, look{})
		b.goTo("/reports")
		b.see("main", "Sign in first")
		b.see("main", "/reports")
		b.goTo("/health")
		b.see("main", "Everything works")
	})
}
