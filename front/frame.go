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

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/logbuf"
	"github.com/segraph/segraph/store"
)

// request is what is known of a request besides its http.Request.
type request struct {
	logbuf.Request
	address   netip.Addr
	actor     auth.Actor // once it was admitted
	response  *response
	body      *pacedBody // nil where there is none
	coding    string     // the content coding of the body, "" for none
	failure   string     // what the client was told was wrong
	route     string     // the pattern of its path, "" where there is none
	bodyLimit int64      // bytes that the body may have once it is decompressed
	limit     string     // which one refused it or broke it off, as metrics call it
	pages     Pages      // which answer it; nil if it is one of the API
	quiet     bool       // see Quiet
	told      bool       // the log says already what its status says
}

type requestKey struct{}

func requestOf(r *http.Request) *request { return r.Context().Value(requestKey{}).(*request) }

// Frame returns what every request of any listener goes through, whatever becomes of it:
// its id, its log line, the headers that every answer has, and what happens on a panic.
func (f *Front) Frame(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.active.enter()
		defer f.active.leave()
		started := time.Now()

		control := http.NewResponseController(w)
		q := &request{
			address:  clientAddress(r, f.config.TrustedProxies),
			response: &response{ResponseWriter: w, control: control, pace: newPace(f.limits), head: r.Method == http.MethodHead},
		}
		q.response.finish = f.tellGraphStore
		q.ID = requestID(r.Header.Get("X-Request-ID"))
		if q.address.IsValid() {
			q.Address = q.address.String()
		}
		ctx := logbuf.WithRequest(r.Context(), &q.Request)
		r = r.WithContext(context.WithValue(ctx, requestKey{}, q))
		if r.ContentLength != 0 { // also for a body that nobody reads: the server clears it away
			q.body = &pacedBody{ReadCloser: r.Body, control: control, pace: newPace(f.limits)}
			_ = control.SetReadDeadline(q.body.pace.deadline())
			r.Body = q.body
		}

		defer f.logAccess(r, q, started) // after the panic was dealt with
		defer f.recoverPanic(r, q, breakable(r, control))

		h := w.Header()
		h.Set("X-Request-ID", q.ID)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store") // a handler that knows better says so
		f.tellGraphStore(h)
		if past := clientConn(r).handled(q.response, r); past != "" {
			f.Fail(q.response, r, f.refusedConnection(past))
			return
		}
		if f.cors(q.response, r) {
			return
		}
		next.ServeHTTP(q.response, r)
	})
}

// tellGraphStore says in an answer that the graph store does not answer queries now, and
// why. It is called when a request comes and when its answer begins: in between the file
// may have answered for a store that was lost.
func (f *Front) tellGraphStore(h http.Header) {
	if f.following == nil {
		return
	}
	if state := f.following().State; state != store.FollowOK {
		h.Set(GraphStoreHeader, state)
	}
}

// graphStoreHeader is how answers say that the graph store does not answer queries.
const GraphStoreHeader = "X-Graph-Store"

// requestID takes the client's id for a request if it is 1 to 64 of A-Za-z0-9._-, and
// makes one else: also for what may be a part of a token, since ids are kept.
func requestID(given string) string {
	ok := len(given) >= 1 && len(given) <= 64 && !logbuf.HoldsToken(given) && strings.IndexFunc(given, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-')
	}) < 0
	if ok {
		return given
	}
	return uuid.NewString()
}

// recoverPanic ends a request, also one that panicked. whole is called where the client
// has got all.
func (f *Front) recoverPanic(r *http.Request, q *request, whole func()) {
	value := recover()
	switch {
	case value == nil:
		whole()
	case value == http.ErrAbortHandler: // not a fault but our way to break a connection
		panic(value)
	default:
		f.service.Panicked(r.Context(), value)
		if q.response.status != 0 {
			panic(http.ErrAbortHandler)
		}
		p := ProblemOf(nil)
		q.failure = p.Detail
		f.answerProblem(q.response, r, p)
		whole()
	}
}

// logAccess writes the one line that every request has, and counts it. The query is left
// out: clients put things there that don't belong into a log.
func (f *Front) logAccess(r *http.Request, q *request, started time.Time) {
	// What anybody can cause as often as they like is no warning, for that would drive
	// real ones out of the log. Wrong tokens are one, since an address has only so many
	// of them.
	level := slog.LevelInfo
	switch s := q.response.status; {
	case s >= 500:
		level = slog.LevelError
	case s == http.StatusUnauthorized && r.Header.Get("Authorization") != "", s == http.StatusForbidden && q.Actor != "":
		level = slog.LevelWarn
	}
	if q.told || q.quiet && level == slog.LevelInfo {
		level = slog.LevelDebug
	}
	f.count(r, q, started)
	attrs := []slog.Attr{
		slog.String("method", r.Method),
		slog.String("path", r.URL.Path),
		slog.Int("status", q.response.status), // 0: the connection ended before there was an answer
		slog.Float64("ms", float64(time.Since(started).Microseconds())/1000),
		slog.Int64("bytes", q.response.bytes),
	}
	if q.failure != "" {
		attrs = append(attrs, slog.String("detail", q.failure))
	}
	f.log.LogAttrs(r.Context(), level, "request", attrs...)
}

// count puts a request that has ended into the metrics.
func (f *Front) count(r *http.Request, q *request, started time.Time) {
	route := q.route
	switch {
	case q.pages != nil:
		route = "page" // of the web UI
	case route == "":
		route = "none"
	}
	f.config.Metrics.Request(route, r.Method, q.response.status, time.Since(started))
	if q.limit != "" {
		f.config.Metrics.Refused(q.limit)
	}
}

// cors allows pages of the configured origins to call the API (Fetch standard,
// CORS protocol). It tells whether the request was a preflight, which is answered then.
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
	h.Set("Access-Control-Expose-Headers", "ETag, Retry-After, WWW-Authenticate, X-Graph-Store, X-Request-ID")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Encoding, Content-Type, If-None-Match, X-Request-ID")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
