package service

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

// keyring holds keys in memory. With err, everything fails.
type keyring struct {
	keys map[journal.KeyID]journal.SigningKey
	err  error
}

func (r *keyring) Key(id journal.KeyID) (journal.SigningKey, bool, error) {
	k, ok := r.keys[id]
	return k, ok, r.err
}
func (r *keyring) RepeatedBy(*journal.Signature) (*journal.Repeated, error) { return nil, r.err }
func (r *keyring) Signed(context.Context, uint64) (*journal.SignedRequest, error) {
	return nil, r.err
}
func (r *keyring) Keys(context.Context) ([]journal.SigningKey, error) { return nil, r.err }
func (r *keyring) AddKey(_ context.Context, k journal.SigningKey, _ journal.Entry) error {
	if r.err == nil {
		r.keys[k.ID] = k
	}
	return r.err
}
func (r *keyring) RemoveKey(_ context.Context, id journal.KeyID, _ journal.Entry) (journal.SigningKey, error) {
	return r.keys[id], r.err
}

// refusedAs checks that an error is a refusal of a kind that contains words, or with empty
// words that there is none.
func refusedAs(t *testing.T, what string, err error, kind Kind, words string) {
	t.Helper()
	var refused *Error
	switch ok := errors.As(err, &refused); {
	case words == "" && err == nil:
	case !ok || refused.Kind != kind || !strings.Contains(refused.Detail, words):
		t.Errorf("%s: %v, want a refusal of kind %d with %q", what, err, kind, words)
	}
}

func publicKey(seed byte) ed25519.PublicKey {
	b := make([]byte, ed25519.SeedSize)
	b[0] = seed
	return ed25519.NewKeyFromSeed(b).Public().(ed25519.PublicKey)
}

func TestAKeySignsOnlyForItsUserUntilItIsRemoved(t *testing.T) {
	own, removed := journal.IDOf(publicKey(1)), journal.IDOf(publicKey(2))
	ring := &keyring{keys: map[journal.KeyID]journal.SigningKey{
		own:     {ID: own, User: "ari"},
		removed: {ID: removed, User: "ari", Removed: time.Unix(1, 0)},
	}}
	s := &Service{config: Config{Signers: ring}}
	for _, x := range []struct{ id, user, words string }{
		{own.String(), "ari", ""},
		{own.String(), "tiago", "another user"},
		{own.String(), "ARI", "another user"},
		{removed.String(), "ari", "was removed"},
		{removed.String(), "tiago", "another user"}, // says nothing about the key of another
		{journal.IDOf(publicKey(3)).String(), "ari", "is unknown"},
		{"", "ari", "is unknown"},
		{own.String() + "A", "ari", "is unknown"},
		{strings.Repeat("x", 10_000), "ari", "is unknown"},
	} {
		_, err := s.SigningKey(t.Context(), x.id, x.user)
		refusedAs(t, fmt.Sprintf("%.50s of %s", x.id, x.user), err, Unsigned, x.words)
	}
	ring.err = errors.New("the disk failed")
	if _, err := s.SigningKey(t.Context(), own.String(), "ari"); !errors.Is(err, ring.err) || ErrorOf(err) != nil {
		t.Errorf("a fault of the store: %v", err)
	}
}

func TestOnlyTheNamedUsersMustSign(t *testing.T) {
	for _, x := range []struct {
		must []string
		user string
		want string
	}{
		{nil, "ari", ""},
		{[]string{"ari"}, "ari", `of "ari" must be signed`},
		{[]string{"ari", "tiago"}, "tiago", "must be signed"},
		{[]string{"ari"}, "Ari", ""},
		{[]string{"ari"}, "", ""},
		{[]string{EveryUser}, "pepper", "must be signed"},
	} {
		s := &Service{config: Config{RequireSignatures: x.must}}
		refusedAs(t, fmt.Sprint(x.must, x.user), s.MaySend(x.user, nil), Unsigned, x.want)
		if err := s.MaySend(x.user, &journal.Signature{}); err != nil {
			t.Errorf("%s has signed: %v", x.user, err)
		}
	}
}

func TestASignatureMustBeOfAboutNow(t *testing.T) {
	now := time.Date(2100, 3, 1, 12, 0, 0, 0, time.UTC)
	s := &Service{config: Config{Now: func() time.Time { return now }}}
	for d, words := range map[time.Duration]string{
		0: "", journal.SignatureWindow: "", -journal.SignatureWindow: "",
		journal.SignatureWindow + time.Second:  "created at 2100-03-01T12:05:01Z, and by this service's clock it is 2100-03-01T12:00:00Z; the two may be 5 minutes apart",
		-journal.SignatureWindow - time.Second: "created at 2100-03-01T11:54:59Z",
	} {
		refusedAs(t, d.String(), s.CheckSigned(now.Add(d)), Unsigned, words)
	}
}

// Two requests with one nonce must not both be found new, so the second waits for the first.
func TestRequestsWithOneNonceAreStoredOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Service{config: Config{Signers: &keyring{}}}
		ctx, cancel := context.WithCancel(t.Context())
		sig := &journal.Signature{KeyID: journal.KeyID{1}, Nonce: "n"}
		_, first, err := s.once(t.Context(), sig)
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range []*journal.Signature{nil, {KeyID: journal.KeyID{1}, Nonce: "m"}, {KeyID: journal.KeyID{2}, Nonce: "n"}} {
			_, done, err := s.once(t.Context(), other)
			if err != nil {
				t.Fatal(err)
			}
			done() // it did not wait
		}
		entered := make(chan error, 2)
		for _, c := range []context.Context{t.Context(), ctx} {
			go func() {
				_, done, err := s.once(c, sig)
				if entered <- err; err == nil {
					done()
				}
			}()
		}
		synctest.Wait()
		if len(entered) > 0 {
			t.Fatal("a second request is stored at the same time")
		}
		cancel()
		if err := <-entered; !errors.Is(err, context.Canceled) {
			t.Errorf("the request whose client is gone: %v", err)
		}
		first()
		if err := <-entered; err != nil {
			t.Errorf("the second request: %v", err)
		}
		synctest.Wait()
		if len(s.signing.now) > 0 {
			t.Errorf("%d nonces are still held", len(s.signing.now))
		}
		s.config.Signers = &keyring{err: journal.ErrNonceUsed}
		_, _, err = s.once(t.Context(), sig)
		refusedAs(t, "a nonce of another request", err, Unsigned, "new nonce")
		if len(s.signing.now) > 0 {
			t.Error("a refused request holds its nonce")
		}
	})
}

func TestErrorsOfKeysAndNoncesAreRefusals(t *testing.T) {
	refusedAs(t, "a stale nonce", unsignable(fmt.Errorf("reading: %w", journal.ErrNonceStale)), Unsigned, "needs a new key")
	refusedAs(t, "too many nonces", unsignable(journal.ErrNonces), Unavailable, "try again later")
	fault := errors.New("the disk failed")
	if err := unsignable(fault); !errors.Is(err, fault) || ErrorOf(err) != nil {
		t.Errorf("%v", err)
	}
	refusedAs(t, "an unknown key", keyError(&store.UnfitError{Detail: journal.ErrKeyUnknown.Error()}), NotFound, "There is no such key.")
	refusedAs(t, "a known key", keyError(&store.UnfitError{Detail: journal.ErrKeyKnown.Error()}), Conflict, "in use already")
	if err := keyError(fault); !errors.Is(err, fault) || ErrorOf(err) != nil || keyError(nil) != nil {
		t.Errorf("%v", err)
	}
}

func TestAKeyIsAddedForANamedUser(t *testing.T) {
	ring := &keyring{keys: map[journal.KeyID]journal.SigningKey{}}
	s := &Service{config: Config{Signers: ring, Now: time.Now}}
	admin, good := auth.Actor{Username: "eva"}, []byte(journal.PublicPEM(publicKey(1)))
	for _, x := range []struct {
		user  string
		text  []byte
		words string
	}{
		{"", good, "name the user"},
		{"a\nb", good, "control character"},
		{"a\u200bb", good, "which nobody sees"},
		{strings.Repeat("x", auth.MaxName+1), good, "longer than"},
		{"ari", nil, "PEM"},
		{"ari", []byte("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"), "."},
	} {
		_, err := s.AddKey(t.Context(), admin, x.user, x.text)
		var refused *Error
		if !errors.As(err, &refused) || refused.Kind != Invalid || !strings.Contains(strings.ToLower(refused.Detail), strings.ToLower(x.words)) {
			t.Errorf("%.20q with %d bytes: %v", x.user, len(x.text), err)
		}
	}
	k, err := s.AddKey(t.Context(), admin, "ari", good)
	if err != nil || k.User != "ari" || k.AddedBy != "eva" || k.ID != journal.IDOf(publicKey(1)) || len(ring.keys) != 1 {
		t.Errorf("%+v, %v", k, err)
	}
	_, err = s.RemoveKey(t.Context(), admin, "no id")
	refusedAs(t, "an id that is none", err, NotFound, "no such key")
}
