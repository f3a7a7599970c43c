package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
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
	return front.ServeContent(w, r, time.Time{}, bytes.NewReader(data))
}
