package retries

import (
	_ "embed"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// dictionary has typical answers, so that others take about 100 bytes. It is part of the
// file's format: a new one needs another number.
//
//go:embed dictionary.txt
var dictionary []byte

const dictionaryNumber = 1

// maxAnswer limits an answer, in bytes.
const maxAnswer = 16 << 20

var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
			zstd.WithWindowSize(64<<10), zstd.WithEncoderCRC(false), zstd.WithNoEntropyCompression(true), zstd.WithEncoderDictRaw(dictionaryNumber, dictionary))
		return must(e, err)
	})
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxAnswer), zstd.WithDecoderDictRaw(dictionaryNumber, dictionary))
		return must(d, err)
	})
)

func must[T any](v T, err error) T {
	if err != nil { // the options above are wrong
		panic(fmt.Errorf("make a compressor: %w", err))
	}
	return v
}

// pack appends an answer to b, compressed.
func pack(b, answer []byte) []byte {
	if len(answer) == 0 {
		return b
	}
	return packer().EncodeAll(answer, b)
}

func unpack(packed []byte) ([]byte, error) {
	if len(packed) == 0 {
		return nil, nil
	}
	return unpacker().DecodeAll(packed, nil)
}
