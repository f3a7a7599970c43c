package front

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/internal/strictjson"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
)

// Of an arriving body, inMemory bytes are kept in memory. If the bodies that have more than little bytes there fill their
// share, only little bytes of the next ones are.
const (
	inMemory = 64 << 10
	little   = 4 << 10
)

// Upload is a body that was received completely. While it arrived it held only a little
// memory and a file, so a slow client blocks nobody.
type Upload struct {
	head []byte        // the whole body if rest is nil
	rest *spool.Reader // nil for a small body
	Size int64         // bytes of the body, after decompression
	held func()        // gives back the share of head, until its owner has it; nil if it has none
}

// hold takes a part of the share that the heads of bodies have, an eighth of the memory of all requests. It reports false
// if others have too much of it.
func (f *Front) hold(u *Upload, bytes int64) bool {
	if all := f.heads.Add(bytes); all > f.limits.Memory/8 && all > bytes {
		f.heads.Add(-bytes)
		return false
	}
	u.held = func() { f.heads.Add(-bytes) }
	return true
}

// free gives back the share of the head.
func (u *Upload) free() {
	if u.held != nil {
		u.held()
		u.held = nil
	}
}

// Receive reads a request's body to its end and decompresses it. The caller must close
// the Upload, unless there is an error.
func (f *Front) Receive(r *http.Request) (*Upload, error) {
	q := requestOf(r)
	in := &bodyReader{r: r.Body}
	if q.signed != nil && !q.list {
		in.r = io.TeeReader(r.Body, q.signed.digest)
	}
	if q.coding == "" {
		in.r = q.attempt.tee(in.r)
	}
	u, err := f.collect(in, r.ContentLength)
	if large, ok := errors.AsType[*http.MaxBytesError](in.err); ok && q.coding != "" {
		large.Limit = q.bodyLimit
	}
	if in.err != nil {
		return nil, bodyProblem(in.err)
	}
	if err == nil && q.signed != nil && !q.list {
		u, err = f.receiveSigned(r, q, u)
	}
	if err == nil && q.coding != "" {
		u, err = f.decompress(r, q, u)
	}
	if err == nil && q.attempt != nil {
		if err = q.attempt.begin(r, u.Size); err != nil {
			err = errors.Join(err, u.Close())
		}
	}
	return u, err
}

// collect reads in to its end. announced is its declared length, or -1.
func (f *Front) collect(in io.Reader, announced int64) (*Upload, error) {
	// Allocate no more than this ahead of the data: many clients could announce much and
	// send nothing.
	const soon = 16 << 10
	u, most := &Upload{}, int64(inMemory)
	if wanted := uint64(announced); wanted > little && !f.hold(u, int64(min(wanted, inMemory))) { // -1 is large, too
		most = little
	}
	var b bytes.Buffer
	b.Grow(int(min(max(announced, 0), soon, most)) + bytes.MinRead)
	_, err := b.ReadFrom(io.LimitReader(in, most))
	u.head, u.Size = b.Bytes(), int64(b.Len())
	if err == nil && u.Size == most && announced != most { // there may be more
		var to *spool.Spool
		to, u.rest = f.bodies.New()
		var n int64
		n, err = io.CopyBuffer(nonBlocking{to}, in, make([]byte, min(most, 32<<10)))
		u.Size += n
	}
	if err == nil {
		return u, nil
	}
	err = errors.Join(err, u.Close())
	switch {
	case errors.Is(err, spool.ErrUsedUp):
		return nil, NewProblem(http.StatusServiceUnavailable, "too many large bodies are being received; try again later").limited("bodies").retryAfter(10 * time.Second)
	case errors.Is(err, spool.ErrDiskFull):
		return nil, fmt.Errorf("receive the body: %w: %w", store.ErrDiskFull, err)
	}
	return nil, fmt.Errorf("receive the body: %w", err)
}

// bodyReader reads a body and remembers the read error, to tell the client's errors from
// those of storing the body.
type bodyReader struct {
	r   io.Reader
	err error
}

func (b *bodyReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err != io.EOF {
		b.err = err
	}
	return n, err
}

// bodyProblem returns the problem of a body whose reader failed with err.
func bodyProblem(err error) error {
	var large *http.MaxBytesError
	var network net.Error
	switch {
	case errors.As(err, &large), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.Canceled):
		return fmt.Errorf("receive the body: %w", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return NewProblem(http.StatusBadRequest, "the body ended before its Content-Length, or before its last chunk")
	case errors.As(err, &network):
		return fmt.Errorf("%w: receive the body: %w", ErrClientGone, err)
	}
	return NewProblem(http.StatusBadRequest, "the body can't be read: %v", err) // its chunks are malformed (RFC 9112, section 7.1)
}

// nonBlocking writes to a spool without waiting: it fails if the spool has no room.
type nonBlocking struct{ *spool.Spool }

func (u nonBlocking) Write(p []byte) (int, error) { return u.TryWrite(p) }

// Take returns the whole body. It may be called once.
func (u *Upload) Take() ([]byte, error) {
	defer u.free()
	if u.rest == nil {
		return u.head, nil
	}
	text := make([]byte, u.Size)
	n := copy(text, u.head)
	u.head = nil
	if _, err := io.ReadFull(u.rest, text[n:]); err != nil {
		return nil, fmt.Errorf("read a body that was received: %w", err)
	}
	return text, u.Close()
}

// Close releases the file. It may be called more than once.
func (u *Upload) Close() error {
	u.free()
	if u.rest == nil {
		return nil
	}
	if err := u.rest.Close(); err != nil {
		return fmt.Errorf("close a body: %w", err)
	}
	return nil
}

// ReadBody receives a body and returns it. A large one waits for memory as a document does, and has it until the answer
// begins, or until Parsed.
func (f *Front) ReadBody(r *http.Request) ([]byte, error) {
	u, err := f.Receive(r)
	if err != nil {
		return nil, err
	}
	if u.Size > inMemory {
		give, err := f.service.BeginText(r.Context(), u.Size)
		if err != nil {
			return nil, errors.Join(err, u.Close())
		}
		requestOf(r).response.begins = give
	}
	text, err := u.Take()
	return text, errors.Join(err, u.Close())
}

// Parsed gives back the memory that ReadBody took to parse a body.
func Parsed(r *http.Request) { requestOf(r).response.begin() }

// ContentType returns the media type of a body, in lower case. If a charset is named, it
// must be UTF-8.
func ContentType(r *http.Request) (string, error) {
	header := r.Header.Get("Content-Type")
	if header == "" {
		return "", nil
	}
	kind, parameters, err := mime.ParseMediaType(header)
	if err != nil {
		return "", NewProblem(http.StatusUnsupportedMediaType, "the Content-Type can't be parsed")
	}
	if charset, ok := parameters["charset"]; ok && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "utf8") {
		return "", NewProblem(http.StatusUnsupportedMediaType, "the charset of the body must be UTF-8")
	}
	return kind, nil
}

// ContentVersion returns the parameter version of a body's media type, or RDF 1.2 if it has
// none. SPARQL has the same versions. The error is a *Problem if there is no such version.
func ContentVersion(r *http.Request) (rdf.Version, error) {
	_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	label, given := parameters["version"]
	if err != nil || !given {
		return rdf.RDF12, nil
	}
	v, known := rdf.VersionOf(label)
	if !known {
		return v, NewProblem(http.StatusUnsupportedMediaType, "the Content-Type has version=%.100q, which is unknown here; known are 1.1, 1.2-basic and 1.2", label)
	}
	return v, nil
}

// OnlyJSON reads a body whose Content-Type must be JSON.
func (f *Front) OnlyJSON(r *http.Request) ([]byte, error) {
	if err := RequireJSON(r); err != nil {
		return nil, err
	}
	return f.ReadBody(r)
}

// Members returns the members of a body that must be a JSON object. Their Err returns the errors
// of receiving and reading it, too.
func (f *Front) Members(r *http.Request) *strictjson.Object { return strictjson.Read(f.OnlyJSON(r)) }

// RequireJSON returns a *Problem unless the Content-Type of a body is JSON.
func RequireJSON(r *http.Request) error {
	kind, err := ContentType(r)
	if err == nil && kind != "application/json" {
		return NewProblem(http.StatusUnsupportedMediaType, "this path accepts only JSON; send it with Content-Type: application/json")
	}
	return err
}
