package front

import (
	"errors"
	"net/http"

	"github.com/segraph/segraph/auth"
)

// Bound limits the body of a request to limit bytes after decompression.
func Bound(w http.ResponseWriter, r *http.Request, limit int64) error {
	q := requestOf(r)
	var err error
	if q.coding, err = contentCoding(r); err != nil {
		return err
	}
	q.bodyLimit = limit
	arriving := limit
	if q.coding != "" {
		arriving = wireLimit(limit)
	}
	if r.ContentLength > arriving {
		return &http.MaxBytesError{Limit: limit}
	}
	r.Body = http.MaxBytesReader(w, r.Body, arriving)
	return nil
}

// Admit identifies the sender of a request and checks that they have one of the roles.
// Without roles it admits everybody.
func (f *Front) Admit(r *http.Request, roles []auth.Role) error {
	if len(roles) == 0 {
		return nil
	}
	q := requestOf(r)
	actor, err := f.auth.Authenticate(r.Header["Authorization"])
	if err != nil {
		return f.Refused(r, err)
	}
	q.actor, q.Actor = actor, actor.Username
	if !actor.Is(roles...) {
		return NewProblem(http.StatusForbidden, "you have no permission for this: it requires the role %s, and your token has %s",
			auth.RoleList(roles, " or "), auth.RoleList(actor.Roles, " and "))
	}
	return nil
}

// Refused returns the error for a request that err refuses. If it has a wrong token,
// Refused counts that for the address and, after too many, returns a problem that says
// so. Requests without a token do not count, and those with a valid token always pass.
func (f *Front) Refused(r *http.Request, err error) error {
	var token *auth.TokenError
	if !errors.As(err, &token) || token.Reason == auth.MissingHeader {
		return err
	}
	if wait := f.failures.fail(requestOf(r).address); wait > 0 {
		return NewProblem(http.StatusTooManyRequests, "too many wrong tokens came from this address; wait before you try another").limited("failed_tokens").
			retryAfter(wait)
	}
	return err
}
