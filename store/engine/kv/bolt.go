package kv

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// OnBolt returns the buckets of a bbolt transaction. The methods of Writer need a write
// transaction.
func OnBolt(tx *bolt.Tx) Writer { return onBolt{tx} }

// fills maps the last name of a bucket's path to the share of a page that is filled
// before the page is split. Buckets that only grow at their end have full pages. Other
// buckets use bbolt's default.
var fills = map[string]float64{
	"journal":   1,
	"logids":    0.9,
	"clearlogs": 1,
	"logs":      1,
	"pieces":    1,
	"contexts":  0.8,
	"retries":   1,
}

type onBolt struct{ tx *bolt.Tx }

func (t onBolt) Bucket(path ...string) Bucket {
	if b := t.find(path); b != nil {
		return bucket{b}
	}
	return Empty
}

// find returns the bucket at a path, or nil.
func (t onBolt) find(path []string) *bolt.Bucket {
	if len(path) == 0 {
		return nil
	}
	b := t.tx.Bucket([]byte(path[0]))
	for _, name := range path[1:] {
		if b == nil {
			return nil
		}
		b = b.Bucket([]byte(name))
	}
	return b
}

// Writable implements Writer: it makes the buckets of the path that are missing.
func (t onBolt) Writable(path ...string) (Writable, error) {
	var parent interface {
		CreateBucketIfNotExists(name []byte) (*bolt.Bucket, error)
	} = t.tx
	var b *bolt.Bucket
	for _, name := range path {
		var err error
		if b, err = parent.CreateBucketIfNotExists([]byte(name)); err != nil {
			return nil, fmt.Errorf("opening bucket %s: %w", printed(path), err)
		}
		parent = b
	}
	if b == nil {
		return nil, errors.New("opening a bucket: the path is empty")
	}
	if fill, ok := fills[path[len(path)-1]]; ok {
		b.FillPercent = fill
	}
	return bucket{b}, nil
}

// Remove implements Writer. A bucket that is not there counts as removed.
func (t onBolt) Remove(path ...string) error {
	var err error
	switch last := len(path) - 1; {
	case last == 0:
		err = DeleteBucket(t.tx, []byte(path[0]))
	case last > 0:
		parent := t.find(path[:last])
		if parent == nil {
			return nil
		}
		err = DeleteBucket(parent, []byte(path[last]))
	}
	if err != nil && !errors.Is(err, bolterrors.ErrBucketNotFound) {
		return fmt.Errorf("removing bucket %s: %w", printed(path), err)
	}
	return nil
}

// DeleteBucket deletes the bucket name of parent and all buckets inside it. The error is
// bbolt's ErrBucketNotFound if there is no such bucket. bbolt's own DeleteBucket skips
// every second nested bucket if the transaction has changed the bucket. It would leave the
// pages of the skipped ones neither used nor free.
func DeleteBucket(parent interface {
	Bucket(name []byte) *bolt.Bucket
	DeleteBucket(name []byte) error
}, name []byte) error {
	if b := parent.Bucket(name); b != nil {
		var nested [][]byte
		if err := b.ForEachBucket(func(k []byte) error {
			nested = append(nested, bytes.Clone(k))
			return nil
		}); err != nil {
			return err
		}
		for _, k := range nested {
			if err := DeleteBucket(b, k); err != nil {
				return err
			}
		}
	}
	return parent.DeleteBucket(name)
}

// printed formats a path for an error message.
func printed(path []string) string { return fmt.Sprintf("%q", strings.Join(path, "/")) }

// bucket is a bucket of bbolt, which already has the writing methods.
type bucket struct{ *bolt.Bucket }

func (b bucket) Cursor() Cursor { return &cursor{b.Bucket.Cursor()} }

func (b bucket) Put(key, value []byte) error {
	if value == nil {
		value = []byte{} // a cursor returns nil for a nested bucket
	}
	return b.Bucket.Put(key, value)
}

// cursor is a cursor of bbolt that skips nested buckets, which have a nil value.
type cursor struct{ *bolt.Cursor }

func (c *cursor) First() (key, value []byte)           { return c.forward(c.Cursor.First()) }
func (c *cursor) Last() (key, value []byte)            { return c.backward(c.Cursor.Last()) }
func (c *cursor) Next() (key, value []byte)            { return c.forward(c.Cursor.Next()) }
func (c *cursor) Prev() (key, value []byte)            { return c.backward(c.Cursor.Prev()) }
func (c *cursor) Seek(seek []byte) (key, value []byte) { return c.forward(c.Cursor.Seek(seek)) }

func (c *cursor) forward(key, value []byte) (k, v []byte) {
	for key != nil && value == nil {
		key, value = c.Cursor.Next()
	}
	return key, value
}

func (c *cursor) backward(key, value []byte) (k, v []byte) {
	for key != nil && value == nil {
		key, value = c.Cursor.Prev()
	}
	return key, value
}
