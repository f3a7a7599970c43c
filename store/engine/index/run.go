package index

import "fmt"

// MaxRun is the largest number of tuples that Pack encodes.
const MaxRun = maxTuples

// Pack encodes 1 to MaxRun tuples, sorted and distinct, as a block of an index preceded
// by its key.
func Pack(ts []Tuple) []byte {
	out := appendKey(make([]byte, 0, keySize+8*len(ts)+trailerSize), ts[0])
	for i := 1; i < len(ts); i++ {
		out = appendEntry(out, &ts[i-1], &ts[i])
	}
	block := appendTrailer(out[keySize:], out[:keySize], len(ts))
	return append(out[:keySize], block...)
}

// Len returns how many tuples Pack encoded in b, or 0 if b is damaged.
func Len(b []byte) int {
	if len(b) < keySize {
		return 0
	}
	n, err := blockLen(b[:keySize], b[keySize:])
	if err != nil {
		return 0
	}
	return n
}

// Unpack appends the tuples encoded by Pack to dst. The error is a *DamagedError.
func Unpack(dst []Tuple, b []byte) ([]Tuple, error) {
	if len(b) < keySize {
		return dst, &DamagedError{Detail: fmt.Sprintf("a run of %d bytes", len(b))}
	}
	dst, _, err := decode(dst, b[:keySize], b[keySize:], &least, &greatest)
	return dst, err
}
