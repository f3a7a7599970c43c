package resolver

// cache keeps recently used entries in two generations. A used entry moves to the young
// generation. When that is full, the old one is dropped.
type cache[K comparable, V any] struct {
	young, old map[K]V
	limit      int // entries of one generation
}

func newCache[K comparable, V any](limit int) cache[K, V] {
	return cache[K, V]{young: map[K]V{}, old: map[K]V{}, limit: limit}
}

// get returns a cached value. An old value that is used becomes young again, so it is kept longer.
func (c *cache[K, V]) get(k K) (V, bool) {
	v, ok := c.young[k]
	if !ok {
		if v, ok = c.old[k]; ok {
			c.put(k, v)
		}
	}
	return v, ok
}

func (c *cache[K, V]) put(k K, v V) {
	delete(c.old, k)
	if c.young[k] = v; len(c.young) >= c.limit {
		c.old, c.young = c.young, c.old
		clear(c.young)
	}
}

func (c *cache[K, V]) remove(k K) {
	delete(c.young, k)
	delete(c.old, k)
}
