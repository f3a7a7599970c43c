package journal

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/kv"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// robot returns a private key that depends only on n.
func robot(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func publicOf(key ed25519.PrivateKey) ed25519.PublicKey { return key.Public().(ed25519.PublicKey) }

// sign returns the signature of a request with a body.
func sign(key ed25519.PrivateKey, nonce, body string, created time.Time) *Signature {
	s := &Signature{KeyID: IDOf(publicOf(key)), Nonce: nonce, Created: created, Body: PackBody([]byte(body))}
	s.Base = fmt.Sprintf("\"content-digest\": %x\n%s %s", sha256.Sum256([]byte(body)), nonce, created)
	s.Value = [64]byte(ed25519.Sign(key, []byte(s.Base)))
	return s
}

// signedEntry returns the entry of a signed request.
func signedEntry(s *Signature, action Action, at time.Time) Entry {
	return Entry{Action: action, Actor: "ari", Time: at, Triples: 1, Signature: s}
}

// put appends entries.
func put(t *testing.T, db *bolt.DB, es ...Entry) {
	t.Helper()
	for _, e := range es {
		update(t, db, func(tx kv.Writer) error { _, err := Append(tx, e); return err })
	}
}

func addKey(t *testing.T, tx kv.Writer, user string, key ed25519.PrivateKey) {
	t.Helper()
	if err := AddKey(tx, SigningKey{User: user, Public: publicOf(key), Added: noon, AddedBy: "eva"}); err != nil {
		t.Fatal(err)
	}
}

// TestASignedRequestCanBeVerifiedWithoutTheService uses only what SignatureOf returns.
func TestASignedRequestCanBeVerifiedWithoutTheService(t *testing.T) {
	db, key := open(t), robot(1)
	body := strings.Repeat(`{"ttl_content":"a"}`, 100)
	sig := sign(key, "nonce-one", body, noon)
	update(t, db, func(tx kv.Writer) error { addKey(t, tx, "ari", key); return nil })
	put(t, db, signedEntry(sig, Insert, noon), Entry{Actor: "ari"})
	view(t, db, func(tx kv.Reader) error {
		r, err := SignatureOf(tx, 1)
		if err != nil {
			t.Fatal(err)
		}
		if r.Key.User != "ari" || !ed25519.Verify(r.Key.Public, []byte(r.Base), r.Value) || string(r.Body) != body || r.Erased ||
			!strings.Contains(r.Base, fmt.Sprintf("%x", sha256.Sum256(r.Body))) {
			t.Errorf("kept: %+v", r)
		}
		e, err := Get(tx, 1)
		sum := sha256.Sum256(append([]byte(r.Base), r.Value...))
		if err != nil || e.Signer != IDOf(publicOf(key)).String() || e.SignatureHash != base64.StdEncoding.EncodeToString(sum[:]) {
			t.Errorf("the entry does not commit to the signature: %+v, %v", e, err)
		}
		if r, err := SignatureOf(tx, 2); r != nil || err != nil {
			t.Errorf("unsigned: %+v, %v", r, err)
		}
		return errors.Join(CheckBeside(tx), CheckSigned(tx, 1))
	})
}

// TestASignatureIsErasedWithWhoSentIt: the base names the user and the key, and has a
// digest of the body without a salt, so it goes with them.
func TestASignatureIsErasedWithWhoSentIt(t *testing.T) {
	db, key := open(t), robot(1)
	update(t, db, func(tx kv.Writer) error { addKey(t, tx, "ari", key); return nil })
	for i, action := range []Action{Insert, Resolve, Insert} {
		put(t, db, signedEntry(sign(key, fmt.Sprint("nonce-", i), "body", noon), action, noon))
	}
	for _, seq := range []uint64{1, 2} {
		before := storedOf(t, db, seq)
		update(t, db, func(tx kv.Writer) error { return errors.Join(Erase(tx, seq, GroupsOf(Who)), EraseSignature(tx, seq)) })
		view(t, db, func(tx kv.Reader) error {
			for _, name := range []string{signedName, signedLogsName, signedOthersName} {
				if v := tx.Bucket(name).Get(seqKey(seq)); len(v) > 4 {
					t.Errorf("entry %d: %s still has %q", seq, name, v)
				}
			}
			if _, err := SignatureOf(tx, seq); !errors.Is(err, ErrSignatureErased) {
				t.Errorf("entry %d: %v", seq, err)
			}
			return errors.Join(CheckSigned(tx, 3), CheckBeside(tx))
		})
		if !bytes.Equal(storedOf(t, db, seq), before) {
			t.Errorf("entry %d changed", seq)
		}
	}
	update(t, db, func(tx kv.Writer) error { return Erase(tx, 3, GroupsOf(Who)) })
	view(t, db, func(tx kv.Reader) error {
		if r, err := SignatureOf(tx, 3); err != nil || r.Base == "" {
			t.Errorf("a signature that stays: %+v, %v", r, err)
		}
		return CheckSigned(tx, 3)
	})
}

// TestTheBodyOfASignedRequestIsErasedWithItsContent: the signature stays, and so does the
// entry's commitment to it.
func TestTheBodyOfASignedRequestIsErasedWithItsContent(t *testing.T) {
	for name, c := range map[string]struct {
		erase  func(kv.Writer) error
		erased []bool // of a log, another log, a resolved observation
	}{
		"one log":  {func(tx kv.Writer) error { return Erase(tx, 1, GroupsOf(Client, Content)) }, []bool{true, false, false}},
		"all logs": {func(tx kv.Writer) error { return EraseLogs(tx, nil) }, []bool{true, true, false}},
		"contexts": {EraseOthers, []bool{false, false, true}},
	} {
		db, old, key := open(t), open(t), robot(1)
		for _, to := range []*bolt.DB{db, old} { // old is a backup
			update(t, to, func(tx kv.Writer) error { addKey(t, tx, "ari", key); return nil })
			for i, action := range []Action{Insert, Insert, Resolve} {
				put(t, to, signedEntry(sign(key, fmt.Sprint("nonce-", i), "body", noon), action, noon))
			}
		}
		erased := func() (out []bool) {
			view(t, db, func(tx kv.Reader) error {
				for seq := uint64(1); seq <= 3; seq++ {
					r, err := SignatureOf(tx, seq)
					if err != nil || !ed25519.Verify(r.Key.Public, []byte(r.Base), r.Value) || r.Erased != (r.Body == nil) {
						t.Fatalf("%s: %d: %+v, %v", name, seq, r, err)
					}
					out = append(out, r.Erased)
				}
				return CheckSigned(tx, 3)
			})
			return out
		}
		update(t, db, c.erase)
		if got := erased(); !slices.Equal(got, c.erased) {
			t.Errorf("%s: erased %v, want %v", name, got, c.erased)
		}
	}
}

// TestADamagedSignatureIsFound changes the kept data of a signed request.
func TestADamagedSignatureIsFound(t *testing.T) {
	key := robot(1)
	id := IDOf(publicOf(key))
	reseal := func(bucket string, k []byte, change func([]byte) []byte) func(kv.Writer) error {
		return func(tx kv.Writer) error {
			v, err := kv.GetSealed(tx.Bucket(bucket), k)
			if err != nil {
				return err
			}
			return putSealed(tx, bucket, k, change(bytes.Clone(v)))
		}
	}
	remove := func(bucket string, k []byte) func(kv.Writer) error {
		return func(tx kv.Writer) error { b, _ := tx.Writable(bucket); return b.Delete(k) }
	}
	flip := func(v []byte) []byte { v[len(v)-1] ^= 1; return v }
	for name, damage := range map[string]func(kv.Writer) error{
		"another base":      reseal(signedName, seqKey(1), flip),
		"another signature": reseal(signedName, seqKey(1), func(v []byte) []byte { v[40] ^= 1; return v }),
		"another key":       reseal(signedName, seqKey(1), func(v []byte) []byte { v[0] ^= 1; return v }),
		"cut":               reseal(signedName, seqKey(1), func(v []byte) []byte { return v[:50] }),
		"no signature":      remove(signedName, seqKey(1)),
		"no key":            remove(signKeysName, id[:]),
		"key of another id": reseal(signKeysName, id[:], func([]byte) []byte {
			return fmt.Appendf(nil, `{"public":"%s"}`, base64.StdEncoding.EncodeToString(publicOf(robot(2))))
		}),
		"a body too many": func(tx kv.Writer) error { return putSealed(tx, signedOthersName, seqKey(2), []byte("x")) },
	} {
		db := open(t)
		update(t, db, func(tx kv.Writer) error { addKey(t, tx, "ari", key); return nil })
		put(t, db, signedEntry(sign(key, "nonce-one", "body", noon), Insert, noon), Entry{Actor: "ari"})
		update(t, db, damage)
		view(t, db, func(tx kv.Reader) error {
			if err := CheckSigned(tx, 1); err == nil {
				t.Errorf("%s was not found", name)
			}
			return nil
		})
	}
}

// TestRepeatedBy: a repeated request is recognized, and its nonce serves no other
// request, even if the clock is set back.
func TestRepeatedBy(t *testing.T) {
	db, key := open(t), robot(1)
	first := sign(key, "nonce-one", "body", noon)
	first.Answer = []byte(`{"answer":1}`)
	update(t, db, func(tx kv.Writer) error { addKey(t, tx, "ari", key); return nil })
	put(t, db, Entry{Actor: "eva"}, signedEntry(first, Resolve, noon))
	other := sign(robot(2), "nonce-one", "body", noon)
	check := func(when string, s *Signature, want error, seq uint64) {
		t.Helper()
		view(t, db, func(tx kv.Reader) error {
			r, err := RepeatedBy(tx, s)
			if !errors.Is(err, want) || (r != nil) != (seq > 0) || r != nil && (r.Entry.Seq != seq || string(r.Answer) != `{"answer":1}`) {
				t.Errorf("%s: %+v, %v", when, r, err)
			}
			return nil
		})
	}
	check("again", first, nil, 2)
	check("another body", sign(key, "nonce-one", "other", noon), ErrNonceUsed, 0)
	check("another time", sign(key, "nonce-one", "body", noon.Add(time.Second)), ErrNonceUsed, 0)
	check("another nonce", sign(key, "nonce-two", "body", noon), nil, 0)
	check("another key", other, nil, 0)

	// Ten minutes later the next signed request removes the nonce. Then the signature is
	// too old. If the clock is set back, the request is refused because it may be a
	// repetition.
	later := noon.Add(NonceTime + time.Second)
	put(t, db, signedEntry(sign(key, "nonce-three", "body", later), Insert, later))
	check("forgotten", first, ErrNonceStale, 0)
	check("signed since", sign(key, "nonce-two", "body", noon.Add(time.Second)), nil, 0)
	check("another key then", other, nil, 0)
}

// TestNoncesAreBounded stores a request every ten seconds for an hour.
func TestNoncesAreBounded(t *testing.T) {
	db, key := open(t), robot(1)
	update(t, db, func(tx kv.Writer) error {
		addKey(t, tx, "ari", key)
		for i := range 360 {
			at := noon.Add(time.Duration(i) * 10 * time.Second)
			if _, err := Append(tx, signedEntry(sign(key, fmt.Sprint("nonce-", i), "b", at), Resolve, at)); err != nil {
				return err
			}
		}
		b, _ := tx.Writable(nonceTimesName)
		if n, m := len(slices.Collect(keysOf(b))), len(slices.Collect(keysOf(tx.Bucket(noncesName)))); n != m || n > 62 || uint64(n) != b.Sequence() {
			t.Errorf("%d and %d nonces are kept, counted %d", n, m, b.Sequence())
		}
		if err := b.SetSequence(MaxNonces + prunedAtOnce); err != nil {
			return err
		}
		if _, err := Append(tx, signedEntry(sign(key, "nonce-x", "b", noon), Resolve, noon)); !errors.Is(err, ErrNonces) {
			t.Errorf("a full store: %v", err)
		}
		return nil
	})
}

func keysOf(b kv.Bucket) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for k := range kv.All(b) {
			if !yield(k) {
				return
			}
		}
	}
}

func TestKeys(t *testing.T) {
	db := open(t)
	update(t, db, func(tx kv.Writer) error {
		addKey(t, tx, "ari", robot(0))
		add := func(user string, key ed25519.PublicKey) error { return AddKey(tx, SigningKey{User: user, Public: key}) }
		id := IDOf(publicOf(robot(0)))
		for _, c := range []struct {
			what      string
			got, want error
		}{
			{"again", add("ari", publicOf(robot(0))), ErrKeyKnown},
			{"another user's", add("tiago", publicOf(robot(0))), ErrKeyTaken},
		} {
			if !errors.Is(c.got, c.want) {
				t.Errorf("%s: %v", c.what, c.got)
			}
		}
		if add("ari", nil) == nil {
			t.Error("a key of no bytes was added")
		}
		if k, err := RemoveKey(tx, id, noon); err != nil || !k.Removed.Equal(noon) {
			t.Errorf("removing: %+v, %v", k, err)
		}
		if _, err := RemoveKey(tx, id, noon); !errors.Is(err, ErrKeyUnknown) {
			t.Errorf("removing again: %v", err)
		}
		if err := add("ari", publicOf(robot(0))); !errors.Is(err, ErrKeyRemoved) {
			t.Errorf("adding a removed key: %v", err)
		}
		if k, found, err := KeyWith(tx, id); err != nil || !found || k.User != "ari" || k.ID != id {
			t.Errorf("a removed key: %+v, %v", k, err)
		}
		for n := range byte(MaxUserKeys) {
			addKey(t, tx, "ari", robot(n+1))
		}
		if err := add("ari", publicOf(robot(200))); !errors.Is(err, ErrKeys) {
			t.Errorf("too many: %v", err)
		}
		addKey(t, tx, "tiago", robot(200))
		all, err := Keys(tx)
		if len(all) != MaxUserKeys+2 || !slices.IsSortedFunc(all, func(a, b SigningKey) int { return bytes.Compare(a.ID[:], b.ID[:]) }) {
			t.Errorf("%d keys", len(all))
		}
		return err
	})
}

// TestTheIDOfAKeyIsItsThumbprint uses the key and thumbprint of RFC 8037, appendix A.3.
func TestTheIDOfAKeyIsItsThumbprint(t *testing.T) {
	public, err := base64.RawURLEncoding.DecodeString("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
	if err != nil {
		t.Fatal(err)
	}
	id := IDOf(public)
	if id.String() != "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k" {
		t.Errorf("the id is %s", id)
	}
	if got, ok := ParseKeyID(id.String()); !ok || got != id {
		t.Error("an id can't be parsed")
	}
	for _, s := range []string{"", "x", id.String() + "A", id.String()[:42] + "l", id.String()[:42] + "="} {
		if _, ok := ParseKeyID(s); ok {
			t.Errorf("%q is an id", s)
		}
	}
}

func TestAPublicKeyInPEM(t *testing.T) {
	text := func(kind string, der []byte, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	der, err := x509.MarshalPKIXPublicKey(publicOf(robot(1)))
	private, perr := x509.MarshalPKCS8PrivateKey(robot(1))
	if got, err := ParsePublicKey([]byte(text("PUBLIC KEY", der, err))); err != nil || !got.Equal(publicOf(robot(1))) {
		t.Errorf("%v, %v", got, err)
	}
	if got := PublicPEM(publicOf(robot(1))); got != text("PUBLIC KEY", der, err) {
		t.Errorf("written: %s", got)
	}
	for input, want := range map[string]string{
		text("PRIVATE KEY", private, perr):   "private key",
		text("PUBLIC KEY", []byte("x"), nil): "can't be read",
		"ssh-ed25519 AAAA":                   "not in PEM",
		"":                                   "not in PEM",
	} {
		if _, err := ParsePublicKey([]byte(input)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v", input, err)
		}
	}
}

// A key that is removed while a body arrives stores nothing.
func TestARemovedKeyStoresNothing(t *testing.T) {
	db, key := open(t), robot(1)
	update(t, db, func(tx kv.Writer) error {
		addKey(t, tx, "ari", key)
		_, err := RemoveKey(tx, IDOf(publicOf(key)), noon)
		return err
	})
	update(t, db, func(tx kv.Writer) error {
		if _, err := Append(tx, signedEntry(sign(key, "nonce-one", "body", noon), Insert, noon)); !errors.Is(err, ErrKeyRemoved) {
			t.Errorf("it is stored: %v", err)
		}
		return nil
	})
}
