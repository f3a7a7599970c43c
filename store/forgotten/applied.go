package forgotten

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
)

const bucketName = "forgotten"

var (
	appliedKey = []byte("applied")
	digestKey  = []byte("list")
	oldKey     = []byte("old") // set while the file may still have bytes of somebody who was erased
)

// Extension returns the engine's hooks.
func (l *List) Extension() engine.Extension {
	return engine.Extension{
		Opened: func(s *engine.Store) error { l.store = s; return nil },
		Check:  func(c *engine.Checker) error { _, err := applied(c.KV()); return err },
	}
}

// applied returns how many IRIs of the list were erased from a store. It is 0 for one without the bucket.
func applied(tx kv.Reader) (n int, err error) {
	v, err := kv.GetSealed(tx.Bucket(bucketName), appliedKey)
	if v == nil && err == nil {
		return 0, nil
	}
	if err != nil || len(v) != 8 {
		return 0, errors.Join(errors.New("the number of erasures can't be read"), err)
	}
	return int(binary.BigEndian.Uint64(v)), nil
}

// Applied returns how many IRIs of the list the store is without.
func (l *List) Applied() (int, error) {
	return engine.Read(l.store, func(s *engine.Snapshot) (int, error) { return applied(s.KV()) })
}

// Complete reports whether the store is without all IRIs of the list.
func (l *List) Complete() (bool, error) {
	return engine.Read(l.store, func(s *engine.Snapshot) (bool, error) {
		n, err := applied(s.KV())
		l.mu.RLock()
		defer l.mu.RUnlock()
		return n == len(l.known) && (n == 0 || bytes.Equal(s.KV().Bucket(bucketName).Get(digestKey), l.digest())), err
	})
}

func (l *List) digest() []byte {
	of := l.sum(string(l.text))
	return kv.Seal(digestKey, of[:])
}

// SetApplied records, in the unit of work that removes them, that the store is without the IRIs of the list, but still
// has their bytes: see Old.
func (l *List) SetApplied(tx *engine.Tx) error {
	b, err := tx.KV().Writable(bucketName)
	if err != nil {
		return err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	if err := cmp.Or(b.Put(appliedKey, kv.Seal(appliedKey, binary.BigEndian.AppendUint64(nil, uint64(len(l.known))))), b.Put(digestKey, l.digest())); err != nil {
		return err
	}
	return MarkOld(tx.KV())
}

// MarkOld records, in the unit of work that removes something of somebody who was erased, that the file still has its
// bytes: see Old.
func MarkOld(tx kv.Writer) error {
	b, err := tx.Writable(bucketName)
	if err != nil {
		return err
	}
	mark, err := b.NextSequence()
	if err != nil {
		return err
	}
	return b.Put(oldKey, kv.Seal(oldKey, binary.BigEndian.AppendUint64(nil, mark)))
}

// Old returns the last mark if the file may have bytes of somebody who was erased, in terms that nothing uses and in
// old pages, and nil otherwise.
func (l *List) Old() ([]byte, error) {
	return engine.Read(l.store, func(s *engine.Snapshot) ([]byte, error) {
		return bytes.Clone(s.KV().Bucket(bucketName).Get(oldKey)), nil
	})
}

// DropOld records that no such bytes are left, unless MarkOld marked some after mark.
func DropOld(tx *engine.Tx, mark []byte) error {
	b, err := tx.KV().Writable(bucketName)
	if err != nil || !bytes.Equal(b.Get(oldKey), mark) {
		return err
	}
	return b.Delete(oldKey)
}
