package file

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// features are the bits of what this program's files hold and a program must know to open
// them. A later program that adds something sets another bit, and this one refuses its
// files by name of the bit.
const features = featureLog

// featureLog says that the file has a region for its log.
const featureLog = 1 << 0

// featureNames are the names of the bits, the lowest first.
var featureNames = []string{"log"}

// FeatureError says that a file holds something that this program does not know.
type FeatureError struct {
	Path string
	Bit  int
}

func (e *FeatureError) Error() string {
	return fmt.Sprintf("%s uses feature %d, and this program knows those up to %d (%s): %s", e.Path, e.Bit, len(featureNames)-1, strings.Join(featureNames, ", "), useNewer)
}

// readFeatures verifies that this program knows all features of a file.
func (f *File) readFeatures(v []byte) error {
	if len(v) != 8 {
		return &DamagedError{Path: f.path, Detail: "it does not say which features it uses"}
	}
	if unknown := binary.BigEndian.Uint64(v) &^ features; unknown != 0 {
		return &FeatureError{Path: f.path, Bit: bits.TrailingZeros64(unknown)}
	}
	return nil
}

// schemaOf returns the number of the file's layout.
func schemaOf(tx *bolt.Tx) uint32 { return binary.BigEndian.Uint32(tx.Bucket(metaName).Get(schemaKey)) }
