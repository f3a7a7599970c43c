package app

import (
	"crypto/tls"
	"fmt"
	"net"
	"strings"
)

// announce reports where the service listens, and who can reach it while authentication
// is off. measured is the address of the metrics, which have no base path, or nil.
func (a *app) announce(measured net.Addr) {
	api, ui, secure := a.server.APIAddr(), a.server.UIAddr(), a.tls.config
	log := a.log.Logger("segraph").With("version", a.version, "data", a.c.Data, "memory_mib", a.budgets.Available>>20)
	attrs := []any{"api", api.String(), "ui", ui.String(), "auth", a.auth.Enabled()}
	pages := browsable(ui, secure) + a.c.BasePath
	words := fmt.Sprintf("API     %s\nweb UI  %s\nrobots  %s/connect says how to connect one\n", browsable(api, secure)+a.c.BasePath, pages, pages)
	if measured != nil {
		attrs = append(attrs, "metrics", measured.String())
		if a.server.MetricsAddr() == nil {
			secure = nil // the listener is for this machine only
		}
		words = "metrics " + browsable(measured, secure) + "/metrics\n" + words
	}
	warning := ""
	if !a.auth.Enabled() {
		warning = banner(api, ui, a.Play != nil)
	}
	if a.Print == nil && warning != "" {
		log.Warn(strings.Join(strings.Fields(warning), " "))
	} else if warning != "" {
		a.Print(true, warning)
	}
	log.Info("serving", attrs...)
	if a.Print != nil {
		a.Print(false, words)
	}
}

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
