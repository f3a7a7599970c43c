package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/internal/config"
	"github.com/segraph/segraph/internal/metrics"
	"github.com/segraph/segraph/internal/running"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
)

// trackQueries opens the file of running queries beside the store's, and tells of those
// that ran when the service ended without a good end.
func trackQueries(c *config.Config, log *slog.Logger) (*running.Tracker, error) {
	t, left, err := running.Open(c.Data+".running", log)
	if err != nil {
		return nil, err
	}
	for _, q := range left {
		log.Warn("this query was running when the service ended without a good end", "began", q.Began.Format(time.RFC3339),
			"request_id", q.RequestID, "actor", q.Actor, "query", q.Text)
	}
	return t, nil
}

// gauges has the metrics look at a service and its store.
func gauges(m *metrics.Set, f *front.Front, s *persist.Store, snapshots *backup.Folder, data string) {
	listening := func(name, help string, value func(front.Stats) float64) {
		m.Gauge(name, help, func() float64 { return value(f.Stats()) })
	}
	listening("connections", "Connections of clients to both listeners.", func(s front.Stats) float64 { return float64(s.Connections) })
	listening("requests_active", "Requests that are being answered.", func(s front.Stats) float64 { return float64(s.Requests) })
	listening("body_bytes", "Disk that bodies take which are being received.", func(s front.Stats) float64 { return float64(s.BodyBytes) })
	working := func(name, help string, value func(service.Stats) float64) {
		m.Gauge(name, help, func() float64 { return value(f.Service().Stats()) })
	}
	working("queries_running", "Queries that run.", func(s service.Stats) float64 { return float64(s.QueriesRunning) })
	working("queries_waiting", "Queries that wait for their turn.", func(s service.Stats) float64 { return float64(s.QueriesWaiting) })
	working("spool_bytes", "Disk that answers take which wait for slow clients.", func(s service.Stats) float64 { return float64(s.SpoolBytes) })
	working("ready", "1 where the service is ready.", func(s service.Stats) float64 {
		if s.Ready {
			return 1
		}
		return 0
	})
	m.Gauge("store_triples", "Triples of all graphs.", func() float64 { m, _ := s.Moment(); return float64(m.Triples) })
	m.Gauge("journal_entries", "Entries of the journal.", func() float64 { m, _ := s.Moment(); return float64(m.Head.Seq) })
	m.Gauge("store_file_bytes", "Size of the store's file.", func() float64 {
		info, err := os.Stat(data)
		if err != nil {
			return 0
		}
		return float64(info.Size())
	})
	m.Gauge("store_text_index_bytes", "What the index of texts takes of the store's file.", func() float64 {
		n, err := s.TextIndexBytes()
		if err != nil {
			return 0
		}
		return float64(n)
	})
	m.Counter("file_written_bytes_total", "Bytes passed to the system to be written to the store's file, since it was opened.", func() float64 {
		return float64(s.Written().Bytes)
	})
	m.Counter("file_syncs_total", "How often the store's file was synced, since it was opened.", func() float64 { return float64(s.Written().Syncs) })
	folder := filepath.Dir(data)
	if _, _, known := spool.DiskSpace(folder); known {
		m.Gauge("store_disk_free_bytes", "What the service may still use of the disk that the store's file is on.", func() float64 {
			_, free, _ := spool.DiskSpace(folder)
			return float64(free)
		})
	}
	m.Gauge("snapshot_time_seconds", "When the newest snapshot was made, in seconds since 1970; 0 where there is none.", func() float64 {
		infos, err := snapshots.List()
		if err != nil || len(infos) == 0 {
			return 0
		}
		return float64(infos[0].Time.Unix())
	})
}

// gaugesOfFollower has the metrics look at how a graph store follows the file; nil is
// none, and no metric.
func gaugesOfFollower(m *metrics.Set, following func() store.Following) {
	if following == nil {
		return
	}
	m.Gauge("graph_store_up", "1 where the graph store answers queries; 0 while it is away or is being told what it lacks.", func() float64 {
		if following().State == store.FollowOK {
			return 1
		}
		return 0
	})
	m.Gauge("graph_store_untold_changes", "Changes that the graph store has not been told yet.", func() float64 { return float64(following().Behind) })
	m.Gauge("graph_store_behind_seconds", "For how long the graph store has not had all changes; 0 while it has.", func() float64 { return following().Since.Seconds() })
}

// openMetrics reports whether metrics are served without a token: only this machine
// reaches them, and none was set.
func openMetrics(c *config.Config) bool {
	return c.Metrics != "" && config.IsLoopback(c.Metrics) && c.MetricsToken == ""
}

// metricsToken returns the token for metrics, nil if none was set. It is an error if
// metrics were open to a network.
func metricsToken(c *config.Config, authenticated bool) (*auth.FixedToken, error) {
	if c.MetricsToken != "" {
		t, err := auth.NewFixedToken(c.MetricsToken)
		if err != nil {
			return nil, &config.Error{Msg: fmt.Sprintf("SEGRAPH_METRICS_TOKEN: %v", err), Hint: "Make one with `openssl rand -hex 32`."}
		}
		return t, nil
	}
	if c.Metrics != "" && !openMetrics(c) && !authenticated {
		return nil, &config.Error{
			Msg: fmt.Sprintf("--metrics %s can be reached over the network, and nothing protects it", c.Metrics),
			Hint: "Set SEGRAPH_METRICS_TOKEN_FILE to a file with a token, or SECRET_KEY so that tokens of auditors are taken, " +
				"or choose an address that only this machine reaches, such as 127.0.0.1:9090.",
		}
	}
	return nil, nil
}

// serveMetrics serves metrics and profiles at an address that only this machine reaches,
// until stop is called. It returns where.
func serveMetrics(ctx context.Context, address string, m *metrics.Set, log *slog.Logger) (at net.Addr, stop func(), err error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	server := &http.Server{Handler: m.Local(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics are not served any more", "error", err)
		}
	}()
	return l.Addr(), func() {
		_ = server.Close() // whoever reads a profile can begin again
		<-ended
	}, nil
}
