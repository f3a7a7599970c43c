// Package static embeds the files of the web pages. The files in src are written by hand.
// `npm run build` makes dist from them: scripts, styles and a sprite of icons, with a part of their hash in
// the name, so that browsers can cache them forever. Each file is compressed on first
// use.
package static

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"sync"

	"github.com/segraph/segraph/internal/coding"
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

// builtName returns the name of the built file of a source, with its hash. It panics for an unknown
// name.
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

// File returns a built file in a content coding, with its media type. name is the last part
// of a path that URL returns. ok is false if there is no such file.
func File(name, coded string) (data []byte, contentType string, ok bool) {
	contentType = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}[path.Ext(name)]
	data, err := dist.ReadFile("dist/" + name)
	if err != nil || contentType == "" {
		return nil, "", false
	}
	if coded != "" {
		pack, _ := packed.LoadOrStore(coded+name, sync.OnceValue(func() []byte { return coding.Pack(coded, data) }))
		data = pack.(func() []byte)()
	}
	return data, contentType, true
}

// packed has functions, by coding and file name, that return a compressed file. The first
// call of each compresses the file, which takes a few milliseconds per 100 KB.
var packed sync.Map
