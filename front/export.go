package front

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
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
	err = setType(w, r, format, text.RDF12())
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
	tag, err := f.service.ETag(r.Context(), name, format)
	if err != nil {
		return false, err
	}
	rdf12, err := f.service.HasRDF12(r.Context(), name, format)
	if err != nil {
		return false, err
	}
	if err := setType(w, r, format, rdf12); err != nil {
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
	case r.Method == http.MethodHead:
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
		rdf12, err := f.service.HasLogText(r.Context(), logID, format)
		return sendHead(w, r, format, rdf12, err)
	}
	text, err := f.service.LogText(r.Context(), logID, format, coded)
	if err != nil {
		return err
	}
	if err := setType(w, r, format, text.RDF12); err != nil {
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

// sendHead answers a HEAD request for a text in a format. err is that of finding rdf12.
func sendHead(w http.ResponseWriter, r *http.Request, format turtle.Format, rdf12 bool, err error) error {
	if err == nil {
		err = setType(w, r, format, rdf12)
	}
	if err == nil {
		w.WriteHeader(http.StatusOK)
	}
	return err
}

// setType sets the Content-Type of a text in a format. It returns a *Problem if the text
// uses features of RDF 1.2, and the client accepts only RDF 1.1.
func setType(w http.ResponseWriter, r *http.Request, format turtle.Format, rdf12 bool) error {
	f := service.RDFOf(format)
	if rdf12 && f.Versions && onlyRDF11(r, f.Media) {
		return NewProblem(http.StatusNotAcceptable,
			"Accept asks for version=1.1 of %s, and the data has triple terms or base directions of RDF 1.2; ask for %s; version=1.2", f.Media, f.Media)
	}
	w.Header().Set("Content-Type", f.ContentTypeOf(rdf12))
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
