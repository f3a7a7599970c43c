package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
)

// linesTypes are the media types of lines. The first is that of the answer.
var linesTypes = []string{"application/x-ndjson", "application/jsonl", "application/json-lines"}

// postBatch stores lines, each completely or not at all, and answers each with a line.
func (a *API) postBatch(w http.ResponseWriter, r *http.Request) error {
	kind, err := front.ContentType(r)
	if err != nil {
		return err
	}
	if !slices.Contains(linesTypes, kind) {
		return front.NewProblem(http.StatusUnsupportedMediaType, "this path accepts lines of JSON; send them with Content-Type: %s", service.Alternatives(linesTypes))
	}
	b := service.Batched{Host: r.Host, By: front.SignatureOf(r)}
	values, err := front.Parameters(r)
	if err == nil {
		err = front.Refuse(values, func(string) bool { return true }, "this path has none; each line names its user")
	}
	if err != nil {
		return err
	}
	coded, err := front.ChooseCoding(w, r)
	if err != nil {
		return err
	}
	u, err := a.front.Receive(r)
	if err != nil {
		return err
	}
	defer func() { _ = u.Close() }()
	turn, err := a.service.BeginDocument(r.Context(), u.Size)
	if err != nil {
		return err
	}
	defer turn.End()
	body, err := u.Take()
	if err != nil {
		return err
	}
	if err := a.splitLines(r, &b, body); err != nil {
		return err
	}
	answers, err := a.service.PublishLines(r.Context(), front.ActorOf(r), b, turn)
	if err != nil {
		return err
	}
	text, err := a.lineAnswers(r, answers)
	if err != nil {
		return err
	}
	turn.End() // a client that does not read its answer holds only that
	return front.WriteCoded(w, coded, http.StatusOK, linesTypes[0], text)
}

// splitLines sets the lines of a request: those of its list if it is signed, and otherwise the lines of its body. It refuses a
// body with none or too many.
func (a *API) splitLines(r *http.Request, b *service.Batched, body []byte) (err error) {
	most := service.MaxLines
	if b.By != nil {
		if b.Signed, err = a.front.ListedLines(r, body); err != nil {
			return err
		}
		most = service.MaxSignedLines
		for _, l := range b.Signed {
			b.Lines = append(b.Lines, l.Line)
		}
	} else if body = bytes.TrimSuffix(body, []byte("\n")); len(body) > 0 {
		b.Lines = bytes.SplitN(body, []byte("\n"), most+1)
	}
	switch {
	case len(b.Lines) == 0:
		return front.NewProblem(http.StatusBadRequest, "the body has no lines; each is a JSON object with the members key and graph, and optionally user, observation and about")
	case len(b.Lines) > most:
		return front.NewProblem(http.StatusRequestEntityTooLarge, "the body has more than %d lines; send the rest in another request", most)
	}
	return nil
}

// lineAnswers returns the answers as lines.
func (a *API) lineAnswers(r *http.Request, answers []service.LineAnswer) ([]byte, error) {
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false)
	for i := range answers {
		var line any = &answers[i]
		if err := answers[i].Err; err != nil {
			line = a.front.LineProblem(r, i+1, err)
		}
		if err := to.Encode(line); err != nil {
			return nil, fmt.Errorf("write the answer to a line: %w", err)
		}
	}
	return out.Bytes(), nil
}

// ownLog is a log of GET /logs/mine.
type ownLog struct {
	LogID    string    `json:"log_id"`
	LogIndex uint64    `json:"log_index"`
	Time     time.Time `json:"time"`
	User     string    `json:"user"`
	Triples  int       `json:"triples"`
	Added    int       `json:"added"`
}

// getOwnLogs returns a page of the logs that the token's user published, oldest first.
func (a *API) getOwnLogs(w http.ResponseWriter, r *http.Request) error {
	q := readQuery(r)
	limit := q.number("limit", defaultEntries, 1, maxEntries)
	if err := q.err(); err != nil {
		return err
	}
	return a.front.Page(w, r, int(limit), func(ctx context.Context, kept *service.Kept) (any, error) {
		page, err := a.service.OwnLogs(ctx, front.ActorOf(r).Username, q.Get("after"), kept.Entries)
		answer := struct {
			Logs []ownLog `json:"logs"`
			Next *uint64  `json:"next"`
		}{Logs: []ownLog{}}
		for _, e := range page.Entries {
			answer.Logs = append(answer.Logs, ownLog{e.LogID, e.Index(), e.Time, service.UserOf(e.Entry), e.Triples, e.Added})
		}
		if page.Next > 0 {
			answer.Next = &page.Next
		}
		return answer, err
	})
}
