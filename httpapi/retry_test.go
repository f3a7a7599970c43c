package httpapi

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

// keyed sends a request with a key as an admin.
func (s *signedService) keyed(c call, key string) *httptest.ResponseRecorder {
	s.t.Helper()
	header := map[string]string{"Idempotency-Key": key}
	for name, value := range c.header {
		header[name] = value
	}
	c.method = cmp.Or(c.method, "POST")
	if c.header = header; c.token == "" {
		c.token = s.token(s.t, auth.Admin)
	}
	return s.do(s.t, c)
}

// reopen ends the service and starts it on the same file.
func (s *signedService) reopen() {
	s.t.Helper()
	s.close()
	s.open()
}

// same compares the answer to a repeated request with the first one.
func (s *signedService) same(first, again *httptest.ResponseRecorder) {
	s.t.Helper()
	if again.Code != first.Code || again.Body.String() != first.Body.String() || again.Header().Get("Content-Type") != first.Header().Get("Content-Type") {
		s.t.Errorf("the first answer is %d %s, the next %d %s", first.Code, first.Body, again.Code, again.Body)
	}
	if first.Header().Get(front.ReplayedHeader) != "" || again.Header().Get(front.ReplayedHeader) != "true" {
		s.t.Errorf("%s: %q, then %q", front.ReplayedHeader, first.Header().Get(front.ReplayedHeader), again.Header().Get(front.ReplayedHeader))
	}
}

const observed = `{"event_kind":"human_utterance","observed_at":"2026-02-11T09:12:%02d.150Z","modality":"speech","text":"Could you show me climate news?","robot_uri":"https://example.org/robot/%s"%s}`

// Every route that changes something answers a repeated request as the first time, and
// changes nothing: at once, and after a restart.
func TestARequestThatIsSentAgainGetsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := newSignedService(t)
	resolve := func(second int, robot, more string) string {
		return fmt.Sprintf(observed, second, robot, more)
	}
	maria := `,"subject_uri":"https://example.org/human/maria"`
	s.do(t, call{method: "POST", path: "/shared-context/resolve", body: resolve(13, "ari", maria), token: s.token(t, auth.Admin)})
	unsure := s.do(t, call{method: "POST", path: "/shared-context/resolve", body: resolve(13, "pepper", ""), token: s.token(t, auth.Admin)})
	id := asJSON[struct {
		Case string `json:"case_id"`
	}](t, unsure).Case
	log := asJSON[service.Insertion](t, s.do(t, call{method: "POST", path: "/ttl", body: ttl("_:x <http://ex/p> 9 .", nil), token: s.token(t, auth.Admin)})).LogID
	signing := fmt.Sprintf(`{"user":"ari","public_key":%q}`, journal.PublicPEM(public(7)))
	for i, c := range []struct {
		call
		status  int
		changes uint64 // entries that the first request adds
	}{
		{call{path: "/ttl", body: ttl(small, "robot")}, 201, 1},
		{call{path: "/ttl?user=robot", body: small, contentType: "text/turtle"}, 201, 1},
		{call{path: "/ttl?user=robot", body: `<http://ex/a b> <http://ex/p> 1 .`, contentType: "text/turtle"}, 400, 0},
		{call{path: "/ttl?user=robot", body: `<http://ex/a> <http://ex/[> 1 .`, contentType: "text/turtle"}, 201, 1}, // with a warning
		{call{path: "/ttl?user=robot", body: large(6000), contentType: "text/turtle"}, 201, 1},
		{call{path: "/ttl", body: ttl("oops", "robot")}, 400, 0},
		{call{path: "/ttl", body: `{"ttl_content":1}`}, 422, 0},
		{call{path: "/shared-context/resolve", body: resolve(40, "tiago", "")}, 200, 1},
		{call{path: "/shared-context/resolve", body: `{"event_kind":""}`}, 422, 0},
		{call{path: "/shared-context/review/" + id + "/accept"}, 200, 1},
		{call{path: "/shared-context/review/" + id + "/reject"}, 409, 0},
		{call{path: "/shared-context/review/" + id + "/undo"}, 200, 1},
		{call{path: "/shared-context/review/" + id + "/undo", body: "{}"}, 409, 0},
		{call{path: "/shared-context/reconcile"}, 200, 1},
		{call{path: "/shared-context/subjects", body: `{"subject_uri":"https://example.org/human/maria","person":true}`}, 200, 1},
		{call{path: "/shared-context/subjects", body: `{"subject_uri":"https://example.org/human/maria","person":true}`}, 200, 0},
		{call{path: "/shared-context/relays", body: `{"robot_uri":"https://example.org/robot/ari","of":"https://example.org/robot/tiago","relay":true}`}, 200, 1},
		{call{path: "/shared-context/clocks/confirm", body: `{"robot_uri":"https://example.org/robot/ari","offset_ms":5100}`}, 200, 1},
		{call{path: "/shared-context/clocks/confirm", body: `{"robot_uri":"https://example.org/robot/nobody","revoke":true}`}, 409, 0},
		{call{method: "DELETE", path: "/logs/" + log}, 200, 1},
		{call{path: "/logs/withdraw", body: `{"user":"robot"}`}, 200, 4},
		{call{path: "/admin/keys", body: signing}, 201, 1},
		{call{path: "/admin/keys", body: signing}, 409, 0},
		{call{path: "/admin/keys/" + journal.IDOf(public(7)).String() + "/remove"}, 200, 1},
		{call{path: "/admin/holds", body: `{"person":"urn:p","reason":"a case"}`}, 201, 1},
		{call{path: "/admin/revocations", body: `{"jti":"token"}`}, 201, 1},
		{call{path: "/ttl/delete_all", body: `{"user":null}`}, 200, 1},
	} {
		key := fmt.Sprint("key ", i)
		before := s.entries()
		first := s.keyed(c.call, key)
		if first.Code != c.status || s.entries() != before+c.changes {
			t.Errorf("%s %s: %d, and %d entries, want %d and %d: %s", c.path, c.body, first.Code, s.entries()-before, c.status, c.changes, first.Body)
			continue
		}
		s.now = s.now.Add(time.Second)
		s.same(first, s.keyed(c.call, `"`+key+`"`))
		s.reopen()
		s.same(first, s.keyed(c.call, key))
		if s.entries() != before+c.changes {
			t.Errorf("%s: repeated requests added %d entries", c.path, s.entries()-before-c.changes)
		}
	}
	if err := s.file.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// public returns a robot's public key.
func public(n byte) ed25519.PublicKey { return robot(n).Public().(ed25519.PublicKey) }

// tokenOf returns a token of a user.
func (s *signedService) tokenOf(user string, role auth.Role) string {
	s.t.Helper()
	token, err := s.auth.Issue(user, []string{string(role)}, time.Hour, time.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// large returns a document with n triples, which is stored in parts.
func large(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<http://example.org/s%d> <http://example.org/p> _:b%d .\n", i, i)
	}
	return b.String()
}

// A key serves one body. Another user, path or query has keys of its own, and so has another
// request with the same key as its id.
func TestAKeyServesOneRequest(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	one := call{path: "/ttl?user=a", body: "_:x <http://ex/p> 1 .", contentType: "text/turtle"}
	if w := s.keyed(one, "k"); w.Code != 201 {
		t.Fatal(w.Body)
	}
	two := one
	two.body = "_:x <http://ex/p> 2 ."
	wantProblem(t, s.keyed(two, "k"), 422, "Idempotency-Key was used before with another body")
	for name, c := range map[string]call{
		"another query":  {path: "/ttl?user=b", body: two.body, contentType: "text/turtle"},
		"another path":   {path: "/shared-context/subjects", body: `{"subject_uri":"http://ex/a","person":true}`},
		"another user":   {path: one.path, body: two.body, contentType: "text/turtle", token: s.tokenOf("eve", auth.Admin)},
		"not repeatable": {path: "/ttl/validate", body: ttl(small, nil)},
	} {
		if w := s.keyed(c, "k"); w.Code/100 != 2 || w.Header().Get(front.ReplayedHeader) != "" {
			t.Errorf("%s: %d %v %s", name, w.Code, w.Header(), w.Body)
		}
	}
	if w := s.keyed(call{path: one.path, body: one.body, contentType: "text/turtle", ui: true}, "k"); w.Code == 201 {
		t.Error("the UI's listener has no such route")
	}
	ui := one
	ui.path, ui.ui = "/api"+one.path, true
	if w := s.keyed(ui, "k"); w.Code != 201 || w.Header().Get(front.ReplayedHeader) != "true" {
		t.Errorf("by the UI's listener: %d %v", w.Code, w.Header())
	}
}

// A key has 1 to 255 visible characters, with or without quotes.
func TestAKeyIsCheckedAndUnquoted(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	long := strings.Repeat("k", 255)
	for key, want := range map[string]string{
		"k": "k", ` "k" `: "k", `"a b"`: "a b", "a b": "a b", `"a\"\\b"`: `a"\b`, long: long, `"` + long + `"`: long, "~!": "~!",
		"": "", `""`: "", `"`: "", `"a`: "", `"a"b`: "", `"a\b"`: "", long + "k": "", "k\x7f": "", "kä": "", `"a"; p=1`: "",
	} {
		first := s.keyed(call{path: "/shared-context/subjects", body: `{"subject_uri":"http://ex/a","person":true}`}, key)
		if want == "" {
			wantProblem(t, first, 400, "Idempotency-Key")
			continue
		}
		quoted, _ := json.Marshal(want)
		again := s.keyed(call{path: "/shared-context/subjects", body: `{"subject_uri":"http://ex/a","person":true}`}, string(quoted))
		if first.Code != 200 || again.Header().Get(front.ReplayedHeader) != "true" {
			t.Errorf("key %q: %d, and quoted %d %v", key, first.Code, again.Code, again.Header())
		}
	}
	r := call{method: "POST", path: "/ttl", body: ttl(small, nil), token: s.token(t, auth.Admin)}.request()
	r.Header["Idempotency-Key"] = []string{"a", "b"}
	wantProblem(t, s.send(r), 400, "one key")
}

// Of several requests at once, one is carried out and all get its answer. Requests without a
// key, or with a new id each, are all carried out.
func TestRequestsAtOnceGetOneAnswer(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]string{"a key": "Idempotency-Key", "an id": "X-Request-ID", "nothing": "X-Other"} {
		for path, body := range map[string]string{"/ttl": ttl("_:x <http://ex/p> 1 .", nil), "/shared-context/resolve": fmt.Sprintf(observed, 1, "ari", `,"observation_uri":"http://ex/o"`)} {
			s := newSignedService(t)
			token := s.token(t, auth.Admin)
			answers := make([]string, 8)
			var wg sync.WaitGroup
			for i := range answers {
				wg.Go(func() {
					w := s.do(t, call{method: "POST", path: path, body: body, token: token, header: map[string]string{header: "k"}})
					answers[i] = fmt.Sprint(w.Code, w.Body)
				})
			}
			wg.Wait()
			want := uint64(1)
			if name == "nothing" && path == "/ttl" {
				want = 8
			}
			if s.entries() != want {
				t.Errorf("%s, %s: %d entries, want %d", name, path, s.entries(), want)
			}
			for _, a := range answers {
				if name != "nothing" && a != answers[0] {
					t.Errorf("%s, %s: the answers are %s and %s", name, path, answers[0], a)
				}
			}
		}
	}
}

// The client's X-Request-ID counts on two routes, only with the same body, and keeps no
// refusals. The id that the service makes counts nowhere.
func TestARequestIDCountsOnlyWithItsBody(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	post := func(path, body, id string) *httptest.ResponseRecorder {
		return s.do(t, call{method: "POST", path: path, body: body, token: s.token(t, auth.Admin), header: map[string]string{"X-Request-ID": id}})
	}
	doc := func(n int) string { return ttl(fmt.Sprintf("_:x <http://ex/p> %d .", n), "robot") }
	first := post("/ttl", doc(1), "r1")
	s.same(first, post("/ttl", doc(1), "r1"))
	s.reopen()
	s.same(first, post("/ttl", doc(1), "r1"))
	for i, c := range []struct {
		path, body, id string
		status         int
		entries        uint64
	}{
		{"/ttl", doc(2), "r1", 201, 1},
		{"/ttl", doc(22), "r1", 201, 1},
		{"/ttl", doc(1), "r2", 201, 1},
		{"/ttl", doc(1), "not valid", 201, 1},
		{"/ttl", doc(1), "not valid", 201, 1},
		{"/ttl", doc(1), "", 201, 1},
		{"/ttl", ttl("oops", nil), "r3", 400, 0},
		{"/ttl", ttl("oops", nil), "r3", 400, 0},
		{"/ttl", doc(1), "r3", 201, 1},
		{"/admin/revocations", `{"jti":"t"}`, "r4", 201, 1},
		{"/admin/revocations", `{"jti":"t"}`, "r4", 201, 1},
		{"/shared-context/resolve", fmt.Sprintf(observed, 1, "ari", ""), "r5", 200, 1},
		{"/shared-context/resolve", fmt.Sprintf(observed, 40, "ari", ""), "r5", 200, 1},
		{"/shared-context/resolve", fmt.Sprintf(observed, 40, "ari", ""), "r5", 200, 0},
	} {
		before := s.entries()
		w := post(c.path, c.body, c.id)
		replayed := i == 13
		if w.Code != c.status || s.entries() != before+c.entries || (w.Header().Get(front.ReplayedHeader) != "") != replayed {
			t.Errorf("request %d: %d, %d entries, %v", i, w.Code, s.entries()-before, w.Header())
		}
	}
	stats, err := s.file.Retries.Stats()
	if err != nil || stats.Records != 7 {
		t.Errorf("%d answers are kept, %v; want 7", stats.Records, err)
	}
}

func TestALogIsWithdrawnThroughTheAPI(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	admin := s.token(t, auth.Admin)
	post := func(body string) string {
		t.Helper()
		w := s.do(t, call{method: "POST", path: "/ttl?user=robot", body: body, contentType: "text/turtle", token: admin})
		return asJSON[inserted](t, w).LogID
	}
	first, second := post("<http://ex/a> <http://ex/p> 1, 2 ."), post("<http://ex/a> <http://ex/p> 2, 3 .")
	for _, role := range []auth.Role{auth.Logger, auth.Auditor} {
		wantProblem(t, s.do(t, call{method: "DELETE", path: "/logs/" + first, token: s.token(t, role)}), 403, "admin")
	}
	w := s.do(t, call{method: "DELETE", path: "/logs/" + first, token: admin})
	gone := asJSON[struct {
		LogID           string `json:"log_id"`
		Removed, Stayed int
	}](t, w)
	if w.Code != 200 || gone.LogID != first || gone.Removed != 1 || gone.Stayed != 1 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	wantProblem(t, s.do(t, call{method: "DELETE", path: "/logs/" + first, token: admin}), 409, "withdrawn")
	wantProblem(t, s.do(t, call{method: "DELETE", path: "/logs/none", token: admin}), 404, "no log")
	wantProblem(t, s.do(t, call{method: "DELETE", path: "/logs/server", token: admin}), 405, "")
	wantProblem(t, s.do(t, call{method: "DELETE", path: "/logs/" + second, body: `{"dry_run":true}`, token: admin}), 422, "dry_run")
	if w := s.do(t, call{method: "DELETE", path: "/logs/" + second, token: admin}); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// The context of a line's observation goes with the last line that brought something to it.
func TestAContextGoesWithItsLines(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	admin := s.token(t, auth.Admin)
	line := `{"key":"x","observation":{"event_kind":"wave","observed_at":"2026-01-01T00:00:00Z"},"about":"urn:s","graph":{"@id":"urn:s","urn:p":1}}`
	one := strings.TrimSpace(suite.Line(1, true))
	answers := s.batch(t, one, line, strings.NewReplacer("robot/ari", "robot/tiago", "ari-9f", "tiago-9f").Replace(one))
	for _, c := range []struct {
		line int
		want store.WithdrawnContexts
	}{{0, store.WithdrawnContexts{Named: 1, Stayed: 1}}, {1, store.WithdrawnContexts{Named: 1, Removed: 1}}, {2, store.WithdrawnContexts{Named: 1, Removed: 1}}} {
		body := fmt.Sprintf(`{"logs":[%q],"preview":true}`, answers[c.line].LogID)
		asked := asJSON[service.Withdrawal](t, s.do(t, call{method: "POST", path: "/logs/withdraw", body: body, token: admin}))
		gone := asJSON[struct{ Contexts store.WithdrawnContexts }](t, s.do(t, call{method: "DELETE", path: "/logs/" + answers[c.line].LogID, token: admin}))
		if gone.Contexts != c.want || asked.Contexts != (store.WithdrawnContexts{Named: 1}) {
			t.Errorf("line %d: %+v, preview %+v", c.line, gone, asked)
		}
	}
	if w := s.do(t, call{method: "GET", path: "/shared-context/contexts?uri=" + url.QueryEscape(answers[0].Context), token: admin}); w.Code != 404 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A log that was withdrawn or deleted since is not stored again.
func TestAWithdrawnLogIsNotStoredAgain(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	post := call{path: "/ttl?user=robot", body: "<http://ex/a> <http://ex/p> 1 .", contentType: "text/turtle"}
	for _, withdraw := range []func(id string) error{
		func(id string) error {
			_, err := s.file.Withdraw(t.Context(), id, journal.Entry{Action: journal.Withdraw})
			return err
		},
		func(string) error { return s.clear() },
	} {
		for _, header := range []string{"Idempotency-Key", "X-Request-ID"} {
			c := post
			c.method, c.token, c.header = "POST", s.token(t, auth.Admin), map[string]string{header: fmt.Sprint("k", s.entries())}
			first := asJSON[inserted](t, s.do(t, c))
			if err := withdraw(first.LogID); err != nil {
				t.Fatal(err)
			}
			before := s.entries()
			again := s.do(t, c)
			answer := asJSON[struct {
				inserted
				Withdrawn bool `json:"withdrawn"`
			}](t, again)
			if again.Code != 201 || !answer.Withdrawn || answer.inserted.LogID != first.LogID || s.entries() != before {
				t.Errorf("%s: %d %s, first %+v, %d entries", header, again.Code, again.Body, first, s.entries()-before)
			}
			if header == "Idempotency-Key" {
				s.reopen()
				s.same(unmarked(again), s.do(t, c))
			}
		}
	}
	if v, _ := s.file.Version(); v.Triples != 0 {
		t.Errorf("%d triples are stored", v.Triples)
	}
}

// A new key means a new request, also for a client that always sends the same id.
func TestANewKeyIsANewRequestWhateverItsID(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	c := call{method: "POST", path: "/ttl?user=robot", body: "<http://ex/a> <http://ex/p> 1 .", contentType: "text/turtle", token: s.token(t, auth.Admin)}
	c.header = map[string]string{"Idempotency-Key": "k1", "X-Request-ID": "always"}
	first := asJSON[inserted](t, s.do(t, c))
	s.reopen()
	if _, err := s.file.Withdraw(t.Context(), first.LogID, journal.Entry{Action: journal.Withdraw}); err != nil {
		t.Fatal(err)
	}
	c.header = map[string]string{"Idempotency-Key": "k2", "X-Request-ID": "always"}
	if again := asJSON[inserted](t, s.do(t, c)); again.LogID == first.LogID {
		t.Errorf("a request with a new key was answered as the first one, and is not stored: %+v", again)
	}
}

// unmarked returns an answer without the header of a replay.
func unmarked(w *httptest.ResponseRecorder) *httptest.ResponseRecorder {
	w.Header().Del(front.ReplayedHeader)
	return w
}

func (s *signedService) clear() error {
	_, err := s.file.Clear(s.t.Context(), false, journal.Entry{Action: journal.Clear})
	return err
}

// Answers that say nothing about the request itself are not kept: 401, 403, 413, 503, 507.
func TestAnswersOfTheMomentAreNotKept(t *testing.T) {
	t.Parallel()
	s := newSignedService(t, func(c *settings) { c.Limits.Document = 1 << 20 })
	full := &fullDisk{Graph: s.config.Graph}
	broken := newService(t, func(c *settings) {
		c.serviceConfig, c.frontConfig = s.config.serviceConfig, s.config.frontConfig
		c.Graph, c.Auth = full, s.auth
	})
	request := call{method: "POST", path: "/ttl", body: ttl(small, "robot"), header: map[string]string{"Idempotency-Key": "k"}}
	wantProblem(t, s.do(t, request), 401, "")
	request.token = s.tokenOf("ari", auth.Auditor)
	wantProblem(t, s.do(t, request), 403, "")
	request.token = s.token(t, auth.Logger)
	huge := request
	huge.body = ttl(strings.Repeat("#", 2<<20), "robot")
	wantProblem(t, s.do(t, huge), 413, "")
	for _, err := range []error{store.ErrDiskFull, store.ErrUnavailable} {
		full.err = err
		if w := broken.do(t, request); w.Code != 507 && w.Code != 503 {
			t.Errorf("%v: %d %s", err, w.Code, w.Body)
		}
	}
	if w := s.do(t, request); w.Code != 201 || w.Header().Get(front.ReplayedHeader) != "" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	stats, err := s.file.Retries.Stats()
	if err != nil || stats.Records != 1 {
		t.Errorf("%d answers are kept, %v", stats.Records, err)
	}
}

// fullDisk is a graph that can't store documents.
type fullDisk struct {
	store.Graph
	err error
}

func (g *fullDisk) Add(context.Context, *store.Document, journal.Entry) (int, error) { return 0, g.err }

// If the first of two requests fails, or its client leaves, the other is carried out.
func TestTheNextRequestIsCarriedOutIfTheFirstFails(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	slow := &slowDisk{Graph: s.config.Graph, began: make(chan struct{}), fail: make(chan error)}
	broken := newService(t, func(c *settings) {
		c.serviceConfig, c.frontConfig = s.config.serviceConfig, s.config.frontConfig
		c.Graph, c.Auth = slow, s.auth
	})
	for i, fail := range []error{store.ErrUnavailable, context.Canceled} {
		slow.failed.Store(false)
		request := call{method: "POST", path: "/ttl", body: ttl(fmt.Sprintf("_:x <http://ex/p> %d .", i), nil), token: s.token(t, auth.Logger),
			header: map[string]string{"Idempotency-Key": fmt.Sprint(i)}}
		first, second := make(chan int, 1), make(chan *httptest.ResponseRecorder, 1)
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			w := httptest.NewRecorder()
			defer func() { recover(); first <- w.Code }() // the connection of a client that left is broken
			broken.Handler().ServeHTTP(w, request.request().WithContext(ctx))
		}()
		<-slow.began
		go func() { second <- broken.do(t, request) }()
		if fail == context.Canceled {
			leave()
		}
		slow.fail <- fail
		if code := <-first; code == 201 {
			t.Errorf("%v: the first is %d", fail, code)
		}
		leave()
		if w := <-second; w.Code != 201 || w.Header().Get(front.ReplayedHeader) != "" {
			t.Errorf("%v: the second is %d %v %s", fail, w.Code, w.Header(), w.Body)
		}
		if s.entries() != uint64(i)+1 {
			t.Errorf("%v: %d logs are stored", fail, s.entries())
		}
	}
}

// slowDisk fails to store the first document, when it is told so.
type slowDisk struct {
	store.Graph
	began  chan struct{}
	fail   chan error
	failed atomic.Bool
}

func (g *slowDisk) Add(ctx context.Context, d *store.Document, e journal.Entry) (int, error) {
	if g.failed.CompareAndSwap(false, true) {
		g.began <- struct{}{}
		return 0, <-g.fail
	}
	return g.Graph.Add(ctx, d, e)
}

// A signed request with a key may be signed anew: it gets the first answer.
func TestASignedRequestMayBeSignedAgainWithItsKey(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	s.addKey("ari", robot(1))
	before := s.entries()
	var first *httptest.ResponseRecorder
	for i := range 3 {
		r := s.signed(toSign{body: ttl("_:x <http://ex/p> 1 .", "robot")})
		r.Header.Set("Idempotency-Key", "k")
		w := s.send(r)
		if i == 0 {
			first = w
			continue
		}
		s.same(first, w)
	}
	r := s.signed(toSign{body: ttl("_:x <http://ex/p> 2 .", "robot")})
	r.Header.Set("Idempotency-Key", "k")
	wantProblem(t, s.send(r), 422, "another body")
	if first.Code != 201 || s.entries() != before+1 {
		t.Errorf("%d %s, %d entries", first.Code, first.Body, s.entries()-before)
	}
}
