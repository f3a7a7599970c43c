package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// megabytes creates segraph.db with about 4 MB and returns its bytes.
func megabytes(t *testing.T) []byte {
	t.Helper()
	t.Chdir(t.TempDir())
	var b strings.Builder
	for i := range 42_000 {
		fmt.Fprintf(&b, "<http://example.org/event/%d> <http://example.org/says> \"number %d, %x\" .\n", i*7919, i, rand.Uint64())
	}
	if got := segraph(b.String(), nil, "load", "-", "--format", "turtle"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	if got := segraph("", nil, "compact"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	good, err := os.ReadFile("segraph.db")
	if err != nil {
		t.Fatal(err)
	}
	return good
}

// A file cut at any multiple of 4 KiB is either valid, because nothing followed the cut,
// or gives exit code 4 with a message.
func TestAFileThatWasCutAnywhereIsGoodOrExitCode4(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	good := megabytes(t)
	if len(good) < 4_000_000 {
		t.Errorf("a file of %d bytes", len(good))
	}
	damaged := 0
	step := 4096 * suite.Times(1, 16)
	for size := (len(good) - 1) / 4096 * 4096; size >= 0; size -= step {
		if err := os.Truncate("segraph.db", int64(size)); err != nil {
			t.Fatal(err)
		}
		got := segraph("", nil, "check")
		switch {
		case got.code == exitOK && damaged == 0:
		case got.code == exitDamaged && strings.Contains(got.stderr, "estore it from a backup"):
			damaged++
		default:
			t.Fatalf("cut to %d bytes, after %d that were named: %+v", size, damaged, got)
		}
	}
	if damaged < len(good)/step/2 {
		t.Errorf("%d of %d cuts were named", damaged, len(good)/step)
	}
}

// Changed bytes in any page either do no harm or give exit code 4 with a message.
func TestBytesThatWereChangedInAnyPageAreNamedOrDoNoHarm(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	good := megabytes(t)
	want := dumpOf(t, "segraph.db")
	f, err := os.OpenFile("segraph.db", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	named, pages := 0, 0
	for at := 0; at < len(good); at += 4096 * suite.Times(1, 128) {
		pages++
		page := good[at:min(at+4096, len(good))]
		bad := append([]byte(nil), page...)
		r := rand.New(rand.NewPCG(uint64(at), 1))
		for range 1 + r.IntN(8) {
			bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
		}
		if _, err := f.WriteAt(bad, int64(at)); err != nil {
			t.Fatal(err)
		}
		switch got := segraph("", nil, "check"); {
		case got.code == exitDamaged && strings.Contains(got.stderr, "estore it from a backup"):
			named++
		case got.code != exitOK:
			t.Fatalf("page %d: %+v", at/4096, got)
		case dumpOf(t, "segraph.db") != want:
			t.Fatalf("page %d: the file is said to be good, and holds something else", at/4096)
		}
		if _, err := f.WriteAt(page, int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	if named < pages/2 {
		t.Errorf("of %d changed pages %d were named", pages, named)
	}
}
