package front

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/store"
)

// request holds what is known about a request besides its http.Request.
type request struct {
	logs.Request
	address   netip.Addr
	actor     auth.Actor // set by Admit
	signed    *signed    // set by Signed; nil if the request is not signed
	list      bool       // it is signed over a list, if it is signed
	attempt   *attempt   // set by Attempt; nil if the request has no key
	response  *response
	body      *pacedBody // nil if there is none
	coding    string     // the content coding of the body, or ""
	failure   string     // the error that the client was sent
	route     string     // the pattern of its path, or ""
	bodyLimit int64      // limit of the body in bytes, after decompression
	limit     string     // the limit that ended the request, by its name in metrics
	pages     Pages      // the pages that answer it; nil for the API
	quiet     bool       // see Quiet
	logged    bool       // the server log already has the reason for its status
}

type requestKey struct{}

func requestOf(r *http.Request) *request { return r.Context().Value(requestKey{}).(*request) }

// Wrap wraps the handler of a listener. It gives every request an id, a log line, the
// common headers, and recovery from panics.
func (f *Front) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.active.enter()
		defer f.active.leave()
		started := time.Now()

		control := http.NewResponseController(w)
		q := &request{
			address:  clientAddress(r, f.config.TrustedProxies),
			response: &response{ResponseWriter: w, control: control, pace: newPace(f.limits), head: r.Method == http.MethodHead},
		}
		q.response.finish = f.setGraphStoreHeader
		q.ID = requestID(r.Header.Get("X-Request-ID"))
		if q.address.IsValid() {
			q.Address = q.address.String()
		}
		ctx := logs.WithRequest(r.Context(), &q.Request)
		r = r.WithContext(context.WithValue(ctx, requestKey{}, q))
		if r.ContentLength != 0 { // even if nobody reads the body: the server discards it
			q.body = &pacedBody{ReadCloser: r.Body, control: control, pace: newPace(f.limits), http2: r.ProtoMajor == 2}
			if !q.body.http2 {
				_ = control.SetReadDeadline(q.body.pace.deadline())
			}
			r.Body = q.body
		}

		end := func() {}
		defer func() { end() }()
		defer q.response.begin() // if it has not
		defer q.response.last()
		defer f.logAccess(r, q, started) // after the panic was handled
		defer f.recoverPanic(r, q, breakable(r, http.NewResponseController(q.response)))

		h := w.Header()
		h.Set("X-Request-ID", q.ID)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store") // a handler may override this
		f.setGraphStoreHeader(h)
		var past string
		if past, end = clientConn(r).handled(q.response, r); past != "" {
			f.Fail(q.response, r, f.refusedConnection(past))
			return
		}
		if f.cors(q.response, r) {
			return
		}
		next.ServeHTTP(q.response, r)
	})
}

// setGraphStoreHeader sets the header that says that the graph store answers no queries
// now, and why. It is called when a request arrives and again when its answer begins,
// since the store may be lost in between.
func (f *Front) setGraphStoreHeader(h http.Header) {
	if f.following == nil {
		return
	}
	if state := store.BestOf(f.following()).State; state != store.FollowOK {
		h.Set(GraphStoreHeader, state)
	}
}

// GraphStoreHeader is the header that says that the graph store answers no queries.
const GraphStoreHeader = "X-Graph-Store"

// requestID returns the client's id of a request if it has 1 to 64 characters of
// A-Za-z0-9._- and can't be part of a token, because ids are stored. Otherwise it returns
// a new id.
func requestID(value string) string {
	ok := len(value) >= 1 && len(value) <= 64 && !logs.HoldsToken(value) && strings.IndexFunc(value, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-')
	}) < 0
	if ok {
		return value
	}
	return uuid.NewString()
}

// recoverPanic ends a request and recovers its panic, if any. It calls whole if the
// client received the complete answer.
func (f *Front) recoverPanic(r *http.Request, q *request, whole func()) {
	value := recover()
	switch {
	case value == nil:
		whole()
	case value == http.ErrAbortHandler: // deliberate: breaks the connection
		panic(value)
	default:
		f.service.Panicked(r.Context(), value)
		if q.response.status != 0 { // a part of an answer is sent: let the client see that it broke off
			panic(http.ErrAbortHandler)
		}
		p := ProblemOf(nil)
		q.failure = p.Detail
		f.answerProblem(q.response, r, p)
		whole()
	}
}

// logAccess logs and counts a request. It omits the query string, where clients may put
// secrets.
func (f *Front) logAccess(r *http.Request, q *request, started time.Time) {
	// Events that anybody can cause at will are not warnings, or they would push real
	// ones out of the server log. Wrong tokens are, because each address has only a few.
	level := slog.LevelInfo
	switch s := q.response.status; {
	case s >= 500:
		level = slog.LevelError
	case s == http.StatusUnauthorized && r.Header.Get("Authorization") != "", s == http.StatusForbidden && q.Actor != "":
		level = slog.LevelWarn
	case q.quiet:
		level = slog.LevelDebug
	}
	if q.logged {
		level = slog.LevelDebug
	}
	f.count(r, q, started)
	attrs := []slog.Attr{
		slog.String("method", r.Method),
		slog.String("path", r.URL.Path),
		slog.Int("status", q.response.status), // 0: the connection ended before the answer
		slog.Float64("ms", float64(time.Since(started).Microseconds())/1000),
		slog.Int64("bytes", q.response.bytes),
	}
	if q.failure != "" {
		attrs = append(attrs, slog.String("detail", q.failure))
	}
	f.log.LogAttrs(r.Context(), level, "request", attrs...)
}

// count adds a finished request to the metrics.
func (f *Front) count(r *http.Request, q *request, started time.Time) {
	route := q.route
	switch {
	case q.pages != nil:
		route = "page" // a path of the web UI
	case route == "":
		route = "none"
	}
	f.config.Metrics.Request(route, r.Method, q.response.status, time.Since(started))
	if q.limit != "" {
		f.config.Metrics.Refused(q.limit)
	}
}

// cors lets pages of the configured origins call the API (Fetch standard, CORS protocol).
// It answers preflight requests, and reports whether the request was one.
func (f *Front) cors(w http.ResponseWriter, r *http.Request) bool {
	if len(f.config.CORSOrigins) == 0 {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if !slices.Contains(f.config.CORSOrigins, origin) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "Accept-Signature, Content-Disposition, Content-Location, ETag, Idempotent-Replayed, Preference-Applied, "+
		"Repr-Digest, Retry-After, WWW-Authenticate, X-Graph-Store, X-Request-ID")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Digest, Content-Encoding, Content-Type, Idempotency-Key, If-Match, If-None-Match, "+
		"List-Digest, Prefer, Range, Signature, Signature-Input, X-Request-ID")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
