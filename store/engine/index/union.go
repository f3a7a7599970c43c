package index

// union merges the batches of sorted, disjoint sources. The zero union has no sources.
type union struct {
	less    func(a, b *Tuple) bool
	sources []ordered
	out     []Tuple
}

// ordered is a source of a union.
type ordered struct {
	next func() []Tuple
	rest []Tuple // rest of its last batch
	done bool
}

// begin restarts with the sources, which are first and n others.
func (u *union) begin(first func() []Tuple, n int, other func(i int) func() []Tuple, less func(a, b *Tuple) bool) {
	u.less = less
	u.sources = append(u.sources[:0], ordered{next: first})
	for i := range n {
		u.sources = append(u.sources, ordered{next: other(i)})
	}
}

// batch returns the next tuples, at least one, or nil once every source has ended. The
// slice is valid until the next call.
func (u *union) batch() []Tuple {
	u.out = u.out[:0]
	for len(u.out) < maxTuples {
		first, bound := u.least()
		if first == nil {
			break
		}
		n := len(first.rest)
		if bound != nil {
			for n = 1; n < len(first.rest) && u.less(&first.rest[n], bound); n++ {
			}
		}
		took := first.rest[:n]
		first.rest = first.rest[n:]
		if len(u.out) == 0 && len(first.rest) == 0 {
			return took // a whole batch, valid until the source's next one
		}
		u.out = append(u.out, took...)
	}
	if len(u.out) == 0 {
		return nil
	}
	return u.out
}

// least returns the source whose next tuple comes first, nil if all have ended. bound is
// the least next tuple of the other sources, nil if they have ended.
func (u *union) least() (first *ordered, bound *Tuple) {
	for i := range u.sources {
		s := &u.sources[i]
		if len(s.rest) == 0 && !s.done {
			s.rest = s.next()
			s.done = len(s.rest) == 0
		}
		switch {
		case s.done: // has no more
		case first == nil:
			first = s
		case u.less(&s.rest[0], &first.rest[0]):
			first, bound = s, &first.rest[0]
		case bound == nil || u.less(&s.rest[0], bound):
			bound = &s.rest[0]
		}
	}
	return first, bound
}
