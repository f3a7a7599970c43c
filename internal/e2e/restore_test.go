package e2e

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// If a restore is killed at any point, it leaves the old file or the new one. The next
// restore succeeds.
func TestARestoreThatIsKilledLeavesTheOldFileOrTheNew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(stdin string, args ...string) result {
		t.Helper()
		r := command(t, dir, nil, stdin, args...)
		if r.code != 0 {
			t.Fatalf("segraph %q: exit %d\n%s", args, r.code, r.stderr)
		}
		return r
	}
	var many []byte
	for i := range 2000 {
		many = append(many, document("d"+string(rune('a'+i%26))+time.Duration(i).String())...)
	}
	run(string(many), "load", "-", "--format", "turtle")
	backup := run("", "dump", "--format", "nquads").stdout
	run("", "backup", "copy.db")
	begin := time.Now()
	run("", "restore", "copy.db")
	took := time.Since(begin)
	old, fresh := 0, 0
	for round := range suite.Times(200, suite.Size(10, 2)) {
		run(document("later"), "load", "-", "--format", "turtle")
		later := run("", "dump", "--format", "nquads").stdout
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.Int64N(int64(took*5/4)+1)))
		cmd := exec.CommandContext(ctx, binary, "restore", "copy.db")
		cmd.Dir, cmd.Env = dir, environ()
		_ = cmd.Run() // killed or not
		cancel()
		run("", "check")
		switch run("", "dump", "--format", "nquads").stdout {
		case later:
			old++
		case backup:
			fresh++
		default:
			t.Fatalf("round %d: neither the old file nor the new one is there", round)
		}
		kept, err := filepath.Glob(filepath.Join(dir, "segraph.db.before-restore-*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range kept {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		run("", "restore", "copy.db")
	}
	t.Logf("killed within %v of a restore that takes %v: the old file %d times, the new one %d times", took*5/4, took, old, fresh)
	left, err := filepath.Glob(filepath.Join(dir, "*.restoring-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// Deleted data is restored from the snapshot that was made before the deletion, and the
// journal records everything.
func TestADeletedGraphIsRestoredFromTheSnapshotBefore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, nil)
	if a := s.publish(document("precious"), "ari"); a.status != 201 {
		t.Fatalf("%d\n%s", a.status, a.body)
	}
	want := s.events()
	if a := request(t, "POST", s.api+"/ttl/delete_all", []byte(`{"user":"eve"}`), "Content-Type", "application/json"); a.status != 200 {
		t.Fatalf("%d\n%s", a.status, a.body)
	}
	found, err := filepath.Glob(filepath.Join(dir, "segraph.db.snapshots", "*-delete_all.db"))
	if err != nil || len(found) != 1 {
		t.Fatalf("snapshots: %v, %v", found, err)
	}
	if n := request(t, "GET", s.api+"/admin/backups", nil).number(t, "count"); n != 1 {
		t.Errorf("%d snapshots are listed", n)
	}
	if r := command(t, dir, nil, "", "restore", found[0]); r.code != 3 {
		t.Errorf("a restore under the running service: exit %d\n%s", r.code, r.stderr)
	}
	s.stop()
	if r := command(t, dir, nil, "", "restore", found[0]); r.code != 0 {
		t.Fatalf("exit %d\n%s", r.code, r.stderr)
	}
	s = serve(t, dir, nil)
	sameGraph(t, parse(t, s.events(), 0), parse(t, want, 0))
	a := request(t, "GET", s.api+"/logs", nil)
	if n := a.number(t, "count"); n != 2 {
		t.Errorf("the journal has %d entries: %s", n, a.body)
	}
}

// An admin restores a backup of a running service with a browser. What was stored since is only in the file that is
// kept, a token that was revoked since stays revoked, and a damaged file changes nothing.
func TestAnAdminRestoresABackupWithThePage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, []string{"SECRET_KEY=" + secret})
	admin := []string{"Authorization", "Bearer " + issue(t, "admin"), "Content-Type", "text/turtle"}
	if a := request(t, "POST", s.api+"/ttl", []byte(document("first")), admin...); a.status != 201 {
		t.Fatalf("%d\n%s", a.status, a.body)
	}
	want := request(t, "GET", s.api+"/events", nil, admin...).body
	copied := request(t, "GET", s.api+"/admin/backup", nil, admin...).body
	if a := request(t, "POST", s.api+"/ttl", []byte(document("second")), admin...); a.status != 201 {
		t.Fatalf("%d\n%s", a.status, a.body)
	}
	lost := issue(t, "logger")
	if r := command(t, dir, []string{"SECRET_KEY=" + secret}, "", "token", "revoke", "--jti", claim(t, lost, "jti"), "--url", s.api); r.code != 0 {
		t.Fatalf("exit %d\n%s", r.code, r.stderr)
	}

	browser := signedIn(t, s)
	send := func(content []byte) (status int, at string) {
		t.Helper()
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		file, err := form.CreateFormFile("backup", "copy.db")
		if err == nil {
			_, err = file.Write(content)
		}
		if err = errors.Join(err, form.Close()); err != nil {
			t.Fatal(err)
		}
		r, err := browser.Post(s.ui+"/backups/send", form.FormDataContentType(), &body)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		return r.StatusCode, r.Request.URL.Query().Get("sent")
	}
	if status, _ := send(copied[:len(copied)/2]); status != 409 {
		t.Errorf("half a backup: %d", status)
	}
	status, name := send(copied)
	if status != 200 || name == "" {
		t.Fatalf("a backup: %d", status)
	}
	r, err := browser.PostForm(s.ui+"/backups/restore", url.Values{"name": {name}, "reason": {"a test"}, "confirm": {"RESTORE"}})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != 202 || r.Header.Get("Refresh") == "" {
		t.Fatalf("%d, %v", r.StatusCode, r.Header)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) { // the service starts again
		if r, err := http.Get(s.api + "/healthz/ready"); err == nil {
			r.Body.Close()
			entries, err := try(http.DefaultClient, "GET", s.api+"/logs?action=restore", nil, admin...) // perhaps it has not stopped yet
			if err == nil && entries.status == 200 && entries.number(t, "count") == 1 {
				break
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("the backup is not in place after a minute")
		}
	}
	sameGraph(t, parse(t, request(t, "GET", s.api+"/events", nil, admin...).body, 0), parse(t, want, 0))
	if a := request(t, "POST", s.api+"/ttl", []byte(document("third")), "Authorization", "Bearer "+lost, "Content-Type", "text/turtle"); a.status != 401 {
		t.Errorf("a revoked token: %d\n%s", a.status, a.body)
	}
	if r, err := browser.Get(s.ui + "/backups"); err != nil || r.Request.URL.Path != "/session" {
		t.Errorf("who was signed in before the restore is led to %v, %v", r.Request.URL, err)
	} else {
		r.Body.Close()
	}
	s.stop()
	kept, err := filepath.Glob(filepath.Join(dir, "segraph.db.before-restore-*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept are %v, %v", kept, err)
	}
	if r := command(t, dir, nil, "", "dump", "--data", kept[0], "--format", "nquads"); r.code != 0 || !strings.Contains(r.stdout, "second") {
		t.Errorf("the file that is kept: exit %d\n%s", r.code, r.stderr)
	}
}

// signedIn returns a browser in which an admin is signed in.
func signedIn(t *testing.T, s *service) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Timeout: time.Minute}
	r, err := browser.PostForm(s.ui+"/session", url.Values{"token": {issue(t, "admin")}})
	if err != nil || r.StatusCode != 200 {
		t.Fatalf("signing in: %v, %v", r, err)
	}
	r.Body.Close()
	return browser
}
