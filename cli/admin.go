package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/httpapi"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/signers"
)

// caller sends a request to the API as an admin, with body in JSON unless it is nil. It expects the status, and decodes the
// answer into into.
type caller func(ctx context.Context, method, path string, body any, status int, into any) error

// callJSON makes one call as asAdmin does. GET opens a file for reading only.
func callJSON(ctx context.Context, c *config.Config, method, path string, body any, status int, into any) error {
	return asAdmin(c, method == http.MethodGet, func(call caller) error { return call(ctx, method, path, body, status, into) })
}

// asAdmin calls do with the API of the service at --url or, without it, with that of the file, which no service may be using.
// reading opens the file for reading only.
func asAdmin(c *config.Config, reading bool, do func(caller) error) error {
	if c.URL != "" {
		return do(callerOf(c.URL, func() (string, error) { return adminToken(c) }, nil))
	}
	return withContexts(c, reading, func(s *persist.Store, contexts *resolver.Resolver) error {
		service, err := serviceOf(c, s, contexts)
		if err != nil {
			return err
		}
		here, token := apiOf(service)
		return do(callerOf("", token, here))
	})
}

// tokens returns a token for the next request, or "".
type tokens func() (string, error)

// newSecret returns a key for tokens that only this process uses.
func newSecret() string { return rand.Text() + rand.Text() }

// apiOf returns the API of a service in this process, and admin's tokens for it in the name of who runs the program.
func apiOf(s *service.Service) (http.Handler, tokens) {
	f := front.New(front.Config{Service: s})
	return f.API(httpapi.New(httpapi.Config{Front: f}).Routes("")), func() (string, error) {
		return s.Config().Auth.Issue(operator(), []string{string(auth.Admin)}, time.Minute, time.Now())
	}
}

// callerOf returns a caller of the API at a base URL or, if here is not nil, of that.
func callerOf(base string, token tokens, here http.Handler) caller {
	return func(ctx context.Context, method, path string, body any, status int, into any) error {
		given, err := token()
		if err != nil {
			return err
		}
		kind, text := "", []byte(nil)
		if body != nil {
			kind = "application/json"
			if text, err = json.Marshal(body); err != nil {
				return fmt.Errorf("writing the request: %w", err)
			}
		}
		return serviceCall{method, path, kind, string(text), "application/json", given, status, here}.
			do(ctx, base, func(answer io.Reader) error { return json.NewDecoder(answer).Decode(into) })
	}
}

// recorder holds what a handler answers.
type recorder struct {
	bytes.Buffer
	header http.Header
	status int
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.status = status }

// answerOf returns what a handler answers to a request.
func answerOf(h http.Handler, request *http.Request) *http.Response {
	r := &recorder{header: http.Header{}, status: http.StatusOK}
	h.ServeHTTP(r, request)
	return &http.Response{StatusCode: r.status, Header: r.header, Body: io.NopCloser(&r.Buffer)}
}

const forReading, forWriting = true, false // arguments of asAdmin, withContexts and withFile

// serviceOf returns a service of an open file.
func serviceOf(c *config.Config, s *persist.Store, contexts *resolver.Resolver) (*service.Service, error) {
	snapshots, err := backup.NewFolder(backup.Options{Path: app.SnapshotFolder(c, c.Data), Data: c.Data})
	if err != nil {
		return nil, err
	}
	checks, err := auth.New(newSecret())
	if err != nil {
		return nil, err
	}
	return service.New(service.Config{Graph: s, Queries: s, Journal: s, Revocations: s, Contexts: contexts, Notes: s.Notes, Holds: holds.Of(s.Store), Signers: signers.Of(s.Store), Forgotten: s.Forgotten, Backups: snapshots,
		Follower: persist.ResolvedGraph{Graph: s, Store: s, Resolver: contexts},
		Auth:     checks, Log: logs.New(logs.Options{Name: "none"}), StoreName: "cayley", SpoolDir: filepath.Dir(c.Data)}), nil
}

// withContexts is withFile with the file's shared contexts.
func withContexts(c *config.Config, reading bool, do func(*persist.Store, *resolver.Resolver) error) error {
	return withFile(c.Data, reading, func(s *persist.Store) error {
		contexts, err := resolver.Open(s.Contexts(), resolver.Options{Settings: resolver.Defaults()})
		if err != nil {
			return fmt.Errorf("opening the shared contexts: %w", err)
		}
		return do(s, contexts)
	})
}

// withFile runs do on the file at a path, which must be there and which no service may be using. reading opens it for
// reading only.
func withFile(path string, reading bool, do func(*persist.Store) error) (err error) {
	s, err := persist.Open(path, persist.Options{Options: engine.Options{Existing: true, ReadOnly: reading, TextIndex: engine.TextIndexAsIs}})
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return do(s)
}
