package pack_test

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/vocabulary"
)

// TestTheDecoderHasLimits sends what becomes larger than a pack may be, or needs more memory or another dictionary.
func TestTheDecoderHasLimits(t *testing.T) {
	words, err := os.ReadFile("words.txt")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		id             uint32
		window, length int
		sized          bool // the frame tells its length
		want           error
	}{
		"long":               {1, 1 << 20, pack.Max + 1, true, zstd.ErrDecoderSizeExceeded},
		"long, without size": {1, 1 << 20, pack.Max + 1, false, zstd.ErrDecoderSizeExceeded},
		"a large window":     {1, 16 << 20, 1 << 20, false, zstd.ErrWindowSizeExceeded},
		"other words":        {2, 1 << 20, 100, true, zstd.ErrUnknownDictionary},
	} {
		t.Run(name, func(t *testing.T) {
			var sent bytes.Buffer
			w, err := zstd.NewWriter(&sent, zstd.WithEncoderDictRaw(c.id, words), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(c.window), zstd.WithEncoderConcurrency(1))
			if err != nil {
				t.Fatal(err)
			}
			text := make([]byte, c.length)
			if c.sized {
				sent.Write(w.EncodeAll(text, nil))
			} else if _, err := w.Write(text); err != nil || w.Close() != nil {
				t.Fatal(err)
			}
			if _, err := pack.Decode(sent.Bytes()); !errors.Is(err, c.want) || !errors.Is(err, pack.ErrMalformed) {
				t.Errorf("%d bytes: %v, want %v", sent.Len(), err, c.want)
			}
		})
	}
}

// TestTheDictionaryHasKnownNames explains the dictionary: its IRIs are those of the vocabulary.
func TestTheDictionaryHasKnownNames(t *testing.T) {
	words, err := os.ReadFile("words.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(words)) {
		iri, ok := strings.CutPrefix(strings.TrimSuffix(line, ">\n"), "<")
		if !ok {
			continue
		}
		if _, known := vocabulary.Short(vocabulary.Prefixes(), iri); vocabulary.Doubtful(iri) || !known {
			t.Errorf("the dictionary has the unknown name %s", iri)
		}
		n++
	}
	if n < 90 {
		t.Errorf("the dictionary has %d names", n)
	}
}

// A message of some KiB that is no report costs little, whatever it would be when it is decompressed.
func TestAReportDecompressesLittle(t *testing.T) {
	report := &pack.Pack{Log: "hall-2", Report: []byte("a report"), Handovers: []string{strings.Repeat("a handover ", 1000)}}
	large := &pack.Pack{Log: "hall-2", Entries: []pack.Entry{{JSON: []byte("{}"), Content: make([]byte, pack.Max/2)}}}
	for _, c := range []struct {
		*pack.Pack
		want bool
	}{{report, true}, {large, false}, {&pack.Pack{Entries: []pack.Entry{{JSON: []byte("{}")}}}, false}} {
		sent, err := c.Encode()
		if err != nil || len(sent) > 16<<10 {
			t.Fatal(len(sent), err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := pack.IsReport(sent)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; got != c.want || used > pack.Max/4 {
			t.Errorf("%d bytes are a report: %v, and cost %d bytes", len(sent), got, used)
		}
	}
}
