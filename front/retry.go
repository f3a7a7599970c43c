package front

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"hash"
	"io"
	"net/http"
	"strings"

	"github.com/segraph/segraph/service"
)

// KeyHeader is the header with the key of a request that its client may send again
// (draft-ietf-httpapi-idempotency-key-header). ReplayedHeader marks an answer to an earlier
// request.
const (
	KeyHeader      = "Idempotency-Key"
	ReplayedHeader = "Idempotent-Replayed"
)

// attempt is a request that its client may send again.
type attempt struct {
	*service.Attempt
	body hash.Hash // SHA-256 of the body
}

// tee returns a reader that also hashes what is read.
func (a *attempt) tee(r io.Reader) io.Reader {
	if a == nil {
		return r
	}
	return io.TeeReader(r, a.body)
}

// begin waits for other requests with the key. The error is a *Replay if the request was
// answered before.
func (a *attempt) begin(r *http.Request, size int64) error {
	first, err := a.Begin(r.Context(), size, [sha256.Size]byte(a.body.Sum(nil)))
	if err != nil {
		return err
	}
	if first != nil {
		return &Replay{first}
	}
	q := requestOf(r)
	q.response.keep = func(status int, body []byte) { a.End(context.WithoutCancel(r.Context()), status, body) }
	return nil
}

// A Replay ends a request that was answered before. It is not an error of the client.
type Replay struct{ *service.FirstAnswer }

func (*Replay) Error() string { return "the request was answered before" }

// Write sends the answer again.
func (p *Replay) Write(w http.ResponseWriter) error {
	contentType := "application/json"
	if p.Status >= 400 {
		contentType = mediaProblem
	}
	w.Header().Set(ReplayedHeader, "true")
	return WriteCoded(w, "", p.Status, contentType, append(p.Body, '\n'))
}

// Attempt lets a client send an admitted request again and get the first answer, if the request
// has a key: the header Idempotency-Key or, if byID, the client's X-Request-ID. body says that
// the request has a body: then Receive looks for the first answer, otherwise Attempt does. path
// is the path as the client sent it, below the prefix of the API. status is the status of an
// answer on success. The caller passes the returned request on, and calls end when it is
// answered.
func (f *Front) Attempt(r *http.Request, path string, byID, body bool, status int) (_ *http.Request, end func(), err error) {
	none := func() {}
	key, err := idempotencyKey(r.Header)
	if err != nil || f.service.Config().Retries == nil {
		return r, none, err
	}
	q := requestOf(r)
	given := key != ""
	if !given && byID && q.ID == r.Header.Get("X-Request-ID") {
		key = q.ID
	}
	if key == "" {
		return r, none, nil
	}
	q.attempt = &attempt{f.service.Attempt(q.actor, r.Method, path, r.URL.RawQuery, key, !given, status), sha256.New()}
	r = r.WithContext(q.attempt.In(r.Context()))
	if !body {
		err = q.attempt.begin(r, 0)
	}
	return r, q.attempt.Close, err
}

// idempotencyKey returns the key of a request, or "". A key may be in quotes, as a string of
// RFC 9651, section 3.3.3.
func idempotencyKey(h http.Header) (string, error) {
	values := h.Values(KeyHeader)
	if len(values) == 0 {
		return "", nil
	}
	key := strings.Trim(values[0], " \t")
	ok := len(values) == 1
	if inner, quoted := strings.CutPrefix(key, `"`); quoted {
		key, ok = unquoted(inner)
	}
	if !ok || !service.IsKey(key) {
		return "", NewProblem(http.StatusBadRequest, "the header %s must be one key of 1 to %d characters from space to ~, with or without quotes", KeyHeader, service.MaxKey)
	}
	return key, nil
}

// unquoted returns the text of a string without its first quote.
func unquoted(s string) (text string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), i == len(s)-1
		case '\\':
			if i++; i == len(s) || s[i] != '"' && s[i] != '\\' {
				return "", false
			}
		}
		_ = b.WriteByte(s[i])
	}
	return "", false
}

// EncodeResult sets how the result of a use case becomes the answer's JSON, if that is not its
// own JSON.
func EncodeResult[T any](r *http.Request, convert func(T) any) {
	if q := requestOf(r); q.attempt != nil {
		q.attempt.Encode(func(result any) ([]byte, error) { return json.Marshal(convert(result.(T))) })
	}
}
