package httpsig

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"hash"
	"net/http"
	"slices"
	"strings"

	"github.com/dunglas/httpsfv"
)

// Digest compares a body with the Content-Digest of its request. The body is written to
// it. Its zero value is not usable.
type Digest struct {
	want [][]byte
	got  []hash.Hash
}

// NewDigest returns the digest in the header Content-Digest, which must have a SHA-256 or a
// SHA-512. If it has both, both must fit. It has nothing else, so that all programs read it
// alike. The error is an *Error.
func NewDigest(h http.Header) (*Digest, error) { return newDigest(h, "Content-Digest") }

// NewListDigest returns the digest in the header List-Digest, which has the same form, of
// a request that is signed over a list. The list, with its last line break, is written to it.
func NewListDigest(h http.Header) (*Digest, error) { return newDigest(h, "List-Digest") }

// newDigest reads a header such as Content-Digest. The error is a refusal, unless all programs read the header in one way.
func newDigest(h http.Header, header string) (*Digest, error) {
	values := h.Values(header)
	if size(values) > maxDigest {
		return nil, refuse("the header %s is longer than %d bytes", header, maxDigest)
	}
	all, err := httpsfv.UnmarshalDictionary(values)
	if err != nil {
		return nil, refuse("the header %s can't be parsed: %v", header, err)
	}
	d := &Digest{}
	var strict []string // each member as every program reads it
	for name, algorithm := range map[string]func() hash.Hash{"sha-256": sha256.New, "sha-512": sha512.New} {
		member, ok := all.Get(name)
		if !ok {
			continue
		}
		item, _ := member.(httpsfv.Item)
		want, _ := item.Value.([]byte)
		d.want, d.got = append(d.want, want), append(d.got, algorithm())
		strict = append(strict, name+"=:"+base64.StdEncoding.EncodeToString(want)+":")
	}
	if len(d.want) == 0 {
		return nil, refuse("the header %s needs a sha-256 or a sha-512, as in sha-256=:…:", header)
	}
	members := strings.Split(strings.Join(values, ","), ",")
	for i, m := range members {
		members[i] = strings.Trim(m, " \t")
	}
	slices.Sort(members)
	slices.Sort(strict)
	if !slices.Equal(members, strict) {
		return nil, refuse("the header %s may have a sha-256 and a sha-512, each once, in base64 with padding, and nothing else", header)
	}
	return d, nil
}

// Write adds a part of the body.
func (d *Digest) Write(p []byte) (int, error) {
	for _, h := range d.got {
		_, _ = h.Write(p) // never fails
	}
	return len(p), nil
}

// Check returns an *Error unless the whole body has the digest.
func (d *Digest) Check() error {
	for i, h := range d.got {
		if !bytes.Equal(h.Sum(nil), d.want[i]) {
			return refuse("the body is not the one that was signed: it has another digest")
		}
	}
	return nil
}
