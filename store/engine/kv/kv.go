// Package kv declares named buckets of keys and values, and implements them on bbolt.
//
// Packages that keep something beside the triples (the journal, contributions, the
// outbox, the resolver's records) read and write through it. So they work the same way
// whether a value is in the file or still deferred in memory.
//
// Rules: a bucket that does not exist reads as an empty one, and is never nil; what a
// bucket or cursor returns is valid as long as the transaction and must not be changed; a
// cursor must not be used after its bucket has changed.
package kv

import "iter"

// Bucket reads one bucket. Nested buckets are not among its keys.
type Bucket interface {
	// Get returns the value of a key, or nil if there is none. A stored empty value is
	// not nil.
	Get(key []byte) []byte
	// Cursor returns a cursor over all keys in order.
	Cursor() Cursor
	// Sequence returns the bucket's counter: see Writable.
	Sequence() uint64
}

// Cursor walks the keys of a bucket. Each method returns the key it moved to, with its
// value, or nil if there is none.
type Cursor interface {
	First() (key, value []byte)
	Last() (key, value []byte)
	Next() (key, value []byte)
	Prev() (key, value []byte)
	// Seek moves to the first key that is not less than key. If there is none, Prev moves
	// to the last key.
	Seek(key []byte) (k, value []byte)
}

// Writable is a bucket that can be changed. It keeps a counter, its sequence, which
// begins at 0.
type Writable interface {
	Bucket
	// Put stores a value, in place of another one if there is one. The caller must not
	// change key or value afterwards. A nil value is stored as an empty one.
	Put(key, value []byte) error
	// Delete removes a key. It is no error if there is none.
	Delete(key []byte) error
	// NextSequence adds one to the counter and returns it.
	NextSequence() (uint64, error)
	// SetSequence sets the counter.
	SetSequence(n uint64) error
}

// Reader finds buckets by path: the name of a bucket at the top, then those of the
// buckets nested in it.
type Reader interface {
	Bucket(path ...string) Bucket
}

// Writer is a Reader that also changes buckets.
type Writer interface {
	Reader
	// Writable opens a bucket, and creates it and those above it if needed.
	Writable(path ...string) (Writable, error)
	// Remove removes a bucket with all it holds. It is no error if there is none.
	Remove(path ...string) error
}

// All returns the keys and values of a bucket in order. The bucket must not change while
// it is read.
func All(b Bucket) iter.Seq2[[]byte, []byte] { return From(b, nil) }

// From returns the keys that are not less than a key, and their values, in order. The
// bucket must not change while it is read.
func From(b Bucket, key []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		c := b.Cursor()
		for k, v := c.Seek(key); k != nil; k, v = c.Next() {
			if !yield(k, v) {
				return
			}
		}
	}
}

// Empty is a bucket that holds nothing.
var Empty Bucket = empty{}

type empty struct{}

func (empty) Get([]byte) []byte         { return nil }
func (empty) Cursor() Cursor            { return empty{} }
func (empty) Sequence() uint64          { return 0 }
func (empty) First() (_, _ []byte)      { return nil, nil }
func (empty) Last() (_, _ []byte)       { return nil, nil }
func (empty) Next() (_, _ []byte)       { return nil, nil }
func (empty) Prev() (_, _ []byte)       { return nil, nil }
func (empty) Seek([]byte) (_, _ []byte) { return nil, nil }
