// Package translog publishes the journal as a transparency log: signed checkpoints, tiles
// and receipts, in the formats of C2SP (tlog-checkpoint, tlog-tiles, tlog-proof).
//
// It signs only data on the disk. The key is never in the file or in a backup. A log has
// a name, its origin. A restore, another key or another configured name begins a new
// origin, with an entry that names the old one, so that no name ever has two histories.
// If the old key signs an entry that names the new one, the origin continues: see Rotate.
package translog

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/tree"
)

// bucketName is the bucket of the current origin, under originKey.
const bucketName = "translog"

var originKey = []byte("origin")

// origin is the name of a log and its verifier key.
type origin struct {
	Name    string `json:"name"`
	Key     string `json:"key"`
	Retired bool   `json:"retired,omitempty"` // the file was restored since
}

// originOf returns the stored origin of the log, or the zero one of a new file.
func originOf(r kv.Reader) (origin, error) {
	o, err := kv.GetJSON[origin](r.Bucket(bucketName), originKey)
	if err != nil {
		return o, fmt.Errorf("reading the log's origin: %w", err)
	}
	return o, nil
}

func (o origin) put(w kv.Writer) error {
	if err := put(w, originKey, o); err != nil {
		return fmt.Errorf("writing the log's origin: %w", err)
	}
	return nil
}

// Extension returns what makes the engine verify the log's origin and its checkpoints.
func Extension() engine.Extension {
	return engine.Extension{Check: func(c *engine.Checker) error {
		o, err := originOf(c.KV())
		if err == nil {
			_, err = lastOf(c.KV(), o)
		}
		return err
	}}
}

// Retire ends the origin of a file that was restored, so that the next start begins a new one. If the file has no origin,
// the log may have got one after the backup was made, which ends too.
func Retire(ctx context.Context, s *engine.Store) error {
	return s.Update(ctx, func(tx *engine.Tx) error {
		o, err := originOf(tx.KV())
		if err != nil {
			return err
		}
		o.Retired = true
		return o.put(tx.KV())
	})
}

// KeyOf returns the verifier key of the file's log, in the form of signed notes, or "" if
// the log has none yet.
func KeyOf(s *engine.Store) (key string, err error) {
	o, err := New(s, Options{}).stored()
	return o.Key, err
}

// Options configure a Log.
type Options struct {
	Key     string // the private key in PEM; "" means that it is in KeyFile
	KeyFile string // made if it does not exist
	Origin  string // the log's name; "" means a random one
}

// Log is the transparency log of a file. Its first use begins its origin.
type Log struct {
	store   *engine.Store
	options Options
	tree    tree.Cache

	mu     sync.Mutex // guards the following
	signer note.Signer
	origin origin
	signed []byte // the last checkpoint
	head   tree.Head
	at     time.Time
	kept   uint64 // size of the checkpoint that keepLast stored
	keptAt time.Time

	cosigned   []Cosigned  // by size
	cosignedAt time.Time   // when the last of them was added; zero after a start
	sending    *Checkpoint // what the witnesses are asked to sign now
	shown      uint64      // size of the largest checkpoint that readers got

	safe atomic.Uint64 // size of the last tree that was signed, which is on the disk
}

// New returns the log of an open file.
func New(s *engine.Store, o Options) *Log { return &Log{store: s, options: o} }

// Errors of a Log.
var (
	ErrNotFound = errors.New("the log has no such tile")
	ErrBehind   = errors.New("the journal's tree is being built and does not have this entry yet; try again later")
)

// begin finds the log's origin, or begins a new one. The caller holds l.mu.
func (l *Log) begin(ctx context.Context) error {
	if l.signer != nil {
		return nil
	}
	o, err := l.stored()
	if err != nil {
		return err
	}
	key, err := l.key(o)
	if err != nil {
		return err
	}
	signer, err := l.continued(o, key)
	if err != nil {
		return err
	}
	if signer == nil {
		var public string
		name := l.options.Origin
		if name == "" {
			name = "segraph/" + random()
		} else if o.Retired || o.Name == name || strings.HasPrefix(o.Name, name+"/") { // the name has, or may have, a history
			name += "/" + random()
		}
		if signer, public, err = signerOf(name, key); err != nil {
			return err
		}
		if o, err = l.start(ctx, origin{Name: name, Key: public}); err != nil {
			return err
		}
	}
	err = l.store.View(func(snap *engine.Snapshot) (err error) {
		if l.cosigned, err = cosigned(snap.KV(), o); err == nil {
			var last Cosigned
			last, err = lastOf(snap.KV(), o)
			l.kept = last.Size
		}
		return err
	})
	if err != nil {
		return err
	}
	l.signer, l.origin = signer, o
	return nil
}

// random returns eight random bytes in hexadecimal.
func random() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// stored returns the origin in the file.
func (l *Log) stored() (origin, error) {
	return engine.Read(l.store, func(snap *engine.Snapshot) (origin, error) { return originOf(snap.KV()) })
}

// key returns the private key of an origin: the key of the options, or else the key in the key file.
func (l *Log) key(o origin) (ed25519.PrivateKey, error) {
	if l.options.Key != "" {
		return ParseKey([]byte(l.options.Key))
	}
	if err := finishRotation(l.options.KeyFile, o); err != nil {
		return nil, err
	}
	return keyIn(l.options.KeyFile)
}

// continued returns the signer of the stored origin, or nil if a new one must begin.
func (l *Log) continued(o origin, key ed25519.PrivateKey) (note.Signer, error) {
	wanted := l.options.Origin
	renamed := wanted != "" && o.Name != wanted && !strings.HasPrefix(o.Name, wanted+"/")
	if o.Name == "" || o.Retired || renamed {
		return nil, nil
	}
	signer, public, err := signerOf(o.Name, key)
	if err != nil || public != o.Key {
		return nil, err
	}
	return signer, nil
}

// start begins an origin with an entry that names the previous one.
func (l *Log) start(ctx context.Context, o origin) (origin, error) {
	err := l.store.Update(ctx, func(tx *engine.Tx) error {
		before, err := originOf(tx.KV())
		if err != nil {
			return err
		}
		e := journal.Entry{Action: journal.Origin, Actor: "segraph", Origin: o.Name, Key: o.Key}
		if before.Name != "" {
			if e.Former, err = former(tx.KV(), before); err != nil {
				return err
			}
		}
		if err := tx.Journal(e); err != nil {
			return err
		}
		return o.put(tx.KV())
	})
	if err != nil {
		return o, fmt.Errorf("beginning a new origin of the log: %w", err)
	}
	return o, nil
}

// fresh is how long a checkpoint is served again while the log grows.
const fresh = time.Second

// Checkpoint returns a signed checkpoint that is at most a second old. If witnesses have
// cosigned one in the last ten seconds, it returns that one, with the cosignatures.
func (l *Log) Checkpoint(ctx context.Context) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	signed, head, err := l.sign(ctx, 0)
	if err != nil {
		return nil, err
	}
	return l.show(Checkpoint{head, signed}), nil
}

// checkpoint returns a signed checkpoint of a tree with at least minSize entries,
// preferably one that witnesses have cosigned. Without one, writes that were stored
// together share a checkpoint.
func (l *Log) checkpoint(ctx context.Context, minSize uint64) (signed []byte, head tree.Head, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.begin(ctx); err != nil {
		return nil, tree.Head{}, err
	}
	if c, ok := l.witnessed(minSize); ok {
		return c.note(), tree.Head{Size: c.Size, Root: [32]byte(c.Root)}, nil
	}
	return l.sign(ctx, minSize)
}

// sign returns a signed checkpoint that is at most a second old, or, if minSize is not 0, one
// of a tree with at least minSize entries. The caller holds l.mu.
func (l *Log) sign(ctx context.Context, minSize uint64) (signed []byte, head tree.Head, err error) {
	if err := l.begin(ctx); err != nil {
		return nil, tree.Head{}, err
	}
	enough := time.Since(l.at) < fresh
	if minSize > 0 {
		enough = l.head.Size >= minSize
	}
	if l.signed != nil && enough {
		return l.signed, l.head, nil
	}
	head, err = l.latest()
	if err != nil {
		return nil, head, err
	}
	if head.Size < minSize {
		return nil, head, ErrBehind
	}
	if l.signed == nil || head != l.head {
		if err := l.store.AwaitStored(ctx); err != nil {
			return nil, head, err
		}
		l.safe.Store(head.Size)
		signed, err := note.Sign(&note.Note{Text: head.Text(l.origin.Name)}, l.signer)
		if err != nil {
			return nil, head, fmt.Errorf("signing a checkpoint: %w", err)
		}
		l.signed, l.head = signed, head
		_ = l.keepLast(ctx, keepEvery) // the next checkpoint retries; readers get this one even if the disk is full
	}
	l.at = time.Now()
	return l.signed, l.head, nil
}

// latest returns the head of the tree that readers see.
func (l *Log) latest() (head tree.Head, err error) {
	err = l.read(func(_ kv.Reader, t *tree.Reader) error { head = t.Latest(); return nil })
	return head, err
}

// Tile returns the first width hashes of a tile, or ErrNotFound.
func (l *Log) Tile(ctx context.Context, level int, number uint64, width int) (hashes []byte, err error) {
	if level < 0 || level > tree.MaxLevel { // or the shift may panic
		return nil, ErrNotFound
	}
	end := (number*tree.TileWidth + uint64(width)) << (8 * level)
	err = l.readStored(ctx, end, func(_ kv.Reader, t *tree.Reader) (err error) {
		ok := false
		if hashes, ok, err = t.Tile(level, number, width); err == nil && !ok {
			err = ErrNotFound
		}
		return err
	})
	return hashes, err
}

// Entries returns the first width entries of a tile of level 0, each with its length in two
// bytes, or ErrNotFound.
func (l *Log) Entries(ctx context.Context, number uint64, width int) (bundle []byte, err error) {
	err = l.readStored(ctx, number*tree.TileWidth+uint64(width), func(r kv.Reader, t *tree.Reader) error {
		if !t.Has(0, number, width) {
			return ErrNotFound
		}
		return journal.Stored(r, number*tree.TileWidth+1, uint64(width), func(stored []byte) error {
			if len(stored) > 1<<16-1 {
				return fmt.Errorf("an entry of an old program has %d bytes, and an entry bundle holds at most 65,535", len(stored))
			}
			bundle = append(binary.BigEndian.AppendUint16(bundle, uint16(len(stored))), stored...)
			return nil
		})
	})
	return bundle, err
}

// read calls do with the file and the tree, as readers see them.
func (l *Log) read(do func(r kv.Reader, t *tree.Reader) error) error {
	return l.store.View(func(snap *engine.Snapshot) error {
		t, err := l.tree.Reader(snap.KV())
		if err != nil {
			return err
		}
		return do(snap.KV(), t)
	})
}

// readStored does as read of entries before end, and waits until they are on the disk: caches keep a tile, which a power
// cut must not change. What a checkpoint has is there, and is read also after writing has stopped.
func (l *Log) readStored(ctx context.Context, end uint64, do func(r kv.Reader, t *tree.Reader) error) error {
	if err := l.read(do); err != nil || end <= l.safe.Load() {
		return err
	}
	return l.store.AwaitStored(ctx)
}
