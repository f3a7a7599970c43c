package file

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// countedFile makes a file in several transactions, each of which adds one to a count,
// and returns its bytes.
func countedFile(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	f := mustOpen(t, path)
	for range 5 {
		count(t, f)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return contentOf(t, path)
}

func contentOf(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var counterName = []byte("counter")

func count(t *testing.T, f *File) {
	t.Helper()
	err := f.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(counterName)
		if err == nil {
			_, err = b.NextSequence()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// reopened opens a file with these bytes and returns its count, 0 if it can't be opened.
func reopened(t *testing.T, content []byte, o Options) (n uint64, found MetaPages, after []byte, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, o)
	if err != nil {
		return 0, 0, content, err
	}
	err = f.DB.View(func(tx *bolt.Tx) error {
		n = tx.Bucket(counterName).Sequence()
		return nil
	})
	if err := errors.Join(err, f.Check(t.Context()), f.Close()); err != nil {
		t.Error(err)
	}
	return n, f.MetaPages(), contentOf(t, path), nil
}

// changed returns content with the byte at an offset inverted.
func changed(content []byte, at int64) []byte {
	out := bytes.Clone(content)
	out[at] ^= 0xFF
	return out
}

// metaPlace returns the offset of the newer meta in a file, or of the older one.
func metaPlace(content []byte, newer bool) int64 {
	m := readMetas(bytes.NewReader(content))[0]
	if page := m.page; newer {
		return int64(page)*m.pageSize + pageHeader
	}
	return int64(1-m.page)*m.pageSize + pageHeader
}

// A changed byte in the newer meta page is reported, and the page is rewritten. Nothing
// is lost.
func TestADamagedMetaPageIsReportedAndNothingIsLost(t *testing.T) {
	good := countedFile(t)
	for i := range int64(metaSize) {
		bad := changed(good, metaPlace(good, true)+i)
		_, _, _, err := reopened(t, bad, Options{ReadOnly: true})
		var damaged *DamagedError
		if !errors.As(err, &damaged) {
			t.Errorf("byte %d, for reading: %v", i, err)
		}
		n, found, after, err := reopened(t, bad, Options{})
		if n != 5 || found != MetaRestored || err != nil {
			t.Errorf("byte %d: it counts to %d, %v, %v", i, n, found, err)
		}
		if n, found, _, err := reopened(t, after, Options{ReadOnly: true}); n != 5 || found != MetaGood || err != nil {
			t.Errorf("byte %d, afterwards: it counts to %d, %v, %v", i, n, found, err)
		}
	}
}

// Damage to the older meta page is reported as such.
func TestADamagedOlderMetaPageLosesNothing(t *testing.T) {
	good := countedFile(t)
	for i := range int64(metaSize) {
		for _, o := range []Options{{ReadOnly: true}, {}} {
			n, found, _, err := reopened(t, changed(good, metaPlace(good, false)+i), o)
			if n != 5 || found != MetaOlderDamaged || err != nil {
				t.Errorf("byte %d: it counts to %d, %v, %v", i, n, found, err)
			}
		}
	}
}

// withoutCopies returns a file as a power cut left it just after a
// transaction.
func withoutCopies(content []byte) []byte {
	out := bytes.Clone(content)
	m := readMetas(bytes.NewReader(content))[0]
	for page := range uint64(2) {
		clear(out[copyPlace(page, m.pageSize):][:metaSize])
	}
	return out
}

// Without a copy it is unknown which page is damaged, and the result says so, even if the
// file was opened for writing before.
func TestAMetaPageWithoutACopyIsDoubtful(t *testing.T) {
	good := withoutCopies(countedFile(t))
	for want, newer := range map[uint64]bool{4: true, 5: false} {
		bad := changed(good, metaPlace(good, newer))
		for _, o := range []Options{{ReadOnly: true}, {}, {ReadOnly: true}} {
			n, found, after, err := reopened(t, bad, o)
			if n != want || found != MetaDoubtful || err != nil {
				t.Errorf("%+v: it counts to %d, %v, %v", o, n, found, err)
			}
			bad = after
		}
	}
	if n, found, _, err := reopened(t, good, Options{}); n != 5 || found != MetaGood || err != nil {
		t.Errorf("both are good: it counts to %d, %v, %v", n, found, err)
	}
}

// A file that was opened for writing has a copy, whichever program wrote it before.
func TestOpeningCopiesTheNewerMetaPage(t *testing.T) {
	_, _, after, err := reopened(t, withoutCopies(countedFile(t)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n, found, _, err := reopened(t, changed(after, metaPlace(after, true)), Options{}); n != 5 || found != MetaRestored || err != nil {
		t.Errorf("it counts to %d, %v, %v", n, found, err)
	}
}

// spoiling keeps, for each write, what the file holds if the power fails then and the
// sectors being written become noise.
type spoiling struct {
	*os.File
	images [][]byte
}

func (s *spoiling) WriteAt(b []byte, at int64) (int, error) {
	image, err := os.ReadFile(s.Name())
	if err != nil {
		return 0, err
	}
	for i := at &^ 511; i < at+int64(len(b)); i++ {
		image[i] ^= 0xA5
	}
	s.images = append(s.images, image)
	return s.File.WriteAt(b, at)
}

// A power cut while a start makes sure that the newer meta page is on the disk leaves a file
// that the check accepts, with everything in it, whatever an earlier cut left.
func TestAPowerCutDuringAStartLosesNoMetaPage(t *testing.T) {
	good := countedFile(t)
	for name, before := range map[string]struct {
		content []byte
		n       uint64
		writes  int
	}{
		"good":                          {good, 5, 0},
		"without a copy":                {withoutCopies(good), 5, 1},
		"the newer is noise, no copy":   {changed(withoutCopies(good), metaPlace(good, true)), 4, 0},
		"the older is noise, no copy":   {changed(withoutCopies(good), metaPlace(good, false)), 5, 0},
		"the older is noise and copied": {changed(good, metaPlace(good, false)), 5, 0},
	} {
		path := filepath.Join(t.TempDir(), "x.db")
		if err := os.WriteFile(path, before.content, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		disk := &spoiling{File: file}
		out := &writer{file: disk}
		found, err := openMetas(out, Options{})
		if err == nil {
			_, err = keepLatest(out, found)
		}
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		if len(disk.images) != before.writes {
			t.Errorf("%s: a start writes %d times", name, len(disk.images))
		}
		for i, image := range disk.images {
			if n, found, _, err := reopened(t, image, Options{ReadOnly: true}); n != before.n || found == MetaRestored || err != nil {
				t.Errorf("%s, write %d: it counts to %d, %v, %v", name, i, n, found, err)
			}
		}
	}
}

// Open detects that a disk reported a meta page as written, but still has the previous
// one.
func TestAMetaPageThatTheDiskLostIsRestored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	f := mustOpen(t, path)
	for range 4 {
		count(t, f)
	}
	before := contentOf(t, path)
	count(t, f)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	after := contentOf(t, path)
	m := readMetas(bytes.NewReader(after))[0]
	page := int64(m.page) * m.pageSize
	copy(after[page:page+m.pageSize], before[page:])
	if n, found, _, err := reopened(t, after, Options{}); n != 5 || found != MetaRestored || err != nil {
		t.Errorf("it counts to %d, %v, %v", n, found, err)
	}
}

// Backups and compacted files have copies too.
func TestCopiesOfAFileHaveACopyOfTheMetaPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	f := mustOpen(t, path)
	for range 5 {
		count(t, f)
	}
	var backup bytes.Buffer
	err := f.DB.View(func(tx *bolt.Tx) error {
		m, _, err := f.Snapshot(t.Context(), tx, f.Region().Head())
		if err != nil {
			return err
		}
		n, err := m.WriteTo(&backup)
		if n != tx.Size() {
			t.Errorf("%d bytes of %d were written", n, tx.Size())
		}
		return err
	})
	compacted := filepath.Join(t.TempDir(), "small.db")
	if err := errors.Join(err, f.Compact(compacted), f.Close()); err != nil {
		t.Fatal(err)
	}
	for _, content := range [][]byte{backup.Bytes(), contentOf(t, compacted)} {
		if n, found, _, err := reopened(t, content, Options{ReadOnly: true}); n != 5 || found != MetaGood || err != nil {
			t.Errorf("it counts to %d, %v, %v", n, found, err)
		}
		if n, found, _, err := reopened(t, changed(content, metaPlace(content, true)), Options{}); n != 5 || found != MetaRestored || err != nil {
			t.Errorf("damaged: it counts to %d, %v, %v", n, found, err)
		}
	}
}

// If a meta page is damaged while the file is open, every transaction that begins reports
// it, and the next open restores the page.
func TestAMetaPageDamagedInAnOpenFileIsReported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	f := mustOpen(t, path)
	for range 5 {
		count(t, f)
	}
	out, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	at := metaPlace(contentOf(t, path), true)
	if _, err := out.WriteAt([]byte{0xFF}, at); err != nil {
		t.Fatal(err)
	}
	for _, writable := range []bool{false, true, false} {
		if tx, err := f.Begin(writable); !isDamage(err, path) {
			t.Errorf("writable %v: it gives %v", writable, err)
			if err == nil {
				_ = tx.Rollback()
			}
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if n, found, _, err := reopened(t, contentOf(t, path), Options{}); n != 5 || found != MetaRestored || err != nil {
		t.Errorf("it counts to %d, %v, %v", n, found, err)
	}
}
