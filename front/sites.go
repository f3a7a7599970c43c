package front

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// privateSuffixes end names that no site on the internet can have: special-use domains
// (RFC 6761, RFC 6762, RFC 8375), .internal (reserved by ICANN), and .lan, which many
// routers use.
var privateSuffixes = []string{".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test"}

// ownSite refuses what a page of another site makes a browser send, before next sees it.
// There are two ways:
//
//   - The page sends a request here. Browsers say where it comes from, and 403 refuses
//     one that may change something.
//   - The page's own name is made to lead here (DNS rebinding). The browser then takes
//     the page for one of this service's, but says the name. Without authentication 421
//     refuses a name that a stranger can have. With it, every name is accepted: the
//     page has no token.
//
// Clients that are not browsers send neither Origin nor Sec-Fetch-Site, and pass.
func (f *Front) ownSite(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hosts := f.askedHosts(r)
		if !f.auth.Enabled() {
			for _, host := range hosts {
				if !f.ownHost(host) {
					f.Fail(w, r, misdirected(host))
					return
				}
			}
		}
		if f.foreign(r, hosts) {
			trust := "if that page is to be trusted, add its origin to SEGRAPH_CORS_ORIGINS"
			if requestOf(r).pages != nil {
				trust = "if this was one of the service's own, a proxy in between has to pass on Host as the browser sends it"
			}
			f.Fail(w, r, NewProblem(http.StatusForbidden, "a page of another site may not do this; %s", trust))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// askedHosts returns the hosts that a request names, ports included: Host, and what a
// trusted proxy says that Host was before.
func (f *Front) askedHosts(r *http.Request) []string {
	hosts := []string{r.Host}
	if !f.fromProxy(r) {
		return hosts
	}
	for _, list := range r.Header.Values("X-Forwarded-Host") {
		for host := range strings.SplitSeq(list, ",") {
			hosts = append(hosts, strings.TrimSpace(host))
		}
	}
	return hosts
}

// fromProxy reports whether a request comes from a trusted proxy.
func (f *Front) fromProxy(r *http.Request) bool {
	peer := parseAddress(r.RemoteAddr)
	return slices.ContainsFunc(f.config.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(peer) })
}

// ownHost reports whether host, with or without a port, can only mean this service. An
// empty one is of HTTP/1.0, which health checks speak and browsers do not.
func (f *Front) ownHost(host string) bool {
	name := hostname(host)
	if name == "" || parseAddress(name).IsValid() || !strings.Contains(name, ".") {
		return true
	}
	return slices.ContainsFunc(privateSuffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) }) ||
		slices.ContainsFunc(f.config.Hosts, func(own string) bool { return hostname(own) == name })
}

// hostname returns the name in host without its port and final dot, in small letters.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// misdirected returns the problem of a request for a host that is not this service's.
func misdirected(host string) *Problem {
	name := "this name"
	if host := hostname(host); len(host) <= 253 { // the longest of DNS
		name = fmt.Sprintf("the name %q", host)
	}
	return NewProblem(http.StatusMisdirectedRequest,
		"while authentication is off, this service does not answer to %s, because a page of another site could use it; "+
			"add the name to SEGRAPH_HOSTS, or set SECRET_KEY", name)
}

// foreign reports whether a page of another origin sends a request that may change
// something. Sec-Fetch-Site says so where browsers send it; over plain HTTP most send
// Origin alone. A configured origin is not foreign, except to pages.
func (f *Front) foreign(r *http.Request, hosts []string) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return false
	}
	origin := r.Header.Get("Origin")
	if slices.Contains(f.config.CORSOrigins, origin) && requestOf(r).pages == nil {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "":
	default:
		return true
	}
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || u.Host == "" || !slices.ContainsFunc(hosts, func(h string) bool { return strings.EqualFold(h, u.Host) })
}
