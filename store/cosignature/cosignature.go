// Package cosignature makes and verifies the signatures of witnesses on checkpoints (C2SP
// tlog-cosignature, Ed25519 cosignature/v1). A cosignature contains a time. With it, a
// witness states that the checkpoint was, at that time, the largest one of its log that
// the witness had seen, and that it continues all earlier ones.
package cosignature

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	ed25519Type = 0x04 // signature types of signed notes
	mldsaType   = 0x06

	timeSize  = 8
	size      = timeSize + ed25519.SignatureSize
	mldsaSize = timeSize + 2420
	idSize    = 4
)

// Verifier verifies the cosignatures of a witness. It is a note.Verifier.
type Verifier struct {
	name   string
	id     uint32
	public ed25519.PublicKey
}

// NewVerifier reads a witness's verifier key: its name, an identifier in hexadecimal, and
// the key in base64, separated by plus signs.
func NewVerifier(key string) (*Verifier, error) {
	name, rest, _ := strings.Cut(key, "+")
	id, encoded, _ := strings.Cut(rest, "+")
	b, err := base64.StdEncoding.DecodeString(encoded)
	switch {
	case err != nil || !validName(name) || len(b) == 0:
		return nil, fmt.Errorf("%.100q is not a verifier key: a name, eight digits and a key in base64, with + between them", key)
	case b[0] == mldsaType:
		return nil, fmt.Errorf("the key of %s is an ML-DSA-44 key, which this program can't verify yet: take the witness's Ed25519 key", name)
	case b[0] != ed25519Type || len(b) != 1+ed25519.PublicKeySize:
		return nil, fmt.Errorf("the key of %s is not the key of a witness, whose last part begins with B (an Ed25519 key for cosignatures)", name)
	}
	v := newVerifier(name, b[1:])
	if fmt.Sprintf("%08x", v.id) != strings.ToLower(id) {
		return nil, fmt.Errorf("the key of %s has the identifier %.20q, which should be %08x: a character is wrong", name, id, v.id)
	}
	return v, nil
}

// validName reports whether signed notes allow a name.
func validName(s string) bool {
	return s != "" && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '+' })
}

func newVerifier(name string, public ed25519.PublicKey) *Verifier {
	sum := sha256.Sum256(append([]byte(name+"\n"), encode(public)...))
	return &Verifier{name, binary.BigEndian.Uint32(sum[:]), public}
}

func encode(public ed25519.PublicKey) []byte { return append([]byte{ed25519Type}, public...) }

// Name returns the witness's name.
func (v *Verifier) Name() string { return v.name }

// KeyHash returns the identifier of the witness's key.
func (v *Verifier) KeyHash() uint32 { return v.id }

// String returns the verifier key.
func (v *Verifier) String() string {
	return fmt.Sprintf("%s+%08x+%s", v.name, v.id, base64.StdEncoding.EncodeToString(encode(v.public)))
}

// Verify reports whether cosignature is the witness's valid signature of a checkpoint's
// text. cosignature consists of the time and the signature, without the key's identifier.
func (v *Verifier) Verify(text, cosignature []byte) bool {
	if len(cosignature) != size {
		return false
	}
	at := binary.BigEndian.Uint64(cosignature)
	return at > 0 && at < 1<<63 && ed25519.Verify(v.public, message(text, at), cosignature[timeSize:])
}

// message returns the bytes that a witness signs.
func message(text []byte, at uint64) []byte {
	return append([]byte("cosignature/v1\ntime "+strconv.FormatUint(at, 10)+"\n"), text...)
}

// Signer makes cosignatures.
type Signer struct {
	verifier *Verifier
	private  ed25519.PrivateKey
}

// NewSigner returns a signer. Signed notes must allow the name, and the key must be used
// for nothing else.
func NewSigner(name string, key ed25519.PrivateKey) *Signer {
	return &Signer{newVerifier(name, key.Public().(ed25519.PublicKey)), key}
}

// Verifier returns the verifier of the signer's cosignatures.
func (s *Signer) Verifier() *Verifier { return s.verifier }

const dash = "\u2014 "

// Line returns the signature line of a cosignature on the text of a checkpoint.
func (s *Signer) Line(text []byte, at time.Time) string {
	seconds := uint64(at.Unix())
	b := binary.BigEndian.AppendUint32(nil, s.verifier.id)
	b = binary.BigEndian.AppendUint64(b, seconds)
	b = append(b, ed25519.Sign(s.private, message(text, seconds))...)
	return dash + s.verifier.name + " " + base64.StdEncoding.EncodeToString(b) + "\n"
}

// maxLines limits the signature lines of an answer.
const maxLines = 16

// Read returns the witness's signature lines in an answer, and the time of its
// cosignature. The cosignature must be present and valid. Read also returns lines in the
// witness's name that have the length of an ML-DSA-44 cosignature, but does not verify
// them. It drops all other lines.
func (v *Verifier) Read(text []byte, answer string) (lines string, at time.Time, err error) {
	if strings.Count(answer, "\n") > maxLines {
		return "", at, fmt.Errorf("the answer has more than %d lines", maxLines)
	}
	for line := range strings.Lines(answer) {
		name, encoded, ok := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), dash), " ")
		b, err := base64.StdEncoding.DecodeString(encoded)
		if !ok || err != nil || len(b) < idSize || !strings.HasPrefix(line, dash) || !strings.HasSuffix(line, "\n") {
			return "", at, fmt.Errorf("the line %.100q is not a signature", line)
		}
		id, b := binary.BigEndian.Uint32(b), b[idSize:]
		switch {
		case name != v.name:
		case id == v.id && !at.IsZero(): // once is enough
		case id == v.id:
			if !v.Verify(text, b) {
				return "", at, errors.New("the cosignature does not verify")
			}
			at = time.Unix(int64(binary.BigEndian.Uint64(b)), 0).UTC()
			lines += line
		case len(b) == mldsaSize:
			lines += line
		}
	}
	if at.IsZero() {
		return "", at, fmt.Errorf("the answer has no cosignature of %s", v.name)
	}
	return lines, at, nil
}
