package file

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/suite"
)

var smallLog = Options{Log: smallestLog}

// logged is a file with a small log and what it should hold.
type logged struct {
	t       *testing.T
	path    string
	file    *File
	random  *rand.Rand
	end     []Mark   // ends of the acknowledged frames
	want    [][]byte // payloads of these frames
	flushed int      // number of flushed frames in the last commit
	before  int      // and in the one before
}

func newLogged(t *testing.T, seed uint64) *logged {
	t.Helper()
	l := &logged{t: t, path: filepath.Join(t.TempDir(), "x.db"), random: rand.New(rand.NewPCG(seed, 14))}
	l.open()
	t.Cleanup(func() { _ = l.file.Close() })
	return l
}

func (l *logged) open() {
	l.t.Helper()
	var err error
	if l.file, err = Open(l.path, smallLog); err != nil {
		l.t.Fatal(err)
	}
	l.recovered(l.file, l.flushed, len(l.want))
}

// recovered checks that a file's log holds the frames in [from, to).
func (l *logged) recovered(f *File, from, to int) {
	l.t.Helper()
	got, err := recovered(f)
	if err != nil {
		l.t.Fatal(err)
	}
	if !slices.EqualFunc(got, l.want[from:to], bytes.Equal) {
		l.t.Fatalf("%d frames are read, want those from %d to %d", len(got), from, to)
	}
}

func recovered(f *File) (out [][]byte, err error) {
	err = f.Region().Recover(func(_ Mark, payload []byte) error {
		out = append(out, bytes.Clone(payload))
		return nil
	})
	return out, err
}

// payload returns random bytes of a random length.
func (l *logged) payload() []byte {
	b := make([]byte, l.random.IntN(1+l.random.IntN(1+l.random.IntN(9000))))
	for i := range b {
		b[i] = byte(l.random.Uint32())
	}
	return b
}

// append appends a frame if it fits.
func (l *logged) append(b []byte) bool {
	l.t.Helper()
	fits := l.file.Region().Fits(len(b))
	end, err := l.file.Region().Append(b)
	if fits != (err == nil) {
		l.t.Fatalf("fits: %t, and appending: %v", fits, err)
	}
	if fits {
		l.want, l.end = append(l.want, b), append(l.end, end)
	}
	return fits
}

// flush commits that the buckets hold the first frames.
func (l *logged) flush(frames int) {
	l.t.Helper()
	var m Mark
	if frames > 0 {
		m = l.end[frames-1]
	}
	err := l.file.Update(func(tx *bolt.Tx) error {
		_, err := l.file.Region().SetFlushed(tx, m, false)
		return errors.Join(err, tx.Bucket(metaName).Put([]byte("held"), binary.BigEndian.AppendUint64(nil, uint64(frames))))
	})
	if err != nil {
		l.t.Fatal(err)
	}
	l.before, l.flushed = l.flushed, frames
}

// held returns how many frames the buckets of a file hold.
func held(t *testing.T, f *File) (n int) {
	t.Helper()
	err := f.DB.View(func(tx *bolt.Tx) error {
		if v := tx.Bucket(metaName).Get([]byte("held")); v != nil {
			n = int(binary.BigEndian.Uint64(v))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// step does something at random.
func (l *logged) step() {
	switch n := l.random.IntN(20); {
	case n < 14:
		if !l.append(l.payload()) {
			l.flush(len(l.want))
			l.flush(len(l.want))
		}
	case n < 17:
		l.flush(l.flushed + l.random.IntN(len(l.want)-l.flushed+1))
	case n < 18: // a transaction that does not concern the log
		if err := l.file.Update(func(*bolt.Tx) error { return nil }); err != nil {
			l.t.Fatal(err)
		}
		l.before = l.flushed
	case n < 19:
		if err := l.file.Check(context.Background()); err != nil {
			l.t.Fatal(err)
		}
	default:
		if err := l.file.Close(); err != nil {
			l.t.Fatal(err)
		}
		l.open()
	}
}

func TestTheLogHoldsWhatWasAppendedAndIsNotFlushed(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	t.Parallel()
	for seed := range uint64(20) {
		l := newLogged(t, seed)
		for range 300 {
			l.step()
		}
		if err := l.file.Close(); err != nil {
			t.Fatal(err)
		}
		l.open()
		if n := len(l.want); n < 100 {
			t.Errorf("%d frames were appended", n)
		}
	}
}

// A changed byte in the log is reported as damage, unless it is in the last frame, which
// may not have been acknowledged.
func TestADamagedFrameIsReported(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	l := newLogged(t, 3)
	for range 8 {
		l.append(l.payload()[:0])
		l.append([]byte(strings.Repeat("frame ", 1+l.random.IntN(20))))
	}
	content := contentOf(t, l.path)
	at := l.file.Region().at
	last := int64(l.end[len(l.end)-2].Position)
	for i := range int64(l.end[len(l.end)-1].Position) {
		path := filepath.Join(t.TempDir(), "image.db")
		if err := os.WriteFile(path, changed(content, at+i), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path, Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		got, err := recovered(f)
		f.Close()
		var damaged *DamagedError
		switch {
		case i < last && !errors.As(err, &damaged):
			t.Fatalf("byte %d: %d frames are read, %v", i, len(got), err)
		case i >= last && (err != nil || len(got) != len(l.want)-1):
			t.Fatalf("byte %d of the last frame: %d frames are read, %v", i, len(got), err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// Frames that follow a write outside the log are not read without that write.
func TestFramesAreNotReadWithoutTheWriteTheyAreBuiltOn(t *testing.T) {
	l := newLogged(t, 4)
	l.append([]byte("first"))
	l.flush(1)
	err := l.file.Update(func(tx *bolt.Tx) error {
		_, err := l.file.Region().SetFlushed(tx, l.end[0], true)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	l.append([]byte("second"))
	content := contentOf(t, l.path)
	image(t, content, func(f *File) {
		if got, err := recovered(f); err != nil || len(got) != 1 || string(got[0]) != "second" {
			t.Errorf("%q, %v", got, err)
		}
	})
	content = withoutCopies(content)
	image(t, changed(content, metaPlace(content, true)), func(f *File) {
		var damaged *DamagedError
		if got, err := recovered(f); !errors.As(err, &damaged) {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// A copy of a read snapshot holds the frames up to its mark, and none after it, while
// writes go on.
func TestACopyHoldsTheFramesOfItsSnapshot(t *testing.T) {
	suite.NotShort(t)
	for seed := range uint64(10) {
		l := newLogged(t, seed)
		for range 100 {
			l.step()
		}
		frames, flushed := len(l.want), l.flushed
		tx, err := l.file.Begin(false)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := l.file.Snapshot(ctx, tx, l.file.Region().Head()); !errors.Is(err, context.Canceled) {
			t.Errorf("a copy that nobody wants any more: %v", err)
		}
		m, ok, err := l.file.Snapshot(t.Context(), tx, l.file.Region().Head())
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		for range 30 {
			if l.append(l.payload()) && l.random.IntN(3) == 0 {
				l.flush(len(l.want))
			}
		}
		var b bytes.Buffer
		if n, err := m.WriteTo(&b); err != nil || n != tx.Size() || n != int64(b.Len()) {
			t.Fatal(n, err)
		}
		_, ok, err = l.file.Snapshot(t.Context(), tx, l.end[max(frames, 1)-1])
		if reused := l.file.Region().tail > uint64(0) && l.before > flushed; err != nil || ok == reused {
			t.Errorf("seed %d: a snapshot whose frames are gone: %t, %v", seed, ok, err)
		}
		_ = tx.Rollback()
		image(t, b.Bytes(), func(f *File) { l.recovered(f, flushed, frames) })
	}
}

func TestACompactedFileHoldsItsLog(t *testing.T) {
	l := newLogged(t, 5)
	for range 40 {
		l.step()
	}
	path := filepath.Join(t.TempDir(), "small.db")
	if err := l.file.Compact(path); err != nil {
		t.Fatal(err)
	}
	image(t, contentOf(t, path), func(f *File) { l.recovered(f, l.flushed, len(l.want)) })
}

// Frames that are appended while old ones are overwritten stay, and no old one does.
func TestCleaningTheLogTakesNoFrameThatIsBeingWritten(t *testing.T) {
	t.Parallel()
	l := newLogged(t, 4)
	for l.append([]byte("wanted old frame")) {
	}
	l.flush(len(l.want))
	l.flush(len(l.want))
	old := len(l.want)
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		var err error
		for stopped := false; !stopped && err == nil; {
			err = l.file.Region().Clean()
			select {
			case <-stop:
				stopped = true
			default:
			}
		}
		done <- err
	}()
	for range 60 {
		l.append(bytes.Repeat([]byte{7}, 500))
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := l.file.Region().Frames(func(b []byte) {
		if bytes.Contains(b, []byte("wanted old frame")) {
			t.Error("an old frame is left")
		}
	}, func([]byte) {}); err != nil {
		t.Fatal(err)
	}
	if err := l.file.Close(); err != nil {
		t.Fatal(err)
	}
	l.flushed = old
	l.open()
}

// A frame that does not fit before the region's end leaves no older one there.
func TestWhatAFrameSkipsAtTheEndOfTheLogIsOverwritten(t *testing.T) {
	t.Parallel()
	l := newLogged(t, 5)
	for l.append([]byte("wanted old frame")) {
	}
	for range 2 {
		l.flush(len(l.want))
	}
	for at := uint64(0); at < l.file.Region().size; at = l.file.Region().head.Position % l.file.Region().size {
		left := l.file.Region().size - at
		if left < 1000 {
			break
		}
		l.append(bytes.Repeat([]byte{7}, int(min(left-900, 4000))))
		for range 2 {
			l.flush(len(l.want))
		}
	}
	l.append(bytes.Repeat([]byte{8}, 2000)) // begins at the start
	if err := l.file.Region().Frames(func(b []byte) {
		if end := b[len(b)-900:]; bytes.Contains(end, []byte("wanted")) || bytes.Count(end, []byte{8}) > 0 {
			t.Error("the bytes before the end are not overwritten")
		}
	}, func([]byte) {}); err != nil {
		t.Fatal(err)
	}
	if err := l.file.Close(); err != nil {
		t.Fatal(err)
	}
	l.open()
}

// FuzzRegion writes bytes anywhere into the region. Recover must return the frames up to
// some frame, or report damage.
func FuzzRegion(f *testing.F) {
	path := filepath.Join(f.TempDir(), "x.db")
	file, err := Open(path, smallLog)
	if err != nil {
		f.Fatal(err)
	}
	ends := []uint64{file.Region().head.Position} // of frames
	for i := range 30 {
		end, err := file.Region().Append(fmt.Appendf(nil, "%0*d", i*7, i))
		if err != nil {
			f.Fatal(err)
		}
		ends = append(ends, end.Position)
	}
	good := make([]byte, file.Region().size)
	if _, err := file.pages.ReadAt(good, file.Region().at); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { file.Close() })
	f.Add(uint32(0), []byte{0xff, 0xff, 0xff, 0xff})
	f.Add(uint32(40), []byte{7})
	f.Add(uint32(16), good[:64])
	f.Add(uint32(783), bytes.Repeat([]byte{7}, len(good))) // nothing is left after it
	f.Fuzz(func(t *testing.T, at uint32, change []byte) {
		b := bytes.Clone(good)
		copy(b[int(at)%len(b):], change)
		r := &Region{file: file, at: file.region.at, size: file.region.size, salt: file.region.salt}
		if _, err := file.pages.WriteAt(b, r.at); err != nil {
			t.Fatal(err)
		}
		n := 0
		err := r.Recover(func(end Mark, payload []byte) error {
			if want := fmt.Sprintf("%0*d", n*7, n); string(payload) != want || end.Sequence != uint64(n+1) {
				t.Errorf("frame %d is %q", n, payload)
			}
			n++
			return nil
		})
		var damaged *DamagedError
		if err != nil && !errors.As(err, &damaged) {
			t.Errorf("%d frames are read: %v", n, err)
		}
		for i := n; err == nil && i < 30; i++ { // what follows is lost too; otherwise the loss would be noticed
			if bytes.Equal(b[ends[i]:ends[i+1]], good[ends[i]:ends[i+1]]) {
				t.Errorf("%d frames are read, and frame %d is intact", n, i)
			}
		}
	})
}
