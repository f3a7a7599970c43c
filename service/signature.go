package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

// Signers keeps the keys with which users sign requests, and what they signed.
// *signers.Signers implements it.
type Signers interface {
	Key(id journal.KeyID) (k journal.SigningKey, found bool, err error)
	RepeatedBy(sig *journal.Signature) (*journal.Repeated, error)
	Signed(ctx context.Context, seq uint64) (*journal.SignedRequest, error)
	KeyKeeper
}

// KeyKeeper lists and changes the keys with which users sign. The error of a refused change
// is a *store.UnfitError.
type KeyKeeper interface {
	Keys(ctx context.Context) ([]journal.SigningKey, error)
	AddKey(ctx context.Context, k journal.SigningKey, e journal.Entry) error
	RemoveKey(ctx context.Context, id journal.KeyID, e journal.Entry) (journal.SigningKey, error)
}

// EveryUser in Config.RequireSignatures means that every user must sign.
const EveryUser = "all"

// alone refuses changes at a centre that reads a stream, which must be the same at all that do.
func (s *Service) alone() error {
	if s.config.Lag != nil {
		return refuse(Forbidden, "this centre reads its logs and observations from a stream (SEGRAPH_FORWARD_FROM), as others may; send them to a box. It can't be cleared, and imports nothing")
	}
	return nil
}

// MaySend returns a refusal if a user must sign requests and sig is nil, or if this service gets logs by a stream alone.
func (s *Service) MaySend(user string, sig *journal.Signature) error {
	if err := s.alone(); err != nil {
		return err
	}
	must := s.config.RequireSignatures
	if sig != nil || !slices.Contains(must, user) && !slices.Contains(must, EveryUser) {
		return nil
	}
	return refuse(Unsigned, "logs and observations of %q must be signed (SEGRAPH_REQUIRE_SIGNATURES); see the header Accept-Signature, and /docs", user)
}

// SigningKey returns the key with an id. It refuses one that is unknown, removed or another user's.
func (s *Service) SigningKey(_ context.Context, id, user string) (journal.SigningKey, error) {
	var k journal.SigningKey
	key, ok := journal.ParseKeyID(id)
	found := false
	if ok {
		var err error
		if k, found, err = s.config.Signers.Key(key); err != nil {
			return k, fmt.Errorf("find the key of a signature: %w", err)
		}
	}
	switch {
	case !found:
		return k, refuse(Unsigned, "the key of the signature is unknown; an admin adds keys with `segraph key add`, which prints the keyid")
	case k.User != user:
		return k, refuse(Unsigned, "the key of the signature belongs to another user than the token")
	case !k.Removed.IsZero():
		return k, refuse(Unsigned, "the key of the signature was removed; sign with another one")
	}
	return k, nil
}

// CheckSigned returns a refusal if a signature was created more than
// journal.SignatureWindow before or after now.
func (s *Service) CheckSigned(created time.Time) error {
	now := s.config.Now()
	if d := now.Sub(created); d > journal.SignatureWindow || d < -journal.SignatureWindow {
		return refuse(Unsigned, "the signature was created at %s, and by this service's clock it is %s; the two may be %d minutes apart; sign again, with the time in the header Date",
			created.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339), journal.SignatureWindow/time.Minute)
	}
	return nil
}

// signedBy identifies a signed request.
type signedBy struct {
	key   journal.KeyID
	nonce string
}

// once returns the earlier request with a signature, or nil if the caller is the first. It
// waits for another request with the same nonce. The caller must call done once its request
// is stored, or has failed. A nil signature is always the first.
func (s *Service) once(ctx context.Context, sig *journal.Signature) (earlier *journal.Repeated, done func(), err error) {
	if sig == nil {
		return nil, func() {}, nil
	}
	by := signedBy{sig.KeyID, sig.Nonce}
	if done, err = s.signing.enter(ctx, by, nil, 0); err != nil {
		return nil, nil, err
	}
	earlier, err = s.config.Signers.RepeatedBy(sig)
	if err != nil {
		done()
		return nil, nil, unsignable(err)
	}
	return earlier, done, nil
}

// unsignable turns errors of nonces into refusals.
func unsignable(err error) error {
	switch {
	case errors.Is(err, journal.ErrNonceUsed):
		return refuse(Unsigned, "%v; use a new nonce for each request, and send a request again unchanged", journal.ErrNonceUsed)
	case errors.Is(err, journal.ErrNonceStale):
		return refuse(Unsigned, "%v; if this service's clock was wrong, the user needs a new key", journal.ErrNonceStale)
	case errors.Is(err, journal.ErrNonces):
		return refuse(Unavailable, "%v; try again later", journal.ErrNonces).retry(time.Minute)
	}
	return err
}

// Keys returns the keys with which users sign, including removed ones.
func (s *Service) Keys(ctx context.Context) ([]journal.SigningKey, error) {
	return s.config.Signers.Keys(ctx)
}

// AddKey adds a key with which a user signs. text is the public key in PEM.
func (s *Service) AddKey(ctx context.Context, actor auth.Actor, user string, text []byte) (k journal.SigningKey, err error) {
	if user == "" {
		return k, refuse(Invalid, "name the user who signs with the key, as in their tokens")
	}
	if err := auth.CheckName(user); err != nil {
		return k, refuse(Invalid, "the user is %v", err)
	}
	defer s.withholding()()
	if err := s.checkUser(user); err != nil {
		return k, err
	}
	if k.Public, err = journal.ParsePublicKey(text); err != nil {
		return k, refuse(Invalid, "%v", err)
	}
	e := s.entry(ctx, actor, journal.UseKey, "")
	k.ID, k.User, k.Added, k.AddedBy = journal.IDOf(k.Public), user, e.Time, e.Actor
	return k, keyError(s.config.Signers.AddKey(ctx, k, e))
}

// RemoveKey makes the key with an id invalid from now on, and returns it. The error is an
// *Error if there is no such key.
func (s *Service) RemoveKey(ctx context.Context, actor auth.Actor, id string) (k journal.SigningKey, err error) {
	key, ok := journal.ParseKeyID(id)
	if !ok {
		return k, refuse(NotFound, "%v", journal.ErrKeyUnknown)
	}
	defer s.withholding()()
	k, err = s.config.Signers.RemoveKey(ctx, key, s.entry(ctx, actor, journal.DropKey, ""))
	return k, keyError(err)
}

// keyError returns the error of a change of keys as a refusal.
func keyError(err error) error {
	var refused *store.UnfitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused) && refused.Detail == journal.ErrKeyUnknown.Error():
		return refuse(NotFound, "%s", refused.Detail)
	case errors.As(err, &refused):
		return refuse(Conflict, "%s", refused.Detail)
	}
	return fmt.Errorf("change the signing keys: %w", err)
}

// Signed returns what was kept of the signed request of a log or an observation.
func (s *Service) Signed(ctx context.Context, logID string) (*journal.SignedRequest, error) {
	log, err := s.Log(ctx, logID, 0)
	if err != nil {
		return nil, err
	}
	r, err := s.config.Signers.Signed(ctx, log.Entries[0].Seq)
	if errors.Is(err, journal.ErrSignatureErased) {
		return nil, refuse(NotFound, "the request of this log was signed, and its signature was erased")
	}
	if err != nil {
		return nil, fmt.Errorf("read a signed request: %w", err)
	}
	if r == nil {
		return nil, refuse(NotFound, "the request of this log was not signed")
	}
	return r, nil
}
