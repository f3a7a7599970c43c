package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// A short document can name a long term in thousands of triples, and a client may read slowly.
func TestAPageOfALogHasABoundedText(t *testing.T) {
	t.Parallel()
	s := newSignedService(t)
	admin := s.token(t, auth.Admin)
	var body strings.Builder
	fmt.Fprintf(&body, "<http://e/%s> <urn:p> 0", strings.Repeat("x", 4000))
	for n := range 9999 {
		fmt.Fprintf(&body, ",%d", n+1)
	}
	body.WriteString(" .")
	id := asJSON[inserted](t, s.do(t, call{method: "POST", path: "/ttl?user=robot", body: body.String(), contentType: "text/turtle", token: admin})).LogID
	w := s.do(t, call{method: "GET", path: "/logs/" + id + "?limit=10000", token: admin})
	if w.Code != 200 || w.Body.Len() < 3<<20 || w.Body.Len() > 6<<20 || !strings.Contains(w.Body.String(), `"total":10000,`) {
		t.Errorf("%d with %d bytes: %.200s", w.Code, w.Body.Len(), w.Body)
	}
	if used := s.service.Stats().MemoryBytes; used != 0 {
		t.Errorf("%d bytes are still used", used)
	}
}

// heldJournal waits while it reads a page.
type heldJournal struct {
	service.Journal
	reading chan int64 // gets the memory in use
	release chan struct{}
	used    func() int64
}

func (j *heldJournal) Logs(ctx context.Context, f journal.Filter, quads []rdf.Quad) (journal.Page, error) {
	j.reading <- j.used()
	<-j.release
	return j.Journal.Logs(ctx, f, quads)
}

// A page of the journal takes a processor for long if few entries match, and memory.
func TestPagesOfTheJournalWaitForEachOther(t *testing.T) {
	t.Parallel()
	held := &heldJournal{reading: make(chan int64, 10), release: make(chan struct{})}
	s := newSignedService(t, func(c *settings) {
		held.Journal, c.Journal = c.Journal, held
		c.Limits.Workers = 2
	})
	held.used = func() int64 { return s.service.Stats().MemoryBytes }
	answers := make(chan *httptest.ResponseRecorder, 10)
	for _, path := range []string{"/logs", "/logs/mine", "/logs?user=nobody"} {
		go func() { answers <- s.do(t, call{method: "GET", path: path, token: s.token(t, auth.Admin)}) }()
	}
	for range 3 {
		if used := <-held.reading; used < 100<<10 {
			t.Errorf("a page is read with %d bytes of memory", used)
		}
		select {
		case <-held.reading:
			t.Fatal("a second page is read meanwhile")
		case <-time.After(50 * time.Millisecond):
		}
		held.release <- struct{}{}
	}
	for range 3 {
		if w := <-answers; w.Code != 200 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
}

// A slow client of a page holds a place on the disk, and no memory.
func TestASlowClientOfAPageHoldsNoMemory(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	page, err := s.service.Page(t.Context(), 1000, "", func(context.Context, *service.Kept) (any, error) { return strings.Repeat("x", 1<<20), nil })
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the page is made", func() bool { return s.service.Stats().MemoryBytes == 0 })
	if text, err := io.ReadAll(page); err != nil || len(text) != 1<<20+3 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if err := page.Close(); err != nil {
		t.Error(err)
	}
}

// What a page shows is read in its turn. So an erasure that ends while it waits ends the page too.
func TestAPageIsReadInItsTurn(t *testing.T) {
	t.Parallel()
	held := &heldJournal{reading: make(chan int64, 10), release: make(chan struct{}), used: func() int64 { return 0 }}
	s := newSignedService(t, func(c *settings) {
		held.Journal, c.Journal = c.Journal, held
		c.Limits.Workers = 2
	})
	admin := s.token(t, auth.Admin)
	for path, change := range map[string]call{
		"/admin/revocations":                 {path: "/admin/revocations", body: `{"username":"late"}`},
		"/admin/tokens":                      {path: "/admin/tokens", body: `{"username":"later","roles":["logger"],"expires_in":60}`},
		"/admin/person?iri=http://e/visitor": {path: "/ttl?user=robot", body: "<http://e/visitor> <urn:p> 0 .", contentType: "text/turtle"},
	} {
		first, second := make(chan *httptest.ResponseRecorder, 1), make(chan *httptest.ResponseRecorder, 1)
		before := "/logs"
		if strings.Contains(path, "person") { // they wait for each other
			before = path
		}
		go func() { first <- s.do(t, call{method: "GET", path: before, token: admin}) }()
		<-held.reading
		if before == path { // and no other page for them
			if w := s.do(t, call{method: "GET", path: "/admin/tokens", token: admin}); w.Code != 200 {
				t.Errorf("while a person's page is read: %d %s", w.Code, w.Body)
			}
		}
		go func() { second <- s.do(t, call{method: "GET", path: path, token: admin}) }()
		time.Sleep(50 * time.Millisecond) // it waits for the first
		change.method, change.token = "POST", admin
		if w := s.do(t, change); w.Code >= 300 {
			t.Fatalf("%s: %d %s", change.path, w.Code, w.Body)
		}
		held.release <- struct{}{}
		if w := <-first; w.Code != 200 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if strings.Contains(path, "person") { // its page reads the journal too
			<-held.reading
			held.release <- struct{}{}
		}
		if w := <-second; w.Code != 200 || !strings.Contains(w.Body.String(), "late") && !strings.Contains(w.Body.String(), `"logs":{"count":1,`) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

type revoker = service.Revocations

// spiedRevocations keeps how much memory was in use when they were read last.
type spiedRevocations struct {
	revoker
	used func() int64
	last int64
}

func (r *spiedRevocations) Revocations(ctx context.Context) ([]journal.Entry, error) {
	if r.used != nil {
		r.last = r.used()
	}
	return r.revoker.Revocations(ctx)
}

// A page of a few revocations takes the memory of a few.
func TestAPageOfRevocationsTakesTheMemoryOfTheirNumber(t *testing.T) {
	t.Parallel()
	spied := &spiedRevocations{}
	s := newSignedService(t, func(c *settings) { spied.revoker, c.Revocations = c.Revocations, spied })
	spied.used = func() int64 { return s.service.Stats().MemoryBytes }
	w := s.do(t, call{method: "GET", path: "/admin/revocations", token: s.token(t, auth.Admin)})
	if w.Code != 200 || spied.last == 0 || spied.last > 512<<10 {
		t.Errorf("%d, with %d bytes of memory", w.Code, spied.last)
	}
}
