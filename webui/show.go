package webui

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/a-h/templ"

	"github.com/segraph/segraph/static"
)

// worthwhile is the smallest page, in bytes, that is compressed.
const worthwhile = 1 << 10

// show answers with a page, or with a part of one that a script requested. It renders
// before it writes, so that a rendering error does not leave half a page. Compression
// leaks nothing, since no page combines a secret with the client's input.
func (u *UI) show(w http.ResponseWriter, r *http.Request, status int, content templ.Component) error {
	var page bytes.Buffer
	if err := content.Render(r.Context(), &page); err != nil {
		return fmt.Errorf("write a page: %w", err)
	}
	if base := u.base(); base != "" {
		linked := u.links.Replace(page.String())
		page.Reset()
		page.WriteString(linked)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept-Encoding, HX-Request")
	if page.Len() >= worthwhile && static.AcceptsGzip(r) {
		var small bytes.Buffer
		z, err := gzip.NewWriterLevel(&small, gzip.BestSpeed)
		if err != nil {
			return fmt.Errorf("compress a page: %w", err)
		}
		_, err = z.Write(page.Bytes())
		if err = errors.Join(err, z.Close()); err != nil {
			return fmt.Errorf("compress a page: %w", err)
		}
		h.Set("Content-Encoding", "gzip")
		page = small
	}
	h.Set("Content-Length", strconv.Itoa(page.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // if the client is gone, reading its next request fails
	return nil
}
