// Package viewstest has what tests of the web UI share: a whole service with a UI, browsers that visit
// it, logs to publish, and golden files of components.
package viewstest

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

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/httpapi"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/cayley"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/signers"
	"github.com/segraph/segraph/views"
)

const Secret = "a secret of thirty-two bytes, or more than that"

// Fixture is a UI for a whole service with a store in its own folder.
type Fixture struct {
	T       testing.TB
	Service *service.Service
	API     http.Handler // handler of the API's listener
	Pages   http.Handler // handler of the UI's listener
	UI      *views.UI
	Auth    *auth.Authenticator
	Log     *logs.Buffer
	Now     time.Time // time of the UI's clock and the authenticator's
	Pending func(context.Context) (int, error)

	Store     *persist.Store
	Snapshots string // the folder of backups
	Contexts  *resolver.Resolver
}

// Settings configure a service.
type (
	Settings struct {
		serviceConfig
		frontConfig
	}
	serviceConfig = service.Config
	frontConfig   = front.Config
)

// Start starts a service whose UI has some rooms. change may change its settings; nil changes none.
// Without a secret, authentication is off.
func Start(t testing.TB, secret string, change func(*Settings), rooms ...func(*views.UI) views.Room) *Fixture {
	t.Helper()
	s := &Fixture{T: t, Now: time.Now()}
	var err error
	clock := func() time.Time { return s.Now }
	if s.Auth, err = auth.New(secret, auth.WithClock(clock)); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s.Snapshots = filepath.Join(dir, "snapshots")
	s.Log = logs.New(logs.Options{Name: "stderr", Level: slog.LevelDebug})
	var snapshots *backup.Folder
	s.Store, err = persist.Open(filepath.Join(dir, "segraph.db"), persist.Options{Options: engine.Options{Logger: s.Log.Logger("segraph.store"), BeforeClear: func(ctx context.Context) error {
		_, err := snapshots.Make(ctx, backup.DeleteAll)
		return err
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if snapshots, err = backup.NewFolder(backup.Options{Path: s.Snapshots, Keep: 3, Source: s.Store, Content: persist.ContentOf}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	if s.Contexts, err = resolver.Open(s.Store.Contexts(), resolver.Options{Settings: resolver.Defaults(), Now: clock}); err != nil {
		t.Fatal(err)
	}
	graph := persist.ResolvedGraph{Graph: s.Store, Store: s.Store, Resolver: s.Contexts}
	c := Settings{
		serviceConfig: service.Config{Now: clock, Graph: graph, Lines: graph, Emptier: graph, Backups: snapshots, Queries: s.Store, Contexts: s.Contexts, Journal: s.Store, Revocations: s.Store, Notes: s.Store.Notes, Retries: s.Store.Retries, Signers: signers.Of(s.Store.Store), Holds: holds.Of(s.Store.Store), Forgotten: s.Store.Forgotten, Eraser: graph, Follower: graph, Translog: translog.New(s.Store.Store, translog.Options{KeyFile: s.Store.Path() + ".key"}), Auth: s.Auth, Log: s.Log, StoreName: "cayley", SpoolDir: dir,
			Restart: func(_, _, _ string) bool { return true }},
		frontConfig: front.Config{
			TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
			CORSOrigins:    []string{"http://trusted.test"},
			Hosts:          []string{"example.com"}, // the host that httptest uses
		},
	}
	if change != nil {
		change(&c)
	}
	s.Service = service.New(c.serviceConfig)
	c.Service = s.Service
	f := front.New(c.frontConfig)
	s.UI = views.New(views.Config{Front: f, Version: "test", Auth: s.Auth, Log: s.Log, Now: clock, Patience: time.Minute, Walker: cayley.NewWalker(s.Store.Store, nil), Pending: func(ctx context.Context) (int, error) {
		if s.Pending == nil {
			return 0, nil
		}
		return s.Pending(ctx)
	}}, rooms...)
	api := httpapi.New(httpapi.Config{Front: f, Version: "test"})
	s.API, s.Pages = f.API(api.Routes("")), f.UI(api.Routes("/api"), s.UI)
	return s
}

// Token returns a token for ari with the given roles, valid for an hour.
func (s *Fixture) Token(roles ...auth.Role) string { return s.tokenOf("ari", roles...) }

// tokenOf returns a token of a user with some roles, for an hour.
func (s *Fixture) tokenOf(user string, roles ...auth.Role) string {
	s.T.Helper()
	var words []string
	for _, r := range roles {
		words = append(words, string(r))
	}
	token, err := s.Auth.Issue(user, words, time.Hour, s.Now)
	if err != nil {
		s.T.Fatal(err)
	}
	return token
}

// Visitor is a browser that keeps cookies.
type Visitor struct {
	*Fixture
	Cookies map[string]*http.Cookie
	Header  http.Header // sent with every request
	From    string      // client address; "" means any
	Host    string      // host name of its requests; "" means httptest's
}

func (s *Fixture) NewVisitor() *Visitor {
	return &Visitor{Fixture: s, Cookies: map[string]*http.Cookie{}, Header: http.Header{}}
}

// SignedIn returns a browser with a session of the given roles.
func (s *Fixture) SignedIn(roles ...auth.Role) *Visitor { return s.SignedInAs("ari", roles...) }

// SignedInAs is like SignedIn, for a user.
func (s *Fixture) SignedInAs(user string, roles ...auth.Role) *Visitor {
	s.T.Helper()
	b := s.NewVisitor()
	if w := b.Post("/session", url.Values{"token": {s.tokenOf(user, roles...)}}); w.Code != http.StatusSeeOther {
		s.T.Fatalf("signing in: %d %s", w.Code, w.Body)
	}
	return b
}

func (b *Visitor) Get(path string) *httptest.ResponseRecorder {
	b.T.Helper()
	return b.Do(http.MethodGet, path, "", nil)
}

// Part requests a part of a page, as a script does.
func (b *Visitor) Part(path string) *httptest.ResponseRecorder {
	b.Header.Set("HX-Request", "true")
	defer b.Header.Del("HX-Request")
	return b.Get(path)
}

func (b *Visitor) Post(path string, form url.Values) *httptest.ResponseRecorder {
	b.T.Helper()
	return b.Do(http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

// Do sends a request with the visitor's cookies, and keeps those of the answer.
func (b *Visitor) Do(method, path, contentType string, body io.Reader) *httptest.ResponseRecorder {
	b.T.Helper()
	r := httptest.NewRequest(method, path, body)
	if b.From != "" {
		r.RemoteAddr = b.From
	}
	if b.Host != "" {
		r.Host = b.Host
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for key, values := range b.Header {
		r.Header[key] = values
	}
	for _, c := range b.Cookies {
		r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	w := httptest.NewRecorder()
	b.Pages.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if c.MaxAge < 0 {
			delete(b.Cookies, c.Name)
		} else {
			b.Cookies[c.Name] = c
		}
	}
	return w
}

// WantPage checks that an answer is a complete page with the given status, a text and the
// security policy.
func WantPage(t testing.TB, w *httptest.ResponseRecorder, status int, part string) {
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
