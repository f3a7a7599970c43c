package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/service"
)

// Limits of the parameters of GET /logs/server.
const (
	defaultLogs = 200
	maxLogs     = 2000
	maxContains = 500 // characters
)

// logFilters are the client's filters, repeated in the answer.
type logFilters struct {
	Limit    int     `json:"limit"`
	Level    *string `json:"level"`
	Contains *string `json:"contains"`
}

// logEntry is a line of the server log in an answer. Missing values are null.
type logEntry struct {
	Timestamp string  `json:"timestamp"`
	Level     string  `json:"level"`
	Logger    *string `json:"logger"`
	RequestID *string `json:"request_id"`
	Actor     *string `json:"actor"`
	OriginIP  *string `json:"origin_ip"`
	Message   string  `json:"message"`
	Raw       string  `json:"raw"`
}

// getServerLogs returns the newest lines of the server log.
func (a *API) getServerLogs(w http.ResponseWriter, r *http.Request) error {
	q := readQuery(r)
	filters, filter := logQuery(q)
	if err := q.err(); err != nil {
		return err
	}
	return a.front.Page(w, r, filter.Limit, func(context.Context, *service.Kept) (any, error) {
		entries := []logEntry{}
		for _, e := range a.service.Config().Log.Query(filter) {
			entries = append(entries, logEntry{
				Timestamp: e.Timestamp(),
				Level:     logs.LevelName(e.Level),
				Logger:    orNull(e.Logger),
				RequestID: orNull(e.RequestID),
				Actor:     orNull(e.Actor),
				OriginIP:  orNull(e.Address),
				Message:   e.Message,
				Raw:       e.Raw,
			})
		}
		return struct {
			LogFile string     `json:"log_file"`
			Count   int        `json:"count"`
			Filters logFilters `json:"filters"`
			Entries []logEntry `json:"entries"`
		}{a.service.Config().Log.Name(), len(entries), filters, entries}, nil
	})
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// logQuery returns the filters of a query string: as the answer repeats them, and for the log. It notes faults in q, and then
// nobody may use the filters. If level is repeated, the last one that is not empty counts.
func logQuery(q *queryReader) (logFilters, logs.Filter) {
	filter := logs.Filter{Limit: int(q.number("limit", defaultLogs, 1, maxLogs)), Level: slog.LevelDebug}
	shown := logFilters{Limit: filter.Limit}
	for _, name := range q.Values["level"] {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		level, ok := logs.ParseLevel(name)
		if !ok {
			q.fault("level", "the parameter \"level\" must be one of %s", strings.Join(logs.LevelNames(), ", "))
			continue
		}
		filter.Level = level
		shown.Level = orNull(logs.LevelName(level))
	}
	given := q.Get("contains")
	if utf8.RuneCountInString(given) > maxContains {
		q.fault("contains", "the parameter \"contains\" must not be longer than %d characters", maxContains)
	}
	if wanted := strings.TrimSpace(given); wanted != "" {
		filter.Contains, shown.Contains = wanted, &wanted
	}
	return shown, filter
}
