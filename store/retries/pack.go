package retries

import (
	_ "embed"
	"errors"
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

// coders returns the compressor and the decompressor.
var coders = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithWindowSize(64<<10), zstd.WithEncoderCRC(false), zstd.WithNoEntropyCompression(true), zstd.WithEncoderDictRaw(dictionaryNumber, dictionary))
	d, err2 := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxAnswer), zstd.WithDecoderDictRaw(dictionaryNumber, dictionary))
	if err := errors.Join(err, err2); err != nil { // the options are wrong
		panic(fmt.Errorf("make a compressor: %w", err))
	}
	return e, d
})

// pack appends an answer to b, compressed.
func pack(b, answer []byte) []byte {
	if len(answer) == 0 {
		return b
	}
	e, _ := coders()
	return e.EncodeAll(answer, b)
}

func unpack(packed []byte) ([]byte, error) {
	if len(packed) == 0 {
		return nil, nil
	}
	_, d := coders()
	return d.DecodeAll(packed, nil)
}
