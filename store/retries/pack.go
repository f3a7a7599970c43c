package retries

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/store/log/journal"
)

// dictionary has typical answers, so that others take about 100 bytes. It is part of the
// file's format: a new one needs another number.
//
//go:embed dictionary.txt
var dictionary []byte

const dictionaryNumber = 1

// coders returns the compressor and the decompressor.
var coders = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithWindowSize(64<<10), zstd.WithEncoderCRC(false), zstd.WithNoEntropyCompression(true), zstd.WithEncoderDictRaw(dictionaryNumber, dictionary))
	d, err2 := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(journal.MaxBody), zstd.WithDecoderDictRaw(dictionaryNumber, dictionary))
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

// frameMagic is how compressed bytes begin.
var frameMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// Unpacked returns what is compressed in a value of the file, be it an answer or the body of a
// signed request, and what is compressed in such a body.
func Unpacked(value []byte) (out [][]byte) {
	_, d := coders()
	for at := bytes.Index(value, frameMagic); at >= 0; {
		if text, _ := d.DecodeAll(value[at:], nil); len(text) > 0 { // with an error, if other bytes follow
			out = append(out, text)
			if inner, coded := coding.Decoded(text, journal.MaxBody); coded {
				out = append(out, inner)
			}
		}
		next := bytes.Index(value[at+1:], frameMagic)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return out
}
