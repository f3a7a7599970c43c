package engine

import (
	"bytes"

	"github.com/segraph/segraph/store/engine/kv"
)

// Records reads an extension's records (see Record).
type Records struct{ bucket kv.Bucket }

// Records returns the records of a snapshot.
func (s *Snapshot) Records() Records { return Records{s.KV().Bucket(recordsName)} }

// Get returns the value of a key, nil if there is none. The value is valid until the
// snapshot is closed.
func (r Records) Get(key []byte) ([]byte, error) {
	return kv.GetSealed(r.bucket, key)
}

// Scan calls yield with each record whose key is in [from, to), in order, until yield
// returns false. An empty to means the end.
func (r Records) Scan(from, to []byte, yield func(key, value []byte) bool) error {
	for k, v := range kv.From(r.bucket, from) {
		if len(to) > 0 && bytes.Compare(k, to) >= 0 {
			break
		}
		v, err := kv.Unseal(k, v)
		if err != nil || !yield(k, v) {
			return err
		}
	}
	return nil
}

// Submitted calls do with the records after all submitted writes, whether on the disk or
// not. The records are valid until do returns. Nothing can be submitted meanwhile, so do
// must neither write to the store nor call Submitted.
func (s *Store) Submitted(do func(Records) error) error {
	select {
	case <-s.closing:
		return errClosing
	default: // still open
	}
	return s.Guard(func() error {
		s.queue.merging.RLock() // otherwise the last level would change
		defer s.queue.merging.RUnlock()
		r, _, err := s.pending()
		if err != nil {
			return err
		}
		defer s.file.End(r.bolt)
		return do(Records{r.KV().Bucket(recordsName)})
	})
}
