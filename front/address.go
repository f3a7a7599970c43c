package front

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientAddress returns the address of the client, or the zero address if it can't be
// parsed. Trusted proxies append to X-Forwarded-For the address that they saw. The client
// may have made up everything before. So it reads the list from its right end, as long as
// trusted proxies wrote it.
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

// parseAddress parses an IP address with or without a port.
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
