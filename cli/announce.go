package cli

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/logbuf"
)

// announce reports where the service listens, and who can reach it while authentication
// is off. measured is the address of the metrics, which have no base path, or nil. If the
// log is JSON, only the log reports it.
func (p *program) announce(server *front.Server, measured net.Addr, secure *tls.Config, basePath string, authenticated bool, log *slog.Logger) {
	api, ui := server.APIAddr(), server.UIAddr()
	attrs := []any{"api", api.String(), "ui", ui.String(), "auth", authenticated}
	pages := browsable(ui, secure) + basePath
	words := fmt.Sprintf("API     %s\nweb UI  %s\nrobots  %s/connect says how to connect one\n", browsable(api, secure)+basePath, pages, pages)
	if measured != nil {
		attrs = append(attrs, "metrics", measured.String())
		if server.MetricsAddr() == nil {
			secure = nil // the listener is for this machine only
		}
		words = "metrics " + browsable(measured, secure) + "/metrics\n" + words
	}
	if !authenticated && p.json {
		log.Warn(oneLine(banner(api, ui, p.play != nil)))
	} else if !authenticated {
		say(p.stderr, atLeisure, banner(api, ui, p.play != nil))
	}
	log.Info("serving", attrs...)
	if !p.json {
		say(p.stdout, atLeisure, words)
	}
}

// printMessage writes a message for people to stderr within a time limit. If the log is
// JSON, the message is a line of it.
func (p *program) printMessage(level slog.Level, limit time.Duration, words string) {
	if !p.json {
		say(p.stderr, limit, words)
		return
	}
	say(p.stderr, limit, logbuf.JSONLine(level, "segraph", oneLine(words))+"\n")
}

// oneLine joins lines into one and removes their indentation.
func oneLine(words string) string { return strings.Join(strings.Fields(words), " ") }

// browsable returns a URL that opens a listener on this machine.
func browsable(a net.Addr, secure *tls.Config) string {
	address := a.String()
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		address = net.JoinHostPort("localhost", fmt.Sprint(tcp.Port))
	}
	if secure != nil {
		return "https://" + address
	}
	return "http://" + address
}
