package ui

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const oneTriple = `ex:m1 a schema1:Message .`

// export returns the graph as N-Triples.
func (s *service) export() string {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodGet, s.api+"/events", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Accept", "application/n-triples")
	if s.auth.Enabled() {
		request.Header.Set("Authorization", "Bearer "+s.token("auditor"))
	}
	return s.read(request)
}

func TestOneInsertsALogWithAnErrorAndMendsItByTheMessage(t *testing.T) {
	t.Parallel()
	eachLook(t, func(t *testing.T, l look) {
		s := newService(t)
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo("/logs/insert")
		b.fill("#ttl", "@prefix ex: <http://example.org/> .\n"+oneTriple+"\nex:m1 schema1:text \"héllo\nworld\"@en")
		b.click("button[value=check]")
		b.see(".finding", "Undeclared prefix 'schema1:'")
		if !l.noScripts {
			b.see("#lines", "1\n✕ 2\n3\n4")
		}
		b.see(".finding", "line 2, column 9")
		b.see(".finding pre", oneTriple)
		b.see(".finding mark", "s")

		b.click(".finding button[name=action]")
		b.see(".finding", "line 4, column 26")
		text := value[string](b, `document.querySelector("#ttl").value`)
		if !strings.HasPrefix(text, "@prefix schema1: <http://schema.org/> .\n@prefix ex:") {
			t.Errorf("the field has %q", text)
		}
		b.fill("#ttl", strings.Replace(text, `"héllo`+"\n"+`world"@en`, `"""héllo`+"\n"+`world"""@en, "2" .`, 1))
		b.fill("#user", "robot 7")
		b.click("button[value=check]")
		b.see("#result", "Valid")
		b.see("#result", "3 triples: 3 new, 0 already stored")
		b.click("button[value=insert]")
		b.see("#result", "The log is stored")
		b.see("#result", "3: 3 new, 0 already stored")
		b.see("#result", "robot 7")
		b.see("#result", "Graph")
		if id := b.see("#log-id", "-"); len(id) != 36 {
			t.Errorf("log id %q", id)
		}
		if got := s.export(); strings.Count(got, "\n") != 3 || !strings.Contains(got, `"h\u00E9llo\nworld"@en`) && !strings.Contains(got, `"héllo\nworld"@en`) {
			t.Errorf("stored is %s", got)
		}
	})
}

// TestAPrefixIsOfferedThatWasPublishedBefore uses a prefix of this lab only.
func TestAPrefixIsOfferedThatWasPublishedBefore(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publish("@prefix lab: <https://lab.example/ns#> . lab:a lab:b 1 .")
	b := open(t, s.ui, look{noScripts: true})
	b.goTo("/logs/insert")
	b.fill("#ttl", "lab:c lab:b 2 .")
	b.click("button[value=check]")
	b.see(".finding", "Declare lab: <https://lab.example/ns#>")
	b.click(".finding button[name=action]")
	b.see("#result", "1 triple: 1 new, 0 already stored")
}

// TestTheLastInsertIsWithdrawn withdraws at once, and later from an empty page after a
// confirmation. Triples that another log also contributed stay.
func TestTheLastInsertIsWithdrawn(t *testing.T) {
	t.Parallel()
	eachLook(t, func(t *testing.T, l look) {
		s := newService(t)
		s.publish("<http://e/a> <http://e/b> 1 .")
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		insert := func() {
			b.goTo("/logs/insert")
			b.fill("#ttl", "<http://e/a> <http://e/b> 1, 2, [ <http://e/b> 3 ] .")
			b.click("button[value=check]")
			b.see("#result", "Valid")
			b.click("button[value=insert]")
			b.see("#result", "4: 3 new, 1 already stored")
		}
		insert()
		undo := func() {
			b.follow("#result a[href*=withdraw]")
			b.see("h1", "Withdraw this log?")
			b.click("button[value=withdraw]")
			b.see("#result", "The log is withdrawn")
		}
		undo()
		b.see("#result", "3 triples that only this log contributed")
		insert()
		b.goTo("/logs/insert")
		b.see("main", "Your last logs from this page")
		b.see("main", "4 triples")
		undo()
		if got := s.export(); strings.Count(got, "\n") != 1 {
			t.Errorf("left is %s", got)
		}
		b.goTo("/logs/insert")
		if got := b.all("a[href*=withdraw]"); len(got) != 0 {
			t.Errorf("the page offers to withdraw again: %q", got)
		}
	})
}

func TestADocumentChangedAfterItsCheckIsNotStored(t *testing.T) {
	t.Parallel()
	s := openService(t)
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo("/logs/insert?start=minimal")
		b.click("button[value=check]")
		b.see("#result", "Valid")
		b.fill("#ttl", "<http://e/a> <http://e/b> <http://e/changed> .")
		b.click("button[value=insert]")
		b.see("#result", "The document changed after the check")
		b.see("#result", "1 triple")
		if got := s.export(); got != "" {
			t.Errorf("stored is %s", got)
		}
	})
}

func TestAFileThatIsChosenIsStoredByteByByte(t *testing.T) {
	t.Parallel()
	large := filepath.Join(t.TempDir(), "large.ttl")
	var text strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&text, "<http://e/s%d> <http://e/p> \"\"\"%d\r\n\"\"\" .\r\n", i, i)
	}
	if err := os.WriteFile(large, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	eachLook(t, func(t *testing.T, l look) {
		s := openService(t)
		b := open(t, s.ui, l)
		b.goTo("/logs/insert")
		choose := chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{large})
		b.run(choose)
		b.click("button[value=check]")
		b.see("#result", "9,000 triples")
		if l.noScripts {
			b.run(choose)
		}
		b.click("button[value=insert]")
		b.see("#result", "9,000: 9,000 new")
		if got := s.export(); strings.Count(got, `\r\n"`) != 9000 {
			t.Errorf("%d literals kept their line ends", strings.Count(got, `\r\n"`))
		}
	})
}

func TestTidyingUpKeepsWhatIsSaid(t *testing.T) {
	t.Parallel()
	s := openService(t)
	b := open(t, s.ui, look{noScripts: true})
	b.goTo("/logs/insert")
	b.fill("#ttl", "@prefix ex: <http://e/> . # a comment\nex:a ex:p ex:b . ex:c ex:p ex:d . ex:a ex:p ex:e .")
	b.click("button[value=tidy]")
	b.see("#result", "3 triples")
	if got := value[string](b, `document.querySelector("#ttl").value`); !strings.Contains(got, "ex:a ex:p ex:b, ex:e .") && strings.Count(got, "ex:a ") != 1 {
		t.Errorf("%s", got)
	}
}

func TestTheInsertPageLooksRight(t *testing.T) {
	s := newService(t)
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo("/logs/insert?start=minimal")
		b.accessible()
		text := value[string](b, `document.querySelector("#ttl").value`)
		b.fill("#ttl", strings.Replace(text, "@prefix oro", "# @prefix oro", 1))
		b.click("button[value=check]")
		b.see(".finding", "Undeclared prefix")
		b.accessible()
		b.shot("logs-insert-error", l)
		if n := value[int](b, `[...CSS.highlights.get("keyword")].map(r => r.startContainer.data.slice(r.startOffset, r.endOffset)).filter(w => w === "@prefix").length`); n != 5 {
			t.Errorf("%d keywords @prefix have a colour", n) // the sixth is a comment
		}
		b.fill("#ttl", text)
		b.click("button[value=check]")
		b.see("#result", "Valid")
		b.accessible()
		b.shot("logs-insert", l)
		b.click("button[value=insert]")
		b.see("#result", "The log is stored")
		b.follow("#result a[href*=withdraw]")
		b.see("h1", "Withdraw this log?")
		b.accessible()
		b.shot("logs-insert-withdraw", l)
	})
}

// TestTheColoursOfATextTakeLittleTime has texts on which a backtracking pattern takes quadratic time.
func TestTheColoursOfATextTakeLittleTime(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := open(t, s.ui, look{})
	b.signIn(s, "admin")
	b.goTo("/logs/insert")
	for _, part := range []string{" ", "a-", `"\\`, "<", `"""`} {
		if took := value[float64](b, fmt.Sprintf(`(() => {
			const field = document.querySelector("#ttl"), begun = performance.now();
			field.value = '%s'.repeat(30_000);
			field.dispatchEvent(new Event("input"));
			return performance.now() - begun;
		})()`, part)); took > 1000 {
			t.Errorf("the colours of many %q take %.0f ms", part, took)
		}
	}
}
