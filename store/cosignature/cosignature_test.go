package cosignature

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
)

var (
	text = []byte("example.org/log\n7\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n")
	at   = time.Unix(1679315147, 0).UTC()
)

func signer() *Signer {
	return NewSigner("example.org/w", ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
}

// TestACosignatureHasTheBytesOfTheStandard composes the message of C2SP tlog-cosignature
// by hand. Go's library for signed notes reads the line.
func TestACosignatureHasTheBytesOfTheStandard(t *testing.T) {
	s := signer()
	line := s.Line(text, at)
	n, err := note.Open([]byte(string(text)+"\n"+line), note.VerifierList(s.Verifier()))
	if err != nil {
		t.Fatal(err)
	}
	b, err := base64.StdEncoding.DecodeString(n.Sigs[0].Base64)
	if err != nil {
		t.Fatal(err)
	}
	public := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)).Public().(ed25519.PublicKey)
	message := "cosignature/v1\ntime 1679315147\n" + string(text)
	if len(b) != 4+8+64 || binary.BigEndian.Uint64(b[4:]) != 1679315147 || !ed25519.Verify(public, []byte(message), b[12:]) {
		t.Errorf("%x", b)
	}
	if again, err := NewVerifier(s.Verifier().String()); err != nil || again.KeyHash() != s.Verifier().KeyHash() || again.Name() != "example.org/w" {
		t.Errorf("%s: %+v, %v", s.Verifier(), again, err)
	}
}

func TestOnlyTheWitnessesKeyIsAccepted(t *testing.T) {
	good := signer().Verifier().String()
	name, rest, _ := strings.Cut(good, "+")
	log, err := note.NewEd25519VerifierKey("example.org/w", make(ed25519.PublicKey, 32))
	if err != nil {
		t.Fatal(err)
	}
	mldsa := name + "+00000000+" + base64.StdEncoding.EncodeToString(append([]byte{6}, make([]byte, 1312)...))
	for key, want := range map[string]string{
		"":                 "is not a verifier key",
		"w":                "is not a verifier key",
		"+" + rest:         "is not a verifier key",
		"a b+" + rest:      "is not a verifier key",
		good[:len(good)-1]: "is not a verifier key",
		log:                "is not the key of a witness",
		mldsa:              "ML-DSA-44",
		name + "x+" + rest: "a character is wrong",
		name + "+0" + rest: "a character is wrong",
	} {
		if _, err := NewVerifier(key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", key, err, want)
		}
	}
}

// TestAnAnswerIsReadLineByLine: Read keeps lines of the witness, drops others, and
// refuses a cosignature that does not verify.
func TestAnAnswerIsReadLineByLine(t *testing.T) {
	s := signer()
	own := s.Line(text, at)
	other := NewSigner("example.org/v", ed25519.NewKeyFromSeed([]byte(strings.Repeat("v", 32)))).Line(text, at)
	sameName := NewSigner("example.org/w", ed25519.NewKeyFromSeed([]byte(strings.Repeat("v", 32)))).Line(text, at)
	mldsa := dash + "example.org/w " + base64.StdEncoding.EncodeToString(make([]byte, 4+mldsaSize)) + "\n"
	long := strings.Repeat(other, maxLines+1)
	for _, x := range []struct{ answer, kept, wrong string }{
		{own, own, ""},
		{other + own + mldsa, own + mldsa, ""},
		{own + own, own, ""},
		{sameName + own, own, ""},
		{mldsa, "", "no cosignature of example.org/w"}, // does not suffice alone
		{other, "", "no cosignature"},
		{"", "", "no cosignature"},
		{s.Line([]byte("example.org/log\n8\nx\n"), at), "", "does not verify"},
		{s.Line(text, time.Unix(0, 0)), "", "does not verify"},
		{strings.TrimSuffix(own, "\n"), "", "is not a signature"},
		{"- example.org/w AAAA\n", "", "is not a signature"},
		{dash + "example.org/w !\n", "", "is not a signature"},
		{dash + "example.org/w AA==\n", "", "is not a signature"},
		{long, "", "more than 16 lines"},
	} {
		kept, signed, err := s.Verifier().Read(text, x.answer)
		if x.wrong == "" && (err != nil || kept != x.kept || !signed.Equal(at)) || x.wrong != "" && (err == nil || !strings.Contains(err.Error(), x.wrong)) {
			t.Errorf("%q: %q, %s, %v, want %s", x.answer, kept, signed, err, x.wrong)
		}
	}
}
