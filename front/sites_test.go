package front

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// anyPages are pages that show nothing.
type anyPages struct{ Pages }

// asked returns a request as the handlers behind Wrap see it.
func asked(method, target string) *http.Request {
	r := httptest.NewRequest(method, target, nil)
	return r.WithContext(context.WithValue(r.Context(), requestKey{}, &request{}))
}

// Without authentication a name decides whether a request is answered: one that a stranger
// can own must be refused, whatever its form.
func TestAHostIsOursOnlyIfNoStrangerCanOwnIt(t *testing.T) {
	f := &Front{config: Config{Hosts: []string{"Graph.Example.org", "other.example.org:8443", "robots"}}}
	for host, own := range map[string]bool{
		"":                           true, // HTTP/1.0
		"localhost":                  true,
		"localhost:5000":             true,
		"LOCALHOST.:5000":            true,
		"backend":                    true, // a service of Compose
		"127.0.0.1":                  true,
		"127.0.0.1:5000":             true,
		"192.0.2.7:80":               true,
		"[::1]":                      true,
		"[::1]:5000":                 true,
		"[fe80::1%25eth0]:5000":      true,
		"ari.local":                  true,
		"ARI.Local.:80":              true,
		"x.y.internal":               true,
		"nas.lan":                    true,
		"nas.home.arpa:5000":         true,
		"robot.test":                 true,
		"app.localhost":              true,
		"graph.example.org":          true, // configured
		"graph.example.org.:5000":    true,
		"GRAPH.EXAMPLE.ORG":          true,
		"other.example.org":          true, // configured with a port
		"example.org":                false,
		"example.org:5000":           false,
		"graph.example.org.evil.com": false,
		"xgraph.example.org":         false,
		"local.evil.com":             false,
		"evil.notlocal":              false,
		"notlocal.com":               false,
		"127.0.0.1.evil.com":         false,
		"127.0.0.1.nip.io:5000":      false,
		"localhost.evil.com":         false,
		"lan.example":                false,
		"home.arpa.evil.com":         false,
		"robots.example.org":         false,
	} {
		if got := f.ownHost(host); got != own {
			t.Errorf("%q: %t, want %t", host, got, own)
		}
	}
}

func TestARefusedHostIsNamedWithItsRemedy(t *testing.T) {
	p := misdirected("Evil.Example.:80")
	if p.Status != http.StatusMisdirectedRequest || !strings.Contains(p.Detail, `the name "evil.example"`) || !strings.Contains(p.Detail, "SEGRAPH_HOSTS") {
		t.Errorf("%d %s", p.Status, p.Detail)
	}
	if p := misdirected(strings.Repeat("x", 254) + ":80"); strings.Contains(p.Detail, "xxx") || !strings.Contains(p.Detail, "this name") {
		t.Errorf("a name that no one can have is repeated: %s", p.Detail)
	}
}

func TestAPageOfAnotherOriginIsForeign(t *testing.T) {
	f := &Front{config: Config{CORSOrigins: []string{"http://localhost:5173"}}}
	for _, x := range []struct {
		method, host, origin, site string
		pages, foreign             bool
	}{
		{"POST", "graph.lan:5000", "", "", false, false}, // no browser
		{"POST", "graph.lan:5000", "http://graph.lan:5000", "", false, false},
		{"POST", "GRAPH.lan:5000", "http://graph.LAN:5000", "", false, false},
		{"POST", "graph.lan:5000", "http://graph.lan:8080", "", false, true}, // another port
		{"POST", "graph.lan:5000", "http://graph.lan", "", false, true},
		{"POST", "graph.lan", "https://evil.example", "", false, true},
		{"POST", "graph.lan", "null", "", false, true}, // a sandboxed frame, or a file
		{"POST", "", "http://", "", false, true},
		{"POST", "graph.lan", "::not a URL", "", false, true},
		{"PUT", "graph.lan", "https://evil.example", "", false, true},
		{"DELETE", "graph.lan", "https://evil.example", "", false, true},
		{"FOO", "graph.lan", "https://evil.example", "", false, true},
		{"GET", "graph.lan", "https://evil.example", "cross-site", false, false}, // it can't read the answer
		{"HEAD", "graph.lan", "https://evil.example", "cross-site", false, false},
		{"OPTIONS", "graph.lan", "https://evil.example", "cross-site", false, false},
		{"POST", "graph.lan", "", "cross-site", false, true},
		{"POST", "graph.lan", "http://graph.lan", "cross-site", false, true}, // the stricter one counts
		{"POST", "graph.lan", "", "same-site", false, true},                  // another host of the same site
		{"POST", "graph.lan", "", "unheard-of", false, true},
		{"POST", "graph.lan", "", "none", false, false}, // typed by the user
		{"POST", "graph.lan", "", "same-origin", false, false},
		{"POST", "graph.lan", "http://proxy.example", "same-origin", false, false}, // the proxy changed Host
		{"POST", "graph.lan", "http://localhost:5173", "cross-site", false, false}, // configured
		{"POST", "graph.lan", "http://localhost:5173", "cross-site", true, true},   // but not for pages
		{"POST", "graph.lan", "http://localhost:5173", "", true, true},
		{"POST", "graph.lan", "http://localhost:5174", "", false, true},
	} {
		r := asked(x.method, "/ttl")
		if r.Host = x.host; x.pages {
			requestOf(r).pages = anyPages{}
		}
		for name, value := range map[string]string{"Origin": x.origin, "Sec-Fetch-Site": x.site} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		if got := f.foreign(r, f.requestedHosts(r)); got != x.foreign {
			t.Errorf("%+v: %t", x, got)
		}
	}
}

// The names that a proxy reports count only if the proxy is trusted, and then all of them do.
func TestOnlyATrustedProxyReportsHosts(t *testing.T) {
	f := &Front{config: Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}}
	for _, x := range []struct {
		remote    string
		forwarded []string
		want      string
	}{
		{"192.0.2.1:1", []string{"evil.example"}, "inner:5000"},
		{"10.1.2.3:1", nil, "inner:5000"},
		{"10.1.2.3:1", []string{"graph.example.org"}, "inner:5000 graph.example.org"},
		{"10.1.2.3:1", []string{"a.example, b.example:81", "c.example"}, "inner:5000 a.example b.example:81 c.example"},
		{"[::ffff:10.1.2.3]:1", []string{" a.example "}, "inner:5000 a.example"},
		{"nonsense", []string{"evil.example"}, "inner:5000"},
	} {
		r := asked("GET", "/")
		r.Host, r.RemoteAddr = "inner:5000", x.remote
		for _, list := range x.forwarded {
			r.Header.Add("X-Forwarded-Host", list)
		}
		if got := strings.Join(f.requestedHosts(r), " "); got != x.want {
			t.Errorf("from %s with %q: %s, want %s", x.remote, x.forwarded, got, x.want)
		}
	}
}

// A signature for another server must not be valid here, so only names of this service may
// be its authority.
func TestASignatureMayNameTheServiceOnlyByItsOwnNames(t *testing.T) {
	f := &Front{config: Config{Hosts: []string{"graph.example.org", "Robots.Example.org:8443"}, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}}
	for _, x := range []struct {
		host, own, remote, forwarded string
		want                         []string
	}{
		{"graph.example.org", "192.0.2.9:5000", "", "", []string{"graph.example.org"}},
		{"GRAPH.example.org:5000", "192.0.2.9:5000", "", "", []string{"graph.example.org:5000"}},
		{"graph.example.org:443", "192.0.2.9:5000", "", "", []string{"graph.example.org:443", "graph.example.org"}},
		{"graph.example.org:80", "192.0.2.9:5000", "", "", []string{"graph.example.org:80", "graph.example.org"}},
		{"robots.example.org:8443", "192.0.2.9:5000", "", "", []string{"robots.example.org:8443"}},
		{"robots.example.org:5000", "192.0.2.9:5000", "", "", nil}, // known at one port alone
		{"evil.example", "192.0.2.9:80", "", "", nil},
		{"192.0.2.9:5000", "192.0.2.9:5000", "", "", []string{"192.0.2.9:5000"}},
		{"192.0.2.9", "192.0.2.9:80", "", "", []string{"192.0.2.9"}},
		{"192.0.2.9", "192.0.2.9:5000", "", "", nil}, // port 80 is another server
		{"192.0.2.9:5001", "192.0.2.9:5000", "", "", nil},
		{"192.0.2.8:5000", "192.0.2.9:5000", "", "", nil},
		{"[2001:db8::9]:5000", "[2001:db8::9]:5000", "", "", []string{"[2001:db8::9]:5000"}},
		{"192.0.2.9:5000", "[::ffff:192.0.2.9]:5000", "", "", []string{"192.0.2.9:5000"}},
		{"localhost:5000", "127.0.0.1:5000", "", "", []string{"localhost:5000"}},
		{"localhost:5000", "[::1]:5000", "", "", []string{"localhost:5000"}},
		{"localhost:5000", "192.0.2.9:5000", "", "", nil},
		{"inner:1", "192.0.2.9:5000", "10.0.0.1:1", "graph.example.org, evil.example", []string{"graph.example.org"}},
		{"inner:1", "192.0.2.9:5000", "192.0.2.1:1", "graph.example.org", nil},
		{"graph.example.org", "192.0.2.9:5000", "10.0.0.1:1", strings.Repeat("graph.example.org,", 9), []string{"graph.example.org", "graph.example.org", "graph.example.org", "graph.example.org"}},
		{"evil.example", "", "", "", nil},
	} {
		r := asked("POST", "/ttl")
		if r.Host = x.host; x.remote != "" {
			r.RemoteAddr = x.remote
			r.Header.Set("X-Forwarded-Host", x.forwarded)
		}
		if x.own != "" {
			own := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(x.own))
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, own))
		}
		if got := f.authorities(r); !slices.Equal(got, x.want) {
			t.Errorf("%s at %s, proxy %s (%s): %q, want %q", x.host, x.own, x.remote, x.forwarded, got, x.want)
		}
	}
}

// What a client signed is the path as it sent it, before a base path is stripped and escapes
// are decoded.
func TestTheSignedTargetIsThatOfTheRequestLine(t *testing.T) {
	for _, x := range []struct{ line, path, query string }{
		{"/ttl", "/ttl", ""},
		{"/seg/api/ttl?user=ari", "/seg/api/ttl", "user=ari"},
		{"/a%2Fb?x=%20&y=?", "/a%2Fb", "x=%20&y=?"},
		{"/ttl?", "/ttl", ""},
		{"http://graph.lan/a%2Fb?x=1", "/a%2Fb", "x=1"},
		{"http://graph.lan", "/", ""},
	} {
		r := httptest.NewRequest("POST", x.line, nil)
		stripped := *r.URL
		if strings.HasPrefix(x.line, "/") {
			stripped.Path, stripped.RawPath = "/other", ""
		}
		r.URL = &stripped
		if path, query := target(r); path != x.path || query != x.query {
			t.Errorf("%s: path %q and query %q, want %q and %q", x.line, path, query, x.path, x.query)
		}
	}
}
