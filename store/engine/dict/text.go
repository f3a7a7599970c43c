package dict

import (
	"crypto/sha256"
	"strings"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/rdf"
)

// maxText limits a term's text in the index by text, in bytes. A longer text is cut and
// ends with its hash. A look-up of such a text also compares the term itself.
const (
	maxText  = 512
	textHead = maxText - sha256.Size
)

// AppendText appends to dst the text by which the dictionary finds a term: its kind and
// value, and for literals the datatype or language tag. t must not be a triple term.
// Texts sort like the terms' values, byte by byte. Terms whose language tags differ only
// in case are one term and have one text.
func AppendText(dst []byte, t rdf.Term) []byte {
	at := len(dst)
	dst = append(dst, byte(t.Kind()))
	if !t.IsLiteral() {
		return cutText(append(dst, t.Value()...), at)
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
	return cutText(dst, at)
}

func cutText(dst []byte, at int) []byte {
	if len(dst)-at <= maxText {
		return dst
	}
	sum := sha256.Sum256(dst[at:])
	return append(dst[:at+textHead], sum[:]...)
}

// exactText reports whether all terms with this text are the same term.
func exactText(text []byte) bool { return len(text) < maxText }

// AppendContent appends to dst what the dictionary stores under the id of a term.
// NewEntry reads it.
func (e Entry) AppendContent(dst []byte) []byte {
	t := e.Term
	if e.ID.IsTriple() {
		return append(dst, e.Text[1:]...) // the parts, in the order SPO
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

// NewEntry returns the entry of an id from what AppendContent wrote.
func NewEntry(id ID, content []byte) (e Entry, err error) {
	e.ID = id
	if id.IsTriple() {
		e.Text = append([]byte{tripleKind}, content...)
		_, err = partsOf(id, content)
		return e, err
	}
	if e.Term, err = parseContent(id, content); err == nil {
		e.Text = AppendText(nil, e.Term)
	}
	return e, err
}

// parseContent returns the term of an id, not a triple term's, from its content.
func parseContent(id ID, content []byte) (rdf.Term, error) {
	switch id.Tag() {
	case TagBlank:
		return rdf.NewBlank(string(content)), nil
	case TagIRI:
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
