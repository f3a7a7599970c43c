package front

import (
	"net/http"
	"net/url"
	"strings"
)

// below takes BasePath off the paths of requests. So everything behind it knows the
// service's own paths only; package webui adds the base path to what goes out.
//
// A request whose path does not begin with BasePath is served as it is: it comes from a
// health check of this machine, or from a proxy that takes the base path off itself.
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

// BasePath returns what comes before every path of both listeners, such as "/seg"; "" is
// nothing.
func (f *Front) BasePath() string { return f.config.BasePath }
