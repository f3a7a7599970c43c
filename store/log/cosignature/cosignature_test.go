package cosignature

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	formats "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
)

var (
	text = []byte("example.org/log\n7\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n")
	at   = time.Unix(1679315147, 0).UTC()
)

// signer returns a signer whose seed consists of one byte.
func signer(t *testing.T, name string, seed byte) *Signer {
	t.Helper()
	s, err := NewSigner(name, ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestACosignatureHasTheBytesOfTheStandard composes the message of C2SP tlog-cosignature
// by hand. Go's library for signed notes reads the line.
func TestACosignatureHasTheBytesOfTheStandard(t *testing.T) {
	s := signer(t, "example.org/w", 0)
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
	good := signer(t, "example.org/w", 0).Verifier().String()
	name, rest, _ := strings.Cut(good, "+")
	id, public, _ := strings.Cut(rest, "+")
	if v, err := NewVerifier(name + "+" + strings.ToUpper(id) + "+" + public); err != nil || v.String() != good {
		t.Errorf("%v, %v", v, err)
	}
	log, err := note.NewEd25519VerifierKey("example.org/w", make(ed25519.PublicKey, 32))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"":                 "is not the verifier key",
		"w":                "is not the verifier key",
		"+" + rest:         "is not the verifier key",
		"a b+" + rest:      "is not the verifier key",
		good[:len(good)-1]: "is not the verifier key",
		name + "+0" + rest: "is not the verifier key",
		log:                "it is not the key of a witness",
		name + "x+" + rest: "a character is wrong",
	} {
		if _, err := NewVerifier(key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", key, err, want)
		}
	}
	if _, err := NewSigner("a witness", ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))); err == nil || !strings.Contains(err.Error(), `"a witness" is not the name`) {
		t.Error(err)
	}
}

// TestAnAnswerIsReadLineByLine: Read keeps lines of the witness, drops others, and
// refuses a cosignature that does not verify.
func TestAnAnswerIsReadLineByLine(t *testing.T) {
	s := signer(t, "example.org/w", 0)
	own := s.Line(text, at)
	other := signer(t, "example.org/v", 'v').Line(text, at)
	sameName := signer(t, "example.org/w", 'v').Line(text, at)
	mldsa := line("example.org/w", base64.StdEncoding.EncodeToString(make([]byte, 4+8+2420)))
	var more strings.Builder
	for i := range 18 {
		more.WriteString(line("example.org/w", base64.StdEncoding.EncodeToString(append(make([]byte, 4+8+2419), byte(i+1)))))
	}
	for _, x := range []struct{ answer, kept, wrong string }{
		{own, own, ""},
		{other + own + mldsa, own + mldsa, ""},
		{mldsa + own + more.String(), own + mldsa, ""}, // 60 KiB in each proof of a bundle
		{own + own, own, ""},
		{sameName + own, own, ""},
		{mldsa, "", "no cosignature of example.org/w"}, // does not suffice alone
		{other, "", "no cosignature"},
		{"", "", "no cosignature"},
		{s.Line([]byte("example.org/log\n8\nx\n"), at), "", "does not verify"},
		{s.Line(text, time.Unix(0, 0)), "", "does not verify"},
		{s.Line(text, time.Unix(at.UnixMilli(), 0)), "", "a time in the year 5"},
		{strings.TrimSuffix(own, "\n"), "", "is not a list of signatures"},
		{"more text\n\n" + s.Line([]byte(string(text)+"\nmore text\n"), at), "", "is not a list of signatures"},
		{"- example.org/w AAAA\n", "", "is not a list of signatures"},
		{line("example.org/w", "!"), "", "is not a list of signatures"},
		{line("example.org/w", "AA=="), "", "is not a list of signatures"},
		{strings.Repeat(other, 101), "", "is not a list of signatures"},
	} {
		kept, signed, err := s.Verifier().Read(text, x.answer)
		if x.wrong == "" && (err != nil || kept != x.kept || !signed.Equal(at)) || x.wrong != "" && (err == nil || !strings.Contains(err.Error(), x.wrong)) {
			t.Errorf("%q: %q, %s, %v, want %s", x.answer, kept, signed, err, x.wrong)
		}
	}
}

// TestAWitnessMayHaveAnMLDSAKey: the cosignature of a key of the other kind verifies, and
// lines of other keys are dropped.
func TestAWitnessMayHaveAnMLDSAKey(t *testing.T) {
	private, key, err := formats.GenerateMLDSAKey("example.org/w")
	if err != nil {
		t.Fatal(err)
	}
	s, err := formats.NewSignerForCosignatureV1(private)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := note.Sign(&note.Note{Text: string(text)}, s)
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewVerifier(key)
	if err != nil {
		t.Fatal(err)
	}
	own := strings.TrimPrefix(string(signed), string(text)+"\n")
	kept, when, err := v.Read(text, signer(t, "example.org/w", 0).Line(text, at)+own)
	if err != nil || kept != own || time.Since(when).Abs() > time.Minute {
		t.Errorf("%q, %s, %v", kept, when, err)
	}
	if _, _, err := v.Read([]byte("example.org/log\n8\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"), own); err == nil {
		t.Error("a cosignature of another checkpoint is accepted")
	}
}
