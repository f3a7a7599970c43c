package httpapi

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
)

// logReader reads all of a log over HTTP, and trusts nothing but the verifier key.
type logReader struct {
	t      testing.TB
	s      *fixture
	token  string
	change func(path string, body []byte) // what happens on the way
}

func (r logReader) get(path string) ([]byte, error) {
	w := r.s.do(r.t, call{method: "GET", path: path, token: r.token})
	if w.Code != 200 {
		return nil, fmt.Errorf("%s: %d", path, w.Code)
	}
	body := w.Body.Bytes()
	r.change(path, body)
	return body, nil
}

func (logReader) Height() int                     { return 8 }
func (logReader) SaveTiles([]tlog.Tile, [][]byte) {}
func (r logReader) ReadTiles(list []tlog.Tile) (out [][]byte, err error) {
	for _, x := range list {
		b, err := r.get("/log/" + strings.Replace(x.Path(), "tile/8/", "tile/", 1))
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// all verifies every entry and returns how many there are.
func (r logReader) all(key string) (n int64, err error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return 0, err
	}
	signed, err := r.get("/log/checkpoint")
	if err != nil {
		return 0, err
	}
	head, err := note.Open(signed, note.VerifierList(verifier))
	if err != nil {
		return 0, err
	}
	lines := strings.Split(head.Text, "\n")
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil {
		return 0, err
	}
	tree := tlog.Tree{Hash: tlog.Hash(root)}
	if _, err := fmt.Sscan(lines[1], &tree.N); err != nil {
		return 0, err
	}
	hashes := tlog.TileHashReader(tree, r)
	for from := int64(0); from < tree.N; from += 256 {
		tile := tlog.Tile{H: 8, L: -1, N: from / 256, W: int(min(256, tree.N-from))}
		bundle, err := r.get("/log/" + strings.Replace(tile.Path(), "tile/8/data/", "tile/entries/", 1))
		if err != nil {
			return 0, err
		}
		for i := from; i < from+int64(tile.W); i++ {
			want, err := hashes.ReadHashes([]int64{tlog.StoredHashIndex(0, i)})
			if err != nil {
				return 0, err
			}
			if len(bundle) < 2 || len(bundle)-2 < int(binary.BigEndian.Uint16(bundle)) {
				return 0, fmt.Errorf("entry %d is cut off", i)
			}
			entry := bundle[2 : 2+binary.BigEndian.Uint16(bundle)]
			if bundle = bundle[2+len(entry):]; tlog.RecordHash(entry) != want[0] {
				return 0, fmt.Errorf("entry %d is not the one of the log", i)
			}
		}
		if len(bundle) > 0 {
			return 0, errors.New("the bundle has more")
		}
	}
	return tree.N, nil
}

// TestAReaderNoticesAChangedByte changes bytes of answers on the way, and then an entry in
// the file.
func TestAReaderNoticesAChangedByte(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	path := filepath.Join(t.TempDir(), "x.db")
	begin := func() (file *engine.Store, r logReader) {
		t.Helper()
		file, err := engine.Open(path, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		s := newService(t, func(c *settings) { c.Translog = translog.New(file, translog.Options{KeyFile: path + ".key"}) })
		return file, logReader{t, s, s.token(t, auth.Auditor), func(string, []byte) {}}
	}
	file, r := begin()
	err := file.Update(t.Context(), func(tx *engine.Tx) (err error) {
		for range 299 {
			err = errors.Join(err, tx.Journal(journal.Entry{Actor: "ari"}))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.get("/log/checkpoint"); err != nil {
		t.Fatal(err)
	}
	key, err := translog.KeyOf(file)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.all(key); n != 300 || err != nil {
		t.Fatalf("as served: %d, %v", n, err)
	}
	for _, x := range []struct {
		path string
		at   []int // offsets, or from the end
	}{
		{"/log/checkpoint", []int{0, 9, 30, 60}},
		{"/log/tile/0/000", []int{0, 32 * 7, -1}},
		{"/log/tile/0/001.p/44", []int{0, -1}},
		{"/log/tile/1/000.p/1", []int{0, 31}},
		{"/log/tile/entries/000", []int{0, 1, 2, 34, 5000, -1}},
		{"/log/tile/entries/001.p/44", []int{0, 1, 40, -1}},
	} {
		for _, at := range x.at {
			changed := false
			r.change = func(path string, body []byte) {
				if path == x.path {
					body[(at+len(body))%len(body)] ^= 1
					changed = true
				}
			}
			if n, err := r.all(key); err == nil || !changed {
				t.Errorf("%s, byte %d: %d entries, read %v", x.path, at, n, changed)
			}
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		b, number := tx.Bucket([]byte("journal")), []byte{0, 0, 0, 0, 0, 0, 0, 7}
		return b.Put(number, []byte(strings.Replace(string(b.Get(number)), `"insert"`, `"import"`, 1)))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	_, r = begin()
	if n, err := r.all(key); err == nil {
		t.Errorf("an entry changed in the file: %d entries", n)
	}
}
