package file

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// image opens a file with the content and calls do with it.
func image(t *testing.T, content []byte, do func(f *File)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, smallLog)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	do(f)
	if err := f.Check(context.Background()); err != nil {
		t.Error(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// torn returns a mix of two contents. Each sector comes from one of them, or is noise
// where they differ.
func torn(random *rand.Rand, before, after []byte) []byte {
	out := bytes.Clone(before)
	for at := 0; at < len(after); at += 512 {
		end := min(at+512, len(after))
		if at < len(before) && bytes.Equal(before[at:min(end, len(before))], after[at:end]) {
			continue
		}
		switch random.IntN(3) {
		case 0:
			out = append(out[:at], append(bytes.Clone(after[at:end]), out[min(end, len(out)):]...)...)
		case 1:
			for i := at; i < min(end, len(out)); i++ {
				if out[i] != after[i] {
					out[i] = byte(random.Uint32())
				}
			}
		}
	}
	return out
}

// A power cut while a frame is written leaves all frames before it, and all or nothing of
// this one. A frame appended afterwards is found later.
func TestAPowerCutLosesNoAcknowledgedFrame(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	t.Parallel()
	for seed := range uint64(suite.Times(100, 4)) {
		l := newLogged(t, seed)
		for range 60 {
			for range l.random.IntN(6) {
				l.step()
			}
			before := contentOf(t, l.path)
			from, to := l.flushed, len(l.want)
			if !l.append(l.payload()) {
				continue
			}
			after := contentOf(t, l.path)
			image(t, torn(l.random, before, after), func(f *File) {
				got, err := recovered(f)
				if err != nil {
					t.Fatal(err)
				}
				if len(got) > to-from+1 || len(got) < to-from || !slices.EqualFunc(got, l.want[from:from+len(got)], bytes.Equal) {
					t.Fatalf("seed %d: %d frames are read of %d", seed, len(got), to-from)
				}
				if l.random.IntN(2) == 0 {
					if err := f.Region().Rewrite(); err != nil {
						t.Fatal(err)
					}
				}
				if !f.Region().Fits(3) {
					return
				}
				if _, err := f.Region().Append([]byte("new")); err != nil {
					t.Fatal(err)
				}
				content := contentOf(t, f.Path())
				image(t, content, func(f *File) {
					more, err := recovered(f)
					if err != nil || len(more) != len(got)+1 || string(more[len(got)]) != "new" {
						t.Fatalf("seed %d: %d frames after a new one, %v", seed, len(more), err)
					}
				})
			})
		}
	}
}

// If the newer meta page is lost, with its copy, the older transaction finds the frames
// that it needs.
func TestALostMetaPageLosesNoFrame(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	t.Parallel()
	for seed := range uint64(suite.Full(10, 3)) {
		l := newLogged(t, seed)
		l.flush(0) // the transaction that creates a file has no predecessor
		for range 60 {
			for range l.random.IntN(8) {
				l.step()
			}
			content := withoutCopies(contentOf(t, l.path))
			content = changed(content, metaPlace(content, true))
			image(t, content, func(f *File) {
				if f.MetaPages() != MetaDoubtful {
					t.Fatalf("the meta pages are %v", f.MetaPages())
				}
				got, err := recovered(f)
				if n := held(t, f); err != nil || !slices.EqualFunc(got, l.want[n:], bytes.Equal) {
					t.Fatalf("seed %d: %d frames are read, and %d are in the buckets, of %d: %v", seed, len(got), n, len(l.want), err)
				}
			})
		}
	}
}
