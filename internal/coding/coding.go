// Package coding compresses and decompresses the content of HTTP messages, in the codings
// gzip and zstd (RFC 9110, section 8.4.1; RFC 8878). Its rules:
//
//   - A stream that was not closed never looks complete.
//   - Memory is bounded, whatever is sent: a Writer takes about 0.8 MiB, a Reader 8 MiB and a little.
package coding

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The codings by their names in HTTP. "" is none, the identity.
const (
	Gzip = "gzip"
	Zstd = "zstd"
)

// Accepted is the field Accept-Encoding that offers all codings.
const Accepted = Gzip + ", " + Zstd

const (
	// window is how far back a zstd stream that is written refers. A larger one takes
	// more memory, and makes what is usual here, triples and rows, hardly smaller.
	window = 256 << 10
	// maxWindow is the largest window of a zstd stream that is read, which is the largest
	// that HTTP allows (RFC 9659).
	maxWindow = 8 << 20
	// flushEvery is how often what was written is passed on at least, so that a client
	// sees the rows of a slow query.
	flushEvery = time.Second
)

// compressor is what both libraries offer.
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
	if err != nil { // a fault of the options above
		panic(fmt.Errorf("make a compressor: %w", err))
	}
	return w
}

// Writer compresses what is written to it. Exactly one of Close and Abandon must be
// called in the end.
type Writer struct {
	out     io.Writer // where "" writes
	pool    *sync.Pool
	to      compressor // nil for ""
	flushed time.Time
}

// NewWriter returns a Writer in a coding, to w.
func NewWriter(coding string, w io.Writer) *Writer {
	if coding == "" {
		return &Writer{out: w}
	}
	pool := pools[coding]
	to := pool.Get().(compressor)
	to.Reset(w)
	return &Writer{pool: pool, to: to, flushed: time.Now()}
}

// Write compresses p. What a client can read of it comes a second later at most, if more
// is written then.
func (w *Writer) Write(p []byte) (int, error) {
	if w.to == nil {
		return w.out.Write(p)
	}
	if len(p) == 0 { // which begins no stream
		return 0, nil
	}
	n, err := w.to.Write(p)
	if now := time.Now(); err == nil && now.Sub(w.flushed) >= flushEvery {
		w.flushed = now
		err = w.to.Flush()
	}
	return n, err
}

// Close ends the stream, which is complete then.
func (w *Writer) Close() error {
	if w.to == nil {
		return nil
	}
	err := w.to.Close()
	w.Abandon()
	return err
}

// Abandon returns up the stream without an end.
func (w *Writer) Abandon() {
	if w.to == nil {
		return
	}
	w.to.Reset(io.Discard)
	w.pool.Put(w.to)
	w.to, w.out = nil, abandoned{}
}

// abandoned is written to by who does not know that a Writer ended.
type abandoned struct{}

func (abandoned) Write([]byte) (int, error) { return 0, errors.New("write to a stream that ended") }

// InvalidError says that the content of a Reader is not in its coding.
type InvalidError struct{ Coding, Detail string }

func (e *InvalidError) Error() string { return fmt.Sprintf("not valid %s: %s", e.Coding, e.Detail) }

// Reader decompresses what it reads. It must be closed.
type Reader struct {
	coding string
	in     source
	from   io.Reader // nil until the first Read
	end    func()
}

// source remembers what went wrong beneath, which is not the content's fault.
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

// NewReader returns a Reader of a coding, from r.
func NewReader(coding string, r io.Reader) *Reader {
	return &Reader{coding: coding, in: source{Reader: r}, end: func() {}}
}

// Read decompresses. The error is an *InvalidError, that of the reader beneath, or io.EOF.
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
	// The library reads a few bytes at a time.
	in, err := zstd.NewReader(bufio.NewReaderSize(&r.in, 32<<10), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err == nil {
		r.from, r.end = in, in.Close
	}
	return err
}

// explain says whose fault an error is.
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

// Close lets go of the memory.
func (r *Reader) Close() { r.end() }
