package file

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// features holds the feature bits of this program's files. A program opens a file only if
// it knows all of the file's bits. A later program that adds a feature sets another bit,
// and this program refuses its files and reports the number of that bit.
const features = featureLog

// featureLog means that the file has a log region.
const featureLog = 1 << 0

// featureNames are the names of the bits, lowest first.
var featureNames = []string{"log"}

// FeatureError means that a file uses a feature that this program does not know.
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
		return &DamagedError{Path: f.path, Detail: "it has no list of its features"}
	}
	if unknown := binary.BigEndian.Uint64(v) &^ features; unknown != 0 {
		return &FeatureError{Path: f.path, Bit: bits.TrailingZeros64(unknown)}
	}
	return nil
}

// schemaOf returns the number of the file's schema.
func schemaOf(tx *bolt.Tx) uint32 { return binary.BigEndian.Uint32(tx.Bucket(metaName).Get(schemaKey)) }
