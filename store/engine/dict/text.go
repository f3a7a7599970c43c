package dict

import (
	"crypto/sha256"
	"strings"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/rdf"
)

// maxText bounds a term's text in the index by text; what is longer is cut and told
// apart by a hash, and then by the term itself.
const (
	maxText  = 512
	textHead = maxText - sha256.Size
)

// AppendText appends to dst the text under which a term is found: its kind and value, for
// literals followed by datatype or language tag. Texts compare as the terms' values do,
// byte by byte. Terms whose language tags differ in case alone are one term and have one
// text.
func AppendText(dst []byte, t rdf.Term) []byte {
	at := len(dst)
	dst = append(dst, byte(t.Kind()))
	if !t.IsLiteral() {
		return cutText(append(dst, t.Value()...), at)
	}
	// A zero byte in the value must not be taken for its end.
	if v := t.Value(); strings.IndexByte(v, 0) < 0 {
		dst = append(dst, v...)
	} else {
		dst = append(dst, strings.ReplaceAll(v, "\x00", "\x00\xff")...)
	}
	dst = append(dst, 0, 1)
	if lang := t.Fold().Language(); lang != "" {
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

// AppendContent appends to dst what the dictionary stores under the id of a term; see
// ParseContent.
func AppendContent(dst []byte, t rdf.Term) []byte {
	if t.IsLiteral() {
		dst = varint.AppendString(dst, contentTag(t))
	}
	return append(dst, t.Value()...)
}

// contentTag returns what the content of a literal has in front of its lexical form: its
// datatype, or @ and its language.
func contentTag(t rdf.Term) string {
	if lang := t.Language(); lang != "" {
		return "@" + lang
	}
	if dt := t.Datatype(); dt != rdf.XSDString {
		return dt
	}
	return ""
}

// ParseContent returns the term with the id that AppendContent wrote.
func ParseContent(id ID, content []byte) (rdf.Term, error) {
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

// cutTag parts the content of a literal in its lexical form and what is in front of that.
func cutTag(content []byte) (tag, value []byte, err error) {
	n, content, ok := varint.Cut(content)
	if !ok || n > uint64(len(content)) {
		return nil, nil, &DamagedError{Detail: "a literal without its datatype"}
	}
	return content[:n], content[n:], nil
}

// literal returns the literal with a tag: its datatype, or @ and its language.
func literal(tag, value string) rdf.Term {
	if lang, ok := strings.CutPrefix(tag, "@"); ok {
		return rdf.NewLang(value, lang)
	}
	return rdf.NewLiteral(value, tag)
}

// DamagedError says that stored bytes are not what was written.
type DamagedError struct{ Detail string }

func (e *DamagedError) Error() string { return "damaged dictionary: " + e.Detail }

// Damaged says what is wrong; see file.DamagedError.
func (e *DamagedError) Damaged() string { return e.Error() }
