package front

import (
	"net/netip"
	"sync"
	"time"
)

// maxAddresses bounds the memory of a throttle. Past it, an address is forgotten for each
// new one.
const maxAddresses = 4096

// throttle counts the failures of each address and forgets them with time: limit of them
// are allowed at once, and limit more every period (a token bucket).
type throttle struct {
	limit  float64
	period time.Duration
	now    func() time.Time

	mu        sync.Mutex
	addresses map[netip.Prefix]failures
}

// failures is how many an address had at a time.
type failures struct {
	n  float64
	at time.Time
}

func newThrottle(limit int, period time.Duration, now func() time.Time) *throttle {
	return &throttle{limit: float64(limit), period: period, now: now, addresses: map[netip.Prefix]failures{}}
}

// fail counts a failure of an address. Where it is one too many it gives the time after
// which the next is allowed, and 0 else.
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

// left returns what is left of earlier failures.
func (t *throttle) left(f failures, now time.Time) float64 {
	return max(0, f.n-float64(now.Sub(f.at))/float64(t.period)*t.limit)
}

// forget makes room for one more: of a few addresses, in no order, it drops those with
// nothing left, or the first of them. Looking at all would be work that an attacker can
// ask for.
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

// network returns what counts as one client: an IPv4 address, or the 64 bits of an IPv6
// address that its owner is given.
func network(address netip.Addr) netip.Prefix {
	bits := 32
	if address.Is6() {
		bits = 64
	}
	p, err := address.Prefix(bits)
	if err != nil { // the zero address, of a request that came by no network
		return netip.Prefix{}
	}
	return p
}
