package front

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientAddress tells where a request comes from. X-Forwarded-For is a list to which each
// proxy appends whom it heard, and everything before that is what a client may have made
// up: so it is read from its right end for as long as it was written by a trusted proxy.
// The zero address is one that can't be read.
func clientAddress(r *http.Request, trusted []netip.Prefix) netip.Addr {
	address := parseAddress(r.RemoteAddr)
	if len(trusted) == 0 {
		return address
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(address) }) {
			break
		}
		before := parseAddress(strings.TrimSpace(hop))
		if !before.IsValid() {
			break
		}
		address = before
	}
	return address
}

// parseAddress reads an IP address with or without a port.
func parseAddress(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone("")
	}
	a, err := netip.ParseAddr(strings.Trim(s, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return a.Unmap().WithZone("")
}
