// Package forgotten keeps the IRIs that were erased, so that no robot and no restored backup
// brings them back. The list is in a file beside the store, path plus Suffix, that only its
// owner can read. It has no IRI, only HMAC-SHA-256 of each with a secret that is in this file
// and nowhere else: neither in the store nor in a backup. So whoever has the store can't test
// whether somebody was erased.
//
//	segraph forgotten 1
//	<secret>
//	<HMAC of an IRI> [<IRI that replaces it>]
//
// Secret and HMACs are in base64. The store keeps only how many lines were applied to it, in
// the bucket "forgotten", so that it knows that it has had an erasure, and an HMAC of the file, so that it knows whether
// they were these lines: a backup of another store has none, or another.
package forgotten

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/rdf"
)

// Suffix is the end of the name of the file beside a store.
const Suffix = ".forgotten"

const header = "segraph forgotten 1"

type sum [sha256.Size]byte

// List is the list of a store. Its methods are safe for concurrent use.
type List struct {
	path  string
	only  string   // with which all IRIs in the list begin, or ""
	names []string // those of Only that are no IRIs
	store *engine.Store

	mu     sync.RWMutex
	secret []byte
	known  map[sum]string // what replaces an IRI; "" if it is refused
	text   []byte         // of the file
	writes *writes        // those that begin now
}

// writes counts the writes under way that began together; some may have read the list before it grew.
type writes struct {
	under int           // how many are under way
	ended chan struct{} // closed once none is; nil while others may join
}

// Begin begins a write that then asks whom the list has. The caller calls end once that is submitted to the store, or given up.
func (l *List) Begin() (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.writes
	w.under++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if w.under--; w.under == 0 && w.ended != nil {
			close(w.ended)
		}
	}
}

// Settle waits until the writes that have begun before have ended. Only one caller may wait at a time.
func (l *List) Settle(ctx context.Context) error {
	l.mu.Lock()
	w := l.writes
	if w.under == 0 {
		l.mu.Unlock()
		return nil
	}
	ended := make(chan struct{})
	w.ended, l.writes = ended, &writes{}
	l.mu.Unlock()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for writes: %w", ctx.Err())
	}
}

// Open reads the list beside the store at a path. A missing file is an empty list.
func Open(store string) (*List, error) {
	l := &List{path: store + Suffix, known: map[sum]string{}, writes: &writes{}}
	text, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err == nil {
		err = l.parse(text)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the list of what was erased, %s: %w; restore it from a copy", l.path, err)
	}
	return l, nil
}

// Only returns a list, in memory, of some names. The first must be an IRI. Of finds every name, and In finds only IRIs.
func Only(names []string, to string) *List {
	l := &List{only: names[0], secret: []byte{0}, known: map[sum]string{}}
	for _, name := range names {
		l.known[l.sum(name)] = to
		if !rdf.IsIRI(name) {
			l.names = append(l.names, name)
			continue
		}
		for !strings.HasPrefix(name, l.only) {
			l.only = l.only[:len(l.only)-1]
		}
	}
	return l
}

// With returns a list like that of Only. What replaces a name is to, or what l says if l has the name.
func (l *List) With(names []string, to string) *List {
	out := Only(names, to)
	for _, name := range names {
		if earlier, found := l.Of(name); found {
			out.known[out.sum(name)] = earlier
		}
	}
	return out
}

// Base returns an IRI up to the first # / or ?: of what replaces an IRI that continues a person's, what replaces that person.
func Base(iri string) string {
	if end := strings.IndexAny(iri, continues); end >= 0 {
		return iri[:end]
	}
	return iri
}

// Begins returns a text with which every IRI that the list changes begins: "" unless the list is of Only.
func (l *List) Begins() string { return l.only }

// parse reads the text of the list's file. Its errors say what is wrong with the file.
func (l *List) parse(text []byte) (err error) {
	lines := strings.Split(string(text), "\n")
	if len(lines) < 3 || lines[0] != header || lines[len(lines)-1] != "" {
		return errors.New("it is not one, or it was cut off")
	}
	if l.secret, err = base64.StdEncoding.DecodeString(lines[1]); err != nil || len(l.secret) != sha256.Size {
		return errors.New("its secret can't be read")
	}
	for i, line := range lines[2 : len(lines)-1] {
		of, to, _ := strings.Cut(line, " ")
		key, err := base64.StdEncoding.DecodeString(of)
		if err != nil || len(key) != sha256.Size {
			return fmt.Errorf("its line %d can't be read", i+3)
		}
		l.known[sum(key)] = to
	}
	l.text = text
	return nil
}

// Path returns the path of the file.
func (l *List) Path() string { return l.path }

// Sync makes the list survive a power cut, even if the process that wrote it was killed before it synced the folder.
func (l *List) Sync() error { return file.SyncFolder(filepath.Dir(l.path)) }

// Len returns the number of IRIs in the list.
func (l *List) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.known)
}

// Add adds IRIs that are not in the list, and what replaces them, "" if nothing does. When it returns, the file with all
// of them is on the disk.
func (l *List) Add(iris []string, to string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.secret) == 0 {
		l.secret = make([]byte, sha256.Size)
		_, _ = rand.Read(l.secret) // never fails
	}
	text := l.text
	if len(text) == 0 { // also after a first write that failed
		text = fmt.Appendf(nil, "%s\n%s\n", header, base64.StdEncoding.EncodeToString(l.secret))
	}
	text = bytes.Clone(text)
	var added []sum
	for _, iri := range iris {
		key := l.sum(iri)
		if _, ok := l.known[key]; ok {
			continue
		}
		added = append(added, key)
		text = append(text, base64.StdEncoding.EncodeToString(key[:])...)
		if to != "" {
			text = append(text, " "+to...)
		}
		text = append(text, '\n')
	}
	if added == nil {
		return nil
	}
	if err := file.WriteSecret(l.path, text); err != nil {
		return fmt.Errorf("writing the list of what was erased: %w", errors.Join(err, l.undo()))
	}
	for _, key := range added {
		l.known[key] = to
	}
	l.text = text
	return nil
}

// undo writes the old text if the file has another, which would have the next start erase what was refused.
func (l *List) undo() error {
	now, err := os.ReadFile(l.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(now, l.text):
		return nil
	case err == nil && len(l.text) == 0:
		return os.Remove(l.path)
	case err == nil:
		err = file.WriteSecret(l.path, l.text)
	}
	return err
}

// Lacks returns those of iris that the list does not have, even if it has a prefix of one,
// by which Of would find it.
func (l *List) Lacks(iris []string) (out []string) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, iri := range iris {
		if _, ok := l.known[l.sum(iri)]; !ok {
			out = append(out, iri)
		}
	}
	return out
}

// Remove takes back what Add added, if nothing was erased. When it returns, the file is on the disk without these IRIs.
func (l *List) Remove(iris []string) error {
	if len(iris) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	text := bytes.Clone(l.text)
	for _, iri := range iris {
		key := l.sum(iri)
		from := bytes.Index(text, []byte("\n"+base64.StdEncoding.EncodeToString(key[:]))) + 1
		if from > 0 {
			text = slices.Delete(text, from, from+bytes.IndexByte(text[from:], '\n')+1)
		}
	}
	if err := file.WriteSecret(l.path, text); err != nil {
		return fmt.Errorf("writing the list of what was erased: %w", err)
	}
	for _, iri := range iris {
		delete(l.known, l.sum(iri))
	}
	l.text = text
	return nil
}

func (l *List) sum(iri string) (out sum) {
	h := hmac.New(sha256.New, l.secret)
	_, _ = h.Write([]byte(iri))
	h.Sum(out[:0])
	return out
}

const (
	maxPseudonyms = 100  // how often Of looks up what replaces an IRI
	maxPlaces     = 1000 // in how many places of an IRI an erased one may end
)

// Of reports whether a name, without white space around it, was erased, or begins with an erased IRI that "#", "/" or "?"
// follows. to is what replaces it, or "". A pseudonym may be erased too.
func (l *List) Of(iri string) (to string, found bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	to = strings.TrimSpace(iri)
	for range maxPseudonyms {
		next, is := l.of(to)
		if !is {
			break
		}
		to, found = next, true
		if to == "" {
			break
		}
	}
	if !found {
		return "", false
	}
	return to, true
}

// Has reports whether Of finds a name.
func (l *List) Has(iri string) bool {
	_, found := l.Of(iri)
	return found
}

// of looks an IRI up once. found is false if the list has neither it nor an IRI that it continues. The caller holds mu.
func (l *List) of(iri string) (to string, found bool) {
	if len(l.known) == 0 || !strings.HasPrefix(iri, l.only) && !slices.Contains(l.names, iri) {
		return "", false
	}
	h := hmac.New(sha256.New, l.secret)
	for begin, end, n := 0, 0, 0; end <= len(iri); begin, end, n = end, end+1, n+1 { // before each of these characters, and at the end
		if next := strings.IndexAny(iri[end:], continues); next >= 0 && n < maxPlaces {
			end += next
		} else {
			end = len(iri)
		}
		_, _ = h.Write([]byte(iri[begin:end]))
		var key sum
		h.Sum(key[:0])
		to, found = l.known[key]
		if found && (end == len(iri) || rdf.IsIRI(iri[:end])) { // a name that is no IRI counts only as a whole
			if to != "" {
				to += iri[end:]
			}
			return to, true
		}
	}
	return "", false
}

// User returns the name of a user, or what replaces it on a list if that names somebody who was erased: by if nothing does.
func User(list interface {
	Of(iri string) (to string, found bool)
	In(text string) bool
}, name, by string) string {
	if to, found := list.Of(name); found && rdf.IsIRI(name) {
		return cmp.Or(to, by)
	}
	if list.In(name) {
		return by
	}
	return name
}

// Term returns what a term becomes: itself, what replaces it, or the zero Term. An IRI and an xsd:anyURI that were
// erased are replaced if possible. A literal with such a datatype, and a triple term with such a term, never are.
func (l *List) Term(t rdf.Term) rdf.Term {
	switch {
	case t.IsIRI() || t.IsLiteral() && t.Datatype() == rdf.XSDAnyURI:
		to, found := l.Of(t.Value())
		if !found {
			return t
		}
		if to == "" {
			return rdf.Term{}
		}
		if t.IsLiteral() {
			return rdf.NewLiteral(to, rdf.XSDAnyURI)
		}
		return rdf.NewIRI(to)
	case t.IsLiteral() && t.Tag() == "" && !strings.HasPrefix(t.Datatype(), rdf.XSD):
		if l.Has(t.Datatype()) {
			return rdf.Term{}
		}
	case t.IsTriple():
		of := t.Triple()
		for _, part := range []rdf.Term{of.S, of.P, of.O} {
			if l.Term(part) != part {
				return rdf.Term{}
			}
		}
	}
	return t
}
