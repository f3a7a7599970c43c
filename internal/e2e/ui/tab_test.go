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

// look is how a tab shows pages. The zero value is a desktop in the light, with scripts.
type look struct {
	phone     bool // 390 pixels wide, and not 1280
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

// tab is a browser window with cookies of its own. When its test ends it fails it for every request to
// another host, every violation of the policy, and every error in the console that was not expected.
type tab struct {
	t    testing.TB
	ctx  context.Context
	base string

	mu      sync.Mutex
	faults  []string
	allowed []string
}

// open opens a tab on a service, at a base URL that is s.ui, s.lab(), or below a proxy.
func open(t testing.TB, base string, l look) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser(t), chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, base: base}
	b.must(chromedp.Do(ctx)) // opens it, with a context that has no end of its own
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
	tell(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}) // whichever tabs there are beside it
	tell(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.noScripts})
	t.Cleanup(b.judge)
	return b
}

// observe notes what a page must not do.
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

// expect says that one kind of fault is what a test is after, such as "status of 403".
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

// must fails the test for an error of the browser's.
func (b *tab) must(err error) {
	b.t.Helper()
	if err != nil {
		at, _ := chromedp.Run(b.ctx, chromedp.Location()) // as far as it can be told
		b.t.Fatalf("at %s: %v", at, err)
	}
}

// run does what chromedp is told.
func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	b.must(chromedp.Do(b.ctx, actions...))
}

// tell sends the browser a command of its protocol, and gives the answer.
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

// path tells where the tab is, without the host.
func (b *tab) path() string {
	b.t.Helper()
	at, err := chromedp.Run(b.ctx, chromedp.Location())
	b.must(err)
	return strings.TrimPrefix(at, b.base)
}

// fill writes into a field as if it were typed at once.
func (b *tab) fill(selector, text string) {
	b.t.Helper()
	b.run(chromedp.WaitVisible(chromedp.CSS(selector)), chromedp.Focus(chromedp.CSS(selector)))
	value[any](b, fmt.Sprintf(`document.querySelector(%q).select()`, selector)) // what is there is typed over
	tell(b, input.InsertText, input.InsertTextParams{Text: text})
}

// press presses a key, such as "j" or kb.Enter.
func (b *tab) press(key string) {
	b.t.Helper()
	b.run(chromedp.KeyEvent(key))
}

// click presses what a selector finds first.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.run(chromedp.WaitVisible(chromedp.CSS(selector)), chromedp.ScrollIntoView(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector)))
}

// follow clicks what leads to another page, and waits until the one that there was is gone: for when the next
// may look like it.
func (b *tab) follow(selector string) {
	b.t.Helper()
	value[any](b, `document.documentElement.dataset.old = ""`)
	b.click(selector)
	b.eventually("another page is there", func() bool {
		return value[bool](b, `document.readyState == "complete" && !("old" in document.documentElement.dataset)`)
	}, b.path)
}

// see waits until what a selector finds first is visible and holds a text, and gives its whole text.
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

// all gives the visible texts of all that a selector finds and that is shown.
func (b *tab) all(selector string) []string {
	b.t.Helper()
	return value[[]string](b, fmt.Sprintf(`[...document.querySelectorAll(%q)].filter(e => e.checkVisibility()).map(e => e.innerText)`, selector))
}

// value evaluates an expression of JavaScript, which may be a promise, also where the page itself may run none.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	for {
		out, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
		if err != nil && strings.Contains(err.Error(), "navigated") && b.ctx.Err() == nil {
			continue // the page went away under it; the next one is asked
		}
		b.must(err)
		return out
	}
}
