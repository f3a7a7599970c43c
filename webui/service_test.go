package webui

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/httpapi"
	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/internal/logbuf"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/cayley"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/signers"
)

const testSecret = "a secret of thirty-two bytes, or more than that"

// fixture is a UI for a whole service with a store in its own folder.
type fixture struct {
	t       testing.TB
	service *service.Service
	api     http.Handler // handler of the API's listener
	pages   http.Handler // handler of the UI's listener
	ui      *UI
	auth    *auth.Authenticator
	log     *logbuf.Buffer
	now     time.Time // time of the UI's clock and the authenticator's
	pending func(context.Context) (int, error)

	store     *persist.Store
	snapshots string // the folder of backups
	contexts  *resolver.Resolver
}

// newService returns a service with authentication, openService one without.
func newService(t testing.TB) *fixture  { return start(t, testSecret) }
func openService(t testing.TB) *fixture { return start(t, "") }

// limitedService returns a service without authentication, with limits on the time and
// the memory of queries; 0 means the default.
func limitedService(t testing.TB, timeLimit time.Duration, memory int64) *fixture {
	return startLimited(t, "", service.Limits{QueryTime: timeLimit, QueryMemory: memory})
}

func start(t testing.TB, secret string) *fixture { return startLimited(t, secret, service.Limits{}) }

func startLimited(t testing.TB, secret string, limits service.Limits) *fixture {
	t.Helper()
	return startWith(t, secret, func(c *settings) { c.Limits = limits })
}

// settings configure a service.
type (
	settings struct {
		serviceConfig
		frontConfig
	}
	serviceConfig = service.Config
	frontConfig   = front.Config
)

// startWith starts a service with settings modified by change.
func startWith(t testing.TB, secret string, change func(*settings)) *fixture {
	return startRooms(t, secret, change, Reports(nil), Explore, Query, Review, Admin)
}

// startLive starts a service without authentication that plays a live demo.
func startLive(t testing.TB, l *Live, change func(*settings)) *fixture {
	return startRooms(t, "", change, Reports(l), Explore, Query, Review, Admin)
}

// startRooms starts a service with some rooms.
func startRooms(t testing.TB, secret string, change func(*settings), rooms ...func(*UI) Room) *fixture {
	t.Helper()
	s := &fixture{t: t, now: time.Now()}
	var err error
	clock := func() time.Time { return s.now }
	if s.auth, err = auth.New(secret, auth.WithClock(clock)); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s.snapshots = filepath.Join(dir, "snapshots")
	s.log = logbuf.New(logbuf.Options{Name: "stderr", Level: slog.LevelDebug})
	var snapshots *backup.Folder
	s.store, err = persist.Open(filepath.Join(dir, "segraph.db"), persist.Options{Options: engine.Options{Logger: s.log.Logger("segraph.store"), BeforeClear: func(ctx context.Context) error {
		_, err := snapshots.Make(ctx, backup.DeleteAll)
		return err
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if snapshots, err = backup.NewFolder(backup.Options{Path: s.snapshots, Keep: 3, Source: s.store}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.store.Close(); err != nil {
			t.Error(err)
		}
	})
	if s.contexts, err = resolver.Open(s.store.Contexts(), resolver.Options{Settings: resolver.Defaults(), Now: clock}); err != nil {
		t.Fatal(err)
	}
	graph := persist.ResolvedGraph{Graph: s.store, Store: s.store, Resolver: s.contexts}
	c := settings{
		serviceConfig: service.Config{Graph: graph, Lines: graph, Importer: graph, Emptier: graph, Backups: snapshots, Queries: s.store, Contexts: s.contexts, Journal: s.store, Revocations: s.store, Notes: s.store.Notes, Retries: s.store.Retries, Signers: signers.Of(s.store.Store), Auth: s.auth, Log: s.log, StoreName: "cayley", SpoolDir: dir},
		frontConfig: front.Config{
			TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
			CORSOrigins:    []string{"http://trusted.test"},
			Hosts:          []string{"example.com"}, // the host that httptest uses
		},
	}
	change(&c)
	s.service = service.New(c.serviceConfig)
	c.Service = s.service
	f := front.New(c.frontConfig)
	s.ui = New(Config{Front: f, Version: "test", Auth: s.auth, Log: s.log, Now: clock, Walker: cayley.NewWalker(s.store.Store, nil), Pending: func(ctx context.Context) (int, error) {
		if s.pending == nil {
			return 0, nil
		}
		return s.pending(ctx)
	}}, rooms...)
	api := httpapi.New(httpapi.Config{Front: f, Version: "test"})
	s.api, s.pages = f.API(api.Routes("")), f.UI(api.Routes("/api"), s.ui)
	return s
}

// token returns a token for ari with the given roles, valid for an hour.
func (s *fixture) token(roles ...auth.Role) string { return s.tokenOf("ari", roles...) }

// tokenOf is like token, for a user.
func (s *fixture) tokenOf(user string, roles ...auth.Role) string {
	s.t.Helper()
	var words []string
	for _, r := range roles {
		words = append(words, string(r))
	}
	token, err := s.auth.Issue(user, words, time.Hour, s.now)
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// visitor is a browser that keeps cookies.
type visitor struct {
	*fixture
	cookies map[string]*http.Cookie
	header  http.Header // sent with every request
	from    string      // client address; "" means any
	host    string      // host name of its requests; "" means httptest's
}

func (s *fixture) visitor() *visitor {
	return &visitor{fixture: s, cookies: map[string]*http.Cookie{}, header: http.Header{}}
}

// signedIn returns a browser with a session of the given roles.
func (s *fixture) signedIn(roles ...auth.Role) *visitor { return s.signedInAs("ari", roles...) }

// signedInAs is like signedIn, for a user.
func (s *fixture) signedInAs(user string, roles ...auth.Role) *visitor {
	s.t.Helper()
	b := s.visitor()
	if w := b.post("/session", url.Values{"token": {s.tokenOf(user, roles...)}}); w.Code != http.StatusSeeOther {
		s.t.Fatalf("signing in: %d %s", w.Code, w.Body)
	}
	return b
}

func (b *visitor) get(path string) *httptest.ResponseRecorder {
	b.t.Helper()
	return b.do(http.MethodGet, path, "", nil)
}

// part requests a part of a page, as a script does.
func (b *visitor) part(path string) *httptest.ResponseRecorder {
	b.header.Set("HX-Request", "true")
	defer b.header.Del("HX-Request")
	return b.get(path)
}

func (b *visitor) post(path string, form url.Values) *httptest.ResponseRecorder {
	b.t.Helper()
	return b.do(http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

func (b *visitor) do(method, path, contentType string, body io.Reader) *httptest.ResponseRecorder {
	b.t.Helper()
	r := httptest.NewRequest(method, path, body)
	if b.from != "" {
		r.RemoteAddr = b.from
	}
	if b.host != "" {
		r.Host = b.host
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for key, values := range b.header {
		r.Header[key] = values
	}
	for _, c := range b.cookies {
		r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	w := httptest.NewRecorder()
	b.pages.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		} else {
			b.cookies[c.Name] = c
		}
	}
	return w
}

// wantPage checks that an answer is a complete page with the given status, a text and the
// security policy.
func wantPage(t testing.TB, w *httptest.ResponseRecorder, status int, part string) {
	t.Helper()
	if w.Code != status || !strings.Contains(w.Body.String(), part) || !strings.HasPrefix(w.Body.String(), "<!doctype html>") {
		t.Errorf("status %d, want %d with %q: %s", w.Code, status, part, w.Body)
	}
	if got := w.Header().Get("Content-Type"); got != "text/html; charset=utf-8" {
		t.Errorf("Content-Type %q", got)
	}
	if got := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-") || strings.Contains(got, "unsafe") {
		t.Errorf("Content-Security-Policy %q", got)
	}
}
