package memtable

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/segraph/segraph/store/engine/kv"
)

// ErrDirect means that a level can't hold a write, which must go directly to the buckets.
var ErrDirect = errors.New("the write cannot be deferred")

// Read returns the buckets of base below levels, oldest first.
func Read(base kv.Reader, levels ...*Level) kv.Reader { return reader{base, levels} }

// Buckets are the buckets of one unit of work after the other. They are kept, because units
// open the same few again and again.
type Buckets struct {
	reader
	opened []*merged
}

// maxOpened is how many buckets are kept.
const maxOpened = 32

// Write is like Read, for writing. Writes go to the last level only. One goroutine at a time
// may use the buckets, and base must not change. It ends the use of what it returned before.
func (w *Buckets) Write(base kv.Reader, levels ...*Level) kv.Writer {
	w.End()
	w.reader = reader{base, levels}
	for _, m := range w.opened {
		m.reader = w.reader
	}
	return w
}

// End releases what the buckets read.
func (w *Buckets) End() {
	if len(w.opened) > maxOpened {
		w.opened = nil
	}
	w.reader = reader{}
	for _, m := range w.opened {
		m.reader, m.opened = reader{}, nil
	}
}

type reader struct {
	base   kv.Reader
	levels []*Level
}

func (r reader) Bucket(path ...string) kv.Bucket {
	return &merged{reader: r, names: path, path: join(path), opened: r.base.Bucket(path...)}
}

// Bucket implements kv.Writer.
func (w *Buckets) Bucket(path ...string) kv.Bucket { return w.open(path) }

// open opens a bucket with the levels on top, once.
func (w *Buckets) open(path []string) *merged {
	for _, m := range w.opened {
		if slices.Equal(m.names, path) {
			return m
		}
	}
	m := &merged{reader: w.reader, names: slices.Clone(path), path: join(path)}
	w.opened = append(w.opened, m)
	return m
}

// Writable implements kv.Writer.
func (w *Buckets) Writable(path ...string) (kv.Writable, error) {
	if len(path) == 0 {
		return nil, errors.New("opening a bucket: the path is empty")
	}
	return w.open(path), nil
}

// Remove returns ErrDirect, because a level can't record the removal of a bucket.
func (w *Buckets) Remove(...string) error { return ErrDirect }

// merged is a bucket below levels. Its writes go to the last of them.
type merged struct {
	reader
	names  []string  // the path
	path   string    // joined
	opened kv.Bucket // below the levels; nil until it is read
}

// below returns the bucket below the levels.
func (m *merged) below() kv.Bucket {
	if m.opened == nil {
		m.opened = m.base.Bucket(m.names...)
	}
	return m.opened
}

// Get implements kv.Bucket: the newest level that has the key decides. A nil value there is a deletion.
func (m *merged) Get(key []byte) []byte {
	var sought *pair
	for i := len(m.levels) - 1; i >= 0; i-- {
		if treesOf(m.levels[i]).pairs.Len() == 0 {
			continue
		}
		if sought == nil {
			sought = &pair{path: m.path, key: string(key)}
		}
		if p, ok := treesOf(m.levels[i]).pairs.Get(sought, nil); ok {
			return p.value
		}
	}
	return m.below().Get(key)
}

// Sequence implements kv.Bucket: the newest level that has a counter decides.
func (m *merged) Sequence() uint64 {
	for i := len(m.levels) - 1; i >= 0; i-- {
		if s, ok := treesOf(m.levels[i]).sequences.Get(sequence{path: m.path}, nil); ok {
			return s.n
		}
	}
	return m.below().Sequence()
}

// Cursor implements kv.Bucket.
func (m *merged) Cursor() kv.Cursor {
	c := &cursor{sources: []source{{cursor: m.below().Cursor()}}}
	for _, l := range m.levels {
		if treesOf(l).pairs.Len() > 0 {
			c.sources = append(c.sources, source{cursor: &levelCursor{level: l, path: m.path}})
		}
	}
	if len(c.sources) == 1 {
		return c.sources[0].cursor
	}
	return c
}

func (m *merged) own() *Level { return m.levels[len(m.levels)-1] }

func (m *merged) Put(key, value []byte) error {
	if len(key) == 0 || len(key) > maxKey {
		return fmt.Errorf("a key of %d bytes can't be stored", len(key))
	}
	if value == nil {
		value = []byte{} // nil means that the key was deleted
	}
	treesOf(m.own()).pairs.Set(&pair{m.path, string(key), value}, nil)
	return nil
}

// maxKey is bbolt's limit for the length of a key, in bytes.
const maxKey = 32768

func (m *merged) Delete(key []byte) error {
	treesOf(m.own()).pairs.Set(&pair{m.path, string(key), nil}, nil)
	return nil
}

func (m *merged) NextSequence() (uint64, error) {
	n := m.Sequence() + 1
	return n, m.SetSequence(n)
}

func (m *merged) SetSequence(n uint64) error {
	treesOf(m.own()).sequences.Set(sequence{m.path, n}, nil)
	return nil
}

// Store writes the keys, values and counters of the level to buckets.
func (l *Level) Store(w kv.Writer) error {
	for c := range l.buckets() {
		path, _ := split(c.path)
		b, err := w.Writable(path...)
		if err != nil {
			return err
		}
		if c.counted {
			if err := b.SetSequence(c.counter); err != nil {
				return fmt.Errorf("setting the counter of bucket %q: %w", c.path, err)
			}
		}
		for _, p := range c.pairs {
			if p.value == nil {
				err = b.Delete([]byte(p.key))
			} else {
				err = b.Put([]byte(p.key), p.value)
			}
			if err != nil {
				return fmt.Errorf("writing bucket %q: %w", c.path, err)
			}
		}
	}
	return nil
}

// levelCursor iterates over the keys of a bucket in a level. Deleted keys have nil
// values.
type levelCursor struct {
	level *Level
	path  string
	at    string
	valid bool
}

// ascend moves to the first pair of the cursor's bucket that is not less than from, or greater if after is set.
func (c *levelCursor) ascend(from string, after bool) (key, value []byte) {
	c.valid = false
	treesOf(c.level).pairs.Ascend(&pair{path: c.path, key: from}, func(p *pair) bool {
		if after && p.path == c.path && p.key == from {
			return true
		}
		key, value = c.take(p)
		return false
	})
	return key, value
}

// descend moves to the last pair that is not greater than from, or less if before is set.
func (c *levelCursor) descend(from *pair, before bool) (key, value []byte) {
	c.valid = false
	treesOf(c.level).pairs.Descend(from, func(p *pair) bool {
		if p.path > c.path || before && p.path == c.path && p.key == from.key {
			return true
		}
		key, value = c.take(p)
		return false
	})
	return key, value
}

func (c *levelCursor) take(p *pair) (key, value []byte) {
	if p.path != c.path {
		return nil, nil
	}
	c.at, c.valid = p.key, true
	return []byte(p.key), p.value
}

func (c *levelCursor) First() (key, value []byte)        { return c.ascend("", false) }
func (c *levelCursor) Seek(key []byte) (k, value []byte) { return c.ascend(string(key), false) }
func (c *levelCursor) Last() (key, value []byte) {
	return c.descend(&pair{path: c.path + "\x00"}, false)
}
func (c *levelCursor) before(key []byte) (k, value []byte) {
	return c.descend(&pair{path: c.path, key: string(key)}, true)
}

func (c *levelCursor) Next() (key, value []byte) {
	if !c.valid {
		return nil, nil
	}
	return c.ascend(c.at, true)
}

func (c *levelCursor) Prev() (key, value []byte) {
	if !c.valid {
		return nil, nil
	}
	return c.descend(&pair{path: c.path, key: c.at}, true)
}

// source is an input of a cursor, with its position.
type source struct {
	cursor     kv.Cursor
	key, value []byte
}

// cursor merges the keys of a bucket with those of levels.
type cursor struct {
	sources   []source // oldest first
	at        []byte   // nil before the first move and past either end
	ended     bool     // the cursor moved past the last key
	backwards bool     // the sources are at or before at
}

// move moves every source with f and returns the next key.
func (c *cursor) move(backwards bool, f func(s *source)) (key, value []byte) {
	for i := range c.sources {
		f(&c.sources[i])
	}
	c.backwards = backwards
	return c.current()
}

// current returns the next key of the sources that is not deleted.
func (c *cursor) current() (key, value []byte) {
	for {
		var best *source
		for i := range c.sources {
			s := &c.sources[i]
			if s.key == nil {
				continue
			}
			if best == nil {
				best = s
				continue
			}
			order := bytes.Compare(s.key, best.key)
			if c.backwards {
				order = -order
			}
			if order <= 0 { // the newer one wins
				best = s
			}
		}
		if best == nil {
			c.at, c.ended = nil, !c.backwards
			return nil, nil
		}
		if best.value != nil {
			c.at = best.key
			return best.key, best.value
		}
		c.pass(best.key)
	}
}

// pass moves all sources that are at a key past it.
func (c *cursor) pass(key []byte) {
	for i := range c.sources {
		s := &c.sources[i]
		if s.key == nil || !bytes.Equal(s.key, key) {
			continue
		}
		if c.backwards {
			s.key, s.value = s.cursor.Prev()
		} else {
			s.key, s.value = s.cursor.Next()
		}
	}
}

func (c *cursor) First() (key, value []byte) {
	return c.move(false, func(s *source) { s.key, s.value = s.cursor.First() })
}

func (c *cursor) Last() (key, value []byte) {
	return c.move(true, func(s *source) { s.key, s.value = s.cursor.Last() })
}

func (c *cursor) Seek(key []byte) (k, value []byte) {
	return c.move(false, func(s *source) { s.key, s.value = s.cursor.Seek(key) })
}

// Next implements kv.Cursor. After a step backwards, it first moves all sources to c.at again.
func (c *cursor) Next() (key, value []byte) {
	at := c.at
	switch {
	case at == nil:
		return nil, nil
	case c.backwards:
		c.move(false, func(s *source) { s.key, s.value = s.cursor.Seek(at) })
		if c.at == nil || !bytes.Equal(c.at, at) { // at was deleted meanwhile: the sources are at the next key
			return c.at, c.valueAt()
		}
	}
	c.pass(at)
	return c.current()
}

// Prev implements kv.Cursor. After the end it returns the last key.
func (c *cursor) Prev() (key, value []byte) {
	at := c.at
	switch {
	case at == nil && c.ended:
		c.ended = false
		return c.Last()
	case at == nil:
		return nil, nil
	case !c.backwards: // the sources are at or after at
		return c.move(true, func(s *source) { s.key, s.value = last(s.cursor, at) })
	}
	c.pass(at)
	return c.current()
}

// valueAt returns the value of the current key.
func (c *cursor) valueAt() []byte {
	for i := len(c.sources) - 1; i >= 0; i-- {
		if s := c.sources[i]; s.key != nil && bytes.Equal(s.key, c.at) {
			return s.value
		}
	}
	return nil
}

// last moves a cursor to the last key less than key.
func last(c kv.Cursor, key []byte) (k, value []byte) {
	if l, ok := c.(*levelCursor); ok {
		return l.before(key)
	}
	if k, _ = c.Seek(key); k == nil {
		return c.Last()
	}
	return c.Prev()
}
