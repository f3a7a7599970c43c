package admin

import (
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/views"
)

// logLimits are the choices for the number of lines. The first is the default.
var logLimits = []int{100, 200, 500, 1000, 2000}

// numbersText lists numbers for a sentence.
func numbersText(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}

// logQuery is the filter of a reader of the server log.
type logQuery struct {
	logs.Filter
	given url.Values // the filter as in the address, without empty values
}

// readLogQuery parses the filter of an address. The error is a problem for the reader; with it, the filter has what was
// read before the fault.
func readLogQuery(r *http.Request) (logQuery, error) {
	q := r.URL.Query()
	out := logQuery{logs.Filter{Limit: logLimits[0], Level: slog.LevelDebug}, url.Values{}}
	if name := q.Get("level"); name != "" {
		level, ok := logs.ParseLevel(name)
		if !ok {
			return out, front.NewProblem(http.StatusUnprocessableEntity, "there is no level %q; levels are %s", name, strings.Join(logs.LevelNames(), ", "))
		}
		out.Level = level
		out.given.Set("level", logs.LevelName(level))
	}
	if text := q.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || !slices.Contains(logLimits, n) {
			return out, front.NewProblem(http.StatusUnprocessableEntity, "the number of lines must be one of %s", numbersText(logLimits))
		}
		out.Limit = n
		out.given.Set("limit", text)
	}
	if text := q.Get("after"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return out, front.NewProblem(http.StatusUnprocessableEntity, "the number of a line must be an integer")
		}
		out.After = n
	}
	for _, bound := range []struct {
		name string
		to   *time.Time
	}{{"since", &out.Since}, {"until", &out.Until}} {
		text := q.Get(bound.name)
		if text == "" {
			continue
		}
		t, ok := views.ParseTime(text)
		if !ok {
			return out, front.NewProblem(http.StatusUnprocessableEntity, "%s must be a time such as 2026-05-31T10:30:00Z", bound.name)
		}
		*bound.to = t
		out.given.Set(bound.name, text)
	}
	if text := strings.TrimSpace(q.Get("contains")); text != "" {
		out.Contains = text
		out.given.Set("contains", text)
	}
	if text := strings.TrimSpace(q.Get("request")); text != "" {
		out.Request = text
		out.given.Set("request", text)
	}
	return out, nil
}

// getSystemLogs shows the newest matching lines. If the filter has a fault, the page says so above the lines that match
// what was read before the fault.
func (u *handlers) getSystemLogs(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	q, err := readLogQuery(r)
	status, m := http.StatusOK, Logs{
		Level: logs.LevelName(q.Level), Contains: q.Contains, Request: q.Request, Limit: q.Limit,
		Levels: logs.LevelNames(), Limits: logLimits, Place: u.Config.Log.Name(),
	}
	if err != nil {
		p := front.ProblemOf(err)
		status, m.Wrong = p.Status, p.Detail
	}
	// Read first, so that lines that arrive in between are sent twice rather than never.
	// The script drops duplicates.
	m.Last = u.Config.Log.Last()
	m.Histogram = u.logHistogram(q)
	m.Lines = logLines(u.Config.Log.Query(q.Filter))
	m.New, m.Download = "/system/logs/new?"+q.given.Encode(), "/system/logs/download?"+q.given.Encode()
	f := u.Frame(r, v, "Server log")
	f.Scripts = []string{"logs.js"}
	f.Keys = []views.Key{{Press: "p", Does: "pause or continue"}, {Press: "e", Does: "to the newest line"}, {Press: "/", Does: "search for a text"}}
	return u.Show(w, r, status, LogsPage(f, m))
}

// getLogLine shows one whole line.
func (u *handlers) getLogLine(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	n, err := strconv.ParseUint(r.URL.Query().Get("number"), 10, 64)
	if err == nil && n > 0 {
		for _, l := range logLines(u.Config.Log.Query(logs.Filter{After: n - 1, Level: slog.LevelDebug, Limit: math.MaxInt})) {
			if l.Number == n {
				return u.Show(w, r, http.StatusOK, LogLinePage(u.Frame(r, v, "Log line"), l))
			}
		}
	}
	return front.NewProblem(http.StatusNotFound, "the server log keeps no line with this number; it may be too old")
}

// getNewLogs returns the lines after a given one, for the live view. The request is
// polled every two seconds and not logged, or the server log would never be quiet.
func (u *handlers) getNewLogs(w http.ResponseWriter, r *http.Request, _ *views.Visit) error {
	front.Quiet(r)
	q, err := readLogQuery(r)
	if err != nil {
		return err
	}
	w.Header().Set("X-Last-Line", strconv.FormatUint(u.Config.Log.Last(), 10))
	return u.Show(w, r, http.StatusOK, LogLines(logLines(u.Config.Log.Query(q.Filter))))
}

// downloadLogs returns the matching lines as a file.
func (u *handlers) downloadLogs(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	q, err := readLogQuery(r)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range u.Config.Log.Query(q.Filter) {
		b.WriteString(e.Raw + "\n")
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="segraph-%s.log"`, v.Now.UTC().Format("20060102-150405")))
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	_, _ = w.Write([]byte(b.String())) // if the client is gone, reading its next request fails
	return nil
}

// logLines returns entries as the page shows them.
func logLines(entries []logs.Entry) []LogLine {
	out := make([]LogLine, len(entries))
	for i, e := range entries {
		l := LogLine{
			Number: e.Number, Time: e.Timestamp(), Level: logs.LevelName(e.Level), Logger: e.Logger,
			RequestID: e.RequestID, Actor: e.Actor, Address: e.Address, Text: e.Text(), Raw: e.Raw, Href: fmt.Sprintf("/system/logs/line?number=%d", e.Number),
		}
		if e.RequestID != "" {
			l.OfRequest = views.OfRequest(e.RequestID)
		}
		for _, f := range e.Fields() {
			l.Fields = append(l.Fields, LogField(f))
		}
		out[i] = l
	}
	return out
}
