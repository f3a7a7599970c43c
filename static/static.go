// Package static holds the files that pages are made of, within the program. What is in src is
// written by hand; `npm run build` makes dist of it: scripts and styles with a part of their hash in
// the name, so that browsers keep them for good. Each is compressed when it is first asked for.
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

// Docs is the page /docs.
//
//go:embed docs.html
var Docs []byte

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
func URL(name string) string { return "/static/" + builtName(name) }

// Built returns the built file of a file of src, such as "docs.js", compressed with gzip or
// as it is. It panics for a name that there is not, as URL does.
func Built(name string, gzip bool) []byte {
	name = builtName(name)
	if gzip {
		return compressed()[name]()
	}
	data, err := dist.ReadFile("dist/" + name)
	if err != nil { // it is a part of the program
		panic(fmt.Errorf("static: %w", err))
	}
	return data
}

func builtName(name string) string {
	built, err := names()
	if err != nil {
		panic(err)
	}
	file, ok := built[name]
	if !ok {
		panic("static: " + name + " is not built; see npm run build")
	}
	return file
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
		data = compressed()[name]()
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

// compressed returns, by name, functions that return a built file as gzip (RFC 1952). The
// first call of each compresses it, which takes some milliseconds for 100 KB.
var compressed = sync.OnceValue(func() map[string]func() []byte {
	built, err := names()
	if err != nil { // it is a part of the program
		panic(fmt.Errorf("static: %w", err))
	}
	out := map[string]func() []byte{}
	for _, name := range built {
		out[name] = sync.OnceValue(func() []byte {
			data, err := dist.ReadFile("dist/" + name)
			if err != nil { // as above
				panic(fmt.Errorf("static: %w", err))
			}
			var buffer bytes.Buffer
			z, _ := gzip.NewWriterLevel(&buffer, gzip.BestCompression) // fails for a level that there is not
			_, _ = z.Write(data)                                       // a buffer takes all
			_ = z.Close()
			return buffer.Bytes()
		})
	}
	return out
})
