package reports

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// maxKept is how many results a Cache keeps.
const maxKept = 8

// Cache keeps the last used results of one version of the store. The zero Cache is empty.
// It is safe for concurrent use.
type Cache struct {
	mu      sync.Mutex
	version string
	values  *simplelru.LRU[string, any]
}

// clear drops what is kept.
func (c *Cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version, c.values = "", nil
}

// kept returns the result with a key from the report's cache, or else computes and caches
// it. The caller must not change it.
func kept[T any](r *Report, key string, compute func() (T, error)) (T, error) {
	c := r.Cache
	if c == nil || r.Version == "" {
		return compute()
	}
	c.mu.Lock()
	if c.version != r.Version {
		c.version = r.Version
		c.values, _ = simplelru.NewLRU[string, any](maxKept, nil) // fails only for a size of 0
	}
	value, ok := c.values.Get(key)
	c.mu.Unlock()
	if ok {
		return value.(T), nil
	}
	found, err := compute()
	if err != nil {
		return found, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version == r.Version { // otherwise the cache was cleared, or is of another version by now
		c.values.Add(key, found)
	}
	return found, nil
}
