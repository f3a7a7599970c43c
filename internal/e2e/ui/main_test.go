// Package ui tests the web UI in a real browser, Debian's chromium driven by chromedp, on
// a whole service with real data. It contains only tests. They open tabs, which fail
// their test if a page requests another host, violates its Content Security Policy or
// writes an error to the console; see tab.
package ui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/segraph/segraph/internal/suite"
)

// labHost is a name that chromium resolves to this machine but does not treat as a secure
// origin. So pages behave as on a device without TLS.
const labHost = "lab.test"

// chromium is the browser that all tests share. Each test has its own browser contexts.
var chromium struct {
	sync.Mutex
	ctx  context.Context
	stop []func()
}

// raced are the tests that run with the race detector: those with concurrent requests,
// and one that opens each page. Chromium takes most of the time of the others, and
// package views and its rooms run their handlers with the race detector too. -run selects other tests.
var raced = []string{
	"TestAllPagesWorkBelowABasePathBehindNginx", "TestEachRoleSeesWhatItMay", "TestTwoReviewersRaceAndBothGetTheResult",
	"TestTheTailIsLiveAndPausesAndSaysHowMuchIsNew", "TestALateSection", "TestASectionThatTakesLongerComesByItself",
	"TestCancelStopsTheEngine", "TestEachEndOfAQueryHasItsOwnPage", "TestHealthSaysThatTheServiceIsGone",
}

func TestMain(m *testing.M) {
	suite.ParseFlags(raced)
	if testing.Short() {
		fmt.Println("these tests run the whole program, and none of them with -short")
		return
	}
	pictures := os.Getenv("SEGRAPH_SCREENSHOTS")
	if pictures != "" {
		if err := os.MkdirAll(pictures, 0o755); err != nil {
			fmt.Fprintln(os.Stderr, "making the folder of the pictures:", err)
			os.Exit(1)
		}
	}
	code := m.Run()
	for _, stop := range chromium.stop {
		stop()
	}
	if pictures != "" {
		if err := sheet(pictures); err != nil {
			fmt.Fprintln(os.Stderr, "writing the contact sheet:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// browser returns the shared browser and starts it at the first call.
func browser(t testing.TB) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium-headless-shell") // without windows, and twice as fast
	if err != nil {
		path, err = exec.LookPath("chromium")
	}
	if err != nil {
		suite.Missing(t, "no chromium: install it, with Debian by apt-get install chromium-headless-shell")
	}
	chromium.Lock()
	defer chromium.Unlock()
	if chromium.ctx != nil {
		return chromium.ctx
	}
	profile, err := os.MkdirTemp("", "segraph-chromium-")
	if err != nil {
		t.Fatal(err)
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.Headless, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.WSURLReadTimeout(patience),
		chromedp.Flag("host-resolver-rules", "MAP "+labHost+" 127.0.0.1"),
	}
	for _, flag := range []string{"no-sandbox", "disable-gpu", "disable-quic", "disable-background-networking", "disable-component-update",
		"disable-sync", "disable-extensions", "disable-dev-shm-usage", "hide-scrollbars", "mute-audio"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopBrowser := chromedp.NewContext(allocator)
	chromium.stop = []func(){stopBrowser, stopAllocator, func() {
		if err := os.RemoveAll(profile); err != nil {
			fmt.Fprintln(os.Stderr, "removing the browser's folder:", err)
		}
	}}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("starting chromium: %v", err)
	}
	chromium.ctx = ctx
	return ctx
}
