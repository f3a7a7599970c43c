package admin

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/views/viewstest"
)

func TestTheLogPageShowsFilteredRecords(t *testing.T) {
	t.Parallel()
	s := openService(t)
	log := s.Log.Logger("x")
	log.Debug("one of debug")
	log.Warn("two of warning", "request_id", "r-1")
	log.Error(`three <script>alert(1)</script>`, "request_id", "r-1")
	for query, want := range map[string]string{
		"":                              "one two three",
		"?level=WARNING":                "two three",
		"?level=error":                  "three",
		"?contains=TWO":                 "two",
		"?request=r-1":                  "two three",
		"?request=r-1&level=ERROR":      "three",
		"?contains=nothing+has+this+12": "",
	} {
		body := s.NewVisitor().Get("/system/logs" + query).Body.String()
		lines := body[strings.Index(body, `id="lines"`):]
		for _, word := range []string{"one", "two", "three"} {
			if got := strings.Contains(lines, ">"+word+" ") || strings.Contains(lines, "\t"+word+" ") || strings.Contains(lines, word+" of") || strings.Contains(lines, word+" &lt;"); got != strings.Contains(want, word) {
				t.Errorf("%q: %s is shown: %v", query, word, got)
			}
		}
		if strings.Contains(body, "<script>alert") {
			t.Errorf("%q: a script gets into the page", query)
		}
	}
	if body := s.NewVisitor().Get("/system/logs?contains=nothing+has+this+12&level=ERROR").Body.String(); !strings.Contains(body, "No line matches") {
		t.Error("an empty answer is not said to be one")
	}
}

func TestAWrongFilterIsExplained(t *testing.T) {
	t.Parallel()
	s := openService(t)
	for query, want := range map[string]string{"level=LOUD": "There is no level", "limit=7": "The number of lines must be one of", "limit=x": "The number of lines", "after=-1": "integer"} {
		viewstest.WantPage(t, s.NewVisitor().Get("/system/logs?"+query), 422, want)
		for _, part := range []string{"new", "download"} {
			viewstest.WantPage(t, s.NewVisitor().Get("/system/logs/"+part+"?"+query), 422, want)
		}
	}
}

func TestTheTailGetsWhatCameAfterALine(t *testing.T) {
	t.Parallel()
	s := openService(t)
	log := s.Log.Logger("x")
	log.Info("before")
	last := s.Log.Last()
	log.Info("after")
	w := s.NewVisitor().Get("/system/logs/new?contains=er&after=" + strconv.FormatUint(last, 10))
	if body := w.Body.String(); w.Code != 200 || !strings.Contains(body, "after") || strings.Contains(body, "before") || strings.Contains(body, "<html") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if got := w.Header().Get("X-Last-Line"); got != strconv.FormatUint(last+1, 10) {
		t.Errorf("X-Last-Line %s, want %d", got, last+1)
	}
	for _, e := range s.Log.Query(logs.Filter{Limit: 100, Level: slog.LevelInfo}) {
		if strings.Contains(e.Raw, "/system/logs/new") {
			t.Errorf("what is asked every two seconds is a line of its own: %s", e.Raw)
		}
	}
}

func TestTheLogIsDownloadedAsItIsFiltered(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Log.Logger("x").Info("one")
	s.Log.Logger("x").Warn("two")
	w := s.NewVisitor().Get("/system/logs/download?" + url.Values{"level": {"WARNING"}}.Encode())
	if w.Code != http.StatusOK || strings.Count(w.Body.String(), "\n") != 1 || !strings.HasSuffix(w.Body.String(), "| two\n") {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	if got := w.Header().Get("Content-Disposition"); !strings.HasPrefix(got, `attachment; filename="segraph-2`) {
		t.Errorf("Content-Disposition %q", got)
	}
}

// TestOneHighBarIsBroken finds bars in proportion, but for one that would make all others low.
func TestOneHighBarIsBroken(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		lines, others int
		want          float64
		broken        bool
	}{{6, 2, 56, false}, {24, 2, 46, true}, {24, 0, 56, false}} {
		h := LogHistogram{Bars: []LogBar{{Others: x.others}, {Others: x.lines - 1, Errors: 1}, {Others: x.others / 2}}}
		bad, warn, other, broken := h.heights(h.Bars[1])
		if bad+warn+other != x.want || broken != x.broken {
			t.Errorf("%d lines beside %d: %v pixels, broken: %v", x.lines, x.others, bad+warn+other, broken)
		}
		_, _, whole, _ := h.heights(h.Bars[0])
		if _, _, half, _ := h.heights(h.Bars[2]); whole != 2*half {
			t.Errorf("%d lines beside %d: the others are %v and %v pixels high", x.lines, x.others, whole, half)
		}
	}
}

func TestAHistogramFiltersTheLog(t *testing.T) {
	t.Parallel()
	s := openService(t)
	for _, l := range []struct {
		after time.Duration
		level slog.Level
		text  string
	}{{0, slog.LevelInfo, "test first"}, {0, slog.LevelInfo, "at once"}, {time.Second / 2, slog.LevelInfo, "at once"}, {30 * time.Minute, slog.LevelError, "test second"}} {
		at := time.Date(2026, 5, 31, 10, 0, 0, 0, time.UTC).Add(l.after)
		if err := s.Log.Handler().Handle(t.Context(), slog.NewRecord(at, l.level, l.text, 0)); err != nil {
			t.Fatal(err)
		}
	}
	b := s.NewVisitor()
	for _, text := range []string{"nothing+like+it", "at+once"} {
		if strings.Contains(b.Get("/system/logs?contains="+text).Body.String(), "data-histogram") {
			t.Errorf("there is a histogram of lines with %q", text)
		}
	}
	page := b.Get("/system/logs?contains=test").Body.String()
	viewstest.Want(t, page, "data-histogram", "1 error", `<rect class="bad"`)
	link := regexp.MustCompile(`<a href="(/system/logs\?[^"]*)"><title>[^<]*1 error`).FindStringSubmatch(page)
	if link == nil {
		t.Fatal(page)
	}
	page = b.Get(strings.ReplaceAll(link[1], "&amp;", "&")).Body.String()
	viewstest.Want(t, page, "second", "All times", `name="since"`)
	if strings.Contains(page, "first") {
		t.Error("a line of another time is shown")
	}
	viewstest.WantPage(t, b.Get("/system/logs?since=yesterday"), 422, "must be a time")
}

// TestTheLogShowsAsManyLinesAsItSays has more lines than the page shows, and long ones. Lists
// cut long lines; each is whole on a page of its own.
func TestTheLogShowsAsManyLinesAsItSays(t *testing.T) {
	t.Parallel()
	s := openService(t)
	deep := strings.Repeat("deep <&> ", 200) + "the end"
	for i := range 300 {
		s.Log.Logger("segraph.test").Error("failed", "n", i, "error", deep)
	}
	b := s.NewVisitor()
	for _, n := range logLimits[:2] {
		page := b.Get("/system/logs?limit=" + strconv.Itoa(n)).Body.String()
		viewstest.Want(t, page, fmt.Sprintf(`<option value="%d" selected>`, n), "Whole line")
		if got := strings.Count(page, "<details>"); got != n {
			t.Errorf("the page has %d lines, and says %d", got, n)
		}
		if strings.Contains(page, "the end") {
			t.Error("long lines are shown in full")
		}
	}
	page := b.Get("/system/logs").Body.String()
	link := regexp.MustCompile(`/system/logs/line\?number=\d+`).FindString(page)
	viewstest.Want(t, b.Get(link).Body.String(), "the end", "Log line")
	viewstest.WantPage(t, b.Get("/system/logs/line?number=99999"), 404, "The server log keeps no line with this number")
	viewstest.WantPage(t, b.Get("/system/logs/line"), 404, "The server log keeps no line with this number")
}
