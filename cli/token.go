package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/config"
)

func token() verb {
	return verb{
		name:    "token",
		args:    "[revoke|revoked]",
		summary: "Issue a token, or revoke tokens.",
		detail: `Prints a token signed with SECRET_KEY, and nothing else. The service must run with the same key. Clients
send the token as "Authorization: Bearer TOKEN". With --url the service issues it, lists it on its page
Tokens, and enters it in the journal; a token without --url is valid and not listed.

"segraph token revoke" ends tokens before they expire: with --jti the token of that id, with --user
all tokens issued to that user so far. "segraph token revoked" lists revoked tokens. Both ask the
service at --url, with an admin's token or, without one, a one-minute token signed with
SECRET_KEY. Without --url they use the file, which no service may be using.`,
		settings: []string{"user", "role", "expires", "jti", "data", "url", "token-file", "token", "secret-key", "secret-key-previous", "allow-short-secret"},
		run:      runToken,
	}
}

// runToken prints a token, or passes on to revoke and revoked.
func runToken(ctx context.Context, p *program, c *config.Config) error {
	switch {
	case len(c.Args) == 1 && c.Args[0] == "revoke":
		return revokeTokens(ctx, p, c)
	case len(c.Args) == 1 && c.Args[0] == "revoked":
		return listRevoked(ctx, p, c)
	case len(c.Args) > 0:
		return &config.Error{Msg: fmt.Sprintf("unexpected argument %q", c.Args[0]), Hint: "Write `segraph token`, `segraph token revoke` or `segraph token revoked`."}
	case c.URL != "":
		return askForToken(ctx, p, c)
	}
	authenticator, err := app.NewAuth(c)
	if err != nil {
		return err
	}
	switch {
	case !authenticator.Enabled():
		return &config.Error{
			Msg:  "SECRET_KEY is not set, so there is no key to sign a token with",
			Hint: "Set SECRET_KEY, or SECRET_KEY_FILE, to the service's key.",
		}
	case strings.TrimSpace(c.User) == "":
		return &config.Error{Msg: "the user of the token is missing", Hint: "Give --user NAME."}
	case len(c.Roles) == 0:
		return &config.Error{Msg: "the role of the user is missing", Hint: "Give --role admin, logger, auditor or box."}
	}
	t, err := authenticator.Issue(c.User, c.Roles, c.Expires, time.Now())
	if err != nil {
		return &config.Error{Msg: err.Error(), Hint: "See `segraph token -h`."}
	}
	_, err = fmt.Fprintln(p.stdout, t)
	return err
}

// askForToken prints a token that the service at --url issued.
func askForToken(ctx context.Context, p *program, c *config.Config) error {
	body := struct {
		Username string   `json:"username"`
		Roles    []string `json:"roles"`
		Life     float64  `json:"expires_in"`
	}{c.User, c.Roles, c.Expires.Truncate(time.Second).Seconds()}
	var answer struct {
		Token string `json:"token"`
	}
	if err := callJSON(ctx, c, http.MethodPost, "/admin/tokens", &body, http.StatusCreated, &answer); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.stdout, answer.Token)
	return err
}
