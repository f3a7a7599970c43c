package file

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// Feature bits. A program opens a file only if it knows all of the file's bits. A later
// program that adds a feature sets another bit. Then this program refuses its files and
// names the bit.
const (
	featureLog     = 1 << iota // the file has a log region
	featureTriples             // the dictionary has triple terms

	features = featureLog | featureTriples // all that this program knows
)

// featureNames are the names of the bits, lowest first.
var featureNames = []string{"log", "triple terms"}

// FeatureError means that a file uses a feature that this program does not know.
type FeatureError struct {
	Path string
	Bit  int
}

func (e *FeatureError) Error() string {
	return fmt.Sprintf("%s uses feature %d, and this program knows those up to %d (%s): %s", e.Path, e.Bit, len(featureNames)-1, strings.Join(featureNames, ", "), useNewer)
}

// HasTriples reports whether the dictionary may have triple terms.
func HasTriples(tx *bolt.Tx) bool {
	v := tx.Bucket(metaName).Get(featuresKey)
	return len(v) == 8 && binary.BigEndian.Uint64(v)&featureTriples != 0
}

// AllowTriples records that the dictionary has triple terms, so that programs that do not
// know them refuse the file.
func AllowTriples(tx *bolt.Tx) error {
	if HasTriples(tx) {
		return nil
	}
	meta := tx.Bucket(metaName)
	v := meta.Get(featuresKey)
	if err := meta.Put(featuresKey, binary.BigEndian.AppendUint64(nil, binary.BigEndian.Uint64(v)|featureTriples)); err != nil {
		return fmt.Errorf("recording that the file has triple terms: %w", err)
	}
	return nil
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
