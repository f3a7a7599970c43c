package engine

import (
	"testing"

	"github.com/segraph/segraph/store/engine/kv"
)

// TestAGraphWithRecordsAloneIsGood stores a record in the bucket of a graph that never had
// a triple, as an extension may before the first triple.
func TestAGraphWithRecordsAloneIsGood(t *testing.T) {
	s := openStore(t)
	err := s.Update(t.Context(), func(tx *Tx) error {
		b, err := tx.KV().(kv.Writer).Writable(GraphPath(0, "records")...)
		if err != nil {
			return err
		}
		return b.Put([]byte("key"), []byte("value"))
	})
	if err != nil {
		t.Fatal(err)
	}
	path := s.Path()
	if err := s.Close(); err != nil { // which flushes
		t.Fatal(err)
	}
	s = reopen(t, path)
	report, err := s.Inspect(t.Context())
	if err != nil || report.Graphs != 0 {
		t.Fatalf("%d graphs, %v; want none", report.Graphs, err)
	}
}
