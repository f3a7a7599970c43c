// Package coding compresses and decompresses the content of HTTP messages with gzip and
// zstd (RFC 9110, section 8.4.1; RFC 8878). Its rules:
//
//   - A stream that was not closed never looks complete.
//   - Memory is bounded whatever the input: a Writer takes about 0.8 MiB, a Reader
//     slightly more than 8 MiB.
package coding

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The names of the codings in HTTP. "" means no coding (identity).
const (
	Gzip = "gzip"
	Zstd = "zstd"
)

// Accepted is the value of an Accept-Encoding field that offers all codings.
const Accepted = Gzip + ", " + Zstd

const (
	// window is the window size of written zstd streams. A larger one takes more memory,
	// and makes triples and rows hardly smaller.
	window = 256 << 10
	// maxWindow is the largest window accepted when reading zstd. It is the limit for
	// HTTP (RFC 9659).
	maxWindow = 8 << 20
	// flushEvery is the longest time that data stays in the compressor while more is
	// written, so that clients see the rows of a slow query.
	flushEvery = time.Second
)

// compressor is the interface that both libraries implement.
type compressor interface {
	io.WriteCloser
	Flush() error
	Reset(io.Writer)
}

var pools = map[string]*sync.Pool{
	Gzip: {New: func() any {
		w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		return mustBe(w, err)
	}},
	Zstd: {New: func() any {
		w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true), zstd.WithZeroFrames(true))
		return mustBe(w, err)
	}},
}

func mustBe(w compressor, err error) compressor {
	if err != nil { // the options above are wrong
		panic(fmt.Errorf("make a compressor: %w", err))
	}
	return w
}

// Writer compresses data. The caller must finish with exactly one call of Close or
// Abandon.
type Writer struct {
	out     io.Writer // destination without a coding
	pool    *sync.Pool
	to      compressor // nil without a coding
	flushed time.Time
}

// NewWriter returns a Writer that writes to w in a coding.
func NewWriter(coding string, w io.Writer) *Writer {
	if coding == "" {
		return &Writer{out: w}
	}
	pool := pools[coding]
	to := pool.Get().(compressor)
	to.Reset(w)
	return &Writer{pool: pool, to: to, flushed: time.Now()}
}

// Write compresses p. It flushes the stream if the last flush was at least a second ago.
func (w *Writer) Write(p []byte) (int, error) {
	if w.to == nil {
		return w.out.Write(p)
	}
	if len(p) == 0 { // an empty write would start a stream
		return 0, nil
	}
	n, err := w.to.Write(p)
	if err == nil && time.Since(w.flushed) >= flushEvery {
		err = w.Flush()
	}
	return n, err
}

// Flush writes everything so far, so that the reader sees it.
func (w *Writer) Flush() error {
	if w.to == nil {
		return nil
	}
	w.flushed = time.Now()
	return w.to.Flush()
}

// Close completes the stream.
func (w *Writer) Close() error {
	if w.to == nil {
		return nil
	}
	err := w.to.Close()
	w.Abandon()
	return err
}

// Abandon drops the stream without completing it.
func (w *Writer) Abandon() {
	if w.to == nil {
		return
	}
	w.to.Reset(io.Discard)
	w.pool.Put(w.to)
	w.to, w.out = nil, abandoned{}
}

// abandoned fails every write after Close or Abandon.
type abandoned struct{}

func (abandoned) Write([]byte) (int, error) { return 0, errors.New("write to a stream that ended") }

// Pack returns data in a coding. It takes more time and memory than a Writer, and returns
// less: it is for data that is compressed once and sent often.
func Pack(coding string, data []byte) []byte {
	var b bytes.Buffer
	var to compressor
	var err error
	switch coding {
	case Gzip:
		to, err = gzip.NewWriterLevel(&b, gzip.BestCompression)
	case Zstd:
		to, err = zstd.NewWriter(&b, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	default:
		return data
	}
	to = mustBe(to, err)
	_, _ = to.Write(data) // a buffer never fails
	_ = to.Close()
	return b.Bytes()
}

// InvalidError reports content that is not valid in its coding.
type InvalidError struct{ Coding, Detail string }

func (e *InvalidError) Error() string { return fmt.Sprintf("not valid %s: %s", e.Coding, e.Detail) }

// Reader decompresses a stream. It must be closed.
type Reader struct {
	coding string
	in     source
	from   io.Reader // nil until the first Read
	end    func()
}

// source counts the bytes read, and keeps a read error to distinguish it from invalid
// content.
type source struct {
	io.Reader
	n   int64
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.n += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// NewReader returns a Reader that decompresses r.
func NewReader(coding string, r io.Reader) *Reader {
	return &Reader{coding: coding, in: source{Reader: r}, end: func() {}}
}

// Read implements io.Reader. Its error is an *InvalidError, the error of the underlying
// reader, or io.EOF.
func (r *Reader) Read(p []byte) (int, error) {
	if r.from == nil {
		if err := r.open(); err != nil {
			return 0, r.explain(err)
		}
	}
	n, err := r.from.Read(p)
	if err == io.EOF && r.in.n > 0 {
		return n, io.EOF
	}
	return n, r.explain(err)
}

func (r *Reader) open() error {
	if r.coding == Gzip {
		in, err := gzip.NewReader(&r.in)
		if err == nil {
			r.from = in
		}
		return err
	}
	// The zstd library reads a few bytes at a time.
	in, err := zstd.NewReader(bufio.NewReaderSize(&r.in, 32<<10), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err == nil {
		r.from, r.end = in, in.Close
	}
	return err
}

// explain returns the underlying reader's error if there is one, and otherwise err as an
// *InvalidError.
func (r *Reader) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case r.in.err != nil:
		return r.in.err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &InvalidError{r.coding, "it ends early"}
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return &InvalidError{r.coding, fmt.Sprintf("it needs a window of more than %d MiB", maxWindow>>20)}
	}
	detail := err.Error()
	for _, prefix := range []string{"gzip: ", "flate: ", "invalid input: "} {
		detail = strings.TrimPrefix(detail, prefix)
	}
	return &InvalidError{r.coding, detail}
}

// Decoded returns the content of a body that is in a coding, at most limit bytes of it, or the body itself if its first
// bytes are those of no coding. Of content that is not valid, it returns what comes before the fault.
func Decoded(body []byte, limit int64) (content []byte, coded bool) {
	zstdFrame := bytes.HasPrefix(body, []byte("\x28\xb5\x2f\xfd"))
	skippedFrame := len(body) > 0 && body[0]>>4 == 5 && bytes.HasPrefix(body[1:], []byte("\x2a\x4d\x18")) // of zstd too: 0x50 to 0x5f, and these
	var coding string
	switch {
	case bytes.HasPrefix(body, []byte("\x1f\x8b")):
		coding = Gzip
	case zstdFrame, skippedFrame:
		coding = Zstd
	default:
		return body, false
	}
	in := NewReader(coding, bytes.NewReader(body))
	defer in.Close()
	content, _ = io.ReadAll(io.LimitReader(in, limit))
	return content, true
}

// Close frees the decoder's memory.
func (r *Reader) Close() { r.end() }
