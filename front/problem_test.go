package front

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/strictjson"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/turtle"
)

// damagedError is an error of a damaged file.
type damagedError struct{}

func (damagedError) Error() string   { return "page 7 of /var/lib/segraph.db is damaged" }
func (damagedError) Damaged() string { return "page 7" }

// Each error has the status and the words that tell a client what to do, and none shows
// what only the operator may know.
func TestEachErrorBecomesAProblem(t *testing.T) {
	object := func(text string, read func(*strictjson.Object)) error {
		o, err := strictjson.Parse([]byte(text))
		if err != nil {
			return err
		}
		read(o)
		return o.Err()
	}
	for _, x := range []struct {
		err            error
		status         int
		detail, header string // in the detail; the wait in Retry-After, or ""
		limit          string
	}{
		{NewProblem(http.StatusTeapot, "no coffee"), 418, "No coffee.", "", ""},
		{fmt.Errorf("brewing: %w", NewProblem(http.StatusTeapot, "no coffee")), 418, "No coffee.", "", ""},
		{&http.MaxBytesError{Limit: 16 << 20}, 413, "The body is larger than the limit of 16 MiB (16777216 bytes), which counts decompressed bytes; split it.", "", "body_size"},
		{&http.MaxBytesError{Limit: 1000}, 413, "The body is larger than the limit of 1000 bytes,", "", "body_size"},
		{fmt.Errorf("reading: %w", os.ErrDeadlineExceeded), 408, "The body came too slowly.", "", "body_rate"},
		{&turtle.SyntaxError{Line: 3, Column: 7, Msg: "expected a dot"}, 400, "The document can't be read: line 3, column 7: expected a dot.", "", ""},
		{&store.RefusedError{Detail: "it has no end"}, 422, "The document can't be stored: it has no end.", "", ""},
		{store.ErrDiskFull, 507, "The disk is full; nothing of the request was stored; free some disk space.", "", "disk"},
		{store.ErrAtLimit, 507, "a 64-bit system", "", "disk"},
		{fmt.Errorf("syncing: %w", store.ErrInDoubt), 503, "known only after the service restarts.", "5", "disk"},
		{&store.UnreadyError{Detail: "Virtuoso starts", Err: errors.New("dial tcp 10.0.0.9: refused")}, 503, "Virtuoso starts; try again later.", "5", ""},
		{store.ErrUnavailable, 503, "The graph store is not available; try again later.", "5", ""},
		{damagedError{}, 500, "The file of the store is damaged", "", ""},
		{errors.New("nil map of user ari"), 500, "The server failed; its log has details under this request's id.", "", ""},
		{object(`[1]`, nil), 422, "The body is not a JSON object.", "", ""},
		{object(`{"a":1}`, func(o *strictjson.Object) { o.Text("a") }), 422, `The member "a" must be text`, "", ""},
		{object(`{"a":1}`, func(o *strictjson.Object) { o.Text("a"); o.Text("b"); o.Text("c") }), 422, "(and 2 more).", "", ""},
		{&resolver.Error{Code: resolver.CaseNotFound, Detail: "there is no case case-7"}, 404, "There is no case case-7.", "", ""},
		{&resolver.Error{Code: resolver.Invalid, Detail: "observed_at is missing"}, 422, "observed_at is missing.", "", ""},
		{&resolver.Error{Code: resolver.TargetNotOffered, Detail: "the case does not offer it"}, 422, "The case does not offer it.", "", ""},
		{&resolver.Error{Code: "case_decided", Detail: "the case was decided"}, 409, "The case was decided.", "", ""},
		{context.Canceled, 500, "The server failed", "", ""}, // not the client's doing: Fail looks at its context first
	} {
		p := ProblemOf(x.err)
		if p.Status != x.status || !strings.Contains(p.Detail, x.detail) || p.Title != http.StatusText(x.status) || p.Type != "about:blank" {
			t.Errorf("%v: %d %s: %s", x.err, p.Status, p.Title, p.Detail)
		}
		if wait := p.header.Get("Retry-After"); wait != x.header || p.limit != x.limit {
			t.Errorf("%v: Retry-After %q and the limit %q, want %q and %q", x.err, wait, p.limit, x.header, x.limit)
		}
		if p.limit != "" && !slices.Contains(LimitNames, p.limit) {
			t.Errorf("%v: metrics know no limit %q", x.err, p.limit)
		}
		for _, secret := range []string{"10.0.0.9", "/var/lib", "user ari"} {
			if strings.Contains(p.Detail, secret) {
				t.Errorf("%v: the client reads %q", x.err, p.Detail)
			}
		}
		if last := p.Detail[len(p.Detail)-1]; last != '.' {
			t.Errorf("%v: %q is no sentence", x.err, p.Detail)
		}
	}
}

func TestEachKindOfRefusalHasAStatus(t *testing.T) {
	for kind := service.Malformed; kind <= service.Unsigned; kind++ {
		if p := ProblemOf(&service.Error{Kind: kind, Detail: "No."}); p.Status < 400 || p.Title == "" {
			t.Errorf("kind %d: status %d %s", kind, p.Status, p.Title)
		}
	}
	if last := service.Unsigned + 1; statuses[last] != 0 {
		t.Errorf("kind %d has the status %d, and this test does not know it", last, statuses[last])
	}
}

// The document of a problem has the members that clients rely on, and no others.
func TestAProblemIsWrittenAsADocument(t *testing.T) {
	write := func(p *Problem) (got map[string]any, h http.Header) {
		r := asked("POST", "/ttl")
		requestOf(r).ID = "r-1"
		w := httptest.NewRecorder()
		for _, name := range []string{"ETag", "Content-Encoding", "Last-Modified", "Content-Disposition"} {
			w.Header().Set(name, "of the answer that was intended")
		}
		(&Front{}).answerProblem(w, r, p)
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != p.Status || w.Header().Get("Content-Length") != fmt.Sprint(w.Body.Len()) {
			t.Fatalf("%d %v: %s (%v)", w.Code, w.Header(), w.Body, err)
		}
		return got, w.Header()
	}
	got, h := write(ProblemOf(&service.Error{Kind: service.Conflict, Detail: "It was merged.", Code: "case_superseded", Context: "urn:c:1", Member: "target", RetryAfter: 1500 * time.Millisecond}))
	if h.Get("Retry-After") != "2" || h.Get("Content-Type") != "application/problem+json" || h.Get("Cache-Control") != "no-store" || h.Get("ETag")+h.Get("Content-Encoding")+h.Get("Last-Modified")+h.Get("Content-Disposition") != "" {
		t.Errorf("headers %v", h)
	}
	faults, _ := json.Marshal(got["errors"])
	if got["code"] != "case_superseded" || got["current_context_uri"] != "urn:c:1" || got["request_id"] != "r-1" || string(faults) != `[{"loc":["body","target"],"msg":"It was merged."}]` {
		t.Errorf("%v", got)
	}
	got, h = write(ProblemOf(&service.Error{Kind: service.Malformed, Detail: "No.", Line: 2, Column: 9, Parameter: "query"}))
	faults, _ = json.Marshal(got["errors"])
	if got["line"] != 2.0 || got["column"] != 9.0 || string(faults) != `[{"loc":["query","query"],"msg":"No."}]` || h.Get("Retry-After") != "" {
		t.Errorf("%v %v", got, h)
	}
	got, _ = write(NewProblem(http.StatusForbidden, "no"))
	if len(got) != 5 {
		t.Errorf("a plain problem has the members %v", got)
	}
}

func TestRetryAfterIsAtLeastASecond(t *testing.T) {
	for wait, want := range map[time.Duration]string{0: "1", time.Nanosecond: "1", time.Second: "1", time.Second + 1: "2", time.Minute: "60"} {
		if got := NewProblem(429, "wait").retryAfter(wait).header.Get("Retry-After"); got != want {
			t.Errorf("%s: %s, want %s", wait, got, want)
		}
	}
}

// A client can make any number of faults.
func TestAnswersListFewFaults(t *testing.T) {
	o, err := strictjson.Parse([]byte(`{"a":[` + strings.Repeat("1,", 1<<19) + `1]}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = o.Texts("a")
	var e *strictjson.Error
	if !errors.As(o.Err(), &e) || len(e.Faults) != 1 {
		t.Errorf("%d faults of an array", len(e.Faults))
	}
	p := Invalid(slices.Repeat([]Fault{BadParameter("level", "wrong")}, 1000)...)
	if len(p.Errors) != maxFaults || p.Detail != "Wrong (and 999 more)." {
		t.Errorf("%d faults, %s", len(p.Errors), p.Detail)
	}
}

func TestUnknownParametersAreListed(t *testing.T) {
	values := url.Values{"limit": {"1"}, "x": {"1"}, "a": {"1"}, strings.Repeat("y", 200): {""}}
	err := Refuse(values, func(name string) bool { return name != "limit" }, "the route has only limit")
	p := ProblemOf(err)
	if p.Status != 422 || len(p.Errors) != 3 || p.Errors[0].Loc[1] != "a" || p.Errors[1].Loc[1] != "x" || p.Detail != `The parameter "a" is not accepted: the route has only limit (and 2 more).` {
		t.Errorf("%d %s %v", p.Status, p.Detail, p.Errors)
	}
	if len(p.Errors[2].Msg) > 200 {
		t.Errorf("a long name is repeated: %s", p.Errors[2].Msg)
	}
	if err := Refuse(values, Among([]string{"offset"}), "no"); err != nil {
		t.Errorf("a parameter that is accepted: %v", err)
	}
	many := url.Values{}
	for i := range 100 {
		many.Set(fmt.Sprint("p", i), "")
	}
	if p := ProblemOf(Refuse(many, func(string) bool { return true }, "no")); len(p.Errors) != maxFaults {
		t.Errorf("%d faults are listed", len(p.Errors))
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.URL.RawQuery = "a=%zz"
	if _, err := Parameters(r); ProblemOf(err).Status != 422 {
		t.Errorf("a query string that is none: %v", err)
	}
}
