package index

// union merges sorted, disjoint streams. It ends when one of them fails.
type union struct {
	sources   []ordered
	backwards bool // the streams are in descending order
	out       []Tuple
	err       error
}

// ordered is a source of a union.
type ordered struct {
	stream
	rest []Tuple // rest of its last batch
	done bool
}

// restart makes the union read its streams from where they are now.
func (u *union) restart() {
	u.err = nil
	for i := range u.sources {
		u.sources[i].rest, u.sources[i].done = nil, false
	}
}

func (u *union) Err() error { return u.err }

// Next implements stream.
func (u *union) Next() []Tuple {
	u.out = u.out[:0]
	for len(u.out) < maxTuples && u.err == nil {
		first, bound := u.least()
		if first == nil {
			break
		}
		n := len(first.rest)
		if bound != nil {
			for n = 1; n < len(first.rest) && before(&first.rest[n], bound, u.backwards); n++ {
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

// least returns the source whose next tuple comes first, nil if all have ended or one failed. bound is
// the least next tuple of the other sources, nil if they have ended.
func (u *union) least() (first *ordered, bound *Tuple) {
	for i := range u.sources {
		s := &u.sources[i]
		if len(s.rest) == 0 && !s.done {
			s.rest = s.Next()
			s.done = len(s.rest) == 0
			if u.err = s.Err(); u.err != nil {
				return nil, nil
			}
		}
		switch {
		case s.done: // has no more
		case first == nil:
			first = s
		case before(&s.rest[0], &first.rest[0], u.backwards):
			first, bound = s, &first.rest[0]
		case bound == nil || before(&s.rest[0], bound, u.backwards):
			bound = &s.rest[0]
		}
	}
	return first, bound
}
