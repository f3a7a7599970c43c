package front

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/segraph/segraph/service"
)

// pace holds a client to a minimum rate of transfer. Time that the client takes uses up
// credit, and bytes earn it back, up to the patience there was at first: so a client that
// is fast and then stalls is given no more time than one that stalls at once. Time that
// the server takes does not count.
type pace struct {
	rate     int64 // bytes a second
	patience time.Duration
	credit   time.Duration
}

func newPace(l service.Limits) pace {
	return pace{rate: l.Rate, patience: l.Patience, credit: l.Patience}
}

func (p *pace) deadline() time.Time { return time.Now().Add(p.credit) }

func (p *pace) moved(n int, took time.Duration) {
	earned := time.Duration(float64(n) / float64(p.rate) * float64(time.Second))
	p.credit = min(p.patience, p.credit-took+earned)
}

// pacedBody is a request's body that fails with os.ErrDeadlineExceeded when it comes too
// slowly.
type pacedBody struct {
	io.ReadCloser
	control *http.ResponseController
	pace    pace
	begun   bool // somebody has read of it
	ended   bool
}

// drain reads away, for a short time, what is left of a body that nobody wants: a client
// that is still sending does not look for the answer before, and might find a broken
// connection in its place. It tells whether the body came to its end.
func (b *pacedBody) drain(limit int64) bool {
	if !b.ended {
		_ = b.control.SetReadDeadline(time.Now().Add(min(2*time.Second, b.pace.patience/2)))
		n, err := io.CopyN(io.Discard, b.ReadCloser, limit)
		b.ended = err == io.EOF || err == nil && n < limit
	}
	return b.ended
}

func (b *pacedBody) Read(p []byte) (int, error) {
	b.begun = true
	started := time.Now()
	// Not every ResponseWriter has deadlines; one in memory does not need them.
	_ = b.control.SetReadDeadline(b.pace.deadline())
	n, err := b.ReadCloser.Read(p)
	b.pace.moved(n, time.Since(started))
	if err == io.EOF {
		b.ended = true
		// The server now waits on the connection to see whether the client hangs up.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// breakable makes the connection of an HTTP/1.0 request end with a reset, however it
// ends, until whole is called. In HTTP/1.0 a body of unknown length ends with its
// connection (RFC 1945, section
// 7.2.2), and one that was cut short would look whole.
func breakable(r *http.Request, control *http.ResponseController) (whole func()) {
	conn := clientConn(r)
	if conn == nil || r.ProtoAtLeast(1, 1) {
		return func() {}
	}
	// Both fail only where the connection is gone already.
	_ = conn.SetLinger(0)
	return func() {
		if control.Flush() == nil {
			_ = conn.SetLinger(-1)
		}
	}
}

// piece is how much is written under one deadline.
const piece = 64 << 10

// response is a ResponseWriter that knows what was sent and breaks with clients that take
// it too slowly.
type response struct {
	http.ResponseWriter
	control *http.ResponseController
	pace    pace
	head    bool  // the request was a HEAD
	status  int   // 0 before the answer is begun
	bytes   int64 // of the body

	finish func(http.Header) // completes the header before it is sent
}

// Unwrap lets http.ResponseController find what is beneath.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
		w.finish(w.Header())
	}
	// Whatever deadline the connection had from the request before ends here.
	_ = w.control.SetWriteDeadline(w.pace.deadline())
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(p []byte) (written int, err error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	for len(p) > 0 {
		part := p[:min(len(p), piece)]
		started := time.Now()
		_ = w.control.SetWriteDeadline(w.pace.deadline())
		n, err := w.ResponseWriter.Write(part)
		w.pace.moved(n, time.Since(started))
		written += n
		if !w.head {
			w.bytes += int64(n)
		}
		if err != nil && w.pace.credit <= 0 { // HTTP/2 does not say that the time was over
			err = errors.Join(err, os.ErrDeadlineExceeded)
		}
		if err != nil {
			return written, err
		}
		p = p[n:]
	}
	return written, nil
}
