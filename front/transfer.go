package front

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/segraph/segraph/service"
)

// pace holds a client to a minimum transfer rate. Waiting for the client uses up credit,
// and transferred bytes earn it back, up to the initial patience. So a fast client that
// stalls gets no more time than one that stalls at once. The server's own time does not
// count.
type pace struct {
	rate     int64 // bytes per second
	patience time.Duration
	credit   time.Duration
}

func newPace(l service.Limits) pace {
	return pace{rate: l.Rate, patience: l.Patience, credit: l.Patience}
}

func (p *pace) deadline() time.Time { return time.Now().Add(p.credit) }

func (p *pace) moved(n int, elapsed time.Duration) {
	earned := time.Duration(float64(n) / float64(p.rate) * float64(time.Second))
	p.credit = min(p.patience, p.credit-elapsed+earned)
}

// pacedBody is a request's body that fails with os.ErrDeadlineExceeded if it arrives too
// slowly.
type pacedBody struct {
	io.ReadCloser
	control *http.ResponseController
	pace    pace
	http2   bool // a deadline ends the body even while nobody reads it
	begun   bool // reading has begun
	ended   bool
}

// drain reads and discards the rest of an unwanted body for a short time. A client that
// is still sending would otherwise see a broken connection in place of the answer. drain
// reports whether the body ended.
func (b *pacedBody) drain(limit int64) bool {
	if !b.ended {
		_ = b.control.SetReadDeadline(time.Now().Add(min(2*time.Second, b.pace.patience/2)))
		n, err := io.CopyN(io.Discard, b.ReadCloser, limit)
		b.ended = err == io.EOF || err == nil && n < limit
	}
	return b.ended
}

// Read reads a part of the body. A client that is slower than the pace allows gets an error.
func (b *pacedBody) Read(p []byte) (int, error) {
	b.begun = true
	started := time.Now()
	// Not every ResponseWriter supports deadlines. One in memory needs none.
	_ = b.control.SetReadDeadline(b.pace.deadline())
	n, err := b.ReadCloser.Read(p)
	b.pace.moved(n, time.Since(started))
	b.ended = b.ended || err == io.EOF
	if b.ended || b.http2 && err == nil {
		// Over HTTP/1.1 the server now reads the connection to detect a disconnect.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// breakable makes the connection of an HTTP/1.0 request end with a reset unless whole is
// called. In HTTP/1.0 the end of the connection ends a body of unknown length (RFC 1945,
// section 7.2.2), so a truncated body would look complete. Over HTTP/2, whole sends the rest of
// the answer: else net/http would wait for the client to take it when the request counts no more.
func breakable(r *http.Request, control *http.ResponseController) (whole func()) {
	conn := clientConn(r)
	switch {
	case conn != nil && r.ProtoMajor == 2:
		return func() { _ = control.Flush() } // fails only if the client is gone, or too slow
	case conn == nil || r.ProtoAtLeast(1, 1):
		return func() {}
	}
	// Both fail only if the connection is already gone.
	_ = conn.SetLinger(0)
	return func() {
		if control.Flush() == nil {
			_ = conn.SetLinger(-1)
		}
	}
}

// piece is how many bytes are written under one deadline.
const piece = 64 << 10

// response is a ResponseWriter that records what was sent and drops clients that read too
// slowly.
type response struct {
	http.ResponseWriter
	control *http.ResponseController
	pace    pace
	head    bool  // the request is a HEAD
	status  int   // 0 before the answer begins
	bytes   int64 // bytes of the body

	begins func()                        // called before the answer begins, and at the end of the request; may be nil
	finish func(http.Header)             // completes the header before it is sent
	keep   func(status int, body []byte) // keeps an answer in JSON before it is sent; may be nil
}

// Unwrap is for http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter. Informational statuses, below 200, may come before
// the final one.
func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
		w.begin()
		w.finish(w.Header())
	}
	_, _ = w.timed(func() (int, error) { w.ResponseWriter.WriteHeader(status); return 0, nil })
}

func (w *response) begin() {
	if w.begins != nil {
		w.begins()
	}
}

// Write writes in pieces. A client that is slower than the pace allows gets an error.
func (w *response) Write(p []byte) (written int, err error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	for len(p) > 0 {
		part := p[:min(len(p), piece)]
		n, err := w.timed(func() (int, error) { return w.ResponseWriter.Write(part) })
		written += n
		if !w.head {
			w.bytes += int64(n)
		}
		if err != nil {
			return written, err
		}
		p = p[n:]
	}
	return written, nil
}

// FlushError is for http.ResponseController.
func (w *response) FlushError() error {
	_, err := w.timed(func() (int, error) { return 0, http.NewResponseController(w.ResponseWriter).Flush() })
	return err
}

// timed sends something with a deadline, which then ends: over HTTP/2 it would reset the stream even if nothing is
// being written, such as while a query computes its next rows.
func (w *response) timed(send func() (int, error)) (n int, err error) {
	started := time.Now()
	// Not every ResponseWriter supports deadlines. One in memory needs none.
	_ = w.control.SetWriteDeadline(w.pace.deadline())
	n, err = send()
	elapsed := time.Since(started)
	late := elapsed >= w.pace.credit
	w.pace.moved(n, elapsed)
	if err == nil {
		_ = w.control.SetWriteDeadline(time.Time{})
	} else if late { // HTTP/2 does not report the timeout
		err = errors.Join(err, os.ErrDeadlineExceeded)
	}
	return n, err
}

// last sets the deadline for the rest of the answer, which net/http sends when the handler has returned.
func (w *response) last() { _ = w.control.SetWriteDeadline(w.pace.deadline()) }
