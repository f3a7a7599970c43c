package auth

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"
)

// claims are the claims of a token. They are decoded member by member, because
// encoding/json would accept "EXP" for "exp", keep the last of two equal members, and
// replace invalid UTF-8.
type claims struct {
	username, id               string
	roles                      []Role
	expires, notBefore, issued *jwt.NumericDate
	problem                    error // a claim that can be read but is invalid
}

// UnmarshalJSON fails only if data is not a set of claims. It keeps the error of a single
// claim for Validate, which runs after the signature was checked.
func (c *claims) UnmarshalJSON(data []byte) error {
	m, err := members(data)
	if err != nil {
		return err
	}
	c.username, c.problem = username(m)
	if c.problem == nil {
		c.roles, c.problem = roles(m)
	}
	if c.problem == nil {
		c.id, c.problem = tokenID(m)
	}
	for _, t := range []struct {
		name string
		date **jwt.NumericDate
	}{{"exp", &c.expires}, {"nbf", &c.notBefore}, {"iat", &c.issued}} {
		if *t.date, err = seconds(m, t.name); err != nil && c.problem == nil {
			c.problem = err
		}
	}
	return nil
}

// Validate is called by the jwt package after it checked the signature and the times.
func (c *claims) Validate() error { return c.problem }

func (c *claims) GetExpirationTime() (*jwt.NumericDate, error) { return c.expires, nil }
func (c *claims) GetNotBefore() (*jwt.NumericDate, error)      { return c.notBefore, nil }
func (c *claims) GetIssuedAt() (*jwt.NumericDate, error)       { return c.issued, nil }
func (c *claims) GetIssuer() (string, error)                   { return "", nil }
func (c *claims) GetSubject() (string, error)                  { return "", nil }
func (c *claims) GetAudience() (jwt.ClaimStrings, error)       { return nil, nil }

// username returns the claim "username" or, without one, "sub".
func username(m map[string]any) (string, error) {
	name := "username"
	value, ok := m[name]
	if !ok {
		name = "sub"
		value, ok = m[name]
	}
	if !ok {
		return "", refuse(MissingClaim, `the token has neither a claim "username" nor "sub"`)
	}
	text, ok := value.(string)
	if !ok || strings.TrimSpace(text) == "" {
		return "", refuse(MissingClaim, "the token's claim %q is not a name", name)
	}
	return text, nil
}

// roles returns the claim "roles": at least one, each known.
func roles(m map[string]any) ([]Role, error) {
	value, ok := m["roles"]
	if !ok {
		return nil, refuse(MissingClaim, `the token has no claim "roles"`)
	}
	list, ok := value.([]any)
	if !ok || len(list) == 0 {
		return nil, refuse(MissingClaim, `the token's claim "roles" is not a list of roles`)
	}
	var out []Role
	for _, item := range list {
		text, _ := item.(string)
		if !slices.Contains(Roles(), Role(text)) {
			return nil, refuse(MissingClaim, `the token's claim "roles" holds something other than %s`, RoleList(Roles(), ", "))
		}
		out = append(out, Role(text))
	}
	return out, nil
}

// tokenID reads "jti", the id of a token (RFC 7519, section 4.1.7), or returns "".
func tokenID(m map[string]any) (string, error) {
	value, ok := m["jti"]
	if !ok {
		return "", nil
	}
	text, ok := value.(string)
	if !ok || text == "" || CheckName(text) != nil {
		return "", refuse(InvalidToken, `the token's claim "jti" is not a text of at most %d characters`, MaxName)
	}
	return text, nil
}

// lastSecond is the end of the year 9999. RFC 3339 can't express later times.
const lastSecond = 253402300799

// seconds reads a NumericDate (RFC 7519, section 2). It must be a whole number without a
// decimal point or an exponent. seconds returns nil if there is no such claim.
func seconds(m map[string]any, name string) (*jwt.NumericDate, error) {
	value, ok := m[name]
	if !ok {
		return nil, nil
	}
	number, _ := value.(json.Number)
	n, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil || n < 0 || n > lastSecond {
		return nil, refuse(InvalidToken, "the token's claim %q is not a time in whole seconds since 1970", name)
	}
	return jwt.NewNumericDate(time.Unix(n, 0)), nil
}

// members reads a JSON object. It refuses repeated members and anything after the object.
func members(data []byte) (map[string]any, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("is not a JSON object")
	}
	m := map[string]any{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, errors.New("is not JSON")
		}
		name := key.(string) // the decoder accepts only strings here
		if _, repeated := m[name]; repeated {
			return nil, errors.New("has a member twice")
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return nil, errors.New("has a member that is not JSON")
		}
		m[name] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, errors.New("is not JSON")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("has something after it")
	}
	return m, nil
}
