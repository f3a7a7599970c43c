package views_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/static"
)

// contentOf decompresses an answer. The error says that it is cut short.
func contentOf(w *httptest.ResponseRecorder) (string, error) {
	if w.Header().Get("Content-Encoding") == "" {
		return w.Body.String(), nil
	}
	r := coding.NewReader(w.Header().Get("Content-Encoding"), w.Body)
	defer r.Close()
	text, err := io.ReadAll(r)
	return string(text), err
}

func TestPagesAndFilesHaveTheCodingThatTheBrowserPrefers(t *testing.T) {
	t.Parallel()
	b := newService(t).SignedIn("admin")
	for path, want := range map[string]string{"/query": "<textarea", "/nowhere": "404", static.URL("app.css"): "--page"} {
		for accept, coded := range map[string]string{"": "", "br": "", "gzip;q=0": "", "gzip, deflate": coding.Gzip, "gzip, deflate, br, zstd": coding.Zstd, "br, identity;q=0": ""} {
			b.Header.Set("Accept-Encoding", accept)
			w := b.Get(path)
			text, err := contentOf(w)
			if err != nil || !strings.Contains(text, want) || w.Header().Get("Content-Encoding") != coded || !strings.Contains(strings.Join(w.Header().Values("Vary"), ","), "Accept-Encoding") {
				t.Errorf("%s for %q: %v, %v, %.100s", path, accept, err, w.Header(), text)
			}
			if keeps := w.Header().Get("Cache-Control") == "public, max-age=31536000, immutable"; keeps != strings.HasPrefix(path, "/static/") {
				t.Errorf("%s: %v", path, w.Header())
			}
		}
	}
}

// TestAPageThatIsSentInPartsEndsOnlyIfItIsWhole renders a page that sends its first part
// and then waits, fails or panics.
func TestAPageThatIsSentInPartsEndsOnlyIfItIsWhole(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, coded := range []string{"", coding.Gzip, coding.Zstd} {
		for _, fault := range []string{"", "an error", "a panic"} {
			r, w := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()
			r.Header.Set("Accept-Encoding", coded)
			begun := ""
			page := templ.ComponentFunc(func(_ context.Context, to io.Writer) error {
				_, _ = io.WriteString(to, "<p>the beginning")
				to.(interface{ Flush() }).Flush()
				copied := *w
				copied.Body = bytes.NewBuffer(w.Body.Bytes())
				begun, _ = contentOf(&copied)
				switch fault {
				case "an error":
					return errors.New("it fails")
				case "a panic":
					panic("it panics")
				}
				_, err := io.WriteString(to, " and the end</p>")
				return err
			})
			var err error
			func() {
				defer func() { _ = recover() }()
				err = s.UI.Stream(w, r, page)
			}()
			text, broken := contentOf(w)
			if begun != "<p>the beginning" || w.Header().Get("Content-Encoding") != coded {
				t.Errorf("%q with %q: %q is sent first, %v", coded, fault, begun, w.Header())
			}
			if fault == "" && (err != nil || broken != nil || text != "<p>the beginning and the end</p>") || fault == "an error" && err == nil || fault != "" && coded != "" && broken == nil {
				t.Errorf("%q with %q: %q, %v, %v", coded, fault, text, err, broken)
			}
		}
	}
}
