package front

import (
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/time/rate"
)

// maxAddresses bounds the memory of a throttle. Above it, each new address replaces the
// one that failed the longest time ago.
const maxAddresses = 4096

// throttle is a token bucket for each address: it allows limit failures at once, and
// limit more per period.
type throttle struct {
	limit  int
	period time.Duration
	now    func() time.Time

	mu        sync.Mutex
	addresses *simplelru.LRU[netip.Prefix, *rate.Limiter]
}

func newThrottle(limit int, period time.Duration, now func() time.Time) *throttle {
	addresses, _ := simplelru.NewLRU[netip.Prefix, *rate.Limiter](maxAddresses, nil) // fails only for a size of 0
	return &throttle{limit: limit, period: period, now: now, addresses: addresses}
}

// fail counts a failure of an address. If the address is over its limit, it returns the
// time until the next failure is allowed, otherwise 0.
func (t *throttle) fail(address netip.Addr) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	key, now := network(address), t.now()
	bucket, ok := t.addresses.Get(key)
	if !ok {
		bucket = rate.NewLimiter(rate.Limit(float64(t.limit)/t.period.Seconds()), t.limit)
		t.addresses.Add(key, bucket)
	}
	next := bucket.ReserveN(now, 1)
	wait := next.DelayFrom(now)
	if wait > 0 {
		next.CancelAt(now) // this failure does not lengthen the wait
	}
	return wait
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
