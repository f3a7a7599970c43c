package tree

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	bolt "go.etcd.io/bbolt"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

func open(t testing.TB) *bolt.DB {
	t.Helper()
	db, err := bolt.Open(filepath.Join(t.TempDir(), "tree.db"), 0o600, &bolt.Options{NoSync: true, InitialMmapSize: 64 << 20}) // or writes wait for readers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// write appends n entries, in transactions of up to 500, and calls after with each in its
// transaction.
func write(t testing.TB, db *bolt.DB, n int, after func(w kv.Writer, seq uint64) error) {
	t.Helper()
	for n > 0 {
		err := db.Update(func(tx *bolt.Tx) error {
			for range min(n, 500) {
				n--
				seq, err := journal.Append(kv.OnBolt(tx), journal.Entry{LogID: fmt.Sprint("log ", n), Actor: "ari", Time: time.Unix(int64(n), 0).UTC()})
				if err != nil {
					return err
				}
				if err := after(kv.OnBolt(tx), seq); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func none(kv.Writer, uint64) error { return nil }

// extend stores the tree in the transaction that appended the last entry.
func extend(w kv.Writer, _ uint64) error { return Extend(w) }

func view(t testing.TB, db *bolt.DB, do func(r kv.Reader) error) {
	t.Helper()
	if err := db.View(func(tx *bolt.Tx) error { return do(kv.OnBolt(tx)) }); err != nil {
		t.Fatal(err)
	}
}

// verify returns the head that a Verifier finds.
func verify(db *bolt.DB) (h Head, err error) {
	err = db.View(func(tx *bolt.Tx) error {
		v, err := NewVerifier(kv.OnBolt(tx))
		if err != nil {
			return err
		}
		if err := journal.Verify(kv.OnBolt(tx), func(_ journal.Head, stored []byte) error { return v.Add(stored) }); err != nil {
			return err
		}
		h, err = v.End()
		return err
	})
	return h, err
}

// reference builds the tree of the journal's first entries with another library.
func reference(t testing.TB, db *bolt.DB, size int64) (tlog.Hash, tlog.HashReaderFunc) {
	t.Helper()
	var hashes []tlog.Hash
	from := tlog.HashReaderFunc(func(at []int64) (out []tlog.Hash, err error) {
		for _, i := range at {
			out = append(out, hashes[i])
		}
		return out, nil
	})
	n := int64(0)
	view(t, db, func(r kv.Reader) error {
		return journal.Stored(r, 1, uint64(size), func(stored []byte) error {
			more, err := tlog.StoredHashes(n, stored, from)
			hashes, n = append(hashes, more...), n+1
			return err
		})
	})
	root, err := tlog.TreeHash(size, from)
	if err != nil {
		t.Fatal(err)
	}
	return root, from
}

// TestTheTreeIsThatOfRFC6962 compares heads, tiles and proofs with those of Go's checksum
// database.
func TestTheTreeIsThatOfRFC6962(t *testing.T) {
	const n = 1000
	db := open(t)
	write(t, db, n, extend)
	random := rand.New(rand.NewPCG(1, 2))
	view(t, db, func(r kv.Reader) error {
		for _, size := range []int64{0, 1, 2, 255, 256, 257, 512, 700, n} {
			root, from := reference(t, db, size)
			tree, err := NewReader(r)
			if err != nil {
				return err
			}
			head, err := tree.Head(uint64(size))
			if err != nil || head != (Head{uint64(size), root}) {
				t.Errorf("the head of %d is %x, %v; want %x", size, head.Root, err, root)
			}
			if size == 0 {
				continue
			}
			for range 20 {
				index, before := random.Uint64N(uint64(size)), 1+random.Uint64N(uint64(size))
				got, err := tree.Inclusion(index, uint64(size))
				want, werr := tlog.ProveRecord(size, int64(index), from)
				if err != nil || werr != nil || fmt.Sprintf("%x", got) != fmt.Sprintf("%x", hashes(want)) {
					t.Fatalf("entry %d of %d: %v, %v", index, size, err, werr)
				}
				old, err := tree.Head(before)
				if err != nil {
					return err
				}
				got, err = tree.Consistency(before, uint64(size))
				if err != nil {
					return err
				}
				if err := proof.VerifyConsistency(rfc6962.DefaultHasher, before, uint64(size), got, old.Root[:], root[:]); err != nil {
					t.Errorf("from %d to %d: %v", before, size, err)
				}
			}
			for _, tile := range tlog.NewTiles(tileHeight, 0, size) {
				want, err := tlog.ReadTileData(tile, from)
				got, ok, rerr := tree.Tile(tile.L, uint64(tile.N), tile.W)
				if err != nil || rerr != nil || !ok || !bytes.Equal(got, want) {
					t.Errorf("tile %v of %d: %v, %v, %v", tile, size, ok, err, rerr)
				}
			}
		}
		return nil
	})
	if h, err := verify(db); err != nil || h.Size != n {
		t.Errorf("%v, %v", h, err)
	}
}

func hashes(list tlog.RecordProof) (out [][]byte) {
	for _, h := range list {
		out = append(out, h[:])
	}
	return out
}

// TestLeavesNeverChange pins the root of two stored values in the form of 2026.
func TestLeavesNeverChange(t *testing.T) {
	db := open(t)
	err := db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucket([]byte("journal"))
		if err != nil {
			return err
		}
		link := [32]byte{}
		for n, text := range []string{
			`{"log_id":"0198c0f4-7d1c-7000-8000-000000000001","action":"insert","time":"2026-01-31T12:00:00Z","actor":"ari","triples":14,"added":12}`,
			`{"log_id":"0198c0f4-7d1c-7000-8000-000000000002","action":"clear","time":"2026-01-31T12:00:01Z","actor":"ari","triples":0,"added":0,"removed":12}`,
		} {
			v := append(link[:], text...)
			link = sha256.Sum256(v)
			if err := b.Put([]byte{0, 0, 0, 0, 0, 0, 0, byte(n + 1)}, v); err != nil {
				return err
			}
		}
		return Extend(kv.OnBolt(tx))
	})
	if err != nil {
		t.Fatal(err)
	}
	view(t, db, func(r kv.Reader) error {
		h, err := HeadOf(r)
		if got, want := hex.EncodeToString(h.Root[:]), "b256a75c4d7b63bf9cebc2c7935cda1bc1e954a6065393f5a8cbedceb4d83d69"; got != want {
			t.Errorf("the root is %s, want %s", got, want)
		}
		return err
	})
}

func TestTilesThatTheTreeLacks(t *testing.T) {
	db := open(t)
	write(t, db, 600, extend)
	view(t, db, func(r kv.Reader) error {
		tree, err := NewReader(r)
		if err != nil {
			return err
		}
		for _, x := range []struct {
			level  int
			number uint64
			width  int
			ok     bool
		}{
			{0, 0, 256, true}, {0, 1, 1, true}, {0, 2, 88, true}, {0, 2, 89, false}, {0, 3, 1, false}, {1, 0, 2, true}, {1, 0, 3, false},
			{2, 0, 1, false}, {0, 0, 0, false}, {0, 0, 257, false}, {-1, 0, 1, false}, {8, 0, 1, false}, {0, 1 << 62, 1, false},
		} {
			got, ok, err := tree.Tile(x.level, x.number, x.width)
			if ok != x.ok || err != nil || ok && len(got) != x.width*hashSize {
				t.Errorf("tile %+v: %d bytes, %v, %v", x, len(got), ok, err)
			}
		}
		for name, err := range map[string]error{
			"head":        second(tree.Head(601)),
			"inclusion":   second(tree.Inclusion(600, 600)),
			"larger":      second(tree.Inclusion(1, 601)),
			"consistency": second(tree.Consistency(1, 601)),
			"backwards":   second(tree.Consistency(5, 4)),
		} {
			if err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		return nil
	})
}

func second[T any](_ T, err error) error { return err }

// TestAChangedTreeOrJournalIsFound changes each kind of record.
func TestAChangedTreeOrJournalIsFound(t *testing.T) {
	put := func(bucket string, key []byte, change func([]byte) []byte) func(tx *bolt.Tx) error {
		return func(tx *bolt.Tx) error {
			b := tx.Bucket([]byte(bucket))
			v := change(bytes.Clone(b.Get(key)))
			if v == nil {
				return b.Delete(key)
			}
			return b.Put(key, v)
		}
	}
	flip := func(at int) func([]byte) []byte { return func(v []byte) []byte { v[at] ^= 1; return v } }
	remove := func([]byte) []byte { return nil }
	entry := func(n byte) []byte { return []byte{0, 0, 0, 0, 0, 0, 0, n} }
	node := nodeKey(1, 0)
	for name, harm := range map[string]func(tx *bolt.Tx) error{
		"an entry":            put("journal", entry(7), flip(40)),
		"the last entry":      put("journal", []byte{0, 0, 0, 0, 0, 0, 2, 88}, flip(40)),
		"an entry removed":    put("journal", entry(7), remove),
		"the last one":        put("journal", []byte{0, 0, 0, 0, 0, 0, 2, 88}, remove),
		"a tile":              put(bucketName, node, flip(3)),
		"a sealed wrong tile": put(bucketName, node, func([]byte) []byte { return kv.Seal(node, make([]byte, hashSize)) }),
		"a short tile":        put(bucketName, node, func([]byte) []byte { return kv.Seal(node, []byte("x")) }),
		"a tile removed":      put(bucketName, node, remove),
		"a tile too many":     put(bucketName, nodeKey(1, 9), func([]byte) []byte { return kv.Seal(nodeKey(1, 9), make([]byte, hashSize)) }),
		"the edge":            put(bucketName, edgeKey, flip(20)),
		"a sealed wrong edge": put(bucketName, edgeKey, func(v []byte) []byte { return kv.Seal(edgeKey, flip(20)(v[:len(v)-4])) }),
		"an unfit edge":       put(bucketName, edgeKey, func(v []byte) []byte { return kv.Seal(edgeKey, v[:8]) }),
		"a short edge":        put(bucketName, edgeKey, func(v []byte) []byte { return kv.Seal(edgeKey, v[:7]) }),
	} {
		db := open(t)
		write(t, db, 600, extend)
		if err := db.Update(harm); err != nil {
			t.Fatal(err)
		}
		_, err := verify(db)
		var damaged interface{ Damaged() string }
		if !errors.As(err, &damaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEntriesCutFromAJournalAreFoundByItsTree removes the last entries, and then appends
// another one.
func TestEntriesCutFromAJournalAreFoundByItsTree(t *testing.T) {
	db := open(t)
	write(t, db, 10, extend)
	err := db.Update(func(tx *bolt.Tx) error {
		if err := tx.Bucket([]byte("journal")).Delete([]byte{0, 0, 0, 0, 0, 0, 0, 10}); err != nil {
			return err
		}
		var damaged *DamagedError
		if err := Extend(kv.OnBolt(tx)); !errors.As(err, &damaged) {
			t.Errorf("extending a tree that is longer than the journal: %v", err)
		}
		if _, err := HeadOf(kv.OnBolt(tx)); !errors.As(err, &damaged) {
			t.Errorf("reading a tree that is longer than the journal: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, db, 2, none) // another entry 10
	if _, err := verify(db); err == nil {
		t.Error("another last entry was not found")
	}
}

func BenchmarkExtend(b *testing.B) {
	db := open(b)
	write(b, db, 1000, extend)
	err := db.Update(func(tx *bolt.Tx) error {
		w := kv.OnBolt(tx)
		for b.Loop() {
			seq, err := journal.Append(w, journal.Entry{LogID: "x", Actor: "ari"})
			if err != nil {
				return err
			}
			if err := extend(w, seq); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
