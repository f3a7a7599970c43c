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
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/rdf"
)

// Suffix is the end of the name of the file beside a store.
const Suffix = ".forgotten"

const header = "segraph forgotten 1"

type sum [sha256.Size]byte

// List is the list of a store. Its methods are safe for concurrent use.
type List struct {
	path  string
	only  string // with which all IRIs in the list begin, or ""
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

// Begin begins a write that then asks whom the list has. The caller calls end once that is stored, or given up.
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

// Only returns a list in memory with some IRIs.
func Only(iris []string, to string) *List {
	l := &List{only: iris[0], secret: []byte{0}, known: map[sum]string{}}
	for _, iri := range iris {
		for !strings.HasPrefix(iri, l.only) {
			l.only = l.only[:len(l.only)-1]
		}
		l.known[l.sum(iri)] = to
	}
	return l
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
		return fmt.Errorf("writing the list of what was erased: %w", err)
	}
	for _, key := range added {
		l.known[key] = to
	}
	l.text = text
	return nil
}

// Lacks returns the IRIs that the list does not have. An IRI counts as missing even if
// the list has a prefix of it, for which Of would find it.
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

// Of reports whether an IRI was erased, or begins with an erased IRI that "#", "/" or "?"
// follows. to is what replaces it, or "".
func (l *List) Of(iri string) (to string, found bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if len(l.known) == 0 {
		return "", false
	}
	for end := 0; end < len(iri); {
		next := strings.IndexAny(iri[end:], "#/?")
		if end += next; next < 0 {
			end = len(iri)
		}
		if to, found = l.known[l.sum(iri[:end])]; found {
			if to != "" {
				to += iri[end:]
			}
			return to, true
		}
		end++
	}
	return "", false
}

// Term returns what a term becomes: itself, what replaces it, or the zero Term if it is an IRI
// that was erased, or a triple term that has one.
func (l *List) Term(t rdf.Term) rdf.Term {
	switch {
	case t.IsIRI():
		to, found := l.Of(t.Value())
		if !found {
			return t
		}
		if to == "" {
			return rdf.Term{}
		}
		return rdf.NewIRI(to)
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

var (
	unescape = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\/`, `/`, `\n`, "\n", `\r`, "\r", `\t`, "\t", `\u003c`, "<", `\u003e`, ">", `\u0026`, "&") // of JSON
	declared = regexp.MustCompile(`(?i)prefix\s+([^\s:]*):\s*<([^<>]*)>`)
	prefixed = regexp.MustCompile(`([\pL\pN_.-]*):([\pL\pN_:.%-]*)`)
)

// In reports whether a text contains an IRI that was erased: as it is, in JSON, or as a prefixed name whose prefix the
// text declares.
func (l *List) In(text string) bool {
	if l.Len() == 0 {
		return false
	}
	if strings.Contains(text, `\`) {
		text = unescape.Replace(text)
	}
	if l.words(text) != nil {
		return true
	}
	spaces := map[string]string{}
	if strings.Contains(text, "<") {
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			spaces[m[1]] = m[2]
		}
	}
	if len(spaces) == 0 {
		return false
	}
	return slices.ContainsFunc(prefixed.FindAllStringSubmatch(text, -1), func(m []string) bool {
		space, is := spaces[m[1]]
		_, found := l.Of(space + strings.TrimRight(m[2], "."))
		return is && found
	})
}

// maxMarks is how many punctuation marks after an IRI are looked through.
const maxMarks = 4

// part is a part of a text, from a byte to before another.
type part struct{ from, to int }

// parts yields the parts of a text between characters that end them.
func parts(text string, ends func(rune) bool) iter.Seq[part] {
	return func(yield func(part) bool) {
		from := 0
		for at, r := range text {
			if !ends(r) {
				continue
			}
			if from < at && !yield(part{from, at}) {
				return
			}
			_, size := utf8.DecodeRuneInString(text[at:])
			from = at + size
		}
		if from < len(text) {
			yield(part{from, len(text)})
		}
	}
}

// noIRI reports whether no IRI has a character.
func noIRI(r rune) bool { return r <= ' ' || strings.ContainsRune("<>\"{}|\\^`", r) }

// around reports whether a character may be around an IRI: a bracket, a quotation mark, or a space. Some IRIs have it too.
func around(r rune) bool {
	if r < utf8.RuneSelf {
		return strings.ContainsRune("()[]", r)
	}
	return unicode.In(r, unicode.Pi, unicode.Pf, unicode.Ps, unicode.Pe, unicode.Z)
}

// before reports whether a character may be directly before an IRI: its scheme can't have it.
func before(r rune) bool {
	return !('a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("+-.", r))
}

// mark reports whether a character may be a punctuation mark after an IRI.
func mark(r rune) bool {
	return strings.ContainsRune(".,;:!?)]'*_~", r) || r >= utf8.RuneSelf && unicode.IsPunct(r)
}

// words returns where a text has IRIs that were erased, ascending. An IRI ends at characters that none may have, may end at
// those that may be around it, and before punctuation.
func (l *List) words(text string) (found []part) {
	for word := range parts(text, noIRI) {
		if at, is := l.word(text, word); is {
			found = append(found, at)
			continue
		}
		if strings.IndexFunc(text[word.from:word.to], around) < 0 {
			continue
		}
		for p := range parts(text[word.from:word.to], around) {
			if at, is := l.word(text, part{word.from + p.from, word.from + p.to}); is {
				found = append(found, at)
			}
		}
	}
	return found
}

// word returns where a word of a text has an IRI that was erased.
func (l *List) word(text string, at part) (part, bool) {
	word := text[at.from:at.to]
	colon := strings.IndexByte(word, ':')
	if colon < 0 {
		return at, false
	}
	scheme := len(strings.TrimRightFunc(word[:colon], func(r rune) bool { return !before(r) }))
	word = strings.TrimLeft(word[scheme:], "0123456789+-.")
	at.from = at.to - len(word)
	for n := 0; n <= maxMarks && strings.Contains(word, ":"); n++ {
		if _, is := l.Of(word); is {
			return part{at.from, at.from + len(word)}, true
		}
		last, size := utf8.DecodeLastRuneInString(word)
		if !mark(last) {
			break
		}
		word = word[:len(word)-size]
	}
	return at, false
}

// Blank returns a text without the IRIs that were erased. In their place is what replaces them, or else by.
func (l *List) Blank(text, by string) string {
	if !l.In(text) {
		return text
	}
	var out strings.Builder
	end := 0
	for _, at := range l.words(text) {
		to, _ := l.Of(text[at.from:at.to])
		out.WriteString(text[end:at.from] + cmp.Or(to, by))
		end = at.to
	}
	if out.WriteString(text[end:]); l.In(out.String()) {
		return by
	}
	return out.String()
}

const bucketName = "forgotten"

var (
	appliedKey = []byte("applied")
	digestKey  = []byte("list")
	oldKey     = []byte("old") // set while the file may still have bytes of somebody who was erased
)

// Extension returns the engine's hooks.
func (l *List) Extension() engine.Extension {
	return engine.Extension{
		Opened: func(s *engine.Store) error { l.store = s; return nil },
		Check:  func(c *engine.Checker) error { _, err := applied(c.KV()); return err },
	}
}

// applied returns how many IRIs of the list were erased from a store. It is 0 for one without the bucket.
func applied(tx kv.Reader) (n int, err error) {
	sealed := tx.Bucket(bucketName).Get(appliedKey)
	if sealed == nil {
		return 0, nil
	}
	v, err := kv.Unseal(appliedKey, sealed)
	if err != nil || len(v) != 8 {
		return 0, errors.Join(errors.New("the number of erasures can't be read"), err)
	}
	return int(binary.BigEndian.Uint64(v)), nil
}

// Applied returns how many IRIs of the list the store is without.
func (l *List) Applied() (n int, err error) {
	err = l.store.View(func(s *engine.Snapshot) (err error) {
		n, err = applied(s.KV())
		return err
	})
	return n, err
}

// Complete reports whether the store is without all IRIs of the list.
func (l *List) Complete() (is bool, err error) {
	err = l.store.View(func(s *engine.Snapshot) error {
		n, err := applied(s.KV())
		l.mu.RLock()
		defer l.mu.RUnlock()
		is = n == len(l.known) && (n == 0 || bytes.Equal(s.KV().Bucket(bucketName).Get(digestKey), l.digest()))
		return err
	})
	return is, err
}

func (l *List) digest() []byte {
	of := l.sum(string(l.text))
	return kv.Seal(digestKey, of[:])
}

// SetApplied records, in the unit of work that removes them, that the store is without the IRIs of the list, but still
// has their bytes: see Old. If not all, it records that the store may have any of them.
func (l *List) SetApplied(tx *engine.Tx, all bool) error {
	b, err := tx.KV().Writable(bucketName)
	if err != nil {
		return err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	n := len(l.known)
	if !all {
		n = 0
	}
	if err := cmp.Or(b.Put(appliedKey, kv.Seal(appliedKey, binary.BigEndian.AppendUint64(nil, uint64(n)))), b.Put(digestKey, l.digest())); err != nil {
		return err
	}
	return MarkOld(tx.KV())
}

// MarkOld records, in the unit of work that removes something of somebody who was erased, that the file still has its
// bytes: see Old.
func MarkOld(tx kv.Writer) error {
	b, err := tx.Writable(bucketName)
	if err != nil {
		return err
	}
	mark, err := b.NextSequence()
	if err != nil {
		return err
	}
	return b.Put(oldKey, kv.Seal(oldKey, binary.BigEndian.AppendUint64(nil, mark)))
}

// Old returns the last mark if the file may have bytes of somebody who was erased, in terms that nothing uses and in
// old pages, and nil otherwise.
func (l *List) Old() (mark []byte, err error) {
	err = l.store.View(func(s *engine.Snapshot) error {
		mark = bytes.Clone(s.KV().Bucket(bucketName).Get(oldKey))
		return nil
	})
	return mark, err
}

// DropOld records that no such bytes are left, unless MarkOld marked some after mark.
func DropOld(tx *engine.Tx, mark []byte) error {
	b, err := tx.KV().Writable(bucketName)
	if err != nil || !bytes.Equal(b.Get(oldKey), mark) {
		return err
	}
	return b.Delete(oldKey)
}
