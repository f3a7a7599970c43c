package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

// Backup writes lines of text, so that the fake supports snapshots too.
func (g *memoryGraph) Backup(_ context.Context, w io.Writer) (m store.Version, err error) {
	if err := g.fail(); err != nil {
		return m, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	text := strings.Repeat(fmt.Sprintf("%d entries\n", len(g.journal)), max(g.backupLines, 1000))
	_, err = io.WriteString(w, text)
	m = g.moment()
	m.Size = int64(len(text))
	return m, err
}

func (g *memoryGraph) moment() store.Version {
	n := uint64(len(g.journal))
	return store.Version{Head: journal.Head{Seq: n}, Transaction: n, Triples: int64(len(g.lines)), Size: g.backupSize}
}

func (*memoryGraph) Holds(string) (bool, error) { return true, nil }

func (g *memoryGraph) Content() (store.Content, error) { return store.Content{}, g.fail() }

func (g *memoryGraph) Version() (store.Version, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.moment(), nil
}

// snapshots returns a folder of snapshots of a graph.
func snapshots(t testing.TB, g *memoryGraph) *backup.Folder {
	t.Helper()
	f, err := backup.NewFolder(backup.Options{Path: filepath.Join(t.TempDir(), "snapshots"), Keep: 2, Source: g})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestABackupIsNamedAndDigested(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	w := s.do(t, call{method: "GET", path: "/admin/backup"})
	h := w.Header()
	_, name, _ := strings.Cut(h.Get("Content-Disposition"), `filename="`)
	name = strings.TrimSuffix(name, `"`)
	if w.Code != 200 || w.Body.String() != strings.Repeat("0 entries\n", 1000) || h.Get("Content-Type") != mediaBackup || h.Get("Content-Length") != "10000" {
		t.Fatalf("%d %v", w.Code, h)
	}
	if !strings.HasPrefix(name, "segraph-") || h.Get("Content-Location") != "backup?name="+name ||
		len(h.Get("ETag")) != 66 || !strings.HasPrefix(h.Get("Repr-Digest"), "sha-256=:") {
		t.Errorf("%v", h)
	}
	whole := w.Body.String()
	// The named snapshot resumes where it stopped, even if the graph has changed
	// meanwhile.
	s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, nil)})
	w = s.do(t, call{method: "GET", path: "/admin/backup?name=" + name, header: map[string]string{"Range": "bytes=4000-", "If-Range": h.Get("ETag")}})
	if w.Code != http.StatusPartialContent || w.Body.String() != whole[4000:] || w.Header().Get("Repr-Digest") != h.Get("Repr-Digest") {
		t.Errorf("the rest: %d %v, %d bytes", w.Code, w.Header(), w.Body.Len())
	}
	w = s.do(t, call{method: "GET", path: "/admin/backup?name=" + name, header: map[string]string{"Range": "bytes=9999999-"}})
	if wantProblem(t, w, 416, "no bytes"); w.Header().Get("Repr-Digest")+w.Header().Get("Content-Location") != "" {
		t.Errorf("beyond the end: %v", w.Header())
	}
	w = s.do(t, call{method: "GET", path: "/admin/backup?name=" + name, header: map[string]string{"If-None-Match": h.Get("ETag")}})
	if w.Code != http.StatusNotModified {
		t.Errorf("the same again: %d", w.Code)
	}
	if w := s.do(t, call{method: "GET", path: "/admin/backup"}); w.Body.String() == whole || w.Header().Get("ETag") == h.Get("ETag") {
		t.Error("after a write a new backup is the old one")
	}
	for _, wrong := range []string{"none.db", "../" + name, "%00", name + ".json"} {
		wantProblem(t, s.do(t, call{method: "GET", path: "/admin/backup?name=" + wrong}), 404, "no snapshot with this name")
	}
}

func TestTheSnapshotsAreListed(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	if w := s.do(t, call{method: "GET", path: "/admin/backups"}); w.Code != 200 || strings.TrimSpace(w.Body.String()) != `{"count":0,"backups":[]}` {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, nil)})
	s.do(t, call{method: "GET", path: "/admin/backup"})
	type list struct {
		Count   int
		Backups []backup.Info
	}
	l := asJSON[list](t, s.do(t, call{method: "GET", path: "/admin/backups"}))
	if l.Count != 1 || l.Backups[0].Reason != backup.Request || l.Backups[0].Entries != 1 || len(l.Backups[0].SHA256) != 64 {
		t.Errorf("%+v", l)
	}
}

func TestAFailedBackupReportsItsReason(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.graph.backupSize = 1 << 60
	wantProblem(t, s.do(t, call{method: "GET", path: "/admin/backup"}), 507, "no room for a snapshot")
	s.graph.backupSize, s.graph.err = 0, store.ErrUnavailable
	wantProblem(t, s.do(t, call{method: "GET", path: "/admin/backup"}), 503, "not available")
}

// A backup is sent from a file, and a client that reads it too slowly is cut off.
func TestASlowReaderOfABackupHoldsNothingOfTheStore(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Patience = 50 * time.Millisecond })
	s.graph.backupLines = 1 << 20 // more than the kernel buffers
	r := run(t, s, front.ServerOptions{})
	stalled(t, r.APIAddr().String(), "GET /admin/backup HTTP/1.1\r\nHost: x\r\n\r\n")
	eventually(t, "the request is over", func() bool { return strings.Contains(s.lines(), "path=/admin/backup status=200") })
	if strings.Contains(s.lines(), fmt.Sprintf("bytes=%d", 10<<20)) {
		t.Errorf("all was sent:\n%s", s.lines())
	}
}
