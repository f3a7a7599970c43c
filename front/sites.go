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

// privateSuffixes are the endings of names that no site on the internet can have:
// special-use domains (RFC 6761, RFC 6762, RFC 8375), .internal (reserved by ICANN), and
// .lan, which many routers use.
var privateSuffixes = []string{".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test"}

// ownSite refuses requests that a page of another site makes a browser send. There are
// two kinds:
//
//   - The page sends a request here. Browsers name its origin, and 403 refuses a request that
//     may change something. Without authentication, 403 refuses everything but links: even a
//     picture could have the address of a long query.
//   - The page's own name resolves to this service (DNS rebinding). The browser then treats the
//     page as ours, but sends its name. Without authentication, 421 refuses a name that a
//     stranger can own. With authentication every name is accepted, since the page has no token.
//
// Clients other than browsers send neither Origin nor Sec-Fetch-Site, and pass.
func (f *Front) ownSite(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hosts := f.requestedHosts(r)
		if !f.auth.Enabled() {
			for _, host := range hosts {
				if !f.ownHost(host) {
					f.Fail(w, r, misdirected(host))
					return
				}
			}
		}
		if f.foreign(r, hosts) || !f.auth.Enabled() && f.embedded(r) {
			trust := "to trust that page, add its origin to SEGRAPH_CORS_ORIGINS"
			if requestOf(r).pages != nil {
				trust = "if the page is one of this service's, configure the proxy in between to pass Host on unchanged"
			}
			f.Fail(w, r, NewProblem(http.StatusForbidden, "a page of another site may not do this; %s", trust))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// requestedHosts returns the hosts that a request names, with ports: Host, and the
// original Host that a trusted proxy reports.
func (f *Front) requestedHosts(r *http.Request) []string {
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

// ownHost reports whether host, with or without a port, can only mean this service. It
// accepts an empty host, as in HTTP/1.0, which health checks use and browsers do not.
func (f *Front) ownHost(host string) bool {
	name := hostname(host)
	if name == "" || parseAddress(name).IsValid() || !strings.Contains(name, ".") {
		return true
	}
	return slices.ContainsFunc(privateSuffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) }) ||
		slices.ContainsFunc(f.config.Hosts, func(own string) bool { return hostname(own) == name })
}

// hostname returns the name in host in lower case, without the port and the final dot.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// misdirected returns the problem of a request for a host that is not this service.
func misdirected(host string) *Problem {
	name := "this name"
	if host := hostname(host); len(host) <= 253 { // the longest name in DNS
		name = fmt.Sprintf("the name %q", host)
	}
	return NewProblem(http.StatusMisdirectedRequest,
		"while authentication is off, this service does not answer to %s, because a page of another site could use it; "+
			"add the name to SEGRAPH_HOSTS, or set SECRET_KEY", name)
}

// embedded reports whether a page of another site reads something here, other than by a link
// that a person follows. Browsers say so at addresses of this machine and over TLS.
func (f *Front) embedded(r *http.Request) bool {
	link := r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
	return r.Method != http.MethodOptions && !link && f.sentFor(r, "cross-site")
}

// sentFor reports whether a browser sends a request for a page of one of some values of
// Sec-Fetch-Site, whose origin is not configured.
func (f *Front) sentFor(r *http.Request, sites ...string) bool {
	return slices.Contains(sites, r.Header.Get("Sec-Fetch-Site")) && !slices.Contains(f.config.CORSOrigins, r.Header.Get("Origin"))
}

// RefuseLinks returns a problem if a browser follows a link on a page of another site, or sends
// the request for one of another port or name of this site. It is for a GET that has effects.
func (f *Front) RefuseLinks(r *http.Request) error {
	if f.sentFor(r, "cross-site", "same-site") {
		return NewProblem(http.StatusForbidden, "a link on a page of another site may not do this; open the address yourself")
	}
	return nil
}

// foreign reports whether a page of another origin sends a request that may change
// something. Browsers say so in Sec-Fetch-Site, but over plain HTTP most send only
// Origin. A configured origin is not foreign, except to pages.
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
	case "": // Origin decides
	default:
		return true
	}
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || u.Host == "" || !slices.ContainsFunc(hosts, func(h string) bool { return strings.EqualFold(h, u.Host) })
}
