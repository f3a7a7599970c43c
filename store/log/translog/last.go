package translog

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/tree"
)

// The file holds the last checkpoint that the log signed. The entry that begins the next
// origin contains it: see start. It is stored when the log is closed and, while the log
// grows, at most once in keepEvery.
var lastKey = []byte("last") // beside originKey

const keepEvery = time.Minute

// lastOf returns the last checkpoint of an origin that a file holds, with the cosignatures
// of witnesses; its size is 0 if there is none.
func lastOf(r kv.Reader, o origin) (Cosigned, error) {
	last, err := kv.GetJSON[Cosigned](r.Bucket(bucketName), lastKey)
	if err != nil {
		return last, fmt.Errorf("reading the last checkpoint: %w", err)
	}
	if !strings.HasPrefix(string(last.Signed), o.Name+"\n") {
		last = Cosigned{} // it is of the previous origin
	}
	o.Retired = false // or cosigned returns none
	list, err := cosigned(r, o)
	for _, c := range list {
		if c.Size >= last.Size {
			last = c
		}
	}
	return last, err
}

// former returns the last checkpoint of an origin, for the entry that begins the next
// one. If none was stored, as after a kill in its first moment, former returns an unsigned
// one.
func former(r kv.Reader, o origin) (string, error) {
	last, err := lastOf(r, o)
	if err != nil || last.Size > 0 {
		return string(last.note()), err
	}
	head, err := tree.HeadOf(r)
	return head.Text(o.Name), err
}

// LastOf returns the last checkpoint that a file holds of its log; its size is 0 if there
// is none.
func LastOf(s *engine.Store) (Cosigned, error) {
	return engine.Read(s, func(snap *engine.Snapshot) (v Cosigned, err error) {
		o, err := originOf(snap.KV())
		if err == nil {
			v, err = lastOf(snap.KV(), o)
		}
		return v, err
	})
}

// keepLast stores the last signed checkpoint, unless one was stored within the time since.
// The caller holds l.mu.
func (l *Log) keepLast(ctx context.Context, since time.Duration) error {
	if l.signed == nil || l.head.Size == l.kept || time.Since(l.keptAt) < since {
		return nil
	}
	c := Cosigned{Key: l.origin.Key, Size: l.head.Size, Root: l.head.Root[:], Signed: l.signed}
	err := l.store.Update(context.WithoutCancel(ctx), func(tx *engine.Tx) error { return put(tx.KV(), lastKey, c) })
	if err != nil {
		return fmt.Errorf("storing a checkpoint: %w", err)
	}
	l.kept, l.keptAt = c.Size, time.Now()
	return nil
}

// Close stores the last signed checkpoint. It does not close the store.
func (l *Log) Close(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.keepLast(ctx, 0)
}

// put stores a value as JSON.
func put(w kv.Writer, key []byte, value any) error {
	b, err := w.Writable(bucketName)
	if err != nil {
		return err
	}
	return kv.PutJSON(b, key, value)
}
