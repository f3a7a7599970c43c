package e2e

import (
	endian "encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newerMeta returns the offset in a file of the newer meta page's transaction number.
func newerMeta(t *testing.T, path string) int64 {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const number = 16 + 48 // after the page's header
	size := int64(endian.NativeEndian.Uint32(b[16+8:]))
	if endian.NativeEndian.Uint64(b[number:]) > endian.NativeEndian.Uint64(b[size+number:]) {
		return number
	}
	return size + number
}

// If a byte of the newer meta page is damaged, check, audit verify and every other
// reading command report it, and the service rewrites the page. Nothing is lost.
func TestEveryCommandReportsADamagedMetaPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "segraph.db")
	s := serve(t, dir, nil)
	for _, name := range []string{"first", "last"} {
		if a := s.publish(document(name), "ari"); a.status != 201 {
			t.Fatalf("%d\n%s", a.status, a.body)
		}
	}
	s.kill()
	out, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	at, b := newerMeta(t, path), make([]byte, 1)
	if _, err := out.ReadAt(b, at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 1
	if _, err := out.WriteAt(b, at); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check"}, {"audit", "verify"}, {"dump"}, {"query", "ASK { ?s ?p ?o }"}, {"backup", "copy.db"}} {
		r := command(t, dir, nil, "", args...)
		if r.code != 4 || !strings.Contains(r.stderr, "the newer of its two meta pages is damaged") || !strings.Contains(r.stderr, "start the service: it rewrites the page") {
			t.Errorf("segraph %q: exit %d\n%s%s", args, r.code, r.stdout, r.stderr)
		}
	}
	s = serve(t, dir, nil)
	if said := s.stderr.String(); !strings.Contains(said, "WARN") || !strings.Contains(said, "meta pages was damaged and has been rewritten from its copy") {
		t.Errorf("the service does not log it:\n%s", said)
	}
	if a := request(t, "GET", s.ui+"/health", nil); !strings.Contains(string(a.body), "meta pages was damaged and has been rewritten from its copy") {
		t.Errorf("/health does not show it: %d\n%s", a.status, a.body)
	}
	if got := string(s.events()); !strings.Contains(got, `"first"`) || !strings.Contains(got, `"last"`) {
		t.Errorf("there is only\n%s", got)
	}
	s.stop()
	for _, args := range [][]string{{"check"}, {"audit", "verify"}} {
		if r := command(t, dir, nil, "", args...); r.code != 0 || strings.Contains(r.stdout, "warning") {
			t.Errorf("afterwards, segraph %q: exit %d\n%s%s", args, r.code, r.stdout, r.stderr)
		}
	}
}
