// Package varint reads and writes unsigned varints, and strings preceded by their length
// as a varint. The encoding is that of encoding/binary.
//
// A Reader reads bytes that may be damaged: it never reads past their end, and can limit
// a count before anything is allocated for it.
package varint

import "encoding/binary"

// Append appends n to b.
func Append(b []byte, n uint64) []byte { return binary.AppendUvarint(b, n) }

// AppendString appends the length of s, followed by s, to b.
func AppendString[T string | []byte](b []byte, s T) []byte {
	return append(Append(b, uint64(len(s))), s...)
}

// Cut returns the number at the start of b and the bytes after it. It returns false if
// there is no number.
func Cut(b []byte) (n uint64, rest []byte, ok bool) {
	if len(b) > 0 && b[0] < 0x80 { // the common case
		return uint64(b[0]), b[1:], true
	}
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return 0, nil, false
	}
	return n, b[size:], true
}

// All returns the numbers in b. It returns false if b contains anything else.
func All(b []byte) (numbers []uint64, ok bool) {
	for len(b) > 0 {
		var n uint64
		if n, b, ok = Cut(b); !ok {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	return numbers, true
}

// Reader reads values from the start of a slice. After the first value that it can't
// read, all values are zero and Failed returns true.
type Reader struct {
	rest   []byte
	failed bool
}

// NewReader returns a Reader of b.
func NewReader(b []byte) Reader { return Reader{rest: b} }

// Failed reports whether a value could not be read.
func (r *Reader) Failed() bool { return r.failed }

// Fail makes r fail. Callers use it for a value that is not valid.
func (r *Reader) Fail() { r.failed, r.rest = true, nil }

// Rest returns the unread bytes. It is empty after a failure.
func (r *Reader) Rest() []byte { return r.rest }

// Len returns the number of unread bytes.
func (r *Reader) Len() int { return len(r.rest) }

// Uint reads a number.
func (r *Reader) Uint() uint64 {
	n, rest, ok := Cut(r.rest)
	if !ok {
		r.Fail()
		return 0
	}
	r.rest = rest
	return n
}

// Count reads a number. It fails if the number is greater than limit.
func (r *Reader) Count(limit int) int {
	n := r.Uint()
	if limit < 0 || n > uint64(limit) {
		r.Fail()
		return 0
	}
	return int(n)
}

// Byte reads a byte.
func (r *Reader) Byte() byte {
	if b := r.Bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// Bytes reads n bytes. The result shares memory with the slice that r reads.
func (r *Reader) Bytes(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.Fail()
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

// Text reads a string that follows its length.
func (r *Reader) Text() string { return string(r.Bytes(r.Count(len(r.rest)))) }
