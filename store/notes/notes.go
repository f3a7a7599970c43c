// Package notes keeps small texts of users in the file, such as saved queries. They are
// neither in the graph nor in the journal. Backups include them, and delete_all keeps
// them.
package notes

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

// Limits of notes.
const (
	MaxNotes = 10_000  // in a file; legal holds and the record of retention do not count
	MaxOwned = 200     // of one kind and owner
	MaxName  = 200     // bytes of a kind, an owner or a name
	MaxText  = 1 << 16 // bytes of a text
)

// Kinds of notes that are records of this service, not words of users. Naming does not find the first two, and MaxNotes
// does not count them.
const (
	Hold      = "hold"
	Retention = "retention"
	Token     = "token"
	Class     = "class"
)

// bucketName is the bucket of notes. It maps a key to a sealed text.
const bucketName = "notes"

// A Note is a text with its name.
type Note struct{ Kind, Owner, Name, Text string }

// key returns the key of a note. Its parts end with a zero byte.
func (n *Note) key() []byte { return []byte(n.Kind + "\x00" + n.Owner + "\x00" + n.Name + "\x00") }

// keysOf returns how the keys of the notes of a kind and an owner begin.
func keysOf(kind, owner string) []byte { return []byte(kind + "\x00" + owner + "\x00") }

// parse returns the note with a key, without its text.
func parse(key []byte) (Note, error) {
	parts := strings.Split(string(key), "\x00")
	if len(parts) != 4 || parts[3] != "" {
		return Note{}, fmt.Errorf("the note %q has a wrong key", key)
	}
	return Note{Kind: parts[0], Owner: parts[1], Name: parts[2]}, nil
}

// check returns a *store.UnfitError if a limit forbids the note.
func (n *Note) check() error {
	for _, part := range []struct{ what, text string }{{"kind", n.Kind}, {"owner", n.Owner}, {"name", n.Name}} {
		if len(part.text) == 0 || len(part.text) > MaxName || strings.ContainsRune(part.text, 0) {
			return &store.UnfitError{Detail: fmt.Sprintf("the %s must have from 1 to %d bytes, and no zero byte", part.what, MaxName)}
		}
	}
	if len(n.Text) > MaxText {
		return &store.UnfitError{Detail: fmt.Sprintf("the text has %d bytes; at most %d are allowed", len(n.Text), MaxText)}
	}
	return nil
}

// Notes are the notes of a file. Its methods are safe for concurrent use.
type Notes struct{ store *engine.Store }

// Extension returns the engine's hooks for opening and checking the notes.
func (s *Notes) Extension() engine.Extension {
	return engine.Extension{
		Opened: func(file *engine.Store) error { s.store = file; return nil },
		Check: func(c *engine.Checker) error {
			return each(c.KV(), nil, func(Note) bool { return true })
		},
	}
}

// Put stores a note, or replaces the one of that kind, owner and name, and appends entries to the journal, in one unit
// of work. The error is a *store.UnfitError if a limit is reached.
func (s *Notes) Put(ctx context.Context, n Note, entries ...journal.Entry) error {
	return written(s.store.Update(ctx, func(tx *engine.Tx) error {
		if err := PutIn(tx, n); err != nil {
			return err
		}
		for _, e := range entries {
			if err := tx.Journal(e); err != nil {
				return err
			}
		}
		return nil
	}))
}

// PutIn is like Put without entries, in a unit of work.
func PutIn(tx *engine.Tx, n Note) error {
	if err := n.check(); err != nil {
		return err
	}
	key := n.key()
	b, err := tx.KV().Writable(bucketName)
	if err != nil {
		return err
	}
	if b.Get(key) == nil {
		if err := fits(tx.KV(), n); err != nil {
			return err
		}
	}
	return b.Put(key, kv.Seal(key, []byte(n.Text)))
}

// apart reports whether notes of a kind are records that have room of their own.
func apart(kind string) bool { return kind == Hold || kind == Retention }

// fits returns a *store.UnfitError if there is no room for a new note.
func fits(tx kv.Reader, n Note) error {
	all, owned, own := 0, 0, keysOf(n.Kind, n.Owner)
	for key := range kv.From(tx.Bucket(bucketName), nil) {
		if kind, _, _ := bytes.Cut(key, []byte{0}); !apart(string(kind)) {
			all++
		}
		if bytes.HasPrefix(key, own) {
			owned++
		}
	}
	if owned >= MaxOwned {
		remove := "remove"
		if n.Kind == Token {
			remove = "revoke"
		}
		return &store.UnfitError{Detail: fmt.Sprintf("there are already %d, the most that %s may have; %s one first", MaxOwned, n.Owner, remove)}
	}
	if all >= MaxNotes && !apart(n.Kind) {
		return &store.UnfitError{Detail: fmt.Sprintf("the file already has %d notes; remove one first", MaxNotes)}
	}
	return nil
}

// Remove removes a note, and reports whether it existed.
func (s *Notes) Remove(ctx context.Context, kind, owner, name string) (was bool, err error) {
	err = written(s.store.Update(ctx, func(tx *engine.Tx) error {
		was, err = RemoveIn(tx, Note{Kind: kind, Owner: owner, Name: name})
		return err
	}))
	return was, err
}

// RemoveIn is like Remove, in a unit of work. It ignores the text.
func RemoveIn(tx *engine.Tx, n Note) (was bool, err error) {
	b, err := tx.KV().Writable(bucketName)
	if err != nil {
		return false, err
	}
	key := n.key()
	was = b.Get(key) != nil
	return was, b.Delete(key)
}

// Naming returns the notes of users for which names returns true.
func Naming(r kv.Reader, names func(n *Note) bool) (found []Note, err error) {
	err = each(r, nil, func(n Note) bool {
		if !apart(n.Kind) && names(&n) {
			found = append(found, n)
		}
		return true
	})
	return found, err
}

// Forget calls less, in a unit of work, for each of some notes as it is now, and stores what that changed, or removes the note
// if less returns false. It returns how many were changed or removed.
func Forget(tx *engine.Tx, some []Note, less func(n *Note) (keep bool)) (changed int, err error) {
	for _, n := range some {
		now, ok, err := read(tx.KV(), n)
		if err != nil {
			return changed, written(err)
		}
		if !ok {
			continue
		}
		before := now.Text
		switch keep := less(&now); {
		case !keep:
			_, err = RemoveIn(tx, now)
		case now.Text != before:
			err = PutIn(tx, now)
		default:
			continue
		}
		if changed++; err != nil {
			return changed, written(err)
		}
	}
	return changed, nil
}

func written(err error) error {
	if err != nil {
		return fmt.Errorf("writing a note: %w", err)
	}
	return nil
}

// Get returns a note, and reports whether there is one.
func (s *Notes) Get(kind, owner, name string) (found Note, ok bool, err error) {
	err = s.store.View(func(snap *engine.Snapshot) error {
		found, ok, err = read(snap.KV(), Note{Kind: kind, Owner: owner, Name: name})
		return err
	})
	return found, ok, err
}

// read returns a note with its text, and reports whether there is one.
func read(r kv.Reader, n Note) (found Note, ok bool, err error) {
	text, err := kv.GetSealed(r.Bucket(bucketName), n.key())
	n.Text = string(text)
	return n, text != nil, err
}

// List returns the notes of a kind and an owner, by name. With an empty owner it returns
// those of all owners.
func (s *Notes) List(kind, owner string) (all []Note, err error) {
	prefix := []byte(kind + "\x00")
	if owner != "" {
		prefix = keysOf(kind, owner)
	}
	err = s.store.View(func(snap *engine.Snapshot) error {
		return each(snap.KV(), prefix, func(n Note) bool {
			all = append(all, n)
			return true
		})
	})
	return all, err
}

// In returns the notes of a kind and an owner in a state of the file, by name.
func In(tx kv.Reader, kind, owner string) (all []Note, err error) {
	err = each(tx, keysOf(kind, owner), func(n Note) bool {
		all = append(all, n)
		return true
	})
	return all, err
}

// each calls yield with each note whose key begins with prefix, until it returns false.
func each(tx kv.Reader, prefix []byte, yield func(Note) bool) error {
	for key, sealed := range kv.From(tx.Bucket(bucketName), prefix) {
		if !bytes.HasPrefix(key, prefix) {
			break
		}
		text, err := kv.Unseal(key, sealed)
		if err != nil {
			return fmt.Errorf("the notes: %w", err)
		}
		n, err := parse(key)
		if err != nil {
			return err
		}
		n.Text = string(text)
		if !yield(n) {
			break
		}
	}
	return nil
}
