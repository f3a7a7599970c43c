package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

const small = "@prefix ex: <http://example.org/> .\nex:a ex:p ex:b, ex:c, ex:b ; ex:q \"x\"@en .\n"

// inserted is the answer of POST /ttl.
type inserted struct {
	Message string `json:"message"`
	LogID   string `json:"log_id"`
	Triples int    `json:"triples"`
	Added   int    `json:"added"`
	User    string `json:"user"`
}

var uuidShape = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func TestPublishingStoresTheDocumentAndSaysHowMuchWasNew(t *testing.T) {
	t.Parallel()
	s := newService(t)
	token := s.token(t, auth.Logger)
	ids := map[string]bool{}
	for i, want := range []inserted{{"TTL inserted", "", 3, 3, "robot"}, {"TTL inserted", "", 3, 0, "robot"}} {
		w := s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, "robot"), token: token})
		if w.Code != http.StatusCreated || w.Header().Get("Content-Type") != "application/json" {
			t.Fatalf("%d: %d %s", i, w.Code, w.Body)
		}
		got := asJSON[inserted](t, w)
		if !uuidShape.MatchString(got.LogID) || ids[got.LogID] {
			t.Errorf("%d: log_id %q", i, got.LogID)
		}
		ids[got.LogID] = true
		got.LogID = ""
		if got != want {
			t.Errorf("%d: got %+v, want %+v", i, got, want)
		}
	}
	if got := s.do(t, call{method: "GET", path: "/events", token: s.token(t, auth.Auditor)}).Body.String(); strings.Count(got, "\n") != 4 {
		t.Errorf("the graph is %q", got)
	}
}

func TestEveryWriteIsInTheJournalWithAllThatIsKnownOfIt(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 6, 4, 12, 0, 0, 5, time.FixedZone("", 7200))
	s := newService(t, func(c *settings) { c.Now = func() time.Time { return at } })
	token := s.token(t, auth.Admin)
	header := map[string]string{"X-Request-ID": "request-1"}
	w := s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, " robot "), token: token, header: header})
	first := asJSON[inserted](t, w)
	header["X-Request-ID"] = "request-2"
	s.do(t, call{method: "POST", path: "/ttl/delete_all", body: `{"user":null}`, token: token, header: header})

	got := s.graph.entries()
	if len(got) != 2 || !uuidShape.MatchString(got[1].LogID) {
		t.Fatalf("got %+v", got)
	}
	sum := sha256.Sum256([]byte(small))
	want := []journal.Entry{
		{LogID: first.LogID, Action: journal.Insert, Time: at.UTC(), Actor: "ari", Claimed: "robot", Address: "192.0.2.1",
			RequestID: "request-1", Triples: 3, Added: 3, SHA256: hex.EncodeToString(sum[:])},
		{LogID: got[1].LogID, Action: journal.Clear, Time: at.UTC(), Actor: "ari", Address: "192.0.2.1", RequestID: "request-2", Removed: 3},
	}
	salt := got[0].Secret.Content()
	if got[0].Commitment != salt.Commit([]byte(small)) || got[0].Graph == "" || got[0].Canon != "rdfc-1.0" {
		t.Errorf("the log commits to nothing: %+v", got[0])
	}
	got[0].Commitment, got[0].Graph, got[0].Canon, got[0].Secret, got[0].Number = "", "", "", journal.Secret{}, nil
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("entry %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestTheUserIsTheClaimedOneOrTheTokens(t *testing.T) {
	t.Parallel()
	on, off := newService(t), newOpenService(t)
	for _, c := range []struct {
		s    *fixture
		user any
		want string
	}{
		{on, "robot", "robot"}, {on, "  robot ", "robot"}, {on, nil, "ari"}, {on, "", "ari"}, {on, "  ", "ari"},
		{off, "robot", "robot"}, {off, nil, "anonymous_user"}, {off, "", "anonymous_user"},
	} {
		call := call{method: "POST", path: "/ttl", body: ttl(small, c.user)}
		if c.s == on {
			call.token = on.token(t, auth.Logger)
		}
		if got := asJSON[inserted](t, c.s.do(t, call)); got.User != c.want {
			t.Errorf("%q: got %q, want %q", c.user, got.User, c.want)
		}
	}
}

func TestTurtleItselfMayBeTheBody(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for _, c := range []struct{ contentType, path, user string }{
		{"text/turtle", "/ttl?user=robot", "robot"},
		{"text/turtle; charset=UTF-8", "/ttl?user=Mar%C3%ADa+J", "María J"},
		{"TEXT/Turtle;charset=\"utf-8\"", "/ttl", "anonymous_user"},
	} {
		w := s.do(t, call{method: "POST", path: c.path, body: small, contentType: c.contentType})
		if got := asJSON[inserted](t, w); w.Code != http.StatusCreated || got.User != c.user || got.Triples != 3 {
			t.Errorf("%+v: %d %s", c, w.Code, w.Body)
		}
	}
	wantProblem(t, s.do(t, call{method: "POST", path: "/ttl?user=%0Aroot", body: small, contentType: "text/turtle"}), 422, "control character")
	for _, hidden := range []string{"%E2%80%8B", "%E2%80%8E", "%E2%80%8F", "%D8%9C", "%E2%81%A0", "%C2%AD", "%EF%BB%BF", "%F3%A0%81%81", "%E2%80%AE", "%E2%81%A6"} {
		wantProblem(t, s.do(t, call{method: "POST", path: "/ttl?user=a" + hidden + "ri", body: small, contentType: "text/turtle"}), 422, "which nobody sees")
	}
	if w := s.do(t, call{method: "POST", path: "/ttl?user=%D9%85%DB%8C%E2%80%8C%D8%B1%D9%88%D8%AF", body: small, contentType: "text/turtle"}); w.Code != 201 { // with a joiner within the word
		t.Errorf("%d %s", w.Code, w.Body)
	}
	wantProblem(t, s.do(t, call{method: "POST", path: "/ttl?user=%zz", body: small, contentType: "text/turtle"}), 422, "query")
	wantProblem(t, s.do(t, call{method: "POST", path: "/ttl", body: "<a> <b> \"\xff\" .", contentType: "text/turtle"}), 400, "line 1")
}

func TestTurtleThatDoesNotParseIs400WithLineAndColumnAndStoresNothing(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for _, c := range []struct {
		name, content string
		line, column  int
	}{
		{"an error in the last line", small + "ex:é ex:p ?", 3, 11},
		{"an undeclared prefix", "no:a <http://example.org/p> 1 .", 1, 1},
		{"a relative IRI without a base", "<a> <http://example.org/p> 1 .", 1, 1},
		{"brackets nested too deep", "<http://example.org/a> <http://example.org/p> " + strings.Repeat("(", 1001), 1, 0},
		{"a text that does not end", "<http://example.org/a> <http://example.org/p> \"x", 1, 0},
	} {
		for _, body := range []call{
			{body: ttl(c.content, nil)},
			{body: c.content, contentType: "text/turtle"},
		} {
			body.method, body.path = "POST", "/ttl"
			p := wantProblem(t, s.do(t, body), 400, fmt.Sprintf("line %d, column", c.line))
			if p.Line != c.line || c.column > 0 && p.Column != c.column || p.Column < 1 {
				t.Errorf("%s: line %d, column %d: %s", c.name, p.Line, p.Column, p.Detail)
			}
		}
	}
	if len(s.graph.entries()) > 0 {
		t.Errorf("something was stored: %+v", s.graph.entries())
	}
}

func TestADocumentWithoutTriplesIs400(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for _, content := range []string{"", "  \n", "# nothing\n", "@prefix ex: <http://example.org/> ."} {
		wantProblem(t, s.do(t, call{method: "POST", path: "/ttl", body: ttl(content, nil)}), 400, "no triples")
	}
	wantProblem(t, s.do(t, call{method: "POST", path: "/ttl", contentType: "text/turtle"}), 400, "no triples")
}

// curl's -d reads a file where a text begins with @, and drops line breaks.
func TestABodyThatCurlChangedGetsAHint(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	const hint, statement = "--data-binary @file", "<urn:s> <urn:p> 1 . "
	for _, kind := range []string{"text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json"} {
		for _, path := range []string{"/ttl", "/ttl/validate"} {
			wantProblem(t, s.do(t, call{method: "POST", path: path, contentType: kind}), 400, hint)
		}
	}
	for _, c := range []struct {
		body   string
		column int // of the comment that may hide something, or 0
	}{
		{statement + "# the second <urn:s> <urn:p> 2 .", 21},
		{statement + "# the end\n", 21},
		{statement + "#", 21},
		{`<urn:s> <urn:p> "é" . #`, 23},
		{`<urn:s> <urn:p> "a\"b", 'a\'b', "", '' . # x`, 42},
		{`<urn:s> <urn:p> """a"b""c# \"""" . # x`, 36},
		{`<urn:s> <urn:p> "x#y", 'x#y', """x#"y""", '''x#'y''', <urn:a#b> .`, 0},
		{`PREFIX e: <urn:e/> e:s\#1 e:p "a\\\"#" .`, 0},
		{`<urn:s> <urn:p> <<( <urn:a#b> <urn:p> "#" )>> .`, 0},
		{`<urn:s> <urn:p> <<( <urn:a#b> <urn:p> "#" )>> . # x`, 49},
		{statement + "\n# a comment of a whole file\n" + statement, 0},
		{statement + "\r# as on an old Mac\r", 0},
	} {
		w := s.do(t, call{method: "POST", path: "/ttl", body: c.body, contentType: "text/turtle"})
		var log service.Insertion
		if err := json.Unmarshal(w.Body.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		if c.column == 0 {
			if log.WarningCount != 0 || w.Code != 201 {
				t.Errorf("%s: %d %s", c.body, w.Code, w.Body)
			}
			continue
		}
		if w.Code != 201 || log.WarningCount != 1 || len(log.Warnings) != 1 || *log.Warnings[0].Column != c.column || !strings.Contains(log.Warnings[0].Message, hint) {
			t.Errorf("%s: %d %s, want a warning at column %d", c.body, w.Code, w.Body, c.column)
		}
		if w := s.do(t, call{method: "POST", path: "/ttl/validate", body: c.body, contentType: "text/turtle"}); w.Code != 200 || !strings.Contains(w.Body.String(), "TTL_ONE_LINE_COMMENT") {
			t.Errorf("%s: it is validated as %d %s", c.body, w.Code, w.Body)
		}
	}
	if w := s.do(t, call{method: "POST", path: "/ttl", body: ttl(statement+"# in JSON", nil)}); w.Code != 201 || strings.Contains(w.Body.String(), hint) {
		t.Errorf("JSON keeps line breaks: %d %s", w.Code, w.Body)
	}
}

func TestNestingOf1000IsTaken(t *testing.T) {
	t.Parallel()
	const depth = 1000
	content := "<http://example.org/a> <http://example.org/p> " + strings.Repeat("(", depth) + strings.Repeat(")", depth) + " ."
	w := newOpenService(t).do(t, call{method: "POST", path: "/ttl", body: ttl(content, nil)})
	if w.Code != http.StatusCreated {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestErrorsOfTheStoreHaveTheirStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err        error
		status     int
		detail     string
		retryAfter string
	}{
		{fmt.Errorf("add: %w", store.ErrUnavailable), 503, "store is not available", "5"},
		{fmt.Errorf("add: %w: %w", store.ErrInDoubt, &store.UnreadyError{Detail: "the disk failed", Err: syscall.ENOSPC}), 503, "whether it is stored, completely or not at all, is known only after the service restarts", "5"},
		{fmt.Errorf("add: %w", store.ErrDiskFull), 507, "disk is full; nothing of the request was stored", ""},
		{fmt.Errorf("add: %w", store.ErrAtLimit), 507, "2 gib, the most that a 32-bit program can use; nothing of the request was stored", ""},
		{fmt.Errorf("add: %w", &store.RefusedError{Detail: "more than 64 terms differ"}), 422, "document can't be stored: more than 64 terms differ", ""},
		{errors.New("a secret of the server"), 500, "the server failed", ""},
	} {
		s := newOpenService(t)
		s.graph.err = c.err
		for _, request := range []call{
			{method: "POST", path: "/ttl", body: ttl(small, nil)},
			{method: "POST", path: "/ttl/delete_all", body: `{"user":"x"}`},
			{method: "GET", path: "/events"},
		} {
			w := s.do(t, request)
			p := wantProblem(t, w, c.status, "")
			if !strings.Contains(strings.ToLower(p.Detail), c.detail) || strings.Contains(w.Body.String(), "secret") {
				t.Errorf("%s: %s", request.path, w.Body)
			}
			if got := w.Header().Get("Retry-After"); got != c.retryAfter {
				t.Errorf("%s: Retry-After %q", request.path, got)
			}
		}
		if c.status == 500 && !strings.Contains(s.lines(), "a secret of the server") {
			t.Errorf("the log does not say what failed: %s", s.lines())
		}
	}
}

// If nobody knows whether a document was stored, the answer must not say that it was not.
// The client is told to send it again after a restart. The same request id, user and
// document then get the first answer, or are stored; nothing else does.
func TestARequestInDoubtIsSentAgain(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.graph.err = fmt.Errorf("%w: %w", store.ErrInDoubt, &store.UnreadyError{Detail: "the disk failed"})
	post := func(id, content string, user any) *httptest.ResponseRecorder {
		return s.do(t, call{method: "POST", path: "/ttl", body: ttl(content, user), header: map[string]string{"X-Request-ID": id}})
	}
	p := wantProblem(t, post("r1", small, "robot"), 503, "request_id as its X-Request-ID")
	if strings.Contains(p.Detail, "nothing of the request was stored") || p.RequestID != "r1" {
		t.Errorf("%+v", p)
	}
	s.graph.err = nil
	sum := sha256.Sum256([]byte(small))
	s.graph.past = []journal.Entry{{LogID: "the first", Action: journal.Insert, RequestID: "r1", Actor: "anonymous_user", Claimed: "robot", Triples: 3, Added: 2, SHA256: hex.EncodeToString(sum[:])}}
	w := post("r1", small, "robot")
	if got, want := asJSON[inserted](t, w), (inserted{"TTL inserted", "the first", 3, 2, "robot"}); w.Code != 201 || got != want || len(s.graph.entries()) > 0 {
		t.Errorf("got %d %+v, want %+v; stored %+v", w.Code, got, want, s.graph.entries())
	}
	for _, w := range []*httptest.ResponseRecorder{post("r2", small, "robot"), post("r1", small+"\n", "robot"), post("r1", small, nil)} {
		if got := asJSON[inserted](t, w); w.Code != 201 || got.LogID == "the first" {
			t.Errorf("another request: %d %+v", w.Code, got)
		}
	}
	if n := len(s.graph.entries()); n != 3 {
		t.Errorf("%d other requests are stored, want 3", n)
	}
}

func TestDeleteAllEmptiesTheGraph(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, nil)})
	for _, want := range []string{
		`{"message":"Graph cleared.","removed":3}`,
		`{"message":"No TTLs to delete","removed":0}`,
	} {
		w := s.do(t, call{method: "POST", path: "/ttl/delete_all", body: `{"user":"operator","more":1}`})
		if w.Code != http.StatusOK || strings.TrimSpace(w.Body.String()) != want {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	}
	s.graph.contexts = 7
	for body, want := range map[string]string{
		`{"user":null,"contexts":false}`: `{"message":"No TTLs to delete","removed":0}`,
		`{"user":null,"contexts":null}`:  `{"message":"No TTLs to delete","removed":0}`,
	} {
		if w := s.do(t, call{method: "POST", path: "/ttl/delete_all", body: body}); w.Code != http.StatusOK || strings.TrimSpace(w.Body.String()) != want {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
	for _, want := range []string{`{"message":"Graph cleared.","removed":0,"contexts":7}`, `{"message":"No TTLs to delete","removed":0,"contexts":0}`} {
		w := s.do(t, call{method: "POST", path: "/ttl/delete_all", body: `{"user":null,"contexts":true}`})
		if w.Code != http.StatusOK || strings.TrimSpace(w.Body.String()) != want {
			t.Errorf("with contexts: %d %s", w.Code, w.Body)
		}
	}
	wantProblem(t, s.do(t, call{method: "POST", path: "/ttl/delete_all", body: `{"user":null,"contexts":"yes"}`}), 422, `"contexts" must be true, false or null`)
	wantProblem(t, s.do(t, call{method: "POST", path: "/ttl/delete_all", body: `{}`}), 422, `"user"`)
	wantProblem(t, s.do(t, call{method: "POST", path: "/ttl/delete_all", body: `{"user":"a\u0000b"}`}), 422, "control character")
}
