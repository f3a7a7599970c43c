package cli

import (
	"bytes"
	"crypto/ed25519"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/signers"
)

func testKey(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func public(key ed25519.PrivateKey) ed25519.PublicKey { return key.Public().(ed25519.PublicKey) }

// TestKeysAreAddedListedAndRemoved manages the keys in a file.
func TestKeysAreAddedListedAndRemoved(t *testing.T) {
	t.Chdir(t.TempDir())
	pem := journal.PublicPEM(public(testKey(1)))
	if err := os.WriteFile("ari.pem", []byte(pem), 0o600); err != nil {
		t.Fatal(err)
	}
	id := journal.IDOf(public(testKey(1))).String()
	other := journal.IDOf(public(testKey(2))).String()
	if got := segraph("<urn:a> <urn:b> 1 .", nil, "load", "--format", "turtle", "-"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	for _, c := range []struct {
		args  string
		stdin string
		code  int
		want  string // part of stdout or stderr
	}{
		{"key list", "", 0, "there are no keys\n"},
		{"key add ari ari.pem", "", 0, id + "\n"},
		{"key add ari ari.pem", "", 1, "in use already"},
		{"key add eva ari.pem", "", 1, "another user"},
		{"key add eva -", journal.PublicPEM(public(testKey(2))), 0, other + "\n"},
		{"key add eva -", "nothing", 2, "not in PEM"},
		{"key add eva -", journal.PublicPEM(make([]byte, ed25519.PublicKeySize)), 2, "prove nothing"},
		{"key add eva none.pem", "", 1, "none.pem"},
		{"key list", "", 0, id + " of ari, added by "},
		{"key remove " + id, "", 0, "was removed"},
		{"key remove " + id, "", 1, "no such key"},
		{"key remove x", "", 2, "not a keyid"},
		{"key list", "", 0, ", removed at "},
		{"key add ari ari.pem", "", 1, "was removed"},
		{"key", "", 2, "three subcommands"},
		{"key add ari", "", 2, "three subcommands"},
		{"check", "", 0, ""},
	} {
		got := segraph(c.stdin, nil, strings.Fields(c.args)...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%s: %+v", c.args, got)
		}
	}
}

// TestSignaturesSurviveACopyOfTheFile: a backup, a restore, a compaction and an imported
// backup keep signatures and bodies, and a key that was removed since a backup stays
// removed.
func TestSignaturesSurviveACopyOfTheFile(t *testing.T) {
	t.Chdir(t.TempDir())
	open := func() *persist.Store {
		t.Helper()
		s, err := persist.Open("segraph.db", persist.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	id := journal.IDOf(public(testKey(1)))
	now := time.Now().UTC()
	s := open()
	if err := signers.Of(s.Store).AddKey(t.Context(), journal.SigningKey{User: "ari", Public: public(testKey(1))}, journal.Entry{LogID: journal.NewLogID(), Action: journal.UseKey, Time: now}); err != nil {
		t.Fatal(err)
	}
	sig := &journal.Signature{KeyID: id, Base: "the base", Nonce: "nonce-one", Created: now, Body: journal.PackBody([]byte("the body"))}
	sig.Value = [64]byte(ed25519.Sign(testKey(1), []byte(sig.Base)))
	var d store.Document
	d.Add(rdf.Quad{S: rdf.NewIRI("urn:a"), P: rdf.NewIRI("urn:b"), O: rdf.NewString("x")})
	e := journal.Entry{LogID: journal.NewLogID(), Actor: "ari", Time: now, Triples: d.Distinct(), Signature: sig}
	if _, err := s.Add(t.Context(), &d, e); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) {
		t.Helper()
		if got := segraph("", nil, args...); got.code != 0 {
			t.Fatalf("%v: %+v", args, got)
		}
	}
	check := func(when string, erased, removed bool) {
		t.Helper()
		s := open()
		defer s.Close()
		r, err := signers.Of(s.Store).Signed(t.Context(), 2)
		if err != nil || r == nil || !ed25519.Verify(r.Key.Public, []byte(r.Base), r.Value) || r.Erased != erased || !erased && string(r.Body) != "the body" ||
			r.Key.Removed.IsZero() == removed {
			t.Fatalf("%s: %+v, %v", when, r, err)
		}
		if again, err := signers.Of(s.Store).RepeatedBy(sig); err != nil || again == nil || again.Entry.LogID != e.LogID {
			t.Errorf("%s: sent again: %+v, %v", when, again, err)
		}
		if _, err := s.Inspect(t.Context()); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	check("restarted", false, false)
	command("backup", "copy.db")
	command("key", "remove", id.String())
	command("restore", "copy.db")
	check("restored", false, true)
	command("compact")
	check("compacted", false, true)
	s = open()
	if _, err := s.Clear(t.Context(), false, journal.Entry{Action: journal.Clear}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	check("deleted", true, true)
	command("compact")
	if left, err := os.ReadFile("segraph.db"); err != nil || bytes.Contains(left, sig.Body[8:]) {
		t.Errorf("the file still has the body: %v", err)
	}
}
