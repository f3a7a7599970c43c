package engine

import (
	"context"
	"errors"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/ids"
)

// usersKey is set to the greatest number of extensions with Uses that the file was opened with. A later version of
// a program must have as many, or it never collects the terms of the file again.
var usersKey = []byte("users")

// errUsers means that the file may have data of extensions that the program lacks.
var errUsers = errors.New("other programs keep data in the file that may name terms: open it with one of them")

// users returns how many extensions have Uses, and what usersKey is set to.
func users(tx *bolt.Tx, extensions []Extension) (n, most int) {
	for _, x := range extensions {
		if x.Uses != nil {
			n++
		}
	}
	if v := tx.Bucket(metaName).Get(usersKey); len(v) == 1 {
		most = int(v[0])
	}
	return n, most
}

// lacksUsers reports whether the file may have data that names terms, of extensions that are not in the list.
func lacksUsers(tx *bolt.Tx, extensions []Extension) bool {
	n, most := users(tx, extensions)
	return n < most
}

// hasKeys reports whether a bucket or one in it has keys with values.
func hasKeys(b *bolt.Bucket) bool {
	c := b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if v != nil || hasKeys(b.Bucket(k)) {
			return true
		}
	}
	return false
}

// usedIDs returns the ids that a read snapshot uses: in quads, as names of graphs, in extensions, and inside used
// triple terms. It returns errUsers if it can't ask all extensions.
func (s *Store) usedIDs(ctx context.Context) (used *dict.IDSet, err error) {
	used = &dict.IDSet{}
	err = s.View(func(snap *Snapshot) error {
		if lacksUsers(snap.tx(), s.extensions) {
			return errUsers
		}
		for _, g := range snap.Graphs() {
			used.Add(g)
			for t, err := range snap.Match(0, 0, 0, g).All(ctx) {
				if err != nil {
					return err
				}
				for _, id := range t {
					used.Add(id)
				}
			}
		}
		for _, x := range s.extensions {
			if x.Uses == nil {
				continue
			}
			if err := x.Uses(ctx, snap, used.Add); err != nil {
				return err
			}
		}
		next, err := snap.numbers()
		if err != nil {
			return err
		}
		return snap.useParts(used, next)
	})
	return used, err
}

// useParts adds the parts of the triple terms in a set. Parts have smaller ids than the whole.
func (s *Snapshot) useParts(used *dict.IDSet, next dict.Numbers) error {
	lo, _ := ids.Range(ids.TagTriple)
	for n := next[ids.TagTriple]; n > 0; n-- {
		if id := lo + dict.ID(n-1); used.Has(id) {
			parts, err := s.Parts(id)
			if err != nil {
				return err
			}
			for _, part := range parts {
				used.Add(part)
			}
		}
	}
	return nil
}

// maxTriples is how many triple terms are removed at once.
const maxTriples = 256

// unused returns some terms in the buckets, up to an id, that are not in a set and were stored before next. They fill
// about as much memory as one flush may. The next call goes on at end; there are no more if that is 0. Great ids come
// first, so no triple term comes after one of its parts. Triple terms come alone, and at most maxTriples.
func (s *Store) unused(ctx context.Context, used *dict.IDSet, next *dict.Numbers, last dict.ID) (some dict.Leaving, end dict.ID, err error) {
	err = s.View(func(snap *Snapshot) (err error) {
		b := snap.tx().Bucket(dictName)
		hasher := dict.NewHasher(b)
		read := 0
		walked := dict.EachTerm(b, last, func(id dict.ID, content []byte) bool {
			if read++; read%1000 == 0 && ctx.Err() != nil {
				err = ctx.Err()
			}
			if n := len(some.IDs); n > 0 && some.IDs[0].IsTriple() && (n == maxTriples || !id.IsTriple()) {
				end = id
				return false
			}
			if !used.Has(id) && next.Assigned(id) && err == nil {
				err = some.Add(hasher, id, content)
			}
			if err == nil && int64(some.Size()) < s.queue.most/flushUnits {
				return true
			}
			end = id - 1
			return false
		})
		return errors.Join(walked, err)
	})
	some.Sort()
	return some, end, err
}

// orphaned reports whether the file may have terms that nothing uses, unless the program can't know which are used. It
// returns true if that can't be read.
func (s *Store) orphaned() bool {
	has, err := Read(s, func(snap *Snapshot) (bool, error) {
		return !lacksUsers(snap.tx(), s.extensions) && snap.KV().Bucket(string(metaName)).Get(orphansKey) != nil, nil
	})
	return has || err != nil
}
