package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"path"
	"time"

	"github.com/gorilla/mux"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/static"
	"github.com/segraph/segraph/vocabulary"
)

// pagePolicy lets a page load only what this service serves. No page has inline scripts
// or styles.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

// getDocs returns the page that shows the OpenAPI document.
func (a *API) getDocs(w http.ResponseWriter, r *http.Request) error {
	return serveBytes(w, r, "text/html; charset=utf-8", static.Docs)
}

// getDocsFile returns the style or the script of the page. The built file's name has a hash, which clients need not know.
func (a *API) getDocsFile(w http.ResponseWriter, r *http.Request) error {
	name := mux.Vars(r)["file"]
	if name != "docs.css" && name != "docs.js" {
		return front.NewProblem(http.StatusNotFound, "the documentation has no such file")
	}
	coded, err := front.ChooseCoding(w, r)
	if err != nil {
		return err
	}
	data, contentType, _ := static.File(path.Base(static.URL(name)), coded)
	return serveBytes(w, r, contentType, data)
}

func (a *API) getOpenAPI(w http.ResponseWriter, r *http.Request) error {
	return serveBytes(w, r, "application/json", a.openAPI())
}

// getJSONLDContext returns the JSON-LD context of published logs.
func (a *API) getJSONLDContext(w http.ResponseWriter, r *http.Request) error {
	return serveBytes(w, r, service.MediaJSONLD, vocabulary.Context)
}

// serveBytes sends data that is part of the program. It changes only with the program, so
// browsers cache it and revalidate.
func serveBytes(w http.ResponseWriter, r *http.Request, contentType string, data []byte) error {
	sum := sha256.Sum256(data)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	if err := front.CheckIfMatch(r, tag); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("ETag", tag)
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", pagePolicy)
	r.Header.Del("Range") // it is small
	return serveContent(w, r, time.Time{}, bytes.NewReader(data))
}

// serveContent serves content as http.ServeContent does, but returns a problem for a range
// that content does not have.
func serveContent(w http.ResponseWriter, r *http.Request, changed time.Time, content io.ReadSeeker) error {
	in := &withoutRange{ResponseWriter: w}
	http.ServeContent(in, r, "", changed, content)
	if in.refused {
		return front.NewProblem(http.StatusRequestedRangeNotSatisfiable, "the header Range names no bytes of this file, such as bytes=0-99")
	}
	return nil
}

// withoutRange drops an answer with the status 416.
type withoutRange struct {
	http.ResponseWriter
	refused bool
}

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
	return w.ResponseWriter.Write(p)
}
