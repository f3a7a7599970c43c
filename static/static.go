// Package static holds the files that pages are made of, within the program: src is written
// by hand and served as it is.
package static

import "embed"

// Files has the folder src.
//
//go:embed src
var Files embed.FS
