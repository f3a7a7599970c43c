package resolver

import "context"

// commit is a change on its way into the store.
type commit struct {
	number uint64
	wait   func() error
}

// submit hands a change to the store. The caller holds the lock.
func (r *Resolver) submit(c Change) (*commit, error) {
	// The end of who asks does not stop it: others build on it.
	wait, err := r.store.Submit(context.Background(), c)
	if err != nil {
		r.forget()
		return nil, err
	}
	r.changes++
	r.last = &commit{number: r.changes, wait: wait}
	return r.last, nil
}

// await returns when a change is stored, or cannot be. What was decided since stands on what is not stored: it fails too,
// and is forgotten.
func (r *Resolver) await(w *commit) error {
	err := w.wait()
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.forget()
	}
	return err
}
