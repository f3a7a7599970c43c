package ui

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// slowly returns the address of a proxy for the service that sends a page in pieces, cut
// before each element that cut matches. Each piece waits for a call of next. left returns
// the number of remaining pieces.
func (s *service) slowly(cut *regexp.Regexp) (base string, next func(), left func() int) {
	pieces, going := make(chan []byte, 1000), make(chan struct{})
	service, err := url.Parse(s.ui)
	if err != nil {
		s.t.Fatal(err)
	}
	whole := httputil.NewSingleHostReverseProxy(service)
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Sec-Fetch-Dest") != "document" {
			whole.ServeHTTP(w, r)
			return
		}
		answer, err := http.Get(s.ui + r.URL.RequestURI())
		if err != nil {
			s.t.Error(err)
			return
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			s.t.Error(err)
		}
		for name := range answer.Header {
			if name != "Content-Length" {
				w.Header()[name] = answer.Header[name]
			}
		}
		w.WriteHeader(answer.StatusCode)
		from := 0
		for _, at := range cut.FindAllIndex(body, -1) {
			pieces <- bytes.Clone(body[from:at[0]])
			from = at[0]
		}
		pieces <- body[from:]
		for len(pieces) > 0 {
			select {
			case <-going:
			case <-r.Context().Done():
				return
			}
			_, _ = w.Write(<-pieces)
			w.(http.Flusher).Flush()
		}
	}))
	s.t.Cleanup(line.Close)
	return line.URL, func() { going <- struct{}{} }, func() int { return len(pieces) }
}

// TestNoPageMovesWhileItComesSlowly loads each page in pieces that are painted one by
// one.
func TestNoPageMovesWhileItComesSlowly(t *testing.T) {
	if suite.Race {
		t.Skip("the race detector does not change how a page is painted, and the test takes long")
	}
	s := openService(t)
	s.publishDemo()
	s.addCases(12) // on a phone, the queue is higher than the window
	pages := []string{"/query", "/query?query=" + url.QueryEscape(allMessages), "/reports", "/kg-graph", "/logs/delete", "/shared-context", "/session"}
	inLights(t, func(t *testing.T, l look) {
		for _, page := range pages {
			base, next, left := s.slowly(regexp.MustCompile(`<(section|aside|form|fieldset|footer|div id)\b`))
			b := open(t, base, l)
			value[any](b, `location.href = "`+base+page+`"; 0`)
			b.eventually("the page is requested", func() bool { return left() > 0 }, b.path)
			for left() > 0 {
				next()
				value[any](b, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))`)
			}
			b.eventually("the page is complete", func() bool { return value[string](b, `document.readyState`) == "complete" }, b.path)
			shift := b.shift()
			t.Logf("%s: %.3f", page, shift)
			if shift > 0.03 { // a third of the perceptible limit
				t.Errorf("%s moves by %.3f while it loads", page, shift)
			}
		}
	})
}
