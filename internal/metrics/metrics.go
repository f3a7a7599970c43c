// Package metrics collects the metrics of the service in the text format of Prometheus.
// It serves them and the profiles of net/http/pprof. Its rules:
//
//   - A label has few values, chosen by the program and never by a client.
//   - Nothing that identifies a person is counted.
//   - Local is only for a listener that no other machine can reach.
package metrics

import (
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Set is the set of metrics of a service. A nil Set counts nothing. It is safe for
// concurrent use.
type Set struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refusals *prometheus.CounterVec
}

// New returns a set that includes the metrics of the Go runtime and of the process.
func New(version string) *Set {
	s := &Set{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "segraph_requests_total", Help: "Requests that were answered, by route, method and status; status 0 is a connection that ended first.",
		}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "segraph_request_seconds", Help: "Time from a request's header to the end of its answer, by route.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"route"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "segraph_refusals_total", Help: "Requests that were refused or broken off because of a limit, by limit.",
		}, []string{"limit"}),
	}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "segraph_build", Help: "1, with the program's version."}, []string{"version"})
	build.WithLabelValues(version).Set(1)
	s.registry.MustRegister(s.requests, s.seconds, s.refusals, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return s
}

// methods have their own label value. All others share one, since clients can invent
// them.
var methods = map[string]bool{"GET": true, "HEAD": true, "POST": true, "OPTIONS": true}

// Request counts a finished request. route is a pattern, never a path.
func (s *Set) Request(route, method string, status int, elapsed time.Duration) {
	if s == nil {
		return
	}
	if !methods[method] {
		method = "other"
	}
	s.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	s.seconds.WithLabelValues(route).Observe(elapsed.Seconds())
}

// Refused counts a refusal by a limit.
func (s *Set) Refused(limit string) {
	if s != nil {
		s.refusals.WithLabelValues(limit).Inc()
	}
}

// Limits registers limits before they refuse anything, so that rates can be computed from
// the start.
func (s *Set) Limits(names ...string) {
	for _, n := range names {
		if s != nil {
			s.refusals.WithLabelValues(n)
		}
	}
}

// Gauge registers a gauge whose value is the result of read. It must be called once per
// name.
func (s *Set) Gauge(name, help string, read func() float64) {
	s.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "segraph_" + name, Help: help}, read))
}

// GaugeOf is Gauge for one value of a label. It must be called once per name and value, with
// the same help.
func (s *Set) GaugeOf(name, help, label, value string, read func() float64) {
	s.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "segraph_" + name, Help: help, ConstLabels: prometheus.Labels{label: value}}, read))
}

// Counter adds a metric like Gauge, of a value that only increases.
func (s *Set) Counter(name, help string, read func() float64) {
	s.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "segraph_" + name, Help: help}, read))
}

// Handler serves the metrics to any request. The caller must check who may read them.
func (s *Set) Handler() http.Handler { return promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{}) }

// Local serves GET /metrics and the profiles under /debug/pprof/ to clients that address
// this machine by its IP address or as localhost. It refuses other names, because a page
// of another site may have a name that resolves to this machine, and what a page of another
// site loads.
func (s *Set) Local() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.Handler())
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host // without a port
		}
		if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err != nil && host != "localhost" {
			http.Error(w, "use the IP address of this machine, or localhost", http.StatusForbidden)
			return
		}
		if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
			http.Error(w, "open this address yourself, not from another site", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
