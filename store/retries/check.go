package retries

import (
	"errors"
	"fmt"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
)

// check verifies the checksums and the counts of all records, and the order of the index.
func (r *Retries) check(c *engine.Checker) error {
	tx := c.KV()
	counts, total := map[[8]byte]uint64{}, uint64(0)
	for k, v := range kv.All(tx.Bucket(recordsName)) {
		x, err := decode(k, v)
		if err != nil {
			return fmt.Errorf("kept answer %d: %w", numberOf(k), err)
		}
		counts[x.user]++
		if total++; total%4096 == 0 && c.Context().Err() != nil {
			return c.Context().Err()
		}
	}
	users := tx.Bucket(usersName)
	for k := range kv.All(users) {
		if len(k) != 8 {
			return errRecord
		}
		o, err := readOwner(users, [8]byte(k))
		if err == nil && o.count != counts[[8]byte(k)] {
			err = errors.New("the number of a user's kept answers is wrong")
		}
		if err != nil {
			return err
		}
		delete(counts, [8]byte(k))
	}
	if len(counts) > 0 || users.Sequence() != total {
		return errors.New("the number of kept answers is wrong")
	}
	for k, v := range kv.All(tx.Bucket(indexName)) {
		if _, err := kv.Unseal(k, v); err != nil {
			return fmt.Errorf("the index of kept answers: %w", err)
		}
		for i := 1; i < (len(v)-4)/markSize; i++ {
			if markAt(v, i-1) > markAt(v, i) {
				return errors.New("the index of kept answers is out of order")
			}
		}
	}
	return nil
}
