package ui

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// leave ends the session of a tab without leaving its page.
func (b *tab) leave() {
	b.t.Helper()
	b.expect("status of 401")
	value[any](b, `fetch("/session/end", {method: "POST", redirect: "manual"}).then(() => 0)`)
}

// TestChoicesInAGroupStay opens the evidence of a case, and waits for a request in the background after the session
// has ended.
func TestChoicesInAGroupStay(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.hear(0, "ari", "https://ex/human/maria")
	for i, robot := range []string{"tiago", "pepper", "nao"} {
		s.hear(100*(i+1), robot, "")
	}
	b := open(t, s.ui, look{})
	b.signIn(s, "admin")
	b.goTo("/shared-context")
	b.click("ul.cases a")
	b.see("#group-title", "climate news")
	b.click(".member input[type=radio]")
	b.click(".member a[href*='case=']")
	b.leave()
	b.eventually("a request in the background is refused", func() bool {
		return value[bool](b, `performance.getEntriesByType("resource").some((r) => r.responseStatus === 401)`)
	}, b.path)
	b.click("#case button.primary")
	b.see("#said", "Sign in in a new tab")
	if !value[bool](b, `document.querySelector(".member input[type=radio]").checked`) {
		t.Errorf("the choice is lost at %s", b.path())
	}
}

func TestATypedLogOutlivesItsSession(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := open(t, s.ui, look{})
	b.signIn(s, "admin")
	b.goTo("/logs/insert")
	b.fill("#ttl", oneTriple)
	value[any](b, `void (window.confirm = () => false)`)
	b.click("a[href$='start=minimal']")
	b.leave()
	for _, action := range []string{"tidy", "check"} {
		b.click("button[value=" + action + "]")
		b.see("#result", "Sign in in a new tab")
		if got := value[string](b, `document.querySelector("#ttl").value`); got != oneTriple {
			t.Errorf("after %s the field has %q", action, got)
		}
	}
}

// TestSheetsOfTwoTabsStay changes what is stored as another tab does, and then edits.
func TestSheetsOfTwoTabsStay(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	b := open(t, s.ui, look{})
	names := func() string { return strings.Join(b.all(".sheets span > button:first-child"), ", ") }
	are := func(want string) {
		t.Helper()
		b.eventually("the sheets are "+want, func() bool { return names() == want }, names)
	}
	b.goTo("/query")
	b.write(look{}, "# mine\nASK {}")
	are("mine")
	const stored = `const key = "segraph.query." + document.querySelector("#ask").dataset.key, state = JSON.parse(localStorage.getItem(key));`
	value[any](b, `(() => { `+stored+` state.sheets.push({id: "a", name: "", text: "# theirs"}); state.shown = "a"; localStorage.setItem(key, JSON.stringify(state)); })()`)
	b.write(look{}, "# still mine\nASK {}")
	are("still mine, theirs")
	value[any](b, `(() => { `+stored+` state.shown = "a"; localStorage.setItem(key, JSON.stringify(state)); })()`)
	b.goTo("/query")
	b.eventually("mine is shown after a reload", func() bool { return strings.HasPrefix(b.text(), "# still mine") }, b.text)
	b.click(".sheets span:nth-child(2) button")
	b.eventually("theirs is there", func() bool { return b.text() == "# theirs" }, b.text)
	b.run(chromedp.KeyEvent("z", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.press("!")
	b.eventually("undoing leads to no other sheet", func() bool { return b.text() == "!# theirs" }, b.text)
	// The sheet of a link takes the place of another link's, and of no draft.
	value[any](b, `(() => { `+stored+` for (let i = 0; i < 18; i++) state.sheets.push({id: "l" + i, name: "", text: "# link " + i, given: true}); localStorage.setItem(key, JSON.stringify(state)); })()`)
	b.expect("status of 400")
	b.goTo("/query?query=%23+one+more")
	b.see(".sheets [data-current]", "one more")
	if got := names(); !strings.HasPrefix(got, "still mine, Query 2, link 1, ") || strings.Count(got, ",") != 19 {
		t.Errorf("the sheets are %s", got)
	}
}

// TestPaperHasWhatIsOnThePage prints an answer, and the tables of a graph, which are in a form.
func TestPaperHasWhatIsOnThePage(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	b := open(t, s.ui, look{})
	tell(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	b.goTo("/query?query=ASK+%7B%7D")
	b.see("#answer", "true")
	if len(b.all("#ask, .shelf, .tools, main button")) > 0 {
		t.Error("the editor is printed too")
	}
	b.goTo(graphPath("v", "+ "+robotAri, "node", robotAri, "table", "1"))
	b.see("#nodes", "ARI")
}

func TestProgramsAreCopied(t *testing.T) {
	t.Parallel()
	s := openService(t)
	b := open(t, s.ui, look{})
	for _, name := range []string{"Python", "ROS 2", "C++"} {
		b.goTo("/connect?with=" + url.QueryEscape(name))
		b.see(".tabs [aria-current]", name)
		button := ".program [data-copy]"
		b.click(button)
		b.eventually("it says so", func() bool { return !strings.Contains(strings.Join(b.all(button)[:1], ""), "Copy") }, b.path)
		b.click(button)
		b.eventually("the button is as before", func() bool { return b.all(button)[0] == "Copy" }, func() string { return b.all(button)[0] })
	}
}

// TestOtherKeysAreTheBrowsers presses a held key, arrows beside the picture, and "Skip to content".
func TestOtherKeysAreTheBrowsers(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	b := open(t, s.ui, look{})
	b.goTo("/health")
	b.goTo(graphPath("v", "+ "+robotAri, "node", robotAri))
	b.see("#graph", "ARI")
	left := func(at, key, more string) bool {
		return value[bool](b, fmt.Sprintf(`document.querySelector(%q).dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true, cancelable: true, %s}))`, at, key, more))
	}
	if left("body", "ArrowDown", "") || !left(".summary a", "ArrowDown", "") {
		t.Error("the arrow keys are not the picture's alone")
	}
	left("body", "?", "repeat: true")
	if len(b.all("dialog[open]")) > 0 {
		t.Error("a key that is held down acts again")
	}
	b.press("z") // there is no step to undo
	if busy := value[string](b, `new Promise((done) => {
		addEventListener("popstate", () => done(document.getElementById("graph").getAttribute("aria-busy") ?? "no"), {once: true});
		document.querySelector(".skip").click();
	})`); busy == "true" {
		t.Error("“Skip to content” draws the picture again")
	}
	b.press("e")
	b.eventually("e expands", func() bool { return value[int](b, `document.querySelectorAll("#drawing .node").length`) > 5 }, b.path)
}
