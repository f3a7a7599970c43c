// Package httpapi implements segraph's HTTP interface: its routes, who may use them, and
// their inputs and outputs. Its rules:
//
//   - Routes are declared in one table (routes.go). The router, the OpenAPI document and
//     the tests of roles use it.
//   - A handler reads the request, calls the service and writes the answer. What both front ends
//     share is in package front.
package httpapi

import (
	"log/slog"
	"sync"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
)

// Config configures an API.
type Config struct {
	Front *front.Front
	// MetricsToken is a token for the metrics at ServerOptions.Metrics, besides the
	// tokens of auditors and admins. It may be nil.
	MetricsToken *auth.FixedToken
	// Failed returns why the process must be restarted, or nil. /healthz/live reports it.
	// A nil Failed means never.
	Failed  func() error
	Version string // version of this program, for the documentation
}

// API implements the routes. Create one with New.
type API struct {
	config  Config
	front   *front.Front
	service *service.Service
	log     *slog.Logger
	routes  []route
	openAPI func() []byte
}

// New returns the API of a service.
func New(c Config) *API {
	s := c.Front.Service()
	a := &API{config: c, front: c.Front, service: s, log: s.Config().Log.Logger("segraph.http")}
	a.routes = a.declare()
	a.openAPI = sync.OnceValue(func() []byte {
		return document(a.routes, c.Version, s.Config().Auth.Enabled(), s.Config().SEGB)
	})
	return a
}
