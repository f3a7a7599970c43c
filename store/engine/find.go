package engine

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/memtable"
)

// Found is a place in the file that has a text.
type Found struct {
	Where string // a bucket, the log region, or free pages
	Times int
}

// Find looks for a text in all bytes of the file, used or not, and in what they decode to. These
// are the terms, which are stored as differences, the deltas in the log region, and what unpack
// makes of a value. It ignores case. For a file that no service uses.
func (s *Store) Find(ctx context.Context, text string, unpack func(value []byte) [][]byte) ([]Found, error) {
	f := &textFinder{ctx: ctx, want: bytes.ToLower([]byte(text)), unpack: unpack}
	err := s.View(func(snap *Snapshot) error {
		err := snap.tx().ForEach(func(name []byte, b *bolt.Bucket) error { return f.bucket(string(name), b) })
		if err != nil {
			return err
		}
		f.hasher = dict.NewHasher(snap.tx().Bucket(dictName))
		err = s.file.Unused(ctx, max(len(f.want)-1, 0), func(page []byte, elements func(func(key, value []byte))) {
			f.look("free pages", page)
			elements(func(key, value []byte) { f.lookInPair("free pages", key, value) })
		})
		if err != nil {
			return err
		}
		return s.file.Region().Frames(func(region []byte) { f.look("log region", region) }, f.frame)
	})
	if err != nil {
		return nil, fmt.Errorf("looking for a text: %w", err)
	}
	return f.found, nil
}

type textFinder struct {
	ctx    context.Context
	want   []byte
	unpack func([]byte) [][]byte
	hasher *dict.Hasher
	found  []Found
}

// bucket looks in a bucket and those in it. Graphs count as one place.
func (f *textFinder) bucket(name string, b *bolt.Bucket) error {
	return b.ForEach(func(k, v []byte) error {
		if v != nil {
			if name != walBucket {
				f.lookInPair(name, k, v)
			}
			return f.ctx.Err()
		}
		below := name + "/" + string(k)
		if name == string(graphsName) {
			below = name
		}
		return f.bucket(below, b.Bucket(k))
	})
}

// walBucket has the log region, which Find reads by its frames.
const walBucket = "wal"

// lookInPair counts the wanted text in a key, its value, and what the value decodes to. where is the
// place for Found.
func (f *textFinder) lookInPair(where string, key, value []byte) {
	f.look(where, key)
	f.look(where, value)
	for _, text := range dict.Decoded(key, value) {
		f.look(where, text)
	}
	for _, text := range f.unpack(value) {
		f.look(where, text)
	}
}

// frame looks in the deltas of a frame of the log region.
func (f *textFinder) frame(payload []byte) {
	r := varint.NewReader(payload)
	for r.Len() > 0 && !r.Failed() {
		delta := r.Bytes(r.Count(r.Len()))
		if r.Failed() {
			return
		}
		for _, text := range f.unpack(delta) {
			f.look("log region", text)
		}
		level, err := memtable.Decode(delta, f.hasher)
		if err != nil {
			continue // an old frame may have been overwritten in part
		}
		for _, e := range level.Terms() {
			f.look("log region", []byte(e.Term.Value()))
		}
	}
}

// look counts how often b has the text, ignoring case. where is b's place in the file.
func (f *textFinder) look(where string, b []byte) {
	n := bytes.Count(bytes.ToLower(b), f.want)
	if n == 0 {
		return
	}
	where = strings.ToValidUTF8(where, "?")
	for i := range f.found {
		if f.found[i].Where == where {
			f.found[i].Times += n
			return
		}
	}
	f.found = append(f.found, Found{where, n})
}

// HasOldContent reports whether pages that nothing uses have content, or the log region has
// although nothing waits for a flush.
func (s *Store) HasOldContent(ctx context.Context) (has bool, err error) {
	look := func(b []byte) { has = has || len(bytes.TrimLeft(b, "\x00")) > 0 }
	err = s.file.Unused(ctx, 0, func(page []byte, _ func(func(key, value []byte))) { look(page) })
	if err == nil && s.Deferred() == 0 {
		err = s.file.Region().Frames(look, func([]byte) {})
	}
	return has, err
}
