package ui

import (
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/views"
)

// TestTheContactSheetLooksRight takes pictures of pages whose other tests take none.
func TestTheContactSheetLooksRight(t *testing.T) {
	if os.Getenv("SEGRAPH_SCREENSHOTS") == "" {
		t.Skip("it only takes pictures, and SEGRAPH_SCREENSHOTS names no folder for them")
	}
	const maria = "https://gsi.upm.es/segb/robots/ari/v1/human_maria"
	o := setup{secret: testSecret}
	for _, s := range config.Settings() {
		if area, about := config.AreaOf(s.Name); area != "" && !s.Secret {
			o.listed = append(o.listed, views.Setting{Name: s.Env, Value: s.Default, From: "default", Help: s.Help, Area: area, About: about})
		}
	}
	o.listed[0].From = o.listed[0].Name // from the environment
	s := start(t, o)
	s.publishDemo()
	admin := auth.Actor{Username: "curator", Roles: []auth.Role{auth.Admin}}
	for _, user := range []string{"lumen", "visitors"} {
		if _, _, err := s.core.IssueToken(t.Context(), admin, user, []string{"logger"}, 30*24*time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	held := false
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		if !held {
			b.goTo("/backups")
			b.click("main form button.primary")
			b.see("main table", "")
		}
		b.goTo("/backups")
		b.follow(`main table a[href*="restore"]`)
		b.see("main", "What changes")
		b.accessible()
		b.shot("restore", l)
		of := "?iri=" + url.QueryEscape(maria)
		for _, p := range [][2]string{{"logs", "/logs"}, {"journal", "/journal"}, {"tokens", "/tokens"}, {"backups", "/backups"}, {"settings", "/settings"},
			{"person", "/personal-data" + of}, {"erase", "/personal-data/erase" + of}, {"case-file-form", "/case-file" + of}, {"search", "/search?q=you"}} {
			b.goTo(p[1])
			b.see("main", "")
			if p[0] == "search" && !l.phone { // which folds them
				b.eventually("the facets are there", func() bool { return len(b.all(".facets a")) > 0 }, b.path)
			}
			b.shot(p[0], l)
		}
		if !held { // a person who is held has no page that erases
			if _, err := s.core.Hold(t.Context(), admin, holds.Hold{People: []string{"https://example.org/human/zoe"}, Reason: "case 7/26"}); err != nil {
				t.Fatal(err)
			}
			held = true
		}
		b.goTo("/personal-data")
		b.see("main", "case 7/26")
		b.shot("personal-data", l)
	})
}
