package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/store/log/journal"
)

// revokeTokens revokes tokens, in a running service or in the file. After revoking a
// user's tokens it waits until the user can get a valid new one, since times in tokens
// are whole seconds.
func revokeTokens(ctx context.Context, p *program, c *config.Config) error {
	r := journal.Revoked{TokenID: c.TokenID, Username: c.User}
	if (r.TokenID == "") == (r.Username == "") {
		return &config.Error{Msg: "which tokens?", Hint: "Give --jti ID for one token, or --user NAME for all tokens issued to the user so far."}
	}
	if err := auth.CheckName(r.TokenID + r.Username); err != nil {
		return &config.Error{Msg: fmt.Sprintf("--jti or --user: %v", err), Hint: "See `segraph token -h`."}
	}
	err := callJSON(ctx, c, http.MethodPost, "/admin/revocations", &r, http.StatusCreated, &r)
	if err != nil {
		return err
	}
	if r.Username == "" {
		_, err = fmt.Fprintf(p.stdout, "the token %s was revoked\n", r.TokenID)
		return err
	}
	select {
	case <-time.After(min(time.Until(r.UpTo.Add(time.Second)), 2*time.Second)): // less if this clock is behind the service's
	case <-ctx.Done():
	}
	_, err = fmt.Fprintf(p.stdout, "all tokens of %s issued up to %s were revoked\n", r.Username, r.UpTo.Format(time.RFC3339))
	return err
}

// adminToken returns the given token for a service, or issues one for a minute.
func adminToken(c *config.Config) (string, error) {
	token, err := tokenOf(c)
	if err != nil || token != "" || c.SecretKey == "" {
		return token, err
	}
	a, err := app.NewAuth(c)
	if err != nil {
		return "", err
	}
	return a.Issue(operator(), []string{string(auth.Admin)}, time.Minute, time.Now())
}

// listRevoked prints the revocations, one per line.
func listRevoked(ctx context.Context, p *program, c *config.Config) error {
	var list struct {
		Revocations []struct {
			journal.Revoked
			Time  time.Time
			Actor string
		}
	}
	if err := callJSON(ctx, c, http.MethodGet, "/admin/revocations", nil, http.StatusOK, &list); err != nil {
		return err
	}
	var b strings.Builder
	for _, r := range list.Revocations {
		what := "jti " + r.TokenID
		if r.Username != "" {
			what = fmt.Sprintf("user %s, tokens issued up to %s", r.Username, r.UpTo.Format(time.RFC3339))
		}
		fmt.Fprintf(&b, "%s, by %s at %s\n", printable(what), printable(r.Actor), r.Time.Format(time.RFC3339))
	}
	if b.Len() == 0 {
		b.WriteString("nothing is revoked\n")
	}
	_, err := io.WriteString(p.stdout, b.String())
	return err
}
