package cli

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/engine/file"
)

// dumpOf returns the content of a store's file as N-Quads.
func dumpOf(t *testing.T, path string) string {
	t.Helper()
	got := segraph("", nil, "dump", "--data", path, "--format", "nquads")
	if got.code != 0 {
		t.Fatalf("%+v", got)
	}
	return got.stdout
}

func TestABackupOfTheFileIsTheFile(t *testing.T) {
	loaded(t, greetings)
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"copy.db", "copy.db", "folder"} { // the second backup replaces the first
		got := segraph("", nil, "backup", to)
		if got.code != 0 || !strings.Contains(got.stdout, "1 journal entry\n") || !strings.Contains(got.stdout, "sha256 ") {
			t.Fatalf("%+v", got)
		}
	}
	found, err := filepath.Glob("folder/segraph-*.db")
	if err != nil || len(found) != 1 {
		t.Fatalf("in the folder are %v, %v", found, err)
	}
	for _, path := range append(found, "copy.db") {
		if dumpOf(t, path) != dumpOf(t, "segraph.db") {
			t.Errorf("%s holds something else", path)
		}
	}
	onlyThese(t, "segraph.db", "copy.db", "folder")
	for _, tt := range []struct {
		args []string
		code int
	}{
		{[]string{"backup"}, exitUsage},
		{[]string{"backup", "a", "b"}, exitUsage},
		{[]string{"backup", "none/x.db"}, exitFailed},
		{[]string{"backup", "x.db", "--data", "none.db"}, exitFailed},
	} {
		if got := segraph("", nil, tt.args...); got.code != tt.code {
			t.Errorf("%q: %+v", tt.args, got)
		}
	}
	onlyThese(t, "segraph.db", "copy.db", "folder")
}

// onlyThese fails if the current folder contains anything else.
func onlyThese(t *testing.T, want ...string) {
	t.Helper()
	left, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, n := range left {
		names = append(names, n.Name())
	}
	if len(names) != len(want) {
		t.Errorf("there are %v, want %v", names, want)
	}
}

// A link to OUT stays a link, as dump and restore leave it.
func TestABackupFollowsALink(t *testing.T) {
	loaded(t, greetings)
	if err := errors.Join(os.Mkdir("disk", 0o700), os.Symlink(filepath.Join("disk", "copy.db"), "link.db")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second replaces the first
		if got := segraph("", nil, "backup", "link.db"); got.code != 0 {
			t.Fatalf("%+v", got)
		}
		if info, err := os.Lstat("link.db"); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link is %v, %v", info, err)
		}
		if got, want := dumpOf(t, filepath.Join("disk", "copy.db")), dumpOf(t, "segraph.db"); got != want {
			t.Errorf("the copy has %s, want %s", got, want)
		}
	}
}

// A disk that takes no more is not asked again.
func TestADownloadThatTheDiskDoesNotTakeIsNotResumed(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Disposition", `attachment; filename="a.db"`)
		w.Header().Set("Repr-Digest", "sha-256=:AAAA:")
		_, _ = w.Write([]byte("the file"))
	}))
	defer server.Close()
	path := filepath.Join(t.TempDir(), "a.part")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	to, err := os.Open(path) // for reading only: each write fails
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	var stderr bytes.Buffer
	_, _, err = fetchBackup(t.Context(), &program{stderr: &stderr}, &config.Config{URL: server.URL}, to)
	if err == nil || !strings.Contains(err.Error(), "writing the copy") || asked != 1 || stderr.Len() > 0 {
		t.Errorf("after %d requests: %v, %s", asked, err, &stderr)
	}
}

func TestABackupOfADamagedFileGetsNoName(t *testing.T) {
	loaded(t, greetings)
	change(t, func(tx *bolt.Tx) error {
		dict := tx.Bucket([]byte("dict"))
		return dict.Put([]byte("next"), append([]byte{1}, dict.Get([]byte("next"))[1:]...))
	})
	if got := segraph("", nil, "backup", "copy.db"); got.code != exitDamaged || !strings.Contains(got.stderr, "counters") {
		t.Errorf("%+v", got)
	}
	onlyThese(t, "segraph.db")
}

// flaky starts a proxy for a service that breaks off every answer after some bytes.
func flaky(t *testing.T, service string, after int64) (address string, breaks *atomic.Int64) {
	t.Helper()
	target, err := url.Parse(service)
	if err != nil {
		t.Fatal(err)
	}
	breaks = &atomic.Int64{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxy.ServeHTTP(&cutOff{ResponseWriter: w, left: after, breaks: breaks}, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, breaks
}

type cutOff struct {
	http.ResponseWriter
	left   int64
	breaks *atomic.Int64
}

func (c *cutOff) Write(p []byte) (int, error) {
	if int64(len(p)) > c.left {
		_, _ = c.ResponseWriter.Write(p[:c.left])
		c.ResponseWriter.(http.Flusher).Flush()
		c.breaks.Add(1)
		panic(http.ErrAbortHandler)
	}
	c.left -= int64(len(p))
	return c.ResponseWriter.Write(p)
}

func TestADownloadWithAnotherDigestIsDamaged(t *testing.T) {
	loaded(t, greetings)
	c, err := newCopy("out.db")
	if err == nil {
		err = copyStore(t.Context(), "segraph.db", c)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.discard()
	c.digest = "sha-256=:AAAA:"
	if _, err := c.verify(t.Context()); err == nil || !strings.Contains(err.Error(), "the download is damaged") {
		t.Errorf("it is verified: %v", err)
	}
}

func TestAnInterruptedBackupOfAServiceResumes(t *testing.T) {
	suite.NotShort(t)
	loaded(t, greetings)
	want := dumpOf(t, "segraph.db")
	address, _ := startService(t, "")
	if got := segraph("", nil, "backup", "direct.db", "--url", address); got.code != 0 || dumpOf(t, "direct.db") != want {
		t.Errorf("%+v", got)
	}
	info, err := os.Stat("direct.db")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("kept", 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time nothing has changed
		if got := segraph("", nil, "backup", "kept", "--url", address); got.code != 0 || !strings.HasPrefix(got.stdout, "kept/segraph-") {
			t.Errorf("into a folder: %+v", got)
		}
	}
	if kept, err := os.ReadDir("kept"); err != nil || len(kept) != 1 {
		t.Errorf("the folder has %v, %v", kept, err)
	}
	broken, breaks := flaky(t, address, info.Size()/3+1)
	got := segraph("", nil, "backup", "broken.db", "--url", broken)
	if got.code != 0 || breaks.Load() != 2 || !strings.Contains(got.stderr, "resumes") || dumpOf(t, "broken.db") != want {
		t.Errorf("broken off %d times: %+v", breaks.Load(), got)
	}
	if got := segraph("", nil, "backup", "x.db"); got.code != exitInUse || !strings.Contains(got.stderr, "--url") {
		t.Errorf("the file of a running service: %+v", got)
	}
	if got := segraph("", nil, "backup", "segraph.db", "--url", address); got.code != exitInUse {
		t.Errorf("over the service's own file: %+v", got)
	}
	if got := segraph("", nil, "restore", "direct.db"); got.code != exitInUse {
		t.Errorf("a restore under a running service: %+v", got)
	}
}

func TestARestorePutsTheBackupInPlaceAndKeepsTheOldFile(t *testing.T) {
	loaded(t, greetings)
	backedUp := dumpOf(t, "segraph.db")
	if got := segraph("", nil, "backup", "copy.db"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	before, err := os.ReadFile("copy.db")
	if err != nil {
		t.Fatal(err)
	}
	segraph("<http://ex/after> <http://ex/p> 1 .", nil, "load", "-", "--format", "turtle")
	later := dumpOf(t, "segraph.db")
	got := segraph("", nil, "restore", "copy.db")
	if got.code != 0 || !strings.Contains(got.stdout, "2 journal entries") || !strings.Contains(got.stdout, "was kept as segraph.db.before-restore-") {
		t.Fatalf("%+v", got)
	}
	if dumpOf(t, "segraph.db") != backedUp {
		t.Error("it differs from the backup")
	}
	kept, err := filepath.Glob("segraph.db.before-restore-*")
	if err != nil || len(kept) != 1 || dumpOf(t, kept[0]) != later {
		t.Errorf("kept are %v, %v", kept, err)
	}
	if after, err := os.ReadFile("copy.db"); err != nil || !bytes.Equal(before, after) {
		t.Error("the backup was changed")
	}
	if got := segraph("", nil, "audit", "verify"); got.code != 0 || !strings.Contains(got.stdout, "2 journal entries") {
		t.Errorf("the journal: %+v", got)
	}
	// A restore into a new file.
	if got := segraph("", nil, "restore", "copy.db", "--data", "fresh.db"); got.code != 0 || strings.Contains(got.stdout, "is kept") || dumpOf(t, "fresh.db") != backedUp {
		t.Errorf("%+v", got)
	}
}

func TestABadBackupIsNotRestored(t *testing.T) {
	loaded(t, greetings)
	want := dumpOf(t, "segraph.db")
	if got := segraph("", nil, "backup", "copy.db"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	good, err := os.ReadFile("copy.db")
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2+100] ^= 1
	for name, content := range map[string][]byte{"cut.db": good[:len(good)/2], "text.db": []byte(greetings), "empty.db": nil} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("described.db", good, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("described.db.json", []byte(`{"name":"described.db","sha256":"00"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"cut.db"}, exitDamaged, "end is missing"},
		{[]string{"text.db"}, exitDamaged, "the backup text.db is damaged or was not made by segraph: "},
		{[]string{"empty.db"}, exitDamaged, "empty"},
		{[]string{"described.db"}, exitDamaged, "SHA-256"},
		{[]string{"none.db"}, exitFailed, "none.db"},
		{[]string{"segraph.db"}, exitUsage, "own file"},
		{nil, exitUsage, "which backup"},
	} {
		if got := segraph("", nil, append([]string{"restore"}, tt.args...)...); got.code != tt.code || !strings.Contains(got.stderr, tt.want) || strings.Contains(got.stderr, ".restoring-") {
			t.Errorf("%q: %+v", tt.args, got)
		}
		if dumpOf(t, "segraph.db") != want {
			t.Fatalf("%q: the store was changed", tt.args)
		}
	}
	onlyThese(t, "segraph.db", "copy.db", "cut.db", "text.db", "empty.db", "described.db", "described.db.json")
	// Restoring over a damaged store works.
	if err := os.WriteFile("segraph.db", flipped[:8192], 0o600); err != nil {
		t.Fatal(err)
	}
	if got := segraph("", nil, "restore", "copy.db"); got.code != 0 || dumpOf(t, "segraph.db") != want {
		t.Errorf("over a damaged file: %+v", got)
	}
}

func TestLeftoversOfKilledRestoresAreRemoved(t *testing.T) {
	loaded(t, greetings)
	if got := segraph("", nil, "backup", "copy.db"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	for _, name := range []string{"segraph.db.restoring-12", "segraph.db.restoring-mine"} {
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := segraph("", nil, "restore", "copy.db"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	left, _ := filepath.Glob("segraph.db.restoring-*")
	if fmt.Sprint(left) != "[segraph.db.restoring-mine]" {
		t.Errorf("left are %v", left)
	}
}

// compact does not create a missing file.
func TestCompactMakesNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"compact", "typo.db"}, {"compact"}, {"compact", "--data", "typo.db"}} {
		if got := segraph("", nil, args...); got.code != exitFailed || !strings.Contains(got.stderr, "no such file") {
			t.Errorf("%q: %+v", args, got)
		}
		onlyThese(t)
	}
}

func TestCompactMakesTheFileSmallerAndKeepsAll(t *testing.T) {
	suite.NotShort(t)
	t.Chdir(t.TempDir())
	var b strings.Builder
	for i := range suite.Size(30_000, 5_000) {
		fmt.Fprintf(&b, "<http://ex/%d> <http://ex/p> \"text number %d\" .\n", i, i*7919)
	}
	for _, text := range []string{b.String(), greetings} {
		if got := segraph(text, nil, "load", "-", "--format", "turtle"); got.code != 0 {
			t.Fatalf("%+v", got)
		}
	}
	want := dumpOf(t, "segraph.db")
	before, err := file.OnDisk("segraph.db")
	if err != nil {
		t.Fatal(err)
	}
	got := segraph("", nil, "compact")
	after, err := file.OnDisk("segraph.db")
	words := fmt.Sprintf("segraph.db takes %s bytes on disk now, %s before\n", grouped(after), grouped(before))
	if err != nil || got.code != 0 || after >= before || got.stdout != words {
		t.Errorf("%d bytes, before %d; %+v, want %q, %v", after, before, got, words, err)
	}
	compacted, err := os.ReadFile("segraph.db")
	if err != nil {
		t.Fatal(err)
	}
	words = fmt.Sprintf("segraph.db takes %s bytes on disk; a new file would take %[1]s, so the old file is kept\n", grouped(after))
	if got := segraph("", nil, "compact"); got.code != 0 || got.stdout != words {
		t.Errorf("once more: %+v, want %q", got, words)
	}
	if now, err := os.ReadFile("segraph.db"); err != nil || !bytes.Equal(now, compacted) {
		t.Errorf("a file that would not get smaller was changed, %v", err)
	}
	if dumpOf(t, "segraph.db") != want {
		t.Error("it holds something else")
	}
	onlyThese(t, "segraph.db")
	if got := segraph("", nil, "check"); got.code != 0 {
		t.Errorf("%+v", got)
	}
	address, _ := startService(t, "")
	if got := segraph("", nil, "compact"); got.code != exitInUse {
		t.Errorf("under the service at %s: %+v", address, got)
	}
}
