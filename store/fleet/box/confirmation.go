package box

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
)

// bucketName is the bucket of confirmations: the verifier key of a centre -> its confirmation.
const bucketName = "forwarded"

// confirmation is the last one of a centre.
type confirmation struct {
	Size uint64    `json:"size"`
	Note string    `json:"note"`
	Time time.Time `json:"time"`
}

// confirmationOf reads what a centre has confirmed, or the zero confirmation if it has not.
func confirmationOf(r kv.Reader, key string) (confirmation, error) {
	c, err := kv.GetJSON[confirmation](r.Bucket(bucketName), []byte(key))
	if err != nil {
		return c, fmt.Errorf("reading the confirmation of a centre: %w", err)
	}
	return c, nil
}

// Confirmed returns how many entries all centres have confirmed; without a centre, the largest number.
func Confirmed(r kv.Reader) (least uint64, err error) {
	least = math.MaxUint64
	for key := range kv.All(r.Bucket(bucketName)) {
		c, err := confirmationOf(r, string(key))
		if err != nil {
			return 0, err
		}
		least = min(least, c.Size)
	}
	return least, nil
}

func (c confirmation) put(tx kv.Writer, key string) error {
	b, err := tx.Writable(bucketName)
	if err != nil {
		return err
	}
	return kv.PutJSON(b, []byte(key), c)
}

// keep stores a confirmation, and drops the erasures that waited for it.
func (s *Sender) keep(ctx context.Context, c confirmation) error {
	var dropped []uint64
	err := s.options.Store.Update(ctx, func(tx *engine.Tx) (err error) {
		if err = c.put(tx.KV(), s.options.Key.String()); err == nil {
			dropped, err = dropErasures(tx.KV())
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("storing the confirmation of a centre: %w", err)
	}
	if len(dropped) > 0 && s.options.Dropped != nil {
		s.options.Dropped()
	}
	s.set(ctx, func(now *Status) { now.Confirmed, now.At = c.Size, c.Time })
	return nil
}

// Extension returns the engine's hooks for the confirmations in a file.
func Extension() engine.Extension {
	return engine.Extension{Check: func(c *engine.Checker) error {
		for key := range kv.All(c.KV().Bucket(bucketName)) {
			if _, err := confirmationOf(c.KV(), string(key)); err != nil {
				return err
			}
		}
		for key := range kv.All(c.KV().Bucket(erasuresName)) {
			if len(key) != 8 {
				return fmt.Errorf("the erasure %x is of no entry", key)
			}
		}
		return nil
	}}
}
