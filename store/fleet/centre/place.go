package centre

import (
	"context"
	"fmt"
	"time"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
)

// Place is a message of a stream of packs.
type Place struct {
	Stream string    `json:"stream"` // its identity
	Seq    uint64    `json:"seq"`
	Time   time.Time `json:"time"` // when the stream got it
	// Decided has the number of the last decision of each centre. Earlier ones do not count again.
	Decided map[string]uint64 `json:"decided,omitempty"`
}

const (
	placesName = "stream"
	placeKey   = "read"
)

// Put stores the place with a unit of work. It does nothing for the zero Place.
func (p Place) Put(tx *engine.Tx) error {
	if p.Stream == "" {
		return nil
	}
	b, err := tx.KV().Writable(placesName)
	if err != nil {
		return err
	}
	return kv.PutJSON(b, []byte(placeKey), p)
}

// Place returns the place of the last message of a stream that was stored; the zero Place if there is none.
func (c *Centre) Place() (Place, error) { return placeOf(c.store) }

func placeOf(s *engine.Store) (Place, error) {
	return engine.Read(s, func(snap *engine.Snapshot) (Place, error) { return placeIn(snap.KV()) })
}

// Alone returns an error if s holds what a centre read from a stream. Then nothing else may be added to s: other centres
// that read the stream would lack it, and would decide otherwise.
func Alone(s *engine.Store) error {
	p, err := placeOf(s)
	if err == nil && p.Stream != "" {
		err = fmt.Errorf("%s is of a centre that reads its logs and observations from a stream (SEGRAPH_FORWARD_FROM), as others may; send them to a box", s.Path())
	}
	return err
}

// Reached stores that everything up to a place was read.
func (c *Centre) Reached(ctx context.Context, p Place) error {
	return c.store.Update(ctx, p.Put)
}

// placeIn reads the place up to which a stream was read, or the zero Place.
func placeIn(r kv.Reader) (Place, error) {
	p, err := kv.GetJSON[Place](r.Bucket(placesName), []byte(placeKey))
	if err != nil {
		return p, fmt.Errorf("reading the place in the stream: %w", err)
	}
	return p, nil
}
