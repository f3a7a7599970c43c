package views

import (
	_ "embed" // for firstConversation
	"net/http"
	"strings"
	"time"

	"github.com/segraph/segraph/auth"
)

// Command returns a curl command for the API at the address that the browser uses.
// arguments are in shell syntax. If authentication is on, $SEGRAPH_TOKEN must hold a token with
// the role.
func (u *UI) Command(r *http.Request, role auth.Role, path string, arguments ...string) Command {
	lines := []string{"curl " + Quote(u.Front.Address(r)+"/api"+path)}
	c := Command{}
	if u.Config.Auth.Enabled() {
		c.Role = string(role)
		lines = append(lines, `-H "Authorization: Bearer $SEGRAPH_TOKEN"`)
	}
	c.Text = strings.Join(append(lines, arguments...), " \\\n  ")
	return c
}

// Quote quotes a string for the shell.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// firstConversation is a log in JSON-LD: a sentence and its answer. @HEARD@ and @SAID@ stand
// for their times.
//
//go:embed snippets/first.jsonld
var firstConversation string

// FirstLog returns a command that publishes a first log.
func (u *UI) FirstLog(r *http.Request) Command {
	const layout = "2006-01-02T15:04:05Z"
	now := u.Config.Now().UTC()
	log := strings.NewReplacer("@HEARD@", now.Add(-2*time.Second).Format(layout), "@SAID@", now.Format(layout)).Replace(firstConversation)
	return u.Command(r, auth.Logger, "/ttl?user=rio", "-H 'Content-Type: application/ld+json'", "--data-raw "+Quote(strings.TrimSpace(log)))
}
