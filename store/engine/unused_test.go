package engine

import "testing"

// TestAGraphWithRecordsAloneIsGood stores a record in the bucket of a graph that never had
// a triple, as an extension may before the first triple.
func TestAGraphWithRecordsAloneIsGood(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	err := s.Update(t.Context(), func(tx *Tx) error {
		b, err := tx.KV().Writable(GraphPath(0, "records")...)
		if err != nil {
			return err
		}
		return b.Put([]byte("key"), []byte("value"))
	})
	if err != nil {
		t.Fatal(err)
	}
	path := s.Path()
	if err := s.Close(); err != nil { // this flushes
		t.Fatal(err)
	}
	s = reopen(t, path)
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
}
