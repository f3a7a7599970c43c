package front

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/strictjson"
	"github.com/segraph/segraph/service"
)

// Problem is an error as a client receives it: a problem document (RFC 9457).
type Problem struct {
	Type      string  `json:"type"` // always about:blank: the status is the kind of problem
	Title     string  `json:"title"`
	Status    int     `json:"status"`
	Detail    string  `json:"detail"` // one sentence: what is wrong and, if possible, what to do
	RequestID string  `json:"request_id"`
	Line      int     `json:"line,omitempty"`   // of a text that does not parse, from 1
	Column    int     `json:"column,omitempty"` // from 1, in characters
	Errors    []Fault `json:"errors,omitempty"`
	Code      string  `json:"code,omitempty"` // the resolver's kind of refusal

	CurrentContext string `json:"current_context_uri,omitempty"` // where the source of a superseded case is now

	header http.Header // additional headers of the answer
	limit  string      // see Limit
}

// Fault describes one invalid member or parameter.
type Fault struct {
	Loc []string `json:"loc"` // "body" or "query", and the name
	Msg string   `json:"msg"`
}

// BadParameter returns the fault of a parameter. The text becomes a sentence.
func BadParameter(name, format string, args ...any) Fault {
	return Fault{Loc: []string{"query", name}, Msg: service.Sentence(fmt.Sprintf(format, args...))}
}

func (p *Problem) Error() string { return p.Detail }

// NewProblem returns a problem with a status and a text, which becomes one sentence.
func NewProblem(status int, format string, args ...any) *Problem {
	title := http.StatusText(status)
	return &Problem{Type: "about:blank", Title: title, Status: status, Detail: service.Sentence(fmt.Sprintf(format, args...))}
}

// With adds a header to the answer.
func (p *Problem) With(key, value string) *Problem {
	if p.header == nil {
		p.header = http.Header{}
	}
	p.header.Set(key, value)
	return p
}

// LimitNames are the names, in metrics, of the limits that a client can reach.
var LimitNames = []string{"body_size", "body_rate", "answer_rate", "bodies", "documents", "exports", "queries", "query_time", "query_memory", "memory", "document_memory",
	"failed_tokens", "spool", "disk", "snapshot_room", "connections", "client_connections", "header_rate", "header_size"}

// Limit returns the name, one of LimitNames, of the limit that was reached, or "".
func (p *Problem) Limit() string { return p.limit }

// limited sets the limit that was reached.
func (p *Problem) limited(name string) *Problem {
	p.limit = name
	return p
}

// retryAfter sets how long the client should wait (RFC 9110, section 10.2.3).
func (p *Problem) retryAfter(d time.Duration) *Problem {
	return p.With("Retry-After", strconv.Itoa(max(1, int(math.Ceil(d.Seconds())))))
}

// Invalid returns the problem of invalid members or parameters. Its detail is the first
// fault and the number of others. It lists at most maxFaults.
func Invalid(faults ...Fault) *Problem {
	detail := faults[0].Msg
	if n := len(faults) - 1; n > 0 {
		detail = fmt.Sprintf("%s (and %d more)", strings.TrimSuffix(detail, "."), n)
	}
	p := NewProblem(http.StatusUnprocessableEntity, "%s", detail)
	p.Errors = faults[:min(len(faults), maxFaults)]
	return p
}

// objectProblem returns the problem of a body that is not the JSON object that it must
// be.
func objectProblem(e *strictjson.Error) *Problem {
	if len(e.Faults) == 0 {
		return NewProblem(http.StatusUnprocessableEntity, "the body is %v", e)
	}
	faults := make([]Fault, len(e.Faults))
	for i, f := range e.Faults {
		faults[i] = Fault{[]string{"body", f.Member}, service.Sentence(f.Msg)}
	}
	return Invalid(faults...)
}

// ProblemOf returns the problem that describes an error to the client. An unknown error
// is the server's fault: the client learns only the request's id.
func ProblemOf(err error) *Problem {
	var (
		p      *Problem
		token  *auth.TokenError
		large  *http.MaxBytesError
		object *strictjson.Error
	)
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &object):
		return objectProblem(object)
	case errors.As(err, &token):
		return NewProblem(http.StatusUnauthorized, "%v", err).With("WWW-Authenticate", "Bearer")
	case errors.As(err, &large):
		return refusal(service.TooLong(large.Limit))
	case errors.Is(err, os.ErrDeadlineExceeded):
		return NewProblem(http.StatusRequestTimeout, "the body came too slowly").limited("body_rate")
	}
	if refused := service.ErrorOf(err); refused != nil {
		return refusal(refused)
	}
	return NewProblem(http.StatusInternalServerError, "the server failed; its log has details under this request's id")
}

// statuses maps the kinds of refusals to HTTP statuses.
var statuses = map[service.Kind]int{
	service.Malformed:   http.StatusBadRequest,
	service.Invalid:     http.StatusUnprocessableEntity,
	service.NotFound:    http.StatusNotFound,
	service.Conflict:    http.StatusConflict,
	service.TooLarge:    http.StatusRequestEntityTooLarge,
	service.BadForm:     http.StatusNotAcceptable,
	service.Unavailable: http.StatusServiceUnavailable,
	service.TimedOut:    http.StatusGatewayTimeout,
	service.NoRoom:      http.StatusInsufficientStorage,
	service.Damaged:     http.StatusInternalServerError,
	service.Forbidden:   http.StatusForbidden,
	service.TooMany:     http.StatusTooManyRequests,
	service.Unsigned:    http.StatusUnauthorized,
}

func refusal(e *service.Error) *Problem {
	p := NewProblem(statuses[e.Kind], "%s", e.Detail).limited(e.Limit)
	p.Line, p.Column, p.Code, p.CurrentContext = e.Line, e.Column, string(e.Code), e.Context
	if e.Member != "" {
		p.Errors = []Fault{{Loc: []string{"body", e.Member}, Msg: p.Detail}}
	}
	if e.Parameter != "" {
		p.Errors = []Fault{{Loc: []string{"query", e.Parameter}, Msg: p.Detail}}
	}
	if e.RetryAfter > 0 {
		p.retryAfter(e.RetryAfter)
	}
	return p
}

// ErrClientGone ends a request whose client is gone.
var ErrClientGone = errors.New("the client disconnected, or read the answer too slowly")

// errShutdown is the cause of the end of requests that a shutdown ends. It is a
// context.Canceled.
var errShutdown error = shutdownError{}

type shutdownError struct{}

func (shutdownError) Error() string { return "the service shut down before the request ended" }

func (shutdownError) Is(target error) bool { return target == context.Canceled }

// Fail answers a request with its error. If part of the answer has already been sent, it
// breaks the connection, so that the client sees that the answer is incomplete.
func (f *Front) Fail(w http.ResponseWriter, r *http.Request, err error) {
	q := requestOf(r)
	cancelled := errors.Is(err, context.Canceled) && r.Context().Err() != nil
	if cancelled || errors.Is(err, ErrClientGone) {
		q.failure = ErrClientGone.Error()
		if context.Cause(r.Context()) == errShutdown {
			q.failure = errShutdown.Error()
		} else if errors.Is(err, os.ErrDeadlineExceeded) {
			q.limit = "answer_rate"
		}
		panic(http.ErrAbortHandler)
	}
	if q.response.status != 0 {
		q.limit = ProblemOf(err).limit
		f.log.ErrorContext(r.Context(), "an answer was cut short", "error", err)
		panic(http.ErrAbortHandler)
	}
	p := ProblemOf(err)
	if f.missed(r, p.Status) {
		p, q.pages = f.elsewhere(r), nil
	}
	if p.Status == http.StatusInternalServerError {
		f.log.ErrorContext(r.Context(), "a request failed", "error", err)
	}
	q.failure, q.limit = p.Detail, p.limit
	if q.body != nil {
		// A client that waits for "100 Continue", which the first read sends, has not sent its body.
		unsent := r.Header.Get("Expect") != "" && !q.body.begun
		if ended := !unsent && q.body.drain(2*f.limits.Document); !ended && !q.body.http2 { // over HTTP/2, the stream alone ends
			p = p.With("Connection", "close")
		}
	}
	f.answerProblem(w, r, p)
}

// LineProblem is the problem of a line of a request. Its Line is the number of the line.
type LineProblem struct {
	Problem
	RetryAfter int `json:"retry_after,omitempty"` // in seconds
}

// LineProblem returns the problem of a line, counted from 1.
func (f *Front) LineProblem(r *http.Request, line int, err error) *LineProblem {
	p := &LineProblem{Problem: *ProblemOf(err)}
	if p.Status == http.StatusInternalServerError {
		f.log.ErrorContext(r.Context(), "a line failed", "line", line, "error", err)
	}
	p.Detail, p.Line, p.RequestID = fmt.Sprintf("Line %d: %s", line, p.Detail), line, requestOf(r).ID
	p.RetryAfter, _ = strconv.Atoi(p.header.Get("Retry-After"))
	return p
}

// answerProblem answers with a problem: as a page if a page was requested, otherwise as a
// document. It removes the headers of the intended answer.
func (f *Front) answerProblem(w http.ResponseWriter, r *http.Request, p *Problem) {
	h := w.Header()
	for _, name := range []string{"Content-Disposition", "Content-Encoding", "Content-Location", "ETag", "Last-Modified", "Repr-Digest"} {
		h.Del(name)
	}
	h.Set("Cache-Control", "no-store")
	for key, values := range p.header {
		h[key] = values
	}
	q, answer := requestOf(r), *p
	answer.RequestID = q.ID
	if q.pages != nil {
		q.pages.Fail(w, r, &answer)
		return
	}
	_ = writeKept(w, p.Status, mediaProblem, toJSON(answer)) // only compressing fails
}

// WriteJSON answers with a value as JSON.
func WriteJSON(w http.ResponseWriter, status int, value any) error {
	return writeKept(w, status, "application/json", toJSON(value))
}

// WriteResult answers with a value as JSON, or returns err if that is not nil.
func WriteResult(w http.ResponseWriter, status int, value any, err error) error {
	if err != nil {
		return err
	}
	return WriteJSON(w, status, value)
}

const mediaProblem = "application/problem+json"

// writeKept answers with a line of JSON. If the request may be sent again, it keeps the answer
// first.
func writeKept(w http.ResponseWriter, status int, contentType string, body []byte) error {
	if r, ok := w.(*response); ok && r.keep != nil {
		r.keep(status, bytes.TrimSuffix(body, []byte{'\n'}))
	}
	return WriteCoded(w, "", status, contentType, body)
}

func toJSON(value any) []byte {
	body, err := json.Marshal(value)
	if err != nil { // a programming error: the value has no JSON
		panic(fmt.Errorf("write an answer as JSON: %w", err))
	}
	return append(body, '\n')
}
