package file

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// Features is a set of feature bits. A program opens a file only if it knows all of the
// file's bits. A later program that adds a feature sets another bit. Then this program
// refuses its files and names the bit.
type Features uint64

const (
	featureLog Features = 1 << iota // the file has a log region
	Triples                         // the dictionary has triple terms
	Directions                      // the dictionary has strings with a base direction

	features = featureLog | Triples | Directions // all that this program knows
)

// featureNames are the names of the bits, lowest first.
var featureNames = []string{"log", "triple terms", "base directions"}

// FeatureError means that a file uses a feature that this program does not know.
type FeatureError struct {
	Path string
	Bit  int
}

func (e *FeatureError) Error() string {
	return fmt.Sprintf("%s uses feature %d, and this program knows those up to %d (%s): %s", e.Path, e.Bit, len(featureNames)-1, strings.Join(featureNames, ", "), useNewer)
}

// featuresOf returns the features of a file, none if it does not say.
func featuresOf(tx *bolt.Tx) Features {
	v := tx.Bucket(metaName).Get(featuresKey)
	if len(v) != 8 {
		return 0
	}
	return Features(binary.BigEndian.Uint64(v))
}

func putFeatures(tx *bolt.Tx, f Features) error {
	return tx.Bucket(metaName).Put(featuresKey, binary.BigEndian.AppendUint64(nil, uint64(f)))
}

// Has reports whether the file may have at least one of the features.
func Has(tx *bolt.Tx, f Features) bool { return featuresOf(tx)&f != 0 }

// Allow records that the file has features, so that programs that do not know them refuse
// the file.
func Allow(tx *bolt.Tx, f Features) error {
	has := featuresOf(tx)
	if has&f == f {
		return nil
	}
	if err := putFeatures(tx, has|f); err != nil {
		return fmt.Errorf("recording that the file has %s: %w", featureNames[bits.TrailingZeros64(uint64(f&^has))], err)
	}
	return nil
}

// readFeatures verifies that this program knows all features of a file.
func (f *File) readFeatures(tx *bolt.Tx) error {
	has := featuresOf(tx)
	if has&featureLog == 0 {
		return &DamagedError{Path: f.path, Detail: "it has no list of its features"}
	}
	if unknown := has &^ features; unknown != 0 {
		return &FeatureError{Path: f.path, Bit: bits.TrailingZeros64(uint64(unknown))}
	}
	return nil
}
