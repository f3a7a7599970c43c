package file

import (
	"encoding/binary"
	"slices"

	"github.com/segraph/segraph/store/engine/checksum"
)

// frameSize returns how many bytes of the region a payload takes.
func frameSize(payload int) uint64 {
	return uint64(frameHeader+payload+frameAlign-1) &^ (frameAlign - 1)
}

// encode returns a frame, valid until the next call.
func (r *Region) encode(sequence uint64, payload []byte) []byte {
	size := int(frameSize(len(payload)))
	b := slices.Grow(r.frame[:0], size)[:size]
	r.frame = b
	clear(b[frameHeader+len(payload):])
	binary.BigEndian.PutUint32(b, uint32(len(payload)))
	binary.BigEndian.PutUint64(b[8:], sequence^r.salt)
	copy(b[frameHeader:], payload)
	binary.BigEndian.PutUint32(b[4:], frameSum(b))
	return b
}

func frameSum(b []byte) uint32 {
	return checksum.Of(b[:4], b[8:])
}

// decode returns the payload and the size of the frame at the start of b. It reports
// false unless the frame has the sequence number.
func (r *Region) decode(b []byte, sequence uint64) (payload []byte, size uint64, ok bool) {
	if len(b) < frameHeader || binary.BigEndian.Uint64(b[8:])^r.salt != sequence {
		return nil, 0, false
	}
	length := uint64(binary.BigEndian.Uint32(b))
	if length > uint64(len(b)) {
		return nil, 0, false
	}
	size = frameSize(int(length))
	if size > uint64(len(b)) || binary.BigEndian.Uint32(b[4:]) != frameSum(b[:size]) {
		return nil, 0, false
	}
	return b[frameHeader : frameHeader+length], size, true
}
