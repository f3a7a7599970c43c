package webui

import (
	_ "embed" // for firstConversation
	"net/http"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/views"
)

// command returns a curl command for the API at the address that the browser uses.
// arguments are in shell syntax. If authentication is on, $TOKEN must hold a token with
// the role.
func (u *UI) command(r *http.Request, role auth.Role, path string, arguments ...string) views.Command {
	lines := []string{"curl " + quote(u.front.Address(r)+"/api"+path)}
	c := views.Command{}
	if u.config.Auth.Enabled() {
		c.Role = string(role)
		lines = append(lines, `-H "Authorization: Bearer $TOKEN"`)
	}
	c.Text = strings.Join(append(lines, arguments...), " \\\n  ")
	return c
}

// quote quotes a string for the shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// firstConversation is a log in JSON-LD: a sentence and its answer. @HEARD@ and @SAID@ stand
// for their times.
//
//go:embed snippets/first.jsonld
var firstConversation string

// firstLog returns a command that publishes a first log.
func (u *UI) firstLog(r *http.Request) views.Command {
	const layout = "2006-01-02T15:04:05Z"
	now := u.config.Now().UTC()
	log := strings.NewReplacer("@HEARD@", now.Add(-2*time.Second).Format(layout), "@SAID@", now.Format(layout)).Replace(firstConversation)
	return u.command(r, auth.Logger, "/ttl?user=rio", "-H 'Content-Type: application/ld+json'", "--data-raw "+quote(strings.TrimSpace(log)))
}

// firstResolve returns a command that sends an observation.
func (u *UI) firstResolve(r *http.Request) views.Command {
	observation := `{"event_kind": "human_utterance", "observed_at": "` + u.config.Now().UTC().Format("2006-01-02T15:04:05.000Z07:00") + `",
  "modality": "speech", "text": "Could you show me climate news?", "robot_uri": "https://example.org/robots/ari"}`
	return u.command(r, auth.Logger, "/shared-context/resolve", "-H 'Content-Type: application/json'", "--data-raw "+quote(observation))
}
