package app

import (
	"context"
	"log/slog"
	"net"
	"os"
	"strconv"
	"time"
)

// notify tells the service manager a state, such as READY=1 (sd_notify(3)). Without a manager, or
// if it does not listen, nothing happens.
func notify(state string) {
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return
	}
	defer conn.Close()
	_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = conn.Write([]byte(state))
}

// watchdogTime returns within which time the service manager expects a sign of life, or 0.
func watchdogTime() time.Duration {
	if pid := os.Getenv("WATCHDOG_PID"); pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return 0
	}
	n, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || n <= 0 {
		return 0
	}
	return time.Duration(n) * time.Microsecond
}

// watchdog tells the service manager three times in every limit that the service lives, as long as
// alive returns nil. It returns when ctx ends.
func watchdog(ctx context.Context, limit time.Duration, alive func(context.Context) error, log *slog.Logger) {
	ticker := time.NewTicker(limit / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := alive(ctx); err == nil {
			notify("WATCHDOG=1")
		} else if ctx.Err() == nil {
			log.ErrorContext(ctx, "the service does not answer itself, so the service manager is not told that it lives", "error", err)
		}
	}
}
