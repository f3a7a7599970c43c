package admin

import (
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/views/viewstest"
)

func TestATokenIsIssuedShownOnceListedAndRevoked(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.SignedIn("admin")
	viewstest.WantPage(t, b.Get("/tokens"), 200, "No tokens are listed")
	tomorrow := s.Now.UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	ticket := ticketOf(b.Get("/tokens"))
	for _, c := range []struct{ user, role, ends, says string }{
		{"lumen", "logger", "soon", "Choose the last day"},
		{"lumen", "root", tomorrow, "is not a role"},
		{"lumen", "logger", "2001-01-01", "valid for at least a minute"},
		{"lumen", "logger", "2999-01-01", "at most 3650 days"},
		{"", "logger", tomorrow, "needs a username"},
		{s.Token("admin"), "logger", tomorrow, "The username"},
	} {
		viewstest.WantPage(t, b.Post("/tokens", url.Values{"do": {"issue"}, "ticket": ticket, "user": {c.user}, "role": {c.role}, "ends": {c.ends}}), 422, c.says)
	}
	form := url.Values{"do": {"issue"}, "user": {"lumen"}, "role": {"logger auditor"}, "ends": {tomorrow}}
	viewstest.WantPage(t, b.Post("/tokens", form), 409, "Send the form again")
	form["ticket"] = ticket
	w := b.Post("/tokens", form)
	if list, err := s.Service.IssuedTokens(); err != nil || len(list) != 1 {
		t.Errorf("issued are %+v, %v", list, err)
	}
	token := regexp.MustCompile(`eyJ[\w.-]+`).FindString(w.Body.String())
	viewstest.WantPage(t, b.Post("/tokens", form), 200, token) // a double click
	actor, err := s.Auth.Authenticate([]string{"Bearer " + token})
	if err != nil || actor.Username != "lumen" || auth.RoleList(actor.Roles, "+") != "logger+auditor" || actor.Expires.UTC().Format("2006-01-02 15:04") != s.Now.UTC().AddDate(0, 0, 2).Format("2006-01-02")+" 00:00" && actor.Expires.Before(s.Now.Add(24*time.Hour)) {
		t.Fatalf("the token is of %+v, %v", actor, err)
	}
	if w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("a browser may keep the token: %q", w.Header().Get("Cache-Control"))
	}
	page := b.Get("/tokens").Body.String()
	viewstest.Want(t, page, "lumen", actor.TokenID, `logger, auditor<span class="sub">sends logs, reads`, "in 1 day", "Revoke now")
	if strings.Contains(page, token) {
		t.Error("the token is shown again")
	}
	if w := b.Post("/tokens", url.Values{"do": {"revoke"}, "jti": {actor.TokenID}}); w.Code != 303 {
		t.Fatalf("revoking: %d %s", w.Code, w.Body)
	}
	if _, err := s.Auth.Authenticate([]string{"Bearer " + token}); err == nil {
		t.Error("the token is still accepted")
	}
	viewstest.Want(t, b.Get("/tokens").Body.String(), `<span class="badge">revoked</span>`)
	entries, err := s.Store.Logs(t.Context(), journal.Filter{Limit: 2, Look: 10}, nil)
	if err != nil || entries.Entries[1].Action != journal.Issue || entries.Entries[1].Owner != "lumen" || !strings.Contains(entries.Entries[1].Detail, actor.TokenID) {
		t.Errorf("the journal ends with %+v, %v", entries.Entries, err)
	}
	form["ticket"], form["role"] = ticketOf(b.Get("/tokens")), []string{"box"}
	viewstest.Want(t, b.Post("/tokens", form).Body.String(), "forwards a journal, and so erases people", `<option value="box"`)
	viewstest.WantPage(t, openService(t).NewVisitor().Get("/tokens"), 200, "Authentication is off")
}

// ticketOf returns the hidden ticket of a page's form.
func ticketOf(w *httptest.ResponseRecorder) []string {
	return regexp.MustCompile(`name="ticket" value="([^"]+)"`).FindStringSubmatch(w.Body.String())[1:]
}

func TestExpiredTokensLeaveTheList(t *testing.T) {
	t.Parallel()
	var s *viewstest.Fixture
	s = viewstest.Start(t, viewstest.Secret, func(c *viewstest.Settings) { c.Now = func() time.Time { return s.Now } }, Room)
	actor := auth.Actor{Username: "ari"}
	issue := func(user string) service.IssuedToken {
		_, token, err := s.Service.IssueToken(t.Context(), actor, user, []string{"logger"}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	issue("lumen")
	issue("otto") // who gets no other one
	s.Now = s.Now.Add(2 * time.Hour)
	first := issue("lumen")
	if list, err := s.Service.IssuedTokens(); err != nil || len(list) != 1 || !list[0].Expires.After(s.Now) {
		t.Errorf("listed are %+v, %v", list, err)
	}
	s.Now = s.Now.Add(-2 * time.Hour)
	if list, err := s.Service.IssuedTokens(); err != nil || len(list) != 3 {
		t.Errorf("once the clock is right, listed are %+v, %v", list, err)
	}
	s.Now = s.Now.Add(2 * time.Hour)
	for range notes.MaxOwned - 1 {
		issue("lumen")
	}
	if _, _, err := s.Service.IssueToken(t.Context(), actor, "lumen", []string{"logger"}, time.Hour); err == nil || !strings.Contains(err.Error(), "revoke one first") {
		t.Fatalf("one too many: %v", err)
	}
	if _, err := s.Service.Revoke(t.Context(), actor, first.ID, ""); err != nil {
		t.Fatal(err)
	}
	issue("lumen")
}

func TestABackupIsMadeVerifiedAndDownloaded(t *testing.T) {
	t.Parallel()
	restored := ""
	s := startWith(t, "", func(c *viewstest.Settings) {
		c.Restart = func(path, _, reason string) bool {
			restored = filepath.Base(path) + ": " + reason
			return true
		}
	})
	b := s.NewVisitor()
	viewstest.WantPage(t, b.Get("/backups"), 200, "No backups yet")
	w := b.Post("/backups", url.Values{"do": {"make"}})
	name := strings.TrimPrefix(w.Header().Get("Location"), "/backups?made=")
	viewstest.WantPage(t, b.Get(w.Header().Get("Location")), 200, "The backup is ready")
	viewstest.WantPage(t, b.Post("/backups", url.Values{"do": {"verify"}, "name": {"none"}}), 404, "no snapshot with this name")
	viewstest.WantPage(t, b.Get("/backups/file?name=none"), 404, "no snapshot with this name")
	path := filepath.Join(s.Snapshots, name)
	stored, err := os.ReadFile(path)
	if got := b.Get("/backups/file?name=" + name); err != nil || got.Body.String() != string(stored) || !strings.Contains(got.Header().Get("Content-Disposition"), name) {
		t.Errorf("downloaded are %d bytes of %d, %v, %v", got.Body.Len(), len(stored), err, got.Header())
	}
	stored[len(stored)-1]++
	if err := os.WriteFile(path, stored, 0o600); err != nil {
		t.Fatal(err)
	}
	viewstest.WantPage(t, b.Post("/backups", url.Values{"do": {"verify"}, "name": {name}}), 409, "The backup is damaged: its SHA-256 differs")
	stored[len(stored)-1]--
	if err := os.WriteFile(path, stored, 0o600); err != nil {
		t.Fatal(err)
	}
	w = b.Post("/backups", url.Values{"do": {"verify"}, "name": {name}})
	viewstest.WantPage(t, b.Get(w.Header().Get("Location")), 200, "The backup is whole")
	viewstest.Want(t, b.Get("/backups").Body.String(), ">verified<")

	// A name does not lead out of the folder.
	for _, suffix := range []string{"", ".json"} {
		if text, err := os.ReadFile(path + suffix); err != nil || os.WriteFile(filepath.Join(s.Snapshots, "..", name+suffix), text, 0o600) != nil {
			t.Fatal(err)
		}
	}
	for _, forged := range []string{"../" + name, "../snapshots/" + name, "./" + name, "../x"} {
		viewstest.WantPage(t, b.Get("/backups/restore?"+url.Values{"name": {forged}}.Encode()), 404, "no snapshot with this name")
		viewstest.WantPage(t, b.Post("/backups/restore", url.Values{"name": {forged}, "reason": {"a test"}, "confirm": {RestoreWord}}), 404, "no snapshot with this name")
	}

	// What a restore changes, and what it asks for.
	s.Publish("<http://e/a> <http://e/b> 1, 2 .")
	asked := b.Get("/backups/restore?name=" + name).Body.String()
	viewstest.Want(t, asked, "2 triples fewer", "1 log fewer", ">none<", ">whole<", "1 journal entry came since", "still work, but are no longer listed")
	form := url.Values{"name": {name}, "reason": {"a <test>"}}
	viewstest.WantPage(t, b.Post("/backups/restore", form), 422, `value="a &lt;test&gt;"`)
	for what, c := range map[string]struct {
		m    Restore
		want []string
	}{
		"the word":   {Restore{Wrong: "Type it."}, []string{`required aria-describedby="reason-help"`, `spellcheck="false" required aria-`}},
		"the reason": {Restore{Wrong: "Say why.", WrongReason: true}, []string{`aria-describedby="wrong reason-help"`, `spellcheck="false" required>`}},
	} {
		t.Log(what)
		viewstest.Show(t, RestorePage(viewstest.Frame("Restore", "/backups"), c.m)).Holds(strings.Join(c.want, "\n"))
	}
	form.Set("confirm", RestoreWord)
	viewstest.WantPage(t, b.Post("/backups/restore", form), 202, "Restoring")
	if restored != name+": a <test>" {
		t.Errorf("restored was %q", restored)
	}
}

// TestAServiceThatCannotRestartItselfOffersNoRestore asks for the form, and sends it.
func TestAServiceThatCannotRestartItselfOffersNoRestore(t *testing.T) {
	t.Parallel()
	b := startWith(t, "", func(c *viewstest.Settings) { c.Restart = nil }).NewVisitor()
	name := strings.TrimPrefix(b.Post("/backups", url.Values{"do": {"make"}}).Header().Get("Location"), "/backups?made=")
	viewstest.WantPage(t, b.Get("/backups/restore?name="+name), 503, "restart itself")
	form := url.Values{"name": {name}, "reason": {"a test"}, "confirm": {RestoreWord}}
	viewstest.WantPage(t, b.Post("/backups/restore", form), 503, "restart itself")
}
