package dict

import bolt "go.etcd.io/bbolt"

// CheckBlocks verifies the checksum of every block of a dictionary, without decoding it.
// It calls each before each block and stops at the first error that each returns. For
// damage it returns a *DamagedError.
func CheckBlocks(b *bolt.Bucket, each func() error) error {
	if err := CheckSecret(b); err != nil {
		return err
	}
	for _, name := range [][]byte{termsName, textsName} {
		blocks := b.Bucket(name)
		if blocks == nil {
			continue
		}
		err := blocks.ForEach(func(k, v []byte) error {
			if err := each(); err != nil {
				return err
			}
			_, _, err := openBlock(k, v)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
