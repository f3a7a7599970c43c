// Package kv defines named buckets of keys and values, and implements them on bbolt.
//
// Packages that store data besides the triples read and write through it: the journal,
// contributions, the outbox, the resolver's records. It works the same whether a value is
// in the file or still in the memtable.
//
// A missing bucket is never nil; it reads as an empty one. Slices that a bucket or cursor
// returns are valid until the transaction ends and must not be changed. A cursor must not
// be used after its bucket has changed.
package kv

import "iter"

// Bucket reads one bucket. Nested buckets are not among its keys.
type Bucket interface {
	// Get returns the value of a key, nil if there is none. A stored empty value is not
	// nil.
	Get(key []byte) []byte
	// Cursor returns a cursor over all keys in order.
	Cursor() Cursor
	// Sequence returns the bucket's counter; see Writable.
	Sequence() uint64
}

// Cursor iterates over the keys of a bucket. Each method returns the key that it moved to
// and the key's value, or nil if there is none.
type Cursor interface {
	First() (key, value []byte)
	Last() (key, value []byte)
	Next() (key, value []byte)
	Prev() (key, value []byte)
	// Seek moves to the first key not less than seek. If there is none, Prev then moves
	// to the last key.
	Seek(key []byte) (k, value []byte)
}

// Writable is a bucket that can be changed. Its sequence is a counter that starts at 0.
type Writable interface {
	Bucket
	// Put sets the value of a key. The caller must not change key or value afterwards. A
	// nil value is stored as an empty one.
	Put(key, value []byte) error
	// Delete removes a key. A missing key is not an error.
	Delete(key []byte) error
	// NextSequence adds one to the counter and returns it.
	NextSequence() (uint64, error)
	// SetSequence sets the counter.
	SetSequence(n uint64) error
}

// Reader finds buckets by path: the name of a top-level bucket, followed by those of the
// buckets nested in it.
type Reader interface {
	Bucket(path ...string) Bucket
}

// Writer is a Reader that can also change buckets.
type Writer interface {
	Reader
	// Writable opens a bucket, and creates it and its parents if needed.
	Writable(path ...string) (Writable, error)
	// Remove removes a bucket with its content. A missing bucket is not an error.
	Remove(path ...string) error
}

// All returns an iterator over the keys and values of a bucket, in order. The bucket must
// not change meanwhile.
func All(b Bucket) iter.Seq2[[]byte, []byte] { return From(b, nil) }

// From returns an iterator over the keys not less than key, and their values, in order.
// The bucket must not change meanwhile.
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

// Empty is an empty bucket.
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
