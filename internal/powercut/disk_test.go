package powercut

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// contents is a set of possible contents of a file.
type contents map[string]bool

func (c contents) String() string {
	return fmt.Sprintf("%q", slices.Sorted(maps.Keys(c)))
}

// images returns the contents of the file "f" after many power cuts at the end of a
// recording; "" if the file does not exist.
func images(t *testing.T, r *Recording) contents {
	t.Helper()
	disk := r.Disk()
	if err := disk.Advance(r.Len()); err != nil {
		t.Fatal(err)
	}
	out := contents{}
	for seed := range uint64(3000) {
		image := disk.Cut(Fate(seed%uint64(Fates)), rand.New(rand.NewPCG(seed, 1)))
		c := image["f"]
		out[string(append(bytes.Clone(c.Data), make([]byte, c.Size-int64(len(c.Data)))...))] = true
	}
	return out
}

// named returns a recording in which an empty file "f" is on disk.
func named() *Recording {
	r := &Recording{}
	r.Create("f", 1)
	r.Sync(1, false, r.Len())
	r.SyncFolder(".", r.Len())
	return r
}

func TestSyncedWritesStay(t *testing.T) {
	r := named()
	r.Write(1, 0, []byte("abc"))
	r.Sync(1, false, r.Len())
	if got := images(t, r); len(got) != 1 || !got["abc"] {
		t.Errorf("it leaves %v", got)
	}
}

func TestUnsyncedWritesMaySurviveInPart(t *testing.T) {
	r := named()
	block := func(letter byte) []byte { return bytes.Repeat([]byte{letter}, 2*sector) }
	r.Write(1, 0, block('a'))
	r.Sync(1, false, r.Len())
	r.Write(1, 0, block('b'))
	r.Write(1, 0, block('c'))
	got := images(t, r)
	for _, want := range []string{"aa", "bb", "cc", "ab", "bc", "ca", "ba"} {
		var b []byte
		for _, letter := range []byte(want) {
			b = append(b, block(letter)[:sector]...)
		}
		if !got[string(b)] {
			t.Errorf("%s is not among %d images", want, len(got))
		}
	}
}

// A sync covers writes before it began, but not those made while it ran.
func TestASyncCoversWhatWasWrittenBeforeItBegan(t *testing.T) {
	r := named()
	r.Write(1, 0, []byte("a"))
	r.Sync(1, false, r.Len())
	covers := r.Len()
	r.Write(1, 0, []byte("b"))
	r.Sync(1, false, covers)
	if got := images(t, r); !got["a"] || !got["b"] {
		t.Errorf("it leaves %v", got)
	}
}

func TestASizeNeedsAnFsync(t *testing.T) {
	r := named()
	r.Write(1, 0, []byte("ab"))
	r.Sync(1, true, r.Len())
	if got := images(t, r); len(got) != 2 || !got[""] || !got["ab"] {
		t.Errorf("after fdatasync: %v", got)
	}
	r.Resize(1, 1)
	r.Write(1, 2, []byte("c"))
	r.Sync(1, false, r.Len())
	if got := images(t, r); len(got) != 1 || !got["a\x00c"] {
		t.Errorf("after fsync: %v", got)
	}
}

func TestANameNeedsItsFolder(t *testing.T) {
	r := &Recording{}
	r.Create("g", 1)
	r.Write(1, 0, []byte("new"))
	r.Sync(1, false, r.Len())
	r.Rename("g", "f")
	if got := images(t, r); len(got) != 2 || !got[""] || !got["new"] {
		t.Errorf("before its folder: %v", got)
	}
	r.SyncFolder(".", r.Len())
	if got := images(t, r); len(got) != 1 || !got["new"] {
		t.Errorf("after it: %v", got)
	}
	r.Remove("f")
	if got := images(t, r); len(got) != 2 {
		t.Errorf("removed: %v", got)
	}
}

// The content of a folder is lost if the folder's own name is lost.
func TestAFolderNeedsTheOneAbove(t *testing.T) {
	r := &Recording{}
	r.Mkdir("d")
	r.Create("d/f", 1)
	r.Sync(1, false, r.Len())
	r.SyncFolder("d", r.Len())
	disk := r.Disk()
	if err := disk.Advance(r.Len()); err != nil {
		t.Fatal(err)
	}
	if got := disk.Cut(Lost, nil); len(got) != 0 {
		t.Errorf("it leaves %v", got)
	}
	if _, ok := disk.Cut(Kept, nil)["d/f"]; !ok {
		t.Error("it is lost")
	}
}
