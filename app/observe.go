package app

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

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/internal/metrics"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
)

// gauges registers the gauges of a service and its store.
func gauges(m *metrics.Set, f *front.Front, s *persist.Store, snapshots *backup.Folder, data string) {
	listening := func(name, help string, value func(front.Stats) float64) {
		m.Gauge(name, help, func() float64 { return value(f.Stats()) })
	}
	listening("connections", "Client connections to both listeners, and further requests at once over HTTP/2.", func(s front.Stats) float64 { return float64(s.Connections) })
	listening("requests_active", "Requests being answered.", func(s front.Stats) float64 { return float64(s.Requests) })
	listening("body_bytes", "Disk space used by bodies being received.", func(s front.Stats) float64 { return float64(s.BodyBytes) })
	working := func(name, help string, value func(service.Stats) float64) {
		m.Gauge(name, help, func() float64 { return value(f.Service().Stats()) })
	}
	working("queries_running", "Running queries.", func(s service.Stats) float64 { return float64(s.QueriesRunning) })
	working("queries_waiting", "Queries waiting for their turn.", func(s service.Stats) float64 { return float64(s.QueriesWaiting) })
	working("spool_bytes", "Disk space used by answers waiting for slow clients.", func(s service.Stats) float64 { return float64(s.SpoolBytes) })
	working("ready", "1 if the service is ready.", func(s service.Stats) float64 {
		if s.Ready {
			return 1
		}
		return 0
	})
	storeGauges(m, s, data)
	m.Gauge("snapshot_time_seconds", "Time of the newest snapshot, in seconds since 1970; 0 if there is none.", func() float64 { return snapshotTime(snapshots) })
}

// snapshotTime returns the time of the newest snapshot, in seconds since 1970, or 0 if there is none. Backups that an
// admin sent do not count, as they may be old.
func snapshotTime(snapshots *backup.Folder) float64 {
	infos, _ := snapshots.List()
	for _, info := range infos {
		if info.Reason != backup.Sent {
			return float64(info.Time.Unix())
		}
	}
	return 0
}

// storeGauges registers the gauges of a store, whose file is data.
func storeGauges(m *metrics.Set, s *persist.Store, data string) {
	m.Gauge("store_triples", "Triples of all graphs.", func() float64 { m, _ := s.Version(); return float64(m.Triples) })
	m.Gauge("journal_entries", "Entries of the journal.", func() float64 { m, _ := s.Version(); return float64(m.Head.Seq) })
	m.Gauge("store_file_bytes", "Size of the store's file.", func() float64 {
		info, err := os.Stat(data)
		if err != nil {
			return 0
		}
		return float64(info.Size())
	})
	m.Gauge("retries_kept", "Answers kept for requests that are sent again.", func() float64 {
		stats, _ := s.Retries.Stats() // zero if it can't be read
		return float64(stats.Records)
	})
	m.Gauge("retries_oldest_seconds", "Age of the oldest answer kept for requests that are sent again; 0 if there is none.", func() float64 {
		stats, _ := s.Retries.Stats()
		if stats.Oldest.IsZero() {
			return 0
		}
		return time.Since(stats.Oldest).Seconds()
	})
	m.Gauge("store_text_index_bytes", "Size of the index of texts in the store's file.", func() float64 {
		n, err := s.TextIndexBytes()
		if err != nil {
			return 0
		}
		return float64(n)
	})
	m.Counter("file_written_bytes_total", "Bytes written to the store's file since it was opened.", func() float64 {
		return float64(s.Written().Bytes)
	})
	m.Counter("file_syncs_total", "Syncs of the store's file since it was opened.", func() float64 { return float64(s.Written().Syncs) })
	folder := filepath.Dir(data)
	if _, _, known := spool.DiskSpace(folder); known {
		m.Gauge("store_disk_free_bytes", "Free disk space available to the store's file.", func() float64 {
			_, free, _ := spool.DiskSpace(folder)
			return float64(free)
		})
	}
}

// roomOf returns how to find the room on the disk of the store's file, and what the store needs.
func roomOf(s *persist.Store, data string) func() (free, need int64, known bool) {
	return func() (free, need int64, known bool) {
		_, free, known = spool.DiskSpace(filepath.Dir(data))
		return free, s.RoomForWrites(), known
	}
}

// gaugesOfFollowers registers the gauges of the graph stores that follow the file. If
// following is nil, it does nothing.
func gaugesOfFollowers(m *metrics.Set, following func() []store.Following) {
	if following == nil {
		return
	}
	for i, f := range following() {
		gauge := func(name, help string, value func(store.Following) float64) {
			m.GaugeOf(name, help, "store", f.Name, func() float64 { return value(following()[i]) })
		}
		gauge("graph_store_up", "1 if the graph store can be queried; 0 while it is unreachable or receives missing changes.", func(f store.Following) float64 {
			if f.State == store.FollowOK {
				return 1
			}
			return 0
		})
		gauge("graph_store_untold_changes", "Changes that the graph store has not received yet.", func(f store.Following) float64 { return float64(f.Behind) })
		gauge("graph_store_behind_seconds", "How long the graph store has lacked changes; 0 if it has all.", func(f store.Following) float64 { return f.Since.Seconds() })
	}
}

// openMetrics reports whether metrics are served without a token: only this machine can
// reach them, and no token is set.
func openMetrics(c *config.Config) bool {
	return c.Metrics != "" && config.IsLoopback(c.Metrics) && c.MetricsToken == ""
}

// metricsToken returns the token for metrics, or nil if none is set. It returns an error if metrics would be open to
// a network. authenticated says that users' tokens are accepted too.
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
			Msg: fmt.Sprintf("SEGRAPH_METRICS: %s is reachable over the network without protection", c.Metrics),
			Hint: "Set SEGRAPH_METRICS_TOKEN_FILE to a file with a token, or SECRET_KEY to accept tokens of auditors, " +
				"or choose an address that only this machine can reach, such as 127.0.0.1:9090.",
		}
	}
	return nil, nil
}

// serveMetrics serves metrics and profiles at an address that only this machine can
// reach, until stop is called. It returns the address.
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
			log.Error("metrics are no longer served", "error", err)
		}
	}()
	return l.Addr(), func() {
		_ = server.Close() // the reader of a profile can retry
		<-ended
	}, nil
}
