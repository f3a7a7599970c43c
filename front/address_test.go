package front

import (
	"fmt"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"
)

func TestTheAddressIsTheRightMostThatNoTrustedProxyHas(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		remote    string
		forwarded []string
		trusted   []netip.Prefix
		want      string
	}{
		{"192.0.2.1:1234", nil, proxies, "192.0.2.1"},
		{"[2001:db8::1]:1234", nil, nil, "2001:db8::1"},
		{"[::ffff:192.0.2.1]:1234", nil, nil, "192.0.2.1"},
		{"[fe80::1%eth0]:1234", nil, nil, "fe80::1"},
		{"192.0.2.1:1234", []string{"198.51.100.7"}, proxies, "192.0.2.1"},               // not a trusted proxy
		{"10.0.0.1:1234", []string{"198.51.100.7"}, nil, "10.0.0.1"},                     // no proxy is trusted
		{"10.0.0.1:1234", []string{"198.51.100.7"}, proxies, "198.51.100.7"},             // one proxy
		{"10.0.0.1:1234", []string{"6.6.6.6, 198.51.100.7"}, proxies, "198.51.100.7"},    // the first is forged by the client
		{"10.0.0.1:1234", []string{"198.51.100.7, 10.0.0.2"}, proxies, "198.51.100.7"},   // two proxies
		{"10.0.0.1:1234", []string{"198.51.100.7", "10.0.0.2"}, proxies, "198.51.100.7"}, // in two headers
		{"10.0.0.1:1234", []string{"198.51.100.7:99"}, proxies, "198.51.100.7"},
		{"[fd00::1]:1", []string{"[2001:db8::7]:99, [fd00::2]"}, proxies, "2001:db8::7"},
		{"10.0.0.1:1234", []string{"10.0.0.3, 10.0.0.2"}, proxies, "10.0.0.3"}, // all are trusted
		{"10.0.0.1:1234", []string{"198.51.100.7, nonsense"}, proxies, "10.0.0.1"},
		{"10.0.0.1:1234", []string{"198.51.100.7, "}, proxies, "10.0.0.1"},
		{"10.0.0.1:1234", []string{""}, proxies, "10.0.0.1"},
		{"@", nil, proxies, "invalid IP"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.remote
		for _, f := range c.forwarded {
			r.Header.Add("X-Forwarded-For", f)
		}
		if got := clientAddress(r, c.trusted).String(); got != c.want {
			t.Errorf("%s, %q: got %s, want %s", c.remote, c.forwarded, got, c.want)
		}
	}
}

func TestFailuresAreForgottenWithTime(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	limit := newThrottle(4, time.Minute, func() time.Time { return now })
	a, b := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for i := range 4 {
		if wait := limit.fail(a); wait != 0 {
			t.Fatalf("failure %d: wait %v", i, wait)
		}
	}
	if wait := limit.fail(a); wait != 15*time.Second {
		t.Errorf("the fifth: wait %v", wait)
	}
	if wait := limit.fail(b); wait != 0 {
		t.Errorf("another address: wait %v", wait)
	}
	now = now.Add(14 * time.Second)
	if wait := limit.fail(a); wait.Round(time.Millisecond) != time.Second {
		t.Errorf("after 14 s: wait %v", wait)
	}
	now = now.Add(time.Second)
	if wait := limit.fail(a); wait != 0 {
		t.Errorf("after 15 s: wait %v", wait)
	}
}

func TestAnIPv6NetworkCountsAsOneClient(t *testing.T) {
	limit := newThrottle(1, time.Minute, time.Now)
	if wait := limit.fail(netip.MustParseAddr("2001:db8::1")); wait != 0 {
		t.Errorf("the first: wait %v", wait)
	}
	if wait := limit.fail(netip.MustParseAddr("2001:db8::ffff:2")); wait == 0 {
		t.Error("a neighbour has a count of its own")
	}
	if wait := limit.fail(netip.MustParseAddr("2001:db8:0:1::1")); wait != 0 {
		t.Errorf("the next network: wait %v", wait)
	}
	if wait := limit.fail(netip.Addr{}); wait != 0 {
		t.Errorf("no address: wait %v", wait)
	}
}

func TestTheMemoryOfFailuresIsBounded(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	limit := newThrottle(2, time.Minute, func() time.Time { return now })
	again := netip.MustParseAddr("192.0.2.1")
	for i := range 3 * maxAddresses {
		limit.fail(netip.MustParseAddr(fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255)))
		limit.fail(again) // which fails all the time
		if n := limit.addresses.Len(); n > maxAddresses {
			t.Fatalf("%d addresses are kept", n)
		}
	}
	if wait := limit.fail(again); wait == 0 {
		t.Error("the failures of an address that still fails are forgotten")
	}
	if wait := limit.fail(netip.MustParseAddr("10.0.0.0")); wait > 0 {
		t.Error("the address that failed the longest time ago is kept")
	}
}
