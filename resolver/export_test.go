package resolver

// Evict empties the caches, as many other observations do.
func (r *Resolver) Evict() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.committed.reset()
}
