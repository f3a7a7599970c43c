package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/config"
)

func token() verb {
	return verb{
		name:    "token",
		summary: "Issue a token that lets a user in.",
		detail: `Prints a token, and nothing else, that is signed with SECRET_KEY, which must be the one that the
service runs with. Clients send it as "Authorization: Bearer TOKEN". A token can't be taken back
before it expires, but by changing SECRET_KEY, which ends all of them.`,
		settings: []string{"user", "role", "expires", "secret-key", "allow-short-secret"},
		run:      runToken,
	}
}

func runToken(_ context.Context, p *program, c *config.Config) error {
	authenticator, err := newAuth(c)
	if err != nil {
		return err
	}
	switch {
	case !authenticator.Enabled():
		return &config.Error{
			Msg:  "SECRET_KEY is not set, so there is nothing to sign a token with",
			Hint: "Set SECRET_KEY, or SECRET_KEY_FILE, to the key that the service runs with.",
		}
	case strings.TrimSpace(c.User) == "":
		return &config.Error{Msg: "whom is the token for?", Hint: "Give --user NAME."}
	case len(c.Roles) == 0:
		return &config.Error{Msg: "what may the user do?", Hint: "Give --role admin, --role logger or --role auditor."}
	}
	t, err := authenticator.Issue(c.User, c.Roles, c.Expires, time.Now())
	if err != nil {
		return &config.Error{Msg: err.Error(), Hint: "See `segraph token -h`."}
	}
	_, err = fmt.Fprintln(p.stdout, t)
	return err
}

// newAuth makes what checks and issues tokens. A key that can be guessed is refused.
func newAuth(c *config.Config) (*auth.Authenticator, error) {
	var options []auth.Option
	if c.AllowShortSecret {
		options = append(options, auth.AllowShortSecret())
	}
	a, err := auth.New(c.SecretKey, options...)
	if errors.Is(err, auth.ErrShortSecret) {
		return nil, &config.Error{
			Msg:  fmt.Sprintf("SECRET_KEY: %v, so it could be found by trying", err),
			Hint: "Make one with `openssl rand -hex 32`. For a demo, --allow-short-secret takes it as it is.",
		}
	}
	return a, err
}
