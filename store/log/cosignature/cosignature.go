// Package cosignature makes and verifies the signatures of witnesses on checkpoints (C2SP
// tlog-cosignature). A cosignature contains a time. With it, a witness states that the
// checkpoint was, at that time, the largest one of its log that the witness had seen, and
// that it continues all earlier ones. The package makes Ed25519 cosignatures, and verifies
// these and those of ML-DSA-44.
package cosignature

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	formats "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/store/publickey"
)

// Verifier verifies the cosignatures of a witness. It is a note.Verifier.
type Verifier struct {
	note.Verifier
	key string
}

// NewVerifier reads a witness's verifier key: its name, an identifier in hexadecimal, and
// the key in base64, separated by plus signs.
func NewVerifier(key string) (*Verifier, error) {
	v, err := formats.NewVerifierForCosignatureV1(key)
	if err != nil {
		return nil, fmt.Errorf("%.100q is not the verifier key of a witness: a name, eight digits and a key in base64, with + between them", key)
	}
	rest := strings.TrimPrefix(key, v.Name()+"+")
	id, public, _ := strings.Cut(rest, "+")
	right := fmt.Sprintf("%08x", v.KeyHash())
	if !strings.EqualFold(id, right) { // the library does not compare them
		return nil, fmt.Errorf("the key of %s has the identifier %.20q, which should be %s: a character is wrong, or it is not the key of a witness", v.Name(), id, right)
	}
	if err := publickey.CheckVerifier(key); err != nil {
		return nil, fmt.Errorf("the key of %s: %w", v.Name(), err)
	}
	return &Verifier{v, v.Name() + "+" + right + "+" + public}, nil
}

// String returns the verifier key.
func (v *Verifier) String() string { return v.key }

// Verify reports whether cosignature is the witness's valid signature of a checkpoint's
// text, with a time after 1970 began. cosignature consists of the time and the signature,
// without the key's identifier.
func (v *Verifier) Verify(text, cosignature []byte) bool {
	return v.Verifier.Verify(text, cosignature) && int64(binary.BigEndian.Uint64(cosignature)) > 0
}

// Signer makes cosignatures.
type Signer struct {
	verifier *Verifier
	private  ed25519.PrivateKey
}

// NewSigner returns a signer. The error is that signed notes do not allow the name. The key
// must be used for nothing else.
func NewSigner(name string, key ed25519.PrivateKey) (*Signer, error) {
	vkey, err := note.NewEd25519VerifierKey(name, key.Public().(ed25519.PublicKey))
	if err == nil {
		vkey, err = formats.VKeyToCosignatureV1(vkey)
	}
	if err != nil {
		return nil, fmt.Errorf("%.100q is not the name of a witness: %w", name, err)
	}
	v, err := NewVerifier(vkey)
	return &Signer{v, key}, err
}

// Verifier returns the verifier of the signer's cosignatures.
func (s *Signer) Verifier() *Verifier { return s.verifier }

// Line returns the signature line of a cosignature on the text of a checkpoint. The
// library's signers know no other time than now.
func (s *Signer) Line(text []byte, at time.Time) string {
	b := binary.BigEndian.AppendUint32(nil, s.verifier.KeyHash())
	b = binary.BigEndian.AppendUint64(b, uint64(at.Unix()))
	b = append(b, ed25519.Sign(s.private, fmt.Appendf(nil, "cosignature/v1\ntime %d\n%s", at.Unix(), text))...)
	return line(s.verifier.Name(), base64.StdEncoding.EncodeToString(b))
}

func line(name, signature string) string { return "\u2014 " + name + " " + signature + "\n" }

// mldsaSize is the size of an ML-DSA-44 cosignature in base64, with the key's identifier
// and the time.
var mldsaSize = base64.StdEncoding.EncodedLen(4 + 8 + 2420)

// Read returns the witness's signature lines in an answer, and the time of its cosignature,
// which must be present and valid. It also returns the first line in the witness's name that
// has the length of an ML-DSA-44 cosignature by another key, which it can't verify. It drops
// all other lines, since each checkpoint, receipt and proof of a bundle repeats them.
func (v *Verifier) Read(text []byte, answer string) (lines string, at time.Time, err error) {
	n, err := note.Open([]byte(string(text)+"\n"+answer), note.VerifierList(v))
	var unverified *note.UnverifiedNoteError
	var invalid *note.InvalidSignatureError
	switch {
	case errors.As(err, &unverified), answer == "":
		return "", at, fmt.Errorf("the answer has no cosignature of %s", v.Name())
	case errors.As(err, &invalid):
		return "", at, errors.New("the cosignature does not verify")
	case err != nil || n.Text != string(text):
		return "", at, fmt.Errorf("the answer %.100q is not a list of signatures", answer)
	}
	at, err = formats.CoSigV1Timestamp(n.Sigs[0])
	if err != nil {
		return "", at, fmt.Errorf("reading the time of a cosignature: %w", err)
	}
	if at.Year() > 9999 { // as of milliseconds; JSON has no such time
		return "", at, fmt.Errorf("the cosignature has a time in the year %d", at.Year())
	}
	lines = line(n.Sigs[0].Name, n.Sigs[0].Base64)
	for _, s := range n.UnverifiedSigs {
		if s.Name == v.Name() && len(s.Base64) == mldsaSize {
			lines += line(s.Name, s.Base64)
			break
		}
	}
	return lines, at.UTC(), nil
}
