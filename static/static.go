// Package static embeds the files of the web pages. The files in src are written by hand.
// `npm run build` makes dist from them: scripts, styles and a sprite of icons, with a part of their hash in
// the name, so that browsers can cache them forever. Each file is compressed on first
// use.
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

// names maps each source to its built file, such as app.js to app-3KXQ2A7V.js.
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

// URL returns the path of the built file of a source, such as "app.js". It panics for an
// unknown name, which is a programming error.
func URL(name string) string { return "/static/" + builtName(name) }

// Built returns the built file of a source, such as "docs.js", compressed with gzip or
// not. It panics for an unknown name, like URL.
func Built(name string, gzip bool) []byte {
	name = builtName(name)
	if gzip {
		return compressed()[name]()
	}
	data, err := dist.ReadFile("dist/" + name)
	if err != nil { // the file is embedded, so this can't fail
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

// Serve writes the built file with the given name, which is the last part of a path that
// URL returns. It compresses the file if the client accepts gzip. If there is no such
// file, Serve writes nothing and returns false.
func Serve(w http.ResponseWriter, r *http.Request, name string) bool {
	contentType := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}[path.Ext(name)]
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
	_, _ = w.Write(data) // on an error the client is gone, and the next read from it fails
	return true
}

// AcceptsGzip reports whether a client accepts gzip, according to its Accept-Encoding
// (RFC 9110, section 12.5.3) as far as browsers use it.
func AcceptsGzip(r *http.Request) bool {
	for _, item := range strings.Split(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		coding, weight, _ := strings.Cut(item, ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			return strings.ReplaceAll(weight, " ", "") != "q=0"
		}
	}
	return false
}

// compressed returns functions, by file name, that return a built file as gzip (RFC
// 1952). The first call of each compresses the file, which takes a few milliseconds per
// 100 KB.
var compressed = sync.OnceValue(func() map[string]func() []byte {
	built, err := names()
	if err != nil { // the manifest is embedded, so this can't fail
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
			z, _ := gzip.NewWriterLevel(&buffer, gzip.BestCompression) // fails only for an unknown level
			_, _ = z.Write(data)                                       // a buffer never fails
			_ = z.Close()
			return buffer.Bytes()
		})
	}
	return out
})
