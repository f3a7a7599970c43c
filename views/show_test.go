package views_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/static"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
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

// heldQueries are queries of which those of views.Begin end some time after their request was cancelled.
type heldQueries struct {
	service.Querier
	begun   chan struct{} // receives a value when one begins, if somebody waits for it
	running atomic.Int32
}

func (q *heldQueries) Query(ctx context.Context, x *sparql.Query, l budget.Limits, out sparql.Answer, triple func(rdf.Triple) error) error {
	if bytes.Contains(debug.Stack(), []byte("views.Begin[")) {
		q.running.Add(1)
		defer q.running.Add(-1)
		select {
		case q.begun <- struct{}{}:
		default:
		}
		<-ctx.Done()
		<-time.After(300 * time.Millisecond) // a page waits a third of it for its content
	}
	return q.Querier.Query(ctx, x, l, out, triple)
}

// A request whose client has gone ends after all that was begun for it, which reads it.
func TestARequestEndsAfterWhatItBegan(t *testing.T) {
	t.Parallel()
	held := &heldQueries{begun: make(chan struct{})}
	s := startWith(t, "", func(c *viewstest.Settings) { held.Querier, c.Queries = c.Queries, held })
	s.UI.Config.Patience = 80 * time.Millisecond
	s.Publish("<urn:a> <urn:b> <urn:c> .")
	for _, path := range []string{"/reports", "/replay?from=2026-02-24T12:20:00Z&to=2026-02-24T12:30:00Z", "/search?q=hello", viewstest.QueryPath("ASK {}")} {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer func() { _ = recover() }() // it breaks the connection
			s.Pages.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil).WithContext(ctx))
		}()
		select {
		case <-held.begun:
		case <-ended:
			t.Errorf("%s begins nothing", path)
		}
		cancel()
		<-ended
		if n := held.running.Load(); n > 0 {
			t.Errorf("%s ended before %d of its queries", path, n)
		}
	}
}

// TestAPageWaitsForItsContentAsLongAsItsSettingsSay begins content that takes longer than a page waits by default.
func TestAPageWaitsForItsContentAsLongAsItsSettingsSay(t *testing.T) {
	t.Parallel()
	s := startWith(t, "", nil)
	for patience, want := range map[time.Duration]bool{time.Minute: true, time.Millisecond: false} {
		s.UI.Config.Patience = patience
		content := views.Begin(t.Context(), s.UI, func() (int, error) { time.Sleep(300 * time.Millisecond); return 1, nil })
		if content.Soon() != want {
			t.Errorf("with a patience of %v, the page waits %v", patience, !want)
		}
		content.Join()
	}
}
