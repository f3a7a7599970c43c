package translog

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/tree"
)

// handover is the first line of the note that names a new key. Its second line is that
// key, so nobody can take the note for a checkpoint, which has a number there.
const handover = "segraph key rotation"

// nextSuffix is the suffix of the file with the new key, until the log's entry names that
// key.
const nextSuffix = ".next"

// Rotated is a log's change of keys.
type Rotated struct {
	Origin   string // the log's name, which stays
	From, To string // verifier keys
	Seq      uint64 // number of the entry that names the new key
}

// Rotate replaces the key of a log with next, or with a random key if next is nil. It
// appends an entry that names the new key, signed by the old one; all later checkpoints are
// signed by the new one. If the options have no Key, Rotate replaces the key in KeyFile, so
// that the old key is gone. After a kill, the next start has one of the two keys. No Log of
// the file may be in use.
func Rotate(ctx context.Context, s *engine.Store, o Options, next ed25519.PrivateKey, actor string) (r Rotated, err error) {
	before, signer, err := current(s, o)
	if err != nil {
		return r, err
	}
	if next == nil {
		if _, next, err = ed25519.GenerateKey(rand.Reader); err != nil {
			return r, fmt.Errorf("making a signing key: %w", err)
		}
	}
	_, public, err := signerOf(before.Name, next)
	if err != nil {
		return r, err
	}
	if public == before.Key {
		return r, errors.New("the new key is the one that the log has")
	}
	if o.Key == "" {
		if err := write(o.KeyFile+nextSuffix, next); err != nil {
			return r, err
		}
	}
	r = Rotated{Origin: before.Name, From: before.Key, To: public}
	err = s.Update(ctx, func(tx *engine.Tx) error {
		head, err := tree.HeadOf(tx.KV())
		if err != nil {
			return err
		}
		signed, err := note.Sign(&note.Note{Text: handover + "\n" + public + "\n" + head.Text(before.Name)}, signer)
		if err != nil {
			return fmt.Errorf("signing the new key: %w", err)
		}
		e := journal.Entry{Action: journal.Rotate, Actor: actor, Origin: before.Name, Key: public, Handover: string(signed), Number: &r.Seq}
		if err := tx.Journal(e); err != nil {
			return err
		}
		return origin{Name: before.Name, Key: public}.put(tx.KV())
	})
	if err == nil && o.Key == "" {
		err = finishRotation(o.KeyFile, origin{Name: before.Name, Key: public})
	}
	if err != nil {
		return r, fmt.Errorf("rotating the key of %s: %w", before.Name, err)
	}
	return r, nil
}

// CheckKey returns an error if the file has a log, and the key of the options is missing or is not the log's: the next use
// would begin another log.
func CheckKey(s *engine.Store, o Options) error {
	stored, err := New(s, o).stored()
	if err == nil && stored.Name != "" && !stored.Retired {
		_, _, err = current(s, o)
	}
	return err
}

// current returns the log of a file and the signer of its checkpoints.
func current(s *engine.Store, options Options) (o origin, signer note.Signer, err error) {
	l := New(s, Options{Key: options.Key, KeyFile: options.KeyFile})
	if o, err = l.stored(); err != nil {
		return o, nil, err
	}
	if o.Name == "" {
		return o, nil, errors.New("the file has no transparency log yet, so it has no key to rotate")
	}
	if o.Retired {
		return o, nil, errors.New("the file was restored, which ended its log, so it has no key to rotate: the next start begins a new log")
	}
	if options.Key == "" {
		if _, err := os.Stat(options.KeyFile); err != nil {
			return o, nil, fmt.Errorf("reading the signing key: %w", err)
		}
	}
	key, err := l.key(o)
	if err != nil {
		return o, nil, err
	}
	if signer, err = l.continued(o, key); err == nil && signer == nil {
		err = fmt.Errorf("the signing key is not that of the log %s", o.Name)
	}
	return o, signer, err
}

// finishRotation puts the new key in place if the log's entry names it.
func finishRotation(path string, o origin) error {
	key, err := read(path + nextSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, public, err := signerOf(o.Name, key); err != nil || public != o.Key {
		return err // of a rotation that was killed before it changed the log
	}
	if err := os.Rename(path+nextSuffix, path); err != nil {
		return fmt.Errorf("putting the new signing key in place: %w", err)
	}
	return file.SyncFolder(filepath.Dir(path))
}
