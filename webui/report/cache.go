package report

import (
	"slices"
	"sync"
)

// maxKept is how many results a Cache keeps.
const maxKept = 6

// Cache keeps the newest results of one version of the store. The zero Cache is empty. It
// is safe for concurrent use.
type Cache struct {
	mu      sync.Mutex
	version string
	keys    []string // oldest first
	values  map[string]any
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
		c.version, c.keys, c.values = r.Version, nil, map[string]any{}
	}
	value, ok := c.values[key]
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
	if c.version == r.Version && c.values[key] == nil {
		c.keys, c.values[key] = append(c.keys, key), found
		if len(c.keys) > maxKept {
			delete(c.values, c.keys[0])
			c.keys = slices.Delete(c.keys, 0, 1)
		}
	}
	return found, nil
}
