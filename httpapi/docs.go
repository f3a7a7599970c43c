package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"time"

	"github.com/gorilla/mux"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/static"
)

// pagePolicy lets a page use what this service serves, and nothing else; no page has script
// or style in itself.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

// getDocs returns the page that shows the OpenAPI document.
func (a *API) getDocs(w http.ResponseWriter, r *http.Request) error {
	serveBytes(w, r, "text/html; charset=utf-8", static.Docs)
	return nil
}

// docsFiles are the types of the files that the page is made of.
var docsFiles = map[string]string{
	"docs.css": "text/css; charset=utf-8",
	"docs.js":  "text/javascript; charset=utf-8",
}

// getDocsFile returns one of the files that the page is made of.
func (a *API) getDocsFile(w http.ResponseWriter, r *http.Request) error {
	name := mux.Vars(r)["file"]
	contentType, ok := docsFiles[name]
	if !ok {
		return front.NewProblem(http.StatusNotFound, "the documentation has no such file")
	}
	zipped := static.AcceptsGzip(r)
	w.Header().Add("Vary", "Accept-Encoding")
	if zipped {
		w.Header().Set("Content-Encoding", "gzip")
	}
	serveBytes(w, r, contentType, static.Built(name, zipped))
	return nil
}

func (a *API) getOpenAPI(w http.ResponseWriter, r *http.Request) error {
	serveBytes(w, r, "application/json", a.openAPI)
	return nil
}

// serveBytes answers with something of the program itself: it changes with the program
// alone, so browsers keep it and ask whether it is still the same.
func serveBytes(w http.ResponseWriter, r *http.Request, contentType string, data []byte) {
	sum := sha256.Sum256(data)
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("ETag", `"`+base64.RawURLEncoding.EncodeToString(sum[:12])+`"`)
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", pagePolicy)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}
