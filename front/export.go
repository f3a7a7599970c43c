package front

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Export answers with a graph in a format, as GET /events does. The zero name means the
// published graph.
func (f *Front) Export(w http.ResponseWriter, r *http.Request, name rdf.Term, format turtle.Format) error {
	h := w.Header()
	coded, err := ChooseCoding(w, r)
	if err != nil {
		return err
	}
	h.Set("Cache-Control", "private, no-cache") // clients revalidate each time with the ETag
	if r.Method == http.MethodHead || conditional(r) {
		if done, err := f.exportHead(w, r, name, format, coded); done || err != nil {
			return err
		}
	}
	text, err := f.service.Export(r.Context(), name, format, coded)
	if err != nil {
		return err
	}
	err = setType(w, r, format, text.Version())
	if err == nil { // the graph may have changed since exportHead
		err = CheckIfMatch(r, entityTag(text.ETag(), coded))
	}
	if err != nil {
		return errors.Join(err, text.Close())
	}
	h.Set("ETag", entityTag(text.ETag(), coded))
	return errors.Join(Send(w, text), text.Close())
}

// exportHead answers a request for a graph that needs no text: a HEAD, and one for what
// the client has. It reports whether it answered. The preconditions count only if the
// answer without them is a success, If-Match before If-None-Match (RFC 9110, sections
// 13.2.1 and 13.2.2).
func (f *Front) exportHead(w http.ResponseWriter, r *http.Request, name rdf.Term, format turtle.Format, coded string) (done bool, err error) {
	head := r.Method == http.MethodHead
	// A 304 has no Content-Type, so the version matters only to a client that refuses some.
	anyVersion := !head && acceptedVersion(r, service.RDFOf(format).Media) == rdf.RDF12
	tag, version, err := f.service.ExportHead(r.Context(), name, format, anyVersion)
	if err != nil {
		return false, err
	}
	if err := setType(w, r, format, version); err != nil {
		return false, err
	}
	if err := CheckIfMatch(r, entityTag(tag, coded)); err != nil {
		return false, err
	}
	h := w.Header()
	h.Set("ETag", entityTag(tag, coded))
	switch {
	case matches(r.Header.Values("If-None-Match"), entityTag(tag, "")):
		h.Del("Content-Encoding")
		h.Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return true, nil
	case head:
		w.WriteHeader(http.StatusOK)
		return true, nil
	}
	return false, nil
}

// SendLog answers with everything that a log contributed to the published graph, in a
// format.
func (f *Front) SendLog(w http.ResponseWriter, r *http.Request, logID string, format turtle.Format) error {
	coded, err := ChooseCoding(w, r)
	if err != nil {
		return err
	}
	if r.Method == http.MethodHead {
		version, err := f.service.LogVersion(r.Context(), logID, format)
		if err == nil {
			err = setType(w, r, format, version)
		}
		if err == nil {
			w.WriteHeader(http.StatusOK)
		}
		return err
	}
	text, err := f.service.LogText(r.Context(), logID, format, coded)
	if err != nil {
		return err
	}
	if err := setType(w, r, format, text.Version); err != nil {
		return errors.Join(err, text.Close())
	}
	return errors.Join(Send(w, text), text.Close())
}

// SendBundle answers with an evidence bundle, as a file to download, and closes it.
func SendBundle(w http.ResponseWriter, bundle io.ReadCloser) error {
	name := "evidence-" + time.Now().UTC().Format("20060102-150405") + ".zip"
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	w.Header().Set("Content-Type", "application/zip")
	return errors.Join(Send(w, bundle), bundle.Close())
}

// setType sets the Content-Type of a text in a format. It returns a *Problem if the text
// needs a higher version of RDF than the client accepts.
func setType(w http.ResponseWriter, r *http.Request, format turtle.Format, text rdf.Version) error {
	f := service.RDFOf(format)
	accepted := acceptedVersion(r, f.Media)
	if f.Versions && !accepted.Admits(text) {
		has := "triple terms of RDF 1.2"
		if text == rdf.RDF12Basic {
			has = "base directions of RDF 1.2"
		}
		return NewProblem(http.StatusNotAcceptable,
			"Accept asks for version=%s of %s, and the data has %s; ask for %s; version=%s", accepted, f.Media, has, f.Media, text)
	}
	w.Header().Set("Content-Type", f.ContentTypeOf(text, accepted))
	return nil
}

// Send copies a spool to the client. It sends nothing before the first bytes arrive, so
// that an export that fails at once is answered with its error.
func Send(w http.ResponseWriter, s io.Reader) error {
	p := make([]byte, piece/2)
	control, flushed := http.NewResponseController(w), time.Now()
	for {
		n, err := s.Read(p)
		if n > 0 {
			if _, err := w.Write(p[:n]); err != nil {
				return fmt.Errorf("send an answer: %w: %w", ErrClientGone, err)
			}
			if now := time.Now(); now.Sub(flushed) >= time.Second { // show slow data as it arrives
				flushed = now
				_ = control.Flush() // if the client is gone, the next Write fails
			}
		}
		if err == io.EOF { // exactly io.EOF: other errors may wrap an EOF of another connection
			_, err := w.Write(nil) // sends the header of an empty answer
			return err
		}
		if err != nil {
			return fmt.Errorf("make the text of an answer: %w", err)
		}
	}
}

// ServeContent serves content as http.ServeContent does, but returns a problem for a range
// that content does not have, and an error if the client gets less because it is gone or content can't be read.
func ServeContent(w http.ResponseWriter, r *http.Request, changed time.Time, content io.ReadSeeker) error {
	in := &withoutRange{ResponseWriter: w}
	http.ServeContent(in, r, "", changed, remembered{content, in})
	if in.refused {
		return NewProblem(http.StatusRequestedRangeNotSatisfiable, "the header Range names no bytes of this file, such as bytes=0-99")
	}
	if failed := in.failed.Load(); failed != nil {
		return *failed
	}
	return nil
}

// remembered keeps the first error of reading. Of several ranges, another goroutine reads.
type remembered struct {
	io.ReadSeeker
	of *withoutRange
}

func (r remembered) Read(p []byte) (int, error) {
	n, err := r.ReadSeeker.Read(p)
	if err != nil && err != io.EOF {
		r.of.fail(fmt.Errorf("read the content of an answer: %w", err))
	}
	return n, err
}

// withoutRange drops an answer with the status 416, and keeps the first error.
type withoutRange struct {
	http.ResponseWriter
	refused bool
	failed  atomic.Pointer[error]
}

func (w *withoutRange) fail(err error) { w.failed.CompareAndSwap(nil, &err) }

// WriteHeader implements http.ResponseWriter.
func (w *withoutRange) WriteHeader(status int) {
	if w.refused = status == http.StatusRequestedRangeNotSatisfiable; !w.refused {
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write passes on p, or drops it if the answer has the status 416.
func (w *withoutRange) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	n, err := w.ResponseWriter.Write(p)
	if err != nil {
		w.fail(fmt.Errorf("send an answer: %w: %w", ErrClientGone, err))
	}
	return n, err
}
