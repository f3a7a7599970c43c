package viewstest

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/service"
)

// Follow returns the page that an answer redirects to.
func (b *Visitor) Follow(w *httptest.ResponseRecorder) string {
	b.T.Helper()
	if w.Code != 303 {
		b.T.Fatalf("%d %s", w.Code, w.Body)
	}
	w = b.Get(w.Header().Get("Location"))
	if w.Code != 200 {
		b.T.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// Decide submits the decision form of a page.
func (b *Visitor) Decide(page, do string) string {
	b.T.Helper()
	form := Fields(page)
	form.Set("do", do)
	return b.Follow(b.Post("/shared-context/decide", form))
}

// Send posts the form of /logs/insert like a browser.
func (b *Visitor) Send(fields map[string]string, file []byte) *httptest.ResponseRecorder {
	b.T.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := form.WriteField(name, value); err != nil {
			b.T.Fatal(err)
		}
	}
	name := ""
	if file != nil {
		name = "log.ttl"
	}
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(file)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		b.T.Fatal(err)
	}
	return b.Do(http.MethodPost, "/logs/insert", form.FormDataContentType(), &body)
}

// Check checks a text and returns the ticket.
func (b *Visitor) Check(text string) string {
	b.T.Helper()
	w := b.Send(map[string]string{"ttl": text, "action": "check"}, nil)
	found := ticketField.FindStringSubmatch(w.Body.String())
	if found == nil {
		b.T.Fatalf("no ticket: %d %s", w.Code, w.Body)
	}
	return found[1]
}

// Graph returns the graph as N-Triples.
func (b *Visitor) Graph() string {
	b.T.Helper()
	r := httptest.NewRequest("GET", "/events", nil)
	r.Header.Set("Accept", "application/n-triples")
	if b.Auth.Enabled() {
		r.Header.Set("Authorization", "Bearer "+b.Token("auditor"))
	}
	w := httptest.NewRecorder()
	b.API.ServeHTTP(w, r)
	if w.Code != 200 {
		b.T.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// Insert inserts a text on the page with the ticket of its check, and returns the log's
// id.
func (b *Visitor) Insert(text, ticket string) string {
	b.T.Helper()
	w := b.Send(map[string]string{"ttl": text, "action": "insert", "ticket": ticket}, nil)
	id := LogID.FindStringSubmatch(w.Body.String())
	if id == nil {
		b.T.Fatalf("not stored: %d %s", w.Code, w.Body)
	}
	Want(b.T, w.Body.String(), `href="/logs/insert?withdraw=`+id[1]+`"`)
	return id[1]
}

// OpenBatch opens a batch for a filter and returns it.
func (b *Visitor) OpenBatch(filter, do string) *service.Batch {
	b.T.Helper()
	w := b.Post("/shared-context/batch", url.Values{"filter": {filter}, "do": {do}})
	if w.Code != 303 {
		b.T.Fatalf("%d %s", w.Code, w.Body)
	}
	batch, err := b.Service.Batch(strings.TrimPrefix(w.Header().Get("Location"), "/shared-context/batch?id="))
	if err != nil {
		b.T.Fatal(err)
	}
	return batch
}

// Fits checks the size of a page.
func (b *Visitor) Fits(path string) string {
	b.T.Helper()
	w := b.Get(path)
	if n := FirstLoad(b.T, w.Body.String()); w.Code != http.StatusOK || n > MostBytes(path) {
		b.T.Errorf("%s: %d, %d bytes, at most %d are allowed", path, w.Code, n, MostBytes(path))
	}
	return w.Body.String()
}

// AnswersWithin asks for a page several times and sorts the times of the answers. It checks
// the time at index which against a limit.
func (b *Visitor) AnswersWithin(limit time.Duration, path string, which, of int) {
	b.T.Helper()
	if suite.Race { // the detector makes everything ten times slower, and finds races in few runs too
		limit, which, of = 20*limit, 0, 2
	}
	suite.Within(b.T, path, limit, func() time.Duration {
		var took []time.Duration
		for range of {
			begun := time.Now()
			if w := b.Get(path); w.Code != http.StatusOK && w.Code != http.StatusSeeOther {
				b.T.Errorf("%s: %d", path, w.Code)
			}
			took = append(took, time.Since(begun))
		}
		slices.Sort(took)
		return took[which]
	})
}

// Explanation returns the text of a page of /why, without markup.
func (b *Visitor) Explanation(t *testing.T, iri string, more ...string) string {
	t.Helper()
	values := url.Values{"iri": {iri}}
	for i := 0; i < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	w := b.Get("/why?" + values.Encode())
	if w.Code != 200 {
		t.Fatalf("%s: %d %s", iri, w.Code, w.Body)
	}
	return WordsOf(w.Body.String())
}
