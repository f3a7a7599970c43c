package front

import (
	"net/http"
	"net/url"
	"strings"
)

// below strips BasePath from the paths of requests, so the handlers behind it see only the
// service's own paths; package views adds it to the links that it writes. Other paths are
// served unchanged: they come from a health check on this machine, or from a proxy that
// strips the base path itself.
func (f *Front) below(next http.Handler) http.Handler {
	base := f.config.BasePath
	if base == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		escaped, ok := strings.CutPrefix(r.URL.EscapedPath(), base)
		path, err := url.PathUnescape(escaped)
		if !ok || err != nil || escaped != "" && escaped[0] != '/' {
			next.ServeHTTP(w, r)
			return
		}
		if path == "" {
			path, escaped = "/", "/"
		}
		at := *r.URL
		at.Path, at.RawPath = path, escaped
		stripped := *r
		stripped.URL = &at
		next.ServeHTTP(w, &stripped)
	})
}

// BasePath returns the prefix of every path of both listeners, such as "/seg", or "".
func (f *Front) BasePath() string { return f.config.BasePath }
