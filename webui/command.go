package webui

import (
	"net/http"
	"strings"

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
