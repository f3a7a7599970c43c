package file

import (
	"bytes"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// FuzzPages changes bytes of a good file. Opening, checking and reading must end without
// an error or with a *DamagedError.
func FuzzPages(f *testing.F) {
	path := f.TempDir() + "/good.db"
	good := func() []byte {
		file, err := Open(path, smallLog)
		if err != nil {
			f.Fatal(err)
		}
		err = file.DB.Update(func(tx *bolt.Tx) error {
			b, err := tx.CreateBucket([]byte("things"))
			for i := 0; i < 400 && err == nil; i++ {
				err = b.Put([]byte{byte(i >> 8), byte(i)}, bytes.Repeat([]byte{byte(i)}, i%90))
			}
			return err
		})
		if err != nil {
			f.Fatal(err)
		}
		used := readMetas(file.pages)[0].highWater
		content := make([]byte, used*4096)
		if _, err := file.pages.ReadAt(content, 0); err != nil {
			f.Fatal(err)
		}
		if err := file.Close(); err != nil {
			f.Fatal(err)
		}
		return content
	}()
	f.Add(uint32(16), []byte{1, 2, 3})
	f.Add(uint32(4096+24), []byte{0xff})
	f.Add(uint32(2*4096), []byte{2, 0, 0, 0, 0, 0, 0, 0, 1})
	f.Add(uint32(5*4096+10), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, at uint32, change []byte) {
		bad := bytes.Clone(good)
		copy(bad[int(at)%len(bad):], change[:min(len(change), 64)])
		verdicts(t, "fuzzed", bad)
	})
}
