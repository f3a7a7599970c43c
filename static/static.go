// Package static holds the files that pages are made of, within the program. What is in src is
// written by hand; `npm run build` makes dist of it: scripts and styles with a part of their hash in
// the name, so that browsers keep them for good, and compressed with gzip.
package static

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
)

// Files has the files of /docs, which are served as they are written, in the folder src.
//
//go:embed src/docs.html src/docs.css src/docs.js
var Files embed.FS

//go:embed dist
var dist embed.FS

// names gives the built file of each source, such as app-3KXQ2A7V.js of app.js.
var names = sync.OnceValues(func() (map[string]string, error) {
	data, err := dist.ReadFile("dist/manifest.json")
	if err != nil {
		return nil, fmt.Errorf("read the manifest of the built files: %w", err)
	}
	out := map[string]string{}
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("read the manifest of the built files: %w", err)
	}
	return out, nil
})

// URL gives the path under which a file of src is served once it is built, such as that of "app.js". A
// name that there is not is a fault of the code, and panics.
func URL(name string) string {
	built, err := names()
	if err != nil {
		panic(err)
	}
	file, ok := built[name]
	if !ok {
		panic("static: " + name + " is not built; see npm run build")
	}
	return "/static/" + file
}

// Serve answers with the built file of a name as URL gives it without its folder, compressed for who
// takes gzip. It tells false, and does nothing, where there is no such file.
func Serve(w http.ResponseWriter, r *http.Request, name string) bool {
	contentType := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}[path.Ext(name)]
	data, err := dist.ReadFile("dist/" + name + ".gz")
	if err != nil || contentType == "" {
		return false
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Add("Vary", "Accept-Encoding")
	if !AcceptsGzip(r) {
		data = inflate(data)
	} else {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", fmt.Sprint(len(data)))
	_, _ = w.Write(data) // a client that is gone is noticed by who reads its next request
	return true
}

// AcceptsGzip tells whether a client takes gzip by its Accept-Encoding (RFC 9110, section 12.5.3), as far as
// browsers use that.
func AcceptsGzip(r *http.Request) bool {
	for _, item := range strings.Split(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		coding, weight, _ := strings.Cut(item, ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			return strings.ReplaceAll(weight, " ", "") != "q=0"
		}
	}
	return false
}

// inflate gives a built file as it was before it was compressed.
func inflate(data []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		data, err = io.ReadAll(z)
	}
	if err != nil { // it is a part of the program
		panic(fmt.Errorf("static: a built file is damaged: %w", err))
	}
	return data
}
