package app

import (
	"fmt"
	"net"
	"os"
	"slices"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/service"
)

// banner says who can use a service without authentication at these addresses, and how to
// change that. With guests, other machines can only vote in the web UI.
func banner(api, ui net.Addr, guests bool) string {
	who := "Programs of this machine"
	advice, vote := "", ""
	if guests && !localOnly(ui) {
		vote = ", where other machines can only vote"
	}
	if !localOnly(api) || !localOnly(ui) && !guests {
		who = "Everybody who can reach this machine over the network"
		advice = "  To admit only programs of this machine, set SEGRAPH_API=127.0.0.1:5000 and SEGRAPH_UI=127.0.0.1:8080.\n"
	}
	return fmt.Sprintf(`
  AUTHENTICATION IS OFF: SECRET_KEY is not set.
  %s may read, add and delete everything.
  API: %s. Web UI: %s%s.
%s  To require tokens, set SECRET_KEY.

`, who, reach(api), reach(ui), vote, advice)
}

// unsignedAnyway reports whether some users must sign their requests, but not the user to
// whom all requests belong while authentication is off.
func unsignedAnyway(must []string) bool {
	return len(must) > 0 && !slices.Contains(must, service.EveryUser) && !slices.Contains(must, auth.Anonymous)
}

// reach says from where a listener can be reached.
func reach(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	switch {
	case ok && tcp.IP.IsUnspecified():
		return fmt.Sprintf("port %d of every address of this machine", tcp.Port)
	case localOnly(a):
		return a.String() + ", this machine only"
	}
	return a.String()
}

// localOnly reports whether only this machine can reach a listener.
func localOnly(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// ownNames returns the names of this service: the names in SEGRAPH_HOSTS and
// SEGRAPH_TLS_ACME, the machine's name, and the hosts of its listeners.
func ownNames(c *config.Config) []string {
	names := append(append([]string{}, c.Hosts...), c.TLSACME...)
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	for _, address := range []string{c.API, c.UI} {
		if host, _, err := net.SplitHostPort(address); err == nil && host != "" {
			names = append(names, host)
		}
	}
	return names
}
