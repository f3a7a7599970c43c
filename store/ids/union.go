package ids

// Less reports whether a comes before b: tuples are ordered by their first id, then the
// second, then the third.
func Less(a, b *Tuple) bool {
	if a[0] != b[0] {
		return a[0] < b[0]
	}
	if a[1] != b[1] {
		return a[1] < b[1]
	}
	return a[2] < b[2]
}

// Before reports whether a comes before b in ascending or, if backwards, in descending order.
func Before(a, b *Tuple, backwards bool) bool {
	if backwards {
		return Less(b, a)
	}
	return Less(a, b)
}

// Stream yields distinct tuples in ascending or in descending order, a batch at a time.
type Stream interface {
	// Next returns the next tuples, at least one, or nil at the end or on an error. The
	// slice is valid until the next call.
	Next() []Tuple
	// Err returns the error that ended the stream, or nil.
	Err() error
}

// Union merges streams of the same order. A tuple of several streams is returned once.
// The union ends when a stream fails.
type Union struct {
	sources   []source
	backwards bool // the streams are in descending order
	out       []Tuple
	last      Tuple // the last tuple returned
	began     bool  // there is one
	err       error
}

// source is a stream of a union.
type source struct {
	Stream
	rest []Tuple // rest of its last batch
	done bool
}

// NewUnion returns the union of streams, which are in descending order if backwards.
func NewUnion[S Stream](streams []S, backwards bool) *Union {
	u := &Union{backwards: backwards}
	for _, s := range streams {
		u.sources = append(u.sources, source{Stream: s})
	}
	return u
}

// Restart makes the union read its streams from where they are now.
func (u *Union) Restart() {
	u.began, u.err = false, nil
	for i := range u.sources {
		u.sources[i].rest, u.sources[i].done = nil, false
	}
}

// unionBatch is the least number of tuples that Next returns if they are of several streams and not the last.
const unionBatch = 512

// Next implements Stream.
func (u *Union) Next() []Tuple {
	u.out = u.out[:0]
	for len(u.out) < unionBatch && u.err == nil {
		first, bound := u.least()
		if first == nil {
			break
		}
		n := len(first.rest)
		if bound != nil {
			for n = 1; n < len(first.rest) && Before(&first.rest[n], bound, u.backwards); n++ {
			}
		}
		took := first.rest[:n]
		first.rest = first.rest[n:]
		if u.began && took[0] == u.last {
			if took = took[1:]; len(took) == 0 {
				continue
			}
		}
		u.began, u.last = true, took[len(took)-1]
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

// Err implements Stream.
func (u *Union) Err() error { return u.err }

// least returns the source whose next tuple comes first, nil if all have ended or one
// failed. bound is the least next tuple of the other sources, nil if they have ended.
func (u *Union) least() (first *source, bound *Tuple) {
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
		case Before(&s.rest[0], &first.rest[0], u.backwards):
			first, bound = s, &first.rest[0]
		case bound == nil || Before(&s.rest[0], bound, u.backwards):
			bound = &s.rest[0]
		}
	}
	return first, bound
}
