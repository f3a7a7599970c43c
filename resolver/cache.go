package resolver

// cache keeps recently used entries in two generations. A used entry moves to the young
// generation. When that is full, the old one is dropped.
type cache[K comparable, V any] struct {
	young, old map[K]sized[V]
	used       int64 // bytes of the young generation
	room       int64 // of one generation
	least      int   // how many entries one generation has at least before it is full
	size       func(K, V) int
}

// sized is an entry with its size in bytes when it was put.
type sized[V any] struct {
	value V
	size  int
}

// leastCached is how many entries a generation has at least, so that a search finds again what it has just read.
const leastCached = 8

// newCache returns a cache that takes about room bytes. size returns about how many bytes an entry takes.
func newCache[K comparable, V any](room int64, size func(K, V) int) cache[K, V] {
	return cache[K, V]{young: map[K]sized[V]{}, old: map[K]sized[V]{}, room: room / 2, least: leastCached, size: size}
}

// get returns a cached value. An old value that is used becomes young again, so it is kept longer.
func (c *cache[K, V]) get(k K) (V, bool) {
	x, ok := c.young[k]
	if !ok {
		if x, ok = c.old[k]; ok {
			c.put(k, x.value)
		}
	}
	return x.value, ok
}

// put adds or replaces an entry, or notes that its size has changed.
func (c *cache[K, V]) put(k K, v V) {
	x := sized[V]{v, c.size(k, v)}
	c.remove(k)
	c.young[k] = x
	if c.used += int64(x.size); c.used >= c.room && len(c.young) >= c.least {
		c.old, c.young, c.used = c.young, c.old, 0
		clear(c.young)
	}
}

func (c *cache[K, V]) remove(k K) {
	c.used -= int64(c.young[k].size)
	delete(c.young, k)
	delete(c.old, k)
}
