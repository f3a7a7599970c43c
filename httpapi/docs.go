package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"time"

	"github.com/gorilla/mux"

	"github.com/segraph/segraph/static"
)

// pagePolicy lets a page use what this service serves, and nothing else; no page has script
// or style in itself.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

// getDocs gives the page that shows the OpenAPI document.
func (a *API) getDocs(w http.ResponseWriter, r *http.Request) error {
	return serveFile(w, r, "docs.html")
}

// getDocsFile gives one of the files that the page is made of.
func (a *API) getDocsFile(w http.ResponseWriter, r *http.Request) error {
	name := mux.Vars(r)["file"]
	if name != "docs.css" && name != "docs.js" {
		return newProblem(http.StatusNotFound, "the documentation has no such file")
	}
	return serveFile(w, r, name)
}

func (a *API) getOpenAPI(w http.ResponseWriter, r *http.Request) error {
	serveBytes(w, r, "application/json", a.openAPI)
	return nil
}

func serveFile(w http.ResponseWriter, r *http.Request, name string) error {
	data, err := fs.ReadFile(static.Files, "src/"+name)
	if err != nil {
		return fmt.Errorf("read a file of the program: %w", err)
	}
	contentType := map[string]string{
		".html": "text/html; charset=utf-8",
		".css":  "text/css; charset=utf-8",
		".js":   "text/javascript; charset=utf-8",
	}[path.Ext(name)]
	serveBytes(w, r, contentType, data)
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
