package index

import bolt "go.etcd.io/bbolt"

// CheckBlocks verifies the checksum of every block of an index, without decoding it. It
// calls each before each block and stops at the first error that each returns. For damage
// it returns a *DamagedError.
func CheckBlocks(b *bolt.Bucket, each func() error) error {
	return b.ForEach(func(k, v []byte) error {
		if err := each(); err != nil {
			return err
		}
		_, err := blockLen(k, v)
		return err
	})
}
