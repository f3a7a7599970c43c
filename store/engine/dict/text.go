package dict

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"hash"
	"strings"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/checksum"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
)

// maxText limits a term's text in the index by text, in bytes. A longer text is cut and
// ends with its hash. A look-up of such a text also compares the term itself.
//
// The hash is an HMAC with a secret of the dictionary. So without the secret nobody can
// test whether a file, or a part of one, held a text that they guess.
const (
	maxText  = 512
	textHead = maxText - sha256.Size
)

// A Hasher computes the hashes of long texts of one dictionary. It may be used by one
// goroutine only, as long as the transaction of its bucket is open.
type Hasher struct {
	bucket *bolt.Bucket
	mac    hash.Hash // nil before the first long text
	text   []byte    // buffer of NewEntry
}

// NewHasher returns a Hasher for the dictionary in bucket b. If b is nil, nothing can be
// found by the hashes.
func NewHasher(b *bolt.Bucket) *Hasher { return &Hasher{bucket: b} }

func makeSecret(b *bolt.Bucket) error {
	secret := make([]byte, sha256.Size)
	rand.Read(secret)
	return b.Put(secretName, checksum.Append(secretName, secret))
}

// CheckSecret verifies the secret of the dictionary in bucket b, which may be nil.
func CheckSecret(b *bolt.Bucket) error {
	_, err := secretOf(b)
	return err
}

// secretOf returns the secret of the dictionary in bucket b, nil if b is nil.
func secretOf(b *bolt.Bucket) ([]byte, error) {
	if b == nil {
		return nil, nil
	}
	secret, ok := checksum.Cut(secretName, b.Get(secretName))
	if !ok || len(secret) != sha256.Size {
		return nil, &DamagedError{Detail: "its secret is damaged"}
	}
	return secret, nil
}

// sum appends the hash of a text to dst. It panics with a *DamagedError if the secret is
// damaged.
func (h *Hasher) sum(dst, text []byte) []byte {
	if h.mac == nil {
		secret, err := secretOf(h.bucket)
		if err != nil {
			panic(err)
		}
		h.mac = hmac.New(sha256.New, secret)
	}
	h.mac.Reset()
	_, _ = h.mac.Write(text)
	return h.mac.Sum(dst)
}

// AppendText appends to dst the text by which the dictionary finds a term: its kind and
// value, and for literals the datatype or language tag. t must not be a triple term.
// Texts sort like the terms' values, byte by byte. Terms whose language tags differ only
// in case are one term and have one text. For a long text it panics with a *DamagedError if
// the secret is damaged.
func (h *Hasher) AppendText(dst []byte, t rdf.Term) []byte {
	at := len(dst)
	dst = append(dst, byte(t.Kind()))
	if !t.IsLiteral() {
		return h.cut(append(dst, t.Value()...), at)
	}
	// A zero byte in the value must not look like its end.
	if v := t.Value(); strings.IndexByte(v, 0) < 0 {
		dst = append(dst, v...)
	} else {
		dst = append(dst, strings.ReplaceAll(v, "\x00", "\x00\xff")...)
	}
	dst = append(dst, 0, 1)
	if lang := t.Fold().Tag(); lang != "" {
		dst = append(dst, '@')
		dst = append(dst, lang...)
	} else if dt := t.Datatype(); dt != rdf.XSDString {
		dst = append(dst, dt...)
	}
	return h.cut(dst, at)
}

// cut replaces the end of a long text, which begins at dst[at], by its hash.
func (h *Hasher) cut(dst []byte, at int) []byte {
	if len(dst)-at <= maxText {
		return dst
	}
	var sum [sha256.Size]byte
	return append(dst[:at+textHead], h.sum(sum[:0], dst[at:])...)
}

// exactText reports whether all terms with this text are the same term. A text of maxText bytes may have been cut.
func exactText(text []byte) bool { return len(text) < maxText }

// AppendContent appends to dst what the dictionary stores under the id of a term.
// NewEntry reads it.
func (e Entry) AppendContent(dst []byte) []byte {
	t := e.Term
	if e.ID.IsTriple() {
		return append(dst, e.Text[1:]...) // the parts, in the order SPO, without tripleKind
	}
	if t.IsLiteral() {
		dst = varint.AppendString(dst, contentTag(t))
	}
	return append(dst, t.Value()...)
}

// contentTag returns the part of a literal's content before its lexical form: the
// datatype, empty for xsd:string, or @ and the language.
func contentTag(t rdf.Term) string {
	if lang := t.Tag(); lang != "" {
		return "@" + lang
	}
	if dt := t.Datatype(); dt != rdf.XSDString {
		return dt
	}
	return ""
}

// NewEntry returns the entry of an id, whose content is what AppendContent wrote. It keeps no reference to content. The error is
// a *DamagedError. NewEntry panics with one if a text is long and the secret is damaged, as AppendText does.
func (h *Hasher) NewEntry(id ID, content []byte) (e Entry, err error) {
	e.ID = id
	if id.IsTriple() {
		e.Text = append([]byte{tripleKind}, content...)
		_, err = partsOf(id, content) // only checks them: the entry of a triple term has no Term
		return e, err
	}
	if e.Term, err = parseContent(id, content); err == nil {
		h.text = h.AppendText(h.text[:0], e.Term)
		e.Text = bytes.Clone(h.text)
	}
	return e, err
}

// parseContent returns the term of an id, not a triple term's, from its content.
func parseContent(id ID, content []byte) (rdf.Term, error) {
	switch id.Tag() {
	case ids.TagBlank:
		return rdf.NewBlank(string(content)), nil
	case ids.TagIRI:
		return rdf.NewIRI(string(content)), nil
	}
	tag, value, err := cutTag(content)
	if err != nil {
		return rdf.Term{}, err
	}
	return literal(string(tag), string(value)), nil
}

// cutTag splits the content of a literal into its tag and its lexical form.
func cutTag(content []byte) (tag, value []byte, err error) {
	n, content, ok := varint.Cut(content)
	if !ok || n > uint64(len(content)) {
		return nil, nil, &DamagedError{Detail: "a literal without its datatype"}
	}
	return content[:n], content[n:], nil
}

// literal returns the literal with a tag (see contentTag) and a value.
func literal(tag, value string) rdf.Term {
	if lang, ok := strings.CutPrefix(tag, "@"); ok {
		return rdf.NewLang(value, lang)
	}
	return rdf.NewLiteral(value, tag)
}

// DamagedError means that stored bytes are not what was written.
type DamagedError struct{ Detail string }

func (e *DamagedError) Error() string { return "damaged dictionary: " + e.Detail }

// Damaged describes the damage; see file.DamagedError.
func (e *DamagedError) Damaged() string { return e.Error() }
