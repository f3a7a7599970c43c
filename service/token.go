package service

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
)

// An IssuedToken describes a token that this service issued. The token itself is stored nowhere.
type IssuedToken struct {
	ID       string      `json:"jti"`
	Username string      `json:"username"`
	Roles    []auth.Role `json:"roles"`
	Issued   time.Time   `json:"issued"`
	Expires  time.Time   `json:"expires"`
	By       string      `json:"actor"` // who asked for it
	Revoked  bool        `json:"revoked"`
}

// Limits of issued tokens.
const (
	MaxTokenLife  = 10 * 365 * 24 * time.Hour
	LeastTokenTTL = time.Minute
)

// IssueToken issues a token for a user, lists it, and enters it in the journal.
func (s *Service) IssueToken(ctx context.Context, actor auth.Actor, username string, roles []string, life time.Duration) (text string, listed IssuedToken, err error) {
	defer s.withholding()()
	username = strings.TrimSpace(username)
	switch {
	case !s.config.Auth.Enabled():
		return "", IssuedToken{}, refuse(Conflict, "this service has no secret key to sign tokens with; set SECRET_KEY")
	case len(username) > notes.MaxName:
		return "", IssuedToken{}, refuse(Invalid, "the username has %d bytes; at most %d are allowed", len(username), notes.MaxName)
	case life < LeastTokenTTL || life > MaxTokenLife:
		return "", IssuedToken{}, refuse(Invalid, "a token must be valid for at least a minute and at most %d days", MaxTokenLife/(24*time.Hour))
	}
	token, err := s.config.Auth.Issue(username, roles, life, s.config.Now())
	if err != nil {
		return "", IssuedToken{}, refuse(Invalid, "%v", err)
	}
	who, err := s.config.Auth.Authenticate([]string{"Bearer " + token})
	var refused *auth.TokenError
	if errors.As(err, &refused) && refused.Reason == auth.RevokedToken { // tokens have whole seconds
		return "", IssuedToken{}, refuse(Conflict, "the tokens of %q that are issued up to now were revoked; try again in a second", username).retry(time.Second)
	}
	if err != nil {
		return "", IssuedToken{}, fmt.Errorf("read a token: %v", err) // not %w: the client's own token is valid
	}
	e := s.entry(ctx, actor, journal.Issue, "")
	t := IssuedToken{ID: who.TokenID, Username: username, Roles: who.Roles, Issued: who.Issued.UTC(), Expires: who.Expires.UTC(), By: e.Actor}
	if err := s.forgetUseless(ctx); err != nil {
		return "", t, err
	}
	e.Owner = username
	e.Detail = detailOf(t.ID) + fmt.Sprintf(" %s, until %s", auth.RoleList(t.Roles, " and "), t.Expires.Format(time.RFC3339))
	if err := s.putNote(ctx, notes.Token, username, t.ID, t, e); err != nil {
		return "", t, err
	}
	return token, t, nil
}

// forgetUseless makes room once as many tokens are kept, of all users, as one user may have: it forgets those that have expired
// or were revoked. Until then it keeps them, because the clock may be ahead.
func (s *Service) forgetUseless(ctx context.Context) error {
	list, err := s.keptTokens()
	for _, t := range list {
		if err == nil && len(list) >= notes.MaxOwned && (t.Revoked || s.expired(t)) {
			_, err = s.config.Notes.Remove(ctx, notes.Token, t.Username, t.ID)
		}
	}
	return err
}

func (s *Service) expired(t IssuedToken) bool { return t.Expires.Before(s.config.Now()) }

// IssuedTokens returns the tokens that this service issued and that have not expired, the newest first. It leaves out tokens
// that the secret key signed elsewhere.
func (s *Service) IssuedTokens() ([]IssuedToken, error) {
	all, err := s.keptTokens()
	return slices.DeleteFunc(all, s.expired), err
}

// keptTokens is IssuedTokens with those that have expired.
func (s *Service) keptTokens() ([]IssuedToken, error) {
	all, err := readNotes(s, notes.Token, "", func(notes.Note) IssuedToken { return IssuedToken{} })
	for i := range all {
		t := &all[i]
		t.Revoked = s.config.Auth.Revoked(auth.Actor{Username: t.Username, TokenID: t.ID, Issued: t.Issued})
	}
	slices.SortStableFunc(all, func(a, b IssuedToken) int { return b.Issued.Compare(a.Issued) })
	return all, err
}

// detailOf returns how the detail of a journal entry about the issue of a token begins.
func detailOf(id string) string { return "jti " + id + "," }

// behind returns the users who may have an actor's token: the actor, the issuer of the token, the issuers of all tokens
// of this one, and so on. It finds them in the journal, which also has tokens that have expired. A token that was made with
// the secret key elsewhere, as by segraph token, counts as its user's alone, because nobody can know who made it. All issuers who
// were erased count as one, "".
func (s *Service) behind(ctx context.Context, actor auth.Actor) ([]string, error) {
	all, err := s.config.Journal.Logs(ctx, journal.Filter{Action: journal.Issue, Limit: math.MaxInt, Look: math.MaxUint64}, nil)
	if err != nil {
		return nil, fmt.Errorf("find who issued a token: %w", err)
	}
	var issuers []string
	add := func(name string) {
		if !slices.Contains(issuers, name) {
			issuers = append(issuers, name)
		}
	}
	for _, e := range all.Entries {
		if (e.Owner == actor.Username || e.Owner == "") && strings.HasPrefix(e.Detail, detailOf(actor.TokenID)) {
			add(e.Actor)
		}
	}
	for i := 0; i < len(issuers); i++ {
		for _, e := range all.Entries {
			if e.Owner == issuers[i] {
				add(e.Actor)
			}
		}
	}
	add(actor.Username)
	return issuers, nil
}
