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

// worthwhile is how many bytes a page has that is worth being compressed.
const worthwhile = 1 << 10

// show answers with a page, or with the part of one that a script asked for. It is
// written as a whole, so that a page that can't be is an error and not half a page;
// compressed it tells nobody more than it does anyway, since no page holds a secret
// beside what the client sent.
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
	_, _ = w.Write(page.Bytes()) // a client that is gone is noticed by who reads its next request
	return nil
}
