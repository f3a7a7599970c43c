package app

import (
	"crypto/tls"
	"net"
)

// guestLink returns the address of the UI's listener, as a phone opens it: with the
// first address of this machine on a private network.
func guestLink(a net.Addr, secure *tls.Config) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return browsable(a, secure)
	}
	found, _ := net.InterfaceAddrs() // none: localhost remains
	for _, address := range found {
		if n, ok := address.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsPrivate() {
			return browsable(&net.TCPAddr{IP: n.IP, Port: tcp.Port}, secure)
		}
	}
	return browsable(a, secure)
}
