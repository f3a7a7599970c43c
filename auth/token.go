package auth

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// maxToken is the maximum length of a token in bytes. Issue's tokens have about 200.
const maxToken = 8 << 10

// Authenticate returns the actor that the values of a request's Authorization header
// identify (RFC 6750, section 2.1). The error is a *TokenError, or wraps ErrName if the
// token is valid but the name in it can't be used.
func (a *Authenticator) Authenticate(headers []string) (Actor, error) {
	if !a.Enabled() {
		return Actor{Username: Anonymous, Roles: Roles()}, nil
	}
	token, err := bearer(headers)
	if err != nil {
		return Actor{}, err
	}
	return a.parse(token)
}

// bearer returns the token in the values of an Authorization header. The error is a
// *TokenError.
func bearer(headers []string) (string, error) {
	if len(headers) == 0 {
		return "", refuse(MissingHeader,
			`the Authorization header is missing; send "Authorization: Bearer <token>"`)
	}
	if len(headers) > 1 {
		return "", refuse(InvalidToken, "the token is not valid: there is more than one Authorization header")
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	token = strings.Trim(token, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", refuse(InvalidToken,
			`the Authorization header holds no token; send "Authorization: Bearer <token>"`)
	}
	return token, nil
}

// parse verifies a token and returns its actor. The error says in words for the client why it is
// refused.
func (a *Authenticator) parse(token string) (Actor, error) {
	if len(token) > maxToken {
		return Actor{}, refuse(InvalidToken, "the token is not valid: it is longer than %d bytes", maxToken)
	}
	if err := checkHeader(token); err != nil {
		return Actor{}, refuse(InvalidToken, "the token is not valid: %v", err)
	}
	parser := jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithStrictDecoding(),
		jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(),
		jwt.WithTimeFunc(a.now),
	)
	var c claims
	_, err := parser.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return a.keys(), nil })
	if err != nil {
		return Actor{}, refusal(err, &c, a.now())
	}
	if err := CheckName(c.username); err != nil {
		return Actor{}, fmt.Errorf("the username in the token is %w", err)
	}
	actor := Actor{Username: c.username, Roles: c.roles, Expires: c.expires.Time, TokenID: c.id}
	if c.issued != nil {
		actor.Issued = c.issued.Time
	}
	if a.Revoked(actor) {
		return Actor{}, refuse(RevokedToken, "the token was revoked; get a new one")
	}
	return actor, nil
}

// keys returns the keys that a token may be signed with.
func (a *Authenticator) keys() jwt.VerificationKeySet {
	set := jwt.VerificationKeySet{Keys: []jwt.VerificationKey{a.key}}
	if len(a.previous) > 0 {
		set.Keys = append(set.Keys, a.previous)
	}
	return set
}

// refusal turns an error of the jwt package into a *TokenError. It tests the signature
// first, so that the message reveals nothing about the claims of a foreign token.
func refusal(err error, c *claims, now time.Time) error {
	clock := "by this service's clock it is " + now.UTC().Format(time.RFC3339) // the clock may be the cause
	var missing *TokenError
	switch {
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return refuse(InvalidToken, "the token is not valid: it was not signed with this service's key")
	case errors.As(err, &missing):
		return missing
	case errors.Is(err, jwt.ErrTokenRequiredClaimMissing):
		return refuse(MissingClaim, `the token has no claim "exp"`)
	case errors.Is(err, jwt.ErrTokenExpired):
		return refuse(ExpiredToken, "the token expired at %s; get a new one (%s)", c.expires.UTC().Format(time.RFC3339), clock)
	case errors.Is(err, jwt.ErrTokenNotValidYet):
		return refuse(InvalidToken, "the token is not valid yet: its nbf is in the future; %s", clock)
	case errors.Is(err, jwt.ErrTokenUsedBeforeIssued):
		return refuse(InvalidToken, "the token is not valid yet: its iat is in the future; %s", clock)
	}
	return refuse(InvalidToken, "the token is not valid: it can't be read as a JWT")
}

// checkHeader accepts {"alg":"HS256"}, with or without "typ":"JWT" and a text "kid".
// Libraries often write "kid"; it selects nothing here. Any other member would bring a
// key or a rule of the sender's choice (jku, jwk, x5u, crit, …: RFC 7515, section 4.1).
func checkHeader(token string) error {
	segment, _, _ := strings.Cut(token, ".")
	data, err := base64.RawURLEncoding.Strict().DecodeString(segment)
	if err != nil {
		return errors.New("its header is not base64url")
	}
	header, err := members(data)
	if err != nil {
		return fmt.Errorf("its header %w", err)
	}
	if !strings.HasPrefix(segment, "eyJ") { // by this, package logs keeps tokens out of what is stored
		return errors.New(`its header does not begin with {", without a space`)
	}
	for name, value := range header {
		text, ok := value.(string)
		switch {
		case name == "alg" && text == jwt.SigningMethodHS256.Alg(): // allowed
		case name == "alg":
			return errors.New("its algorithm is not HS256")
		case name == "typ" && ok && strings.EqualFold(text, "JWT"): // allowed
		case name == "kid" && ok: // allowed
		default:
			return errors.New(`its header holds more than "alg", "typ" and "kid"`)
		}
	}
	return nil
}

// Issue returns a signed token for a user, with an id of its own, that expires ttl after
// now, cut to the second. It needs a secret, a name that CheckName accepts, known roles, each once,
// and a ttl of at least a second.
func (a *Authenticator) Issue(username string, roles []string, ttl time.Duration, now time.Time) (string, error) {
	if !a.Enabled() {
		return "", errors.New("a token needs a secret key")
	}
	if strings.TrimSpace(username) == "" {
		return "", errors.New("a token needs a username")
	}
	if err := CheckName(username); err != nil {
		return "", fmt.Errorf("the username is %w", err)
	}
	if len(roles) == 0 {
		return "", fmt.Errorf("a token needs a role: %s", RoleList(Roles(), " or "))
	}
	for i, r := range roles {
		if !slices.Contains(Roles(), Role(r)) {
			return "", fmt.Errorf("%q is not a role; the roles are %s", r, RoleList(Roles(), ", "))
		}
		if slices.Contains(roles[:i], r) {
			return "", fmt.Errorf("the role %s is repeated; name it once", r)
		}
	}
	if ttl < time.Second {
		return "", errors.New("a token must be valid for at least a second")
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"username": username,
		"roles":    roles,
		"iat":      now.Unix(),
		"exp":      now.Add(ttl).Unix(),
		"jti":      uuid.NewString(),
	}).SignedString(a.key)
	if err != nil {
		return "", fmt.Errorf("sign the token: %w", err)
	}
	return token, nil
}
