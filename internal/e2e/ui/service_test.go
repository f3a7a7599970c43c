package ui

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/httpapi"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	core "github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/cayley"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/signers"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/reports"
	"github.com/segraph/segraph/views/rooms"
)

// patience is the time limit for steps that take milliseconds on a free machine.
const patience = 30 * time.Second

const testSecret = "a secret of thirty-two bytes, or more than that"

// service is a whole service with its own file, on both listeners.
type service struct {
	t    testing.TB
	core *core.Service
	auth *auth.Authenticator
	log  *logs.Buffer
	api  string // base URLs
	ui   string
	stop func() // stops it; may be called more than once
}

// setup configures a service. The zero value has authentication off and a folder of its
// own.
type setup struct {
	secret   string
	dir      string // folder of its file, which a previous service may have used; "" means a new one
	limits   core.Limits
	base     string                            // path before every route; "" means none
	settings *resolver.Settings                // nil means the defaults
	around   func(*persist.Store) core.Querier // wraps the store for queries; nil means the store itself
	live     *reports.Live                     // the stage of a live demo; nil means none
	centre   core.Centre                       // nil means that it has no boxes
	listed   []views.Setting                   // of /settings
}

// openService starts a service without authentication, and newService one with it. Both
// services stop at the end of the test.
func openService(t testing.TB) *service { return start(t, setup{}) }
func newService(t testing.TB) *service  { return start(t, setup{secret: testSecret}) }

func start(t testing.TB, o setup) *service {
	t.Helper()
	authenticator, err := auth.New(o.secret)
	if err != nil {
		t.Fatal(err)
	}
	if o.dir == "" {
		o.dir = t.TempDir()
	}
	settings := resolver.Defaults()
	if o.settings != nil {
		settings = *o.settings
	}
	log := logs.New(logs.Options{Name: "stderr", Level: slog.LevelInfo})
	var snapshots *backup.Folder
	store, err := persist.Open(filepath.Join(o.dir, "segraph.db"), persist.Options{Options: engine.Options{Logger: log.Logger("segraph.store"), BeforeClear: func(ctx context.Context) error {
		_, err := snapshots.Make(ctx, backup.DeleteAll)
		return err
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if snapshots, err = backup.NewFolder(backup.Options{Path: filepath.Join(o.dir, "snapshots"), Keep: 3, Source: store, Content: persist.ContentOf}); err != nil {
		t.Fatal(err)
	}
	contexts, err := resolver.Open(store.Contexts(), resolver.Options{Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	var queries core.Querier = store
	if o.around != nil {
		queries = o.around(store)
	}
	graph := persist.ResolvedGraph{Graph: store, Store: store, Resolver: contexts}
	published := translog.New(store.Store, translog.Options{KeyFile: filepath.Join(t.TempDir(), "key")})
	f := front.New(front.Config{BasePath: o.base, Service: core.New(core.Config{Restart: func(_, _, _ string) bool { return true },
		Graph: graph, Emptier: graph, Eraser: graph, Follower: graph, Holds: holds.Of(store.Store), Backups: snapshots, Queries: queries, Contexts: contexts, Journal: store, Revocations: store, Notes: store.Notes, Retries: store.Retries, Signers: signers.Of(store.Store),
		Auth: authenticator, Log: log, StoreName: "cayley", SpoolDir: o.dir, Limits: o.limits,
		Centre: o.centre, Translog: published, Bundles: &evidence.Source{Journal: store, Log: published},
	})})
	api := httpapi.New(httpapi.Config{Front: f, Version: "test"})
	ui := views.New(views.Config{Front: f, Version: "test", Auth: authenticator, Log: log, Settings: o.listed, Walker: cayley.NewWalker(store.Store, nil), Pending: func(ctx context.Context) (int, error) {
		stats, err := contexts.Stats(ctx)
		if err != nil {
			return 0, err
		}
		return int(stats.PendingReviews), nil
	}}, rooms.All(o.live)...)
	ctx, cancel := context.WithCancel(context.Background())
	handlers := front.Handlers{API: f.API(api.Routes("")), UI: f.UI(api.Routes("/api"), ui)}
	listen := front.ServerOptions{API: "127.0.0.1:0", UI: "127.0.0.1:0", Shutdown: time.Second}
	server, err := f.Listen(ctx, listen, handlers)
	if err != nil {
		t.Fatal(err)
	}
	if o.live != nil {
		o.live.Open("http://" + server.UIAddr().String())
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx) }()
	s := &service{
		t: t, core: f.Service(), auth: authenticator, log: log,
		api: "http://" + server.APIAddr().String(), ui: "http://" + server.UIAddr().String(),
	}
	stopped := false
	s.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-served; err != nil {
			t.Errorf("the service ended with %v", err)
		}
		if err := store.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	}
	t.Cleanup(s.stop)
	return s
}

// lab returns the UI's base URL with a host name that is not a secure origin.
func (s *service) lab() string {
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.ui, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	return "http://" + net.JoinHostPort(labHost, port)
}

// token returns a token for ari with the given roles.
func (s *service) token(roles ...auth.Role) string {
	s.t.Helper()
	var words []string
	for _, r := range roles {
		words = append(words, string(r))
	}
	token, err := s.auth.Issue("ari", words, time.Hour, time.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// publish stores a Turtle document.
func (s *service) publish(text string) {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodPost, s.api+"/ttl", strings.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "text/turtle")
	if s.auth.Enabled() {
		request.Header.Set("Authorization", "Bearer "+s.token(auth.Logger))
	}
	s.read(request)
}

// read sends a request to the API, which must succeed, and returns the body of the
// answer.
func (s *service) read(request *http.Request) string {
	s.t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // already read
	body, err := io.ReadAll(response.Body)
	if response.StatusCode >= 300 || err != nil {
		s.t.Fatalf("%s %s: %d %s, %v", request.Method, request.URL.Path, response.StatusCode, body, err)
	}
	return string(body)
}

// PublishDemo stores the log of two robots.
func (s *service) publishDemo() {
	s.t.Helper()
	text, err := os.ReadFile(suite.Shared(s.t, "data", "demo-two-robots.ttl"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.publish(string(text))
}
