// Package static holds the files that pages are made of, within the program. What is in src is
// written by hand; `npm run build` makes dist of it: scripts and styles with a part of their hash in
// the name, so that browsers keep them for good. They are compressed when the first is asked for.
package static

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
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
	data, err := dist.ReadFile("dist/" + name)
	if err != nil || contentType == "" {
		return false
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Add("Vary", "Accept-Encoding")
	if AcceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		data = compressed()[name]
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

// compressed gives the built files by name as gzip (RFC 1952). All are made at once, when the first is asked for: that
// takes some 30 ms.
var compressed = sync.OnceValue(func() map[string][]byte {
	built, err := names()
	out := map[string][]byte{}
	for _, name := range built {
		var data []byte
		if err == nil {
			data, err = dist.ReadFile("dist/" + name)
		}
		var buffer bytes.Buffer
		z, _ := gzip.NewWriterLevel(&buffer, gzip.BestCompression) // fails for a level that there is not
		_, _ = z.Write(data)                                       // a buffer takes all
		_ = z.Close()
		out[name] = buffer.Bytes()
	}
	if err != nil { // they are a part of the program
		panic(fmt.Errorf("static: %w", err))
	}
	return out
})
