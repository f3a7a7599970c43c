package ui

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/logs"
)

// write writes log lines of several requests to the service's log. They are some time apart, and the last is of now.
func (s *service) write(n int, apart time.Duration) {
	s.t.Helper()
	now := time.Now()
	for i := range n {
		ctx := logs.WithRequest(context.Background(), &logs.Request{ID: fmt.Sprintf("r-%d", i%5), Actor: "ari", Address: "192.0.2.1"})
		at := now.Add(time.Duration(i-n+1) * apart)
		line := slog.NewRecord(at, slog.LevelInfo, "request", 0)
		switch i % 7 {
		case 3:
			line = slog.NewRecord(at, slog.LevelWarn, "the disk is nearly full", 0)
			line.Add("free", "1 GiB", "of", fmt.Sprintf("%d GiB", i))
		case 6:
			line = slog.NewRecord(at, slog.LevelError, "a request failed", 0)
			line.Add("error", errors.New("read page 7: checksum differs"))
		default:
			line.Add("method", "POST", "path", "/ttl", "status", 201, "ms", 1.25, "bytes", 141)
		}
		if err := s.log.Logger("segraph.test").Handler().Handle(ctx, line); err != nil {
			s.t.Fatal(err)
		}
	}
}

func TestOneFiltersTheLogAndFollowsARequest(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.write(60, 0)
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo("/system/logs?level=WARNING") // the first page of all lines may have only those of the other looks
		b.see(".log", "the disk is nearly full")
		value[any](b, `document.querySelector("#level").value = "ERROR"`)
		b.click("form[role=search] button.primary")
		b.eventually("only errors are shown", func() bool {
			return !slices.ContainsFunc(b.all(".log .badge"), func(l string) bool { return l != "ERROR" })
		}, func() string { return fmt.Sprint(b.all(".log .badge")) })
		b.click(".log li summary")
		b.see(".log li details[open]", "checksum differs")
		b.follow(".log li details[open] dd.mono a") // the field "error", whose value is quoted in the log
		if n := len(b.all(".log li")); n != 8 || !strings.Contains(b.path(), "contains=error%3D%22read+page+7") {
			t.Errorf("%d lines with the error at %s", n, b.path())
		}
		b.click(".log li summary")
		b.click(".log li details[open] a")
		b.see("main", "Everything of request r-")
		b.eventually("the lines of the request are there", func() bool { return len(b.all(".log li")) >= 10 }, b.path)
	})
}

func TestTheTailIsLiveAndPausesAndSaysHowMuchIsNew(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.write(300, 0)
	b := open(t, s.ui, look{})
	b.goTo("/system/logs?limit=1000") // so that there is something to scroll
	b.see("[data-state]", "Live")
	position := func() float64 {
		return value[float64](b, `(t => t.scrollHeight - t.scrollTop - t.clientHeight)(document.querySelector(".tail"))`)
	}
	if got := position(); got > 24 {
		t.Errorf("it begins %v pixels above the newest line", got)
	}
	s.log.Logger("x").Info("the first new line")
	b.eventually("the new line is shown", func() bool {
		return strings.Contains(strings.Join(b.all(".log li:last-child"), ""), "the first new line")
	},
		func() string { return fmt.Sprint(b.all(".log li:last-child")) })
	if got := position(); got > 24 {
		t.Errorf("it is %v pixels above the newest line", got)
	}

	b.press("p")
	b.see("[data-state]", "Paused")
	for i := range 7 {
		s.log.Logger("x").Info("held", "i", i)
	}
	b.see("[data-new]", "7 new")
	if got := strings.Join(b.all(".log li:last-child"), ""); strings.Contains(got, "held") {
		t.Errorf("while it is paused it shows %q", got)
	}
	b.click("[data-new]")
	b.see(".log li:last-child", "held i=6")
	b.see("[data-state]", "Live")

	value[any](b, `document.querySelector(".tail").scrollTop = 100`)
	s.log.Logger("x").Info("below what is read")
	b.see("[data-new]", "1 new")
	if got := value[float64](b, `document.querySelector(".tail").scrollTop`); got != 100 {
		t.Errorf("the reader further up was moved to %v", got)
	}
	b.press("e")
	b.see(".log li:last-child", "below what is read")
	numbers := value[[]string](b, `[...document.querySelectorAll(".log li")].map(l => l.dataset.number)`)
	if slices.Sort(numbers); len(slices.Compact(numbers)) != len(numbers) {
		t.Error("a line is repeated")
	}
	if got := strings.Join(b.all(".log li"), "\n"); strings.Contains(got, "/system/logs/new") {
		t.Errorf("the tail shows its own requests: %s", got)
	}

	// Another process counts from 1.
	value[any](b, `(() => { const f = fetch; window.fetch = async () => { window.fetch = f; return new Response("", {headers: {"X-Last-Line": "1"}}); }; })()`)
	b.see(".log li:not([data-number]) .quiet", "The service has restarted")
	s.log.Logger("x").Info("after the restart")
	b.see(".log li:last-child", "after the restart")
	if all := b.all(".log .text"); !strings.Contains(all[len(all)-2], "below what is read") || strings.Count(strings.Join(all, "\n"), "the first new line") != 2 {
		t.Errorf("after a restart the tail is %q", all)
	}
}

func TestTheTailGoesToSignInWhenTheSessionIsOver(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := open(t, s.ui, look{})
	b.signIn(s, "admin")
	b.goTo("/system/logs?contains=x")
	b.leave()
	b.see("main", "Sign in with a token")
	if got := b.path(); got != "/session?next=%2Fsystem%2Flogs" {
		t.Errorf("it is at %s", got)
	}
}

func TestTheLogPageLooksRight(t *testing.T) {
	s := newService(t)
	s.write(60, time.Minute)
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo("/system/logs")
		b.see("[data-state]", "Live")
		b.shot("system-logs", l)
		b.goTo("/system/logs?level=ERROR") // axe-core checks every line, which takes long for many
		b.accessible()
		b.click(".log li.bad summary")
		b.accessible()
	})
}
