package ui

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// look is how a tab shows pages. The zero value is a light desktop with scripts.
type look struct {
	phone     bool // 390 pixels wide instead of 1280
	dark      bool
	noScripts bool
}

func (l look) String() string {
	name := "desktop"
	if l.phone {
		name = "phone"
	}
	if l.dark {
		name += "-dark"
	}
	if l.noScripts {
		name += "-noscript"
	}
	return name
}

// tab is a browser window with its own cookies. At the end of the test, it fails the test
// for every request to another host, every violation of the policy, and every unexpected
// error in the console.
type tab struct {
	t    testing.TB
	ctx  context.Context
	base string

	mu      sync.Mutex
	faults  []string
	allowed []string
}

// open opens a tab at the base URL of a service: s.ui, s.lab(), or below a proxy.
func open(t testing.TB, base string, l look) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser(t), chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, base: base}
	b.must(chromedp.Do(ctx)) // opens the tab, with a context that has no deadline
	ctx, cancelTime := context.WithTimeout(ctx, 3*patience)
	t.Cleanup(cancelTime)
	b.ctx = ctx
	b.must(chromedp.Listen(ctx, b.observe))
	width, height := int64(1280), int64(800)
	if l.phone {
		width, height = 390, 844
	}
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	tell(b, network.Enable, network.EnableParams{})
	tell(b, runtime.Enable, cdp.Empty{})
	tell(b, cdplog.Enable, cdp.Empty{})
	tell(b, audits.Enable, cdp.Empty{})
	tell(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
	tell(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	tell(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}) // independent of other tabs
	tell(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.noScripts})
	t.Cleanup(b.judge)
	return b
}

// observe records forbidden behaviour of a page.
func (b *tab) observe(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		at, err := url.Parse(e.Request.URL)
		if err != nil || at.Scheme != "data" && at.Scheme != "blob" && at.Scheme != "about" && !strings.HasPrefix(e.Request.URL+"/", b.base+"/") {
			b.fault("it asks elsewhere: " + e.Request.URL)
		}
	case *cdplog.EventEntryAdded:
		if e.Entry.Level == cdplog.EntryLevelError || e.Entry.Source == cdplog.EntrySourceSecurity {
			b.fault("the console has: " + e.Entry.Text + " " + e.Entry.URL)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			b.fault(fmt.Sprintf("a script writes an error to the console: %v", e.Args))
		}
	case *runtime.EventExceptionThrown:
		b.fault(fmt.Sprintf("a script fails: %+v", e.ExceptionDetails))
	case *audits.EventIssueAdded:
		if e.Issue.Code == audits.InspectorIssueCodeContentSecurityPolicyIssue {
			b.fault(fmt.Sprintf("it breaks its policy: %+v", e.Issue.Details.ContentSecurityPolicyIssueDetails))
		}
	}
}

func (b *tab) fault(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, text)
}

// expect allows a kind of error that the test provokes, such as "status of 403".
func (b *tab) expect(part string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.allowed = append(b.allowed, part)
}

func (b *tab) judge() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.faults {
		expected := false
		for _, part := range b.allowed {
			expected = expected || strings.Contains(f, part)
		}
		if !expected {
			b.t.Error(f)
		}
	}
}

// must fails the test if err is an error of the browser.
func (b *tab) must(err error) {
	b.t.Helper()
	if err != nil {
		at, _ := chromedp.Run(b.ctx, chromedp.Location()) // may be unknown
		b.t.Fatalf("at %s: %v", at, err)
	}
}

// run performs actions of chromedp.
func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	b.must(chromedp.Do(b.ctx, actions...))
}

// tell sends a command of the browser's protocol and returns the answer.
func tell[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	answer, err := chromedp.Call(b.ctx, command, params)
	b.must(err)
	return answer
}

// goTo opens a path and waits until it is loaded.
func (b *tab) goTo(path string) {
	b.t.Helper()
	b.run(chromedp.Navigate(b.base + path))
}

// path returns the path of the tab's page.
func (b *tab) path() string {
	b.t.Helper()
	return strings.TrimPrefix(value[string](b, "location.href"), b.base)
}

// fill replaces the text of a field, as if typed at once.
func (b *tab) fill(selector, text string) {
	b.t.Helper()
	b.eventually(selector+" is seen", func() bool {
		return value[bool](b, fmt.Sprintf(`(() => {
			const e = document.querySelector(%q);
			if (!e?.checkVisibility({visibilityProperty: true})) return false;
			e.focus();
			e.select(); // the inserted text replaces the selection
			return true;
		})()`, selector))
	}, b.path)
	tell(b, input.InsertText, input.InsertTextParams{Text: text})
}

// press presses a key, such as "j" or kb.Enter.
func (b *tab) press(key string) {
	b.t.Helper()
	b.run(chromedp.KeyEvent(key))
}

// click waits until the first element that matches selector is visible, and clicks its
// middle. It finds it with one expression, because chromedp sends a dozen commands for a
// click.
func (b *tab) click(selector string) {
	b.t.Helper()
	var at []float64
	b.eventually(selector+" is seen", func() bool {
		at = value[[]float64](b, fmt.Sprintf(`(() => {
			const e = document.querySelector(%q);
			if (!e?.checkVisibility({visibilityProperty: true})) return [];
			e.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
			const box = [...e.getClientRects()].find(r => r.width && r.height);
			return box ? [box.x + box.width / 2, box.y + box.height / 2] : [];
		})()`, selector))
		return len(at) == 2
	}, b.path)
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		tell(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: at[0], Y: at[1], Button: input.MouseButtonLeft, ClickCount: 1})
	}
}

// follow clicks a link to another page and waits until the old page is gone. Use it if
// the two pages look alike.
func (b *tab) follow(selector string) {
	b.t.Helper()
	value[any](b, `document.documentElement.dataset.old = ""`)
	b.click(selector)
	b.eventually("another page is there", func() bool {
		return value[bool](b, `document.readyState == "complete" && !("old" in document.documentElement.dataset)`)
	}, b.path)
}

// see waits until the first element that matches selector is visible and contains a text,
// and returns its whole text.
func (b *tab) see(selector, text string) string {
	b.t.Helper()
	var got string
	b.eventually(fmt.Sprintf("%q is seen in %s", text, selector), func() bool {
		found := b.all(selector)
		if len(found) > 0 {
			got = found[0]
		}
		return len(found) > 0 && strings.Contains(got, text)
	}, func() string { return got })
	return got
}

// all returns the texts of all visible elements that match selector.
func (b *tab) all(selector string) []string {
	b.t.Helper()
	return value[[]string](b, fmt.Sprintf(`[...document.querySelectorAll(%q)].filter(e => e.checkVisibility()).map(e => e.innerText)`, selector))
}

// value evaluates a JavaScript expression, which may be a promise, even if the page
// itself may run no scripts.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	for {
		out, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
		if err != nil && strings.Contains(err.Error(), "navigated") && b.ctx.Err() == nil {
			continue // the page changed during the call: ask the next one
		}
		b.must(err)
		return out
	}
}
