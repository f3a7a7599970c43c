package tree

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

// bare is a journal of n entries of 458 bytes, without a tree.
func bare(b *testing.B, entries uint64) *bolt.DB {
	b.Helper()
	db := open(b)
	stored := make([]byte, 450)
	for n := uint64(1); n <= entries; {
		err := db.Update(func(tx *bolt.Tx) error {
			entries, err := tx.CreateBucketIfNotExists([]byte("journal"))
			if err != nil {
				return err
			}
			entries.FillPercent = 1
			for range 50_000 {
				v := binary.BigEndian.AppendUint64(nil, n)
				if err := entries.Put(v, append(v, stored...)); err != nil {
					return err
				}
				n++
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return db
}

// grown adds all entries to the tree.
func grown(b *testing.B, db *bolt.DB) {
	b.Helper()
	if err := db.Update(func(tx *bolt.Tx) error { return Extend(kv.OnBolt(tx)) }); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkMillions builds the tree of a million entries, or ten million with
// SEGRAPH_LONG=1, and then proves entries.
func BenchmarkMillions(b *testing.B) {
	db := bare(b, uint64(suite.Times(10, 1))*1e6)
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			_ = db.Update(func(tx *bolt.Tx) error { return tx.DeleteBucket([]byte(bucketName)) })
			b.StartTimer()
			grown(b, db)
		}
	})
	grown(b, db)
	random := rand.New(rand.NewPCG(1, 2))
	prove := func(name string, do func(t *Reader) error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				view(b, db, func(r kv.Reader) error {
					t, err := NewReader(r)
					if err != nil {
						return err
					}
					return do(t)
				})
			}
		})
	}
	prove("inclusion", func(t *Reader) error { return second(t.Inclusion(random.Uint64N(t.Size()), t.Size())) })
	prove("consistency", func(t *Reader) error { return second(t.Consistency(1+random.Uint64N(t.Size()-1), t.Size())) })
}

// BenchmarkBytes reports how many bytes an entry of a log takes in the file.
func BenchmarkBytes(b *testing.B) {
	const n = 20_000
	e := journal.Entry{Action: journal.Insert, Actor: "ari", Address: "192.168.100.100", RequestID: journal.NewLogID(), Triples: 14, Added: 12,
		SHA256: strings.Repeat("0", 64), Time: time.Unix(1_790_000_000, 123456789).UTC()}
	for name, commits := range map[string]bool{"without an address": false, "with commitments": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				db, e := open(b), e
				if !commits {
					e.Address, e.RequestID = "", "" // the entry is then stored as it is
				}
				err := db.Update(func(tx *bolt.Tx) error {
					for range n {
						e.LogID = journal.NewLogID()
						if commits {
							e.Secret, e.Canon = journal.NewSecret(), "rdfc-1.0"
							e.Commitment = e.Secret.Content().Commit([]byte(e.LogID))
							e.Graph = e.Commitment
						}
						seq, err := journal.Append(kv.OnBolt(tx), e)
						if err != nil {
							return err
						}
						if seq == n {
							return Extend(kv.OnBolt(tx))
						}
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
				_ = db.View(func(tx *bolt.Tx) error {
					for _, name := range []string{"journal", bucketName, "clearlogs"} {
						if bucket := tx.Bucket([]byte(name)); bucket != nil {
							s := bucket.Stats()
							b.ReportMetric(float64(s.LeafInuse+s.BranchInuse)/n, name+"-B/entry")
						}
					}
					return nil
				})
			}
		})
	}
}
