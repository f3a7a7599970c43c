package front

import (
	"net/netip"
	"sync"
	"time"
)

// maxAddresses bounds the memory of a throttle. Above it, each new address replaces an
// old one.
const maxAddresses = 4096

// throttle is a token bucket for each address: it allows limit failures at once, and
// limit more per period.
type throttle struct {
	limit  float64
	period time.Duration
	now    func() time.Time

	mu        sync.Mutex
	addresses map[netip.Prefix]failures
}

// failures is the number of failures of an address at a time.
type failures struct {
	n  float64
	at time.Time
}

func newThrottle(limit int, period time.Duration, now func() time.Time) *throttle {
	return &throttle{limit: float64(limit), period: period, now: now, addresses: map[netip.Prefix]failures{}}
}

// fail counts a failure of an address. If the address is over its limit, it returns the
// time until the next failure is allowed, otherwise 0.
func (t *throttle) fail(address netip.Addr) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	key, now := network(address), t.now()
	f, known := t.addresses[key]
	f.n = t.left(f, now)
	f.at = now
	if f.n+1 > t.limit {
		t.addresses[key] = f
		return time.Duration((f.n + 1 - t.limit) / t.limit * float64(t.period))
	}
	f.n++
	if !known && len(t.addresses) >= maxAddresses {
		t.forget(now)
	}
	t.addresses[key] = f
	return 0
}

// left returns how many earlier failures still count.
func (t *throttle) left(f failures, now time.Time) float64 {
	return max(0, f.n-float64(now.Sub(f.at))/float64(t.period)*t.limit)
}

// forget makes room for one address. It looks at a few, in no particular order, and drops
// those without failures left, or else the first. It does not look at all of them,
// because an attacker could cause that work.
func (t *throttle) forget(now time.Time) {
	looked, first := 0, netip.Prefix{}
	for key, f := range t.addresses {
		if looked++; looked == 1 {
			first = key
		}
		if t.left(f, now) == 0 {
			delete(t.addresses, key)
		}
		if looked == 8 {
			break
		}
	}
	if len(t.addresses) >= maxAddresses {
		delete(t.addresses, first)
	}
}

// network returns the prefix that counts as one client: an IPv4 address or an IPv6 /64.
func network(address netip.Addr) netip.Prefix {
	bits := 32
	if address.Is6() {
		bits = 64
	}
	p, err := address.Prefix(bits)
	if err != nil { // the zero address: the request did not come over a network
		return netip.Prefix{}
	}
	return p
}
