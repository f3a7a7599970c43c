package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/remitly-oss/httpsig-go"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
)

// TestASignedRequestIsAcceptedOnlyAsItWasSigned sends one request as it was signed, and each
// way in which somebody else could send it again.
func TestASignedRequestIsAcceptedOnlyAsItWasSigned(t *testing.T) {
	t.Parallel()
	s := newSignedService(t, func(c *settings) { c.Hosts = append(c.Hosts, "museum.example:8443") })
	s.addKey("ari", robot(1))
	s.addKey("tiago", robot(2))
	s.addKey("ari", robot(3))
	if w := s.do(t, call{method: "POST", path: "/admin/keys/" + idOf(robot(3)) + "/remove", token: s.token(t, auth.Admin)}); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	body := func(text string) func(*http.Request) {
		return func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(text)) }
	}
	at := func(uri string) func(*http.Request) {
		return func(r *http.Request) {
			u, err := r.URL.Parse(uri)
			if err != nil {
				t.Fatal(err)
			}
			r.URL, r.RequestURI = u, uri
		}
	}
	for name, c := range map[string]struct {
		sign   toSign
		change func(*http.Request)
		want   string // part of the 401's detail; "" means that it is stored
	}{
		"as signed":                   {toSign{}, unchanged, ""},
		"with a query":                {toSign{path: "/ttl?user=robot%20b", kind: "text/turtle", body: small}, unchanged, ""},
		"with another capitalization": {toSign{}, func(r *http.Request) { r.Host = "EXAMPLE.com" }, ""},
		"with the default port":       {toSign{}, func(r *http.Request) { r.Host = "example.com:80" }, ""},
		"at another known name":       {toSign{host: "museum.example:8443"}, unchanged, ""},
		"at another port":             {toSign{host: "museum.example:8444"}, unchanged, `not know itself as "museum.example:8444"`},
		"to another server":           {toSign{}, func(r *http.Request) { r.Host = "other.example" }, `not know itself as "other.example"`},
		"for another server":          {toSign{host: "other.example"}, unchanged, "SEGRAPH_HOSTS"},
		"behind a proxy":              {toSign{}, func(r *http.Request) { r.Host = "backend:5000"; r.Header.Set("X-Forwarded-Host", "example.com") }, ""},
		"behind a strange proxy": {toSign{}, func(r *http.Request) {
			r.Host, r.RemoteAddr = "backend:5000", "203.0.113.1:1"
			r.Header.Set("X-Forwarded-Host", "example.com")
		}, `not know itself as "backend:5000"`},
		"through another server's proxy": {toSign{}, set("X-Forwarded-Host", "other.example"), ""}, // Host still names this one
		"to another path":                {toSign{}, at("/shared-context/resolve"), "does not match"},
		"for another path":               {toSign{path: "/shared-context/resolve"}, at("/ttl"), "does not match"},
		"as another user in the query":   {toSign{path: "/ttl?user=a", kind: "text/turtle", body: small}, at("/ttl?user=b"), "does not match"},
		"as another content type":        {toSign{}, set("Content-Type", "text/turtle"), "does not match"},
		"as compressed":                  {toSign{}, set("Content-Encoding", "gzip"), "must cover exactly"},
		"with another body":              {toSign{}, body(ttl(small, "eva")), "not the one that was signed"},
		"with a longer body":             {toSign{}, body(ttl(small, "robot") + " "), "not the one that was signed"},
		"with another digest":            {toSign{}, set("Content-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(make([]byte, 32))+":"), "does not match"},
		"six minutes late":               {toSign{metadata: metadata{created: s.now.Add(-6 * time.Minute)}}, unchanged, "by this service's clock"},
		"six minutes early":              {toSign{metadata: metadata{created: s.now.Add(6 * time.Minute)}}, unchanged, "by this service's clock"},
		"four minutes late":              {toSign{metadata: metadata{created: s.now.Add(-4 * time.Minute)}}, unchanged, ""},
		"four minutes early":             {toSign{metadata: metadata{created: s.now.Add(4 * time.Minute)}}, unchanged, ""},
		"with another user's key":        {toSign{key: robot(2)}, unchanged, "another user"},
		"with another key's id":          {toSign{key: robot(2), metadata: metadata{keyID: idOf(robot(1))}}, unchanged, "does not match"},
		"with an unknown key":            {toSign{key: robot(9)}, unchanged, "unknown"},
		"with a removed key":             {toSign{key: robot(3)}, unchanged, "was removed"},
		"with half a signature":          {toSign{}, func(r *http.Request) { r.Header.Del("Signature") }, "no Ed25519 signature"},
	} {
		r := again(s.signed(c.sign), c.change)
		before := s.entries()
		w := s.send(r)
		stored := s.entries() - before
		if c.want == "" {
			if w.Code != http.StatusCreated || stored != 1 {
				t.Errorf("%s: %d %s", name, w.Code, w.Body)
			}
			continue
		}
		wantProblem(t, w, http.StatusUnauthorized, c.want)
		date, err := http.ParseTime(w.Header().Get("Date"))
		if accept, perr := httpsig.ParseAcceptSignature(w.Header().Get("Accept-Signature")); stored != 0 || err != nil || !date.Equal(s.now) || perr != nil || accept.MetaTag != "segraph" {
			t.Errorf("%s: %d entries were stored; %v", name, stored, w.Header())
		}
	}
}

// TestASignedRequestThatIsSentAgainGetsTheFirstAnswer repeats a request, also after a restart
// and at the same time, and uses its nonce for another request.
func TestASignedRequestThatIsSentAgainGetsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	s.addKey("ari", robot(1))
	for _, c := range []struct {
		sign, other toSign
		status      int
	}{
		{toSign{metadata: metadata{nonce: "nonce-of-log"}}, toSign{body: ttl("<urn:a> <urn:b> 9 .", "x"), metadata: metadata{nonce: "nonce-of-log"}}, 201},
		{toSign{path: "/shared-context/resolve", body: sighting, metadata: metadata{nonce: "nonce-of-resolve"}}, toSign{metadata: metadata{nonce: "nonce-of-resolve"}}, 200},
	} {
		before := s.entries()
		first := s.signed(c.sign)
		var answers []string
		var mu sync.Mutex
		send := func(r *http.Request) {
			w := s.send(r)
			mu.Lock()
			defer mu.Unlock()
			answers = append(answers, fmt.Sprint(w.Code, w.Body))
		}
		var wait sync.WaitGroup
		for range 4 {
			r := again(first, func(r *http.Request) { r.Header.Set("X-Request-ID", "another") })
			wait.Go(func() { send(r) })
		}
		wait.Wait()
		s.send(s.signed(toSign{path: "/shared-context/resolve", body: strings.Replace(sighting, "msg/1", fmt.Sprint("msg/else", s.nonce), 1)})) // something else happens
		s.close()
		s.open()
		send(again(first, unchanged))
		if !strings.HasPrefix(answers[0], fmt.Sprint(c.status)) || len(slices.Compact(answers)) != 1 {
			t.Errorf("%s: the answers differ: %q", first.URL, answers)
		}
		if n := s.entries() - before; n != 2 {
			t.Errorf("%s: %d entries were stored", first.URL, n)
		}
		wantProblem(t, s.send(s.signed(c.other)), 401, "nonce was used")
		s.now = s.now.Add(time.Second)
		wantProblem(t, s.send(s.signed(toSign{metadata: metadata{nonce: c.sign.nonce}})), 401, "nonce was used")
	}
}

// TestAReplayIsRefusedIfTheClockIsSetBack sends a request again after its nonce was removed.
func TestAReplayIsRefusedIfTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	s.addKey("ari", robot(1))
	s.addKey("ari", robot(2))
	first := s.signed(toSign{})
	if w := s.send(again(first, unchanged)); w.Code != 201 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	then := s.now
	s.now = then.Add(11 * time.Minute)
	wantProblem(t, s.send(again(first, unchanged)), 401, "by this service's clock")
	if w := s.send(s.signed(toSign{})); w.Code != 201 { // removes the nonce
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	s.now = then
	before := s.entries()
	wantProblem(t, s.send(again(first, unchanged)), 401, "may have been stored before")
	if s.entries() != before {
		t.Error("a replay was stored")
	}
	if w := s.send(s.signed(toSign{key: robot(2)})); w.Code != 201 { // a new key is the way out
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestARobotWithAWrongClockSignsAgain takes the time from the 401.
func TestARobotWithAWrongClockSignsAgain(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	s.addKey("ari", robot(1))
	w := s.send(s.signed(toSign{metadata: metadata{created: s.now.Add(-time.Hour)}}))
	date, err := http.ParseTime(w.Header().Get("Date"))
	if w.Code != 401 || err != nil {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	if w := s.send(s.signed(toSign{metadata: metadata{created: date}})); w.Code != 201 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestSignaturesAreRequiredOfSomeUsers on every way to send a log or an observation.
func TestSignaturesAreRequiredOfSomeUsers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		required []string
		must     bool
	}{{nil, false}, {[]string{"tiago"}, false}, {[]string{"tiago", "ari"}, true}, {[]string{"all"}, true}} {
		s := newSignedService(t, func(s *settings) { s.RequireSignatures = c.required })
		s.addKey("ari", robot(1))
		for _, path := range []string{"/ttl", "/shared-context/resolve", "/api/ttl"} {
			request := call{method: "POST", path: path, body: ttl(small, "x"), token: s.token(t, auth.Logger), ui: path == "/api/ttl"}
			if path == "/shared-context/resolve" {
				request.body = sighting
			}
			w := s.do(t, request)
			if (w.Code == 401) != c.must || !c.must && w.Code >= 300 {
				t.Errorf("%v, %s: %d %s", c.required, path, w.Code, w.Body)
			}
			if c.must && (w.Header().Get("Accept-Signature") == "" || w.Header().Get("Date") == "") {
				t.Errorf("%s: %v", path, w.Header())
			}
		}
		if w := s.send(s.signed(toSign{})); w.Code != 201 {
			t.Errorf("%v, signed: %d %s", c.required, w.Code, w.Body)
		}
	}
}

// TestTheBodyIsKeptAsReceivedUntilItIsErased with and without an encoding. The signature
// stays.
func TestTheBodyIsKeptAsReceivedUntilItIsErased(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	s.addKey("ari", robot(1))
	var packed bytes.Buffer
	z, _ := zstd.NewWriter(&packed)
	_, _ = io.WriteString(z, ttl("<urn:a> <urn:b> 1 .", "x"))
	_ = z.Close()
	var ids []string
	for _, c := range []toSign{{}, {body: packed.String(), coding: "zstd"}} {
		sent := s.signed(c)
		w := s.send(again(sent, unchanged))
		if w.Code != 201 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		ids = append(ids, asJSON[struct{ Log_id string }](t, w).Log_id)
		body, _ := io.ReadAll(sent.Body)
		k := s.kept(ids[len(ids)-1])
		sum := sha256.Sum256(k.Body)
		if !bytes.Equal(k.Body, body) || k.Erased || k.User != "ari" || !strings.Contains(k.Base, base64.StdEncoding.EncodeToString(sum[:])) {
			t.Errorf("kept: %+v", k)
		}
	}
	if w := s.send(s.signed(toSign{path: "/shared-context/resolve", body: sighting})); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	page := s.do(t, call{method: "GET", path: "/logs?action=resolve", token: s.token(t, auth.Auditor)})
	resolved := asJSON[struct{ Entries []journal.Entry }](t, page).Entries[0].LogID
	for _, step := range []struct {
		contexts   string
		log, event bool // erased after it
	}{{"false", true, false}, {"true", true, true}} {
		w := s.do(t, call{method: "POST", path: "/ttl/delete_all", body: `{"user":null,"contexts":` + step.contexts + `}`, token: s.token(t, auth.Admin)})
		if w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		for _, id := range ids {
			if k := s.kept(id); k.Erased != step.log || (k.Body == nil) != step.log {
				t.Errorf("contexts %s: a log's body: %+v", step.contexts, k)
			}
		}
		if k := s.kept(resolved); k.Erased != step.event {
			t.Errorf("contexts %s: an observation's body: %+v", step.contexts, k)
		}
	}
	if report, err := s.file.Inspect(t.Context()); err != nil {
		t.Errorf("%+v, %v", report, err)
	}
	w := s.do(t, call{method: "GET", path: "/logs/" + unsignedLog(s) + "/signature", token: s.token(t, auth.Auditor)})
	wantProblem(t, w, 404, "was not signed")
}

func unsignedLog(s *signedService) string {
	w := s.do(s.t, call{method: "POST", path: "/ttl", body: ttl(small, "x"), token: s.token(s.t, auth.Logger)})
	return asJSON[struct{ Log_id string }](s.t, w).Log_id
}

// TestKeysAreListedAndLimited by the API.
func TestKeysAreListedAndLimited(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	admin := s.token(t, auth.Admin)
	s.addKey("ari", robot(1))
	post := func(user, key string) *httptest.ResponseRecorder {
		body, _ := json.Marshal(map[string]string{"user": user, "public_key": key})
		return s.do(t, call{method: "POST", path: "/admin/keys", body: string(body), token: admin})
	}
	pem := journal.PublicPEM(robot(1).Public().(ed25519.PublicKey))
	wantProblem(t, post("ari", pem), 409, "in use already")
	wantProblem(t, post("eva", pem), 409, "another user")
	wantProblem(t, post("", pem), 422, "the user who signs")
	wantProblem(t, post("a\nb", pem), 422, "user")
	wantProblem(t, post("ari", "x"), 422, "PEM")
	wantProblem(t, post("ari", journal.PublicPEM(make([]byte, ed25519.PublicKeySize))), 422, "prove nothing")
	for n := range byte(journal.MaxUserKeys - 1) {
		s.addKey("ari", robot(n+2))
	}
	wantProblem(t, post("ari", journal.PublicPEM(robot(99).Public().(ed25519.PublicKey))), 409, "too many keys")
	remove := call{method: "POST", path: "/admin/keys/" + idOf(robot(1)) + "/remove", token: admin}
	if w := s.do(t, remove); w.Code != 200 || asJSON[signingKey](t, w).Removed.IsZero() {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	wantProblem(t, s.do(t, remove), 404, "no such key")
	wantProblem(t, post("ari", pem), 409, "removed")
	remove.path = "/admin/keys/x/remove"
	wantProblem(t, s.do(t, remove), 404, "no such key")
	list := asJSON[struct {
		Count int
		Keys  []signingKey
	}](t, s.do(t, call{method: "GET", path: "/admin/keys", token: admin}))
	if list.Count != journal.MaxUserKeys || len(list.Keys) != list.Count || list.Keys[0].User != "ari" || list.Keys[0].AddedBy != "ari" {
		t.Errorf("%+v", list)
	}
	var actions []journal.Action
	err := s.file.View(func(snap *engine.Snapshot) error {
		e, err := journal.Get(snap.KV(), 1)
		actions = append(actions, e.Action)
		if e.Owner != "ari" || e.Signer != idOf(robot(1)) || e.Key != base64.StdEncoding.EncodeToString(robot(1).Public().(ed25519.PublicKey)) {
			t.Errorf("the entry of a key: %+v", e)
		}
		last, lerr := journal.Get(snap.KV(), journal.Count(snap.KV()))
		actions = append(actions, last.Action)
		return errors.Join(err, lerr)
	})
	if err != nil || !slices.Equal(actions, []journal.Action{journal.UseKey, journal.DropKey}) {
		t.Errorf("%v, %v", actions, err)
	}
}

// The answers that hold a signed body or long texts are made in memory that is counted, and a slow client holds only a spool.
func TestLongAnswersTakeCountedMemory(t *testing.T) {
	t.Parallel()
	const pool = 16 << 20
	s := newSignedService(t, func(c *settings) { c.Limits.Memory = pool })
	s.addKey("ari", robot(1))
	w := s.send(s.signed(toSign{body: ttl("<urn:s> <urn:p> \""+strings.Repeat("x", 1<<20)+"\" .", "robot")}))
	if w.Code != http.StatusCreated {
		t.Fatal(w.Code, w.Body)
	}
	auditor := s.token(t, auth.Auditor)
	paths := []string{"/logs/" + asJSON[service.Insertion](t, w).LogID + "/signature"}
	for n := range 40 {
		body := fmt.Sprintf(`{"event_kind":"wave","observed_at":"2026-01-01T00:00:00Z","subject_uri":"urn:m","robot_uri":"urn:r%d","text":"%s"}`, n, strings.Repeat("a ", 32<<10))
		w = s.do(t, call{method: "POST", path: "/shared-context/resolve", body: body, token: s.token(t, auth.Admin)})
		if w.Code != http.StatusOK {
			t.Fatal(w.Code, w.Body)
		}
	}
	paths = append(paths, "/shared-context/contexts?uri="+url.QueryEscape(asJSON[struct {
		Context string `json:"shared_context_uri"`
	}](t, w).Context))
	read := func(path string) *httptest.ResponseRecorder {
		return s.do(t, call{method: "GET", path: path, token: auditor})
	}
	for _, path := range paths {
		if w := read(path); w.Code != http.StatusOK || w.Body.Len() < 1<<20 {
			t.Errorf("%s: %d, %d bytes", path, w.Code, w.Body.Len())
		}
	}
	end, err := s.service.BeginText(t.Context(), pool/4*3/4) // three quarters of it
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	end2, err := s.service.BeginText(t.Context(), 1<<18) // a MiB more
	if err != nil {
		t.Fatal(err)
	}
	defer end2()
	for _, path := range paths {
		wantProblem(t, read(path), http.StatusServiceUnavailable, "more memory than is free")
	}
}

// A signed body with a Content-Encoding leaves the disk once there is memory for it as received, and gives that back.
func TestSignedBodiesAsReceivedTakeBoundedMemory(t *testing.T) {
	t.Parallel()
	s := newSignedService(t, func(c *settings) { c.Limits.DocumentPatience = 50 * time.Millisecond })
	s.addKey("ari", robot(1))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(ttl(small, "robot")))
	_ = z.Close()
	send := func() *httptest.ResponseRecorder {
		return s.send(s.signed(toSign{body: packed.String(), coding: "gzip"}))
	}
	for range 2 {
		if w := send(); w.Code != http.StatusCreated {
			t.Fatal(w.Code, w.Body)
		}
		end, err := s.service.BeginSigned(t.Context(), 1<<40)
		if err != nil {
			t.Fatalf("the first request still has memory: %v", err)
		}
		wantProblem(t, send(), http.StatusServiceUnavailable, "Too many documents")
		end()
	}
}
