package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
)

const key = "a secret key of more than thirty-two bytes"

func TestTokenIsTakenByTheService(t *testing.T) {
	tests := []struct {
		name  string
		args  []string
		roles []auth.Role
		ttl   time.Duration
	}{
		{"one role, a day", []string{"--role", "admin"}, []auth.Role{auth.Admin}, 24 * time.Hour},
		{"roles in a list", []string{"--role", "logger,auditor"}, []auth.Role{auth.Logger, auth.Auditor}, 24 * time.Hour},
		{"roles by several flags", []string{"--role", "logger", "--role", "auditor", "--expires", "30m"}, []auth.Role{auth.Logger, auth.Auditor}, 30 * time.Minute},
		{"days", []string{"--role", "admin", "--expires", "90d"}, []auth.Role{auth.Admin}, 90 * 24 * time.Hour},
	}
	service, err := auth.New(key)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := time.Now().Truncate(time.Second)
			got := segraph("", []string{"SECRET_KEY=" + key}, append([]string{"token", "--user", "ari"}, tt.args...)...)
			if got.code != 0 || got.stderr != "" || strings.Count(got.stdout, "\n") != 1 {
				t.Fatalf("got %+v", got)
			}
			actor, err := service.Authenticate([]string{"Bearer " + strings.TrimSpace(got.stdout)})
			if err != nil {
				t.Fatal(err)
			}
			if actor.Username != "ari" || !slices.Equal(actor.Roles, tt.roles) {
				t.Errorf("the token is %s's with %v", actor.Username, actor.Roles)
			}
			if ttl := actor.Expires.Sub(before); ttl < tt.ttl || ttl > tt.ttl+time.Minute {
				t.Errorf("the token is valid for %v, want %v", ttl, tt.ttl)
			}
		})
	}
}

func TestAShortKeyIsTakenIfAllowed(t *testing.T) {
	got := segraph("", []string{"SECRET_KEY=short"}, "token", "--user", "a", "--role", "admin", "--allow-short-secret")
	if got.code != 0 || strings.Count(got.stdout, ".") != 2 {
		t.Errorf("got %+v", got)
	}
}
