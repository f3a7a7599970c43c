// Package httpsig reads and verifies signatures of HTTP requests (RFC 9421) that have the
// tag "segraph", and digests of their bodies (RFC 9530). Its rules:
//
//   - A signature covers the components of Components, content-encoding only if the request has
//     one, and nothing else. It has the parameters created, keyid, nonce and tag.
//   - The key alone determines the algorithm, Ed25519.
//   - Signatures with another tag are ignored beside one with it. Alone they are refused: their sender means to sign.
//   - Everything that a client controls has a limit.
//
// It does not compare times or remember nonces.
package httpsig

import (
	"crypto/ed25519"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"
)

// Tag is the tag of the signatures that Parse reads.
const Tag = "segraph"

// Limits in bytes.
const (
	maxHeaders = 4 << 10 // of Signature-Input and Signature together
	maxDigest  = 1 << 10 // of Content-Digest
	minNonce   = 8
	maxNonce   = 128
	maxBase    = 8 << 10
)

// Components returns the names of the components that a signature covers. encoded reports
// whether the body has a Content-Encoding. If the request is signed over a list, the header
// List-Digest has the digest of the list, and replaces Content-Digest.
func Components(list, encoded bool) []string {
	names := []string{"@method", "@authority", "@path", "@query", "content-type"}
	if encoded {
		names = append(names, "content-encoding")
	}
	if list {
		return append(names, "list-digest")
	}
	return append(names, "content-digest")
}

// Accept returns the value of an Accept-Signature header (RFC 9421, section 5.1) that asks
// for a signature with a nonce, over the components that Components returns.
func Accept(nonce string, list, encoded bool) string {
	return fmt.Sprintf(`%s=("%s");created;nonce="%s";tag="%s"`, Tag, strings.Join(Components(list, encoded), `" "`), nonce, Tag)
}

// Error is the reason for refusing a signature, in words for the client.
type Error struct{ msg string }

func (e *Error) Error() string { return e.msg }

func refuse(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Signature is a signature as sent. It proves nothing until Verify has accepted it.
type Signature struct {
	KeyID, Nonce string
	Created      time.Time
	Value        [ed25519.SignatureSize]byte

	input httpsfv.InnerList
}

// Parse returns the signature in the headers of a request, or nil if they have none. The
// error is an *Error.
func Parse(h http.Header) (*Signature, error) {
	inputs, values := h.Values("Signature-Input"), h.Values("Signature")
	if len(inputs) == 0 && len(values) == 0 {
		return nil, nil
	}
	if size(inputs)+size(values) > maxHeaders {
		return nil, refuse("Signature-Input and Signature are longer than %d bytes", maxHeaders)
	}
	input, label, err := choose(inputs)
	if err != nil {
		return nil, err
	}
	s := &Signature{input: input}
	if err := s.parameters(input.Params); err != nil {
		return nil, err
	}
	all, err := httpsfv.UnmarshalDictionary(values)
	if err != nil {
		return nil, refuse("the header Signature can't be parsed: %v", err)
	}
	member, _ := all.Get(label)
	item, _ := member.(httpsfv.Item)
	value, _ := item.Value.([]byte)
	if len(value) != len(s.Value) {
		return nil, refuse("the header Signature has no Ed25519 signature %s of %d bytes", label, len(s.Value))
	}
	s.Value = [ed25519.SignatureSize]byte(value)
	return s, nil
}

func size(values []string) (n int) {
	for _, v := range values {
		n += len(v)
	}
	return n
}

// choose returns the only signature with the tag, and its label.
func choose(inputs []string) (chosen httpsfv.InnerList, label string, err error) {
	all, err := httpsfv.UnmarshalDictionary(inputs)
	if err != nil {
		return chosen, "", refuse("the header Signature-Input can't be parsed: %v", err)
	}
	for _, name := range all.Names() {
		member, _ := all.Get(name)
		list, ok := member.(httpsfv.InnerList)
		if !ok {
			continue
		}
		if tag, _ := list.Params.Get("tag"); tag != Tag {
			continue
		}
		if label != "" {
			return chosen, "", refuse(`more than one signature has the tag "%s"`, Tag)
		}
		chosen, label = list, name
	}
	if label == "" {
		return chosen, "", refuse(`no signature in Signature-Input has the parameter tag="%s"`, Tag)
	}
	return chosen, label, nil
}

// parameters reads the parameters of a signature into s. The caller has compared the tag.
func (s *Signature) parameters(p *httpsfv.Params) error {
	for _, name := range p.Names() {
		value, _ := p.Get(name)
		ok := true
		switch name {
		case "created":
			var seconds int64
			seconds, ok = value.(int64)
			s.Created = time.Unix(seconds, 0)
		case "keyid":
			s.KeyID, ok = value.(string)
		case "nonce":
			s.Nonce, ok = value.(string)
			ok = ok && len(s.Nonce) >= minNonce && len(s.Nonce) <= maxNonce
		case "alg":
			ok = value == "ed25519"
		case "tag":
		default:
			return refuse("the signature has the parameter %.40q; it may have created, keyid, nonce and tag", name)
		}
		if !ok {
			return refuse("the signature's parameter %s is not valid: created is a number of seconds since 1970, keyid a text, nonce a text of %d to %d characters, "+
				"and alg, which is optional, ed25519", name, minNonce, maxNonce)
		}
	}
	if s.Created.IsZero() || s.KeyID == "" || s.Nonce == "" {
		return refuse("the signature needs the parameters created, keyid, nonce and tag")
	}
	return nil
}

// Request holds the parts of a request that a signature may cover.
type Request struct {
	Method      string
	Path, Query string // as received, still escaped; Query without "?"
	Header      http.Header
	List        bool // it is signed over a list
	// Authorities are the names by which the client may know this server, in lower case.
	// The signature must cover one of them.
	Authorities []string
}

// Verify verifies the signature with a key, and returns the signature base. The error is
// an *Error.
func (s *Signature) Verify(key ed25519.PublicKey, r Request) (base string, err error) {
	if err := s.covers(Components(r.List, len(r.Header.Values("Content-Encoding")) > 0)); err != nil {
		return "", err
	}
	for _, authority := range r.Authorities {
		if base, err = s.base(r, authority); err != nil {
			return "", err
		}
		if ed25519.Verify(key, []byte(base), s.Value[:]) {
			if _, _, err := ParseBase(base); err != nil { // as those do who verify it later
				return "", err
			}
			return base, nil
		}
	}
	return "", refuse("the signature does not match the request and the key: the signed request differs from the one that arrived; this service has the @authority %s, the @path %.200q and the @query %.200q",
		strings.Join(r.Authorities, " or "), r.Path, "?"+r.Query)
}

// covers returns an error unless the signature covers exactly the required components. There must be at least one.
func (s *Signature) covers(want []string) error {
	names := make([]string, len(s.input.Items))
	for i, item := range s.input.Items {
		name, _ := item.Value.(string)
		if len(item.Params.Names()) > 0 || !slices.Contains(want, name) || slices.Contains(names[:i], name) {
			names = nil
			break
		}
		names[i] = name
	}
	if len(names) != len(want) {
		return refuse("the signature must cover exactly %s", strings.Join(want, ", "))
	}
	return nil
}

// base returns the signature base of a request to an authority (RFC 9421, section 2.5), which is ASCII.
func (s *Signature) base(r Request, authority string) (string, error) {
	var b strings.Builder
	for _, item := range s.input.Items {
		name := item.Value.(string)
		var value string
		switch name {
		case "@method":
			value = r.Method
		case "@authority":
			value = authority
		case "@path":
			value = r.Path
		case "@query":
			value = "?" + r.Query
		default:
			values := r.Header.Values(name)
			if len(values) == 0 {
				return "", refuse("the signature covers %s, and the request has no such header", name)
			}
			trimmed := make([]string, len(values))
			for i, v := range values {
				trimmed[i] = strings.Trim(v, " \t")
			}
			value = strings.Join(trimmed, ", ")
		}
		fmt.Fprintf(&b, "%q: %s\n", name, value)
	}
	parameters, err := httpsfv.Marshal(s.input)
	if err != nil {
		return "", refuse("the signature's parameters can't be written: %v", err)
	}
	b.WriteString(`"@signature-params": ` + parameters)
	if b.Len() > maxBase {
		return "", refuse("the path, query and headers that the signature covers are longer than %d bytes", maxBase)
	}
	base := b.String()
	control := func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' }
	if i := strings.IndexFunc(base, func(c rune) bool { return c > '~' || control(c) }); i >= 0 {
		return "", refuse("the path, query and headers that the signature covers must be ASCII: write %.1q in another way, such as %%C3%%A9", base[i:])
	}
	return base, nil
}
