// Package httpapi is segraph's HTTP interface: what routes there are, who may use them,
// and what goes in and out. Its rules:
//
//   - Routes are declared in one table (routes.go). The router, the OpenAPI document and the
//     tests of roles are made from it.
//   - A handler reads the request, calls the service and writes the answer. It decides nothing else:
//     package front has what both front ends share.
package httpapi

import (
	"log/slog"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/service"
)

// Config is what an API is made of.
type Config struct {
	Front *front.Front
	// MetricsToken reads the metrics at ServerOptions.Metrics, as tokens of auditors and
	// admins do; nil is none.
	MetricsToken *auth.FixedToken
	// Failed returns why the process has to be started again, which /healthz/live says
	// from then on; nil is never.
	Failed  func() error
	Version string // of this program, as the documentation shows it
}

// API answers requests. It is made by New.
type API struct {
	config  Config
	front   *front.Front
	service *service.Service
	log     *slog.Logger
	routes  []route
	openAPI []byte
}

// New makes the API of a service.
func New(c Config) *API {
	s := c.Front.Service()
	a := &API{config: c, front: c.Front, service: s, log: s.Config().Log.Logger("segraph.http")}
	a.routes = a.declare()
	a.openAPI = document(a.routes, c.Version, s.Config().SEGB)
	return a
}
