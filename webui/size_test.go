package webui

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	v "github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/webui/report"
)

// initialBytes is the most HTML, not compressed, that a page has before it loads its parts.
const initialBytes = 40_000

// fits checks the size of a page.
func (b *visitor) fits(path string) string {
	b.t.Helper()
	w := b.get(path)
	if n := w.Body.Len(); w.Code != http.StatusOK || n > initialBytes {
		b.t.Errorf("%s: %d, %d bytes, at most %d are allowed", path, w.Code, n, initialBytes)
	}
	return w.Body.String()
}

// TestNoPageOfTheDemoHasMoreThanFortyKilobytes visits each page, each section of the
// reports, and what their links load. It leaves out pages that may have
// more: /why, the graph of a node, the server log with long lines, and pages for printing.
func TestNoPageOfTheDemoHasMoreThanFortyKilobytes(t *testing.T) {
	s := openService(t)
	s.playDemo()
	s.now = time.Now() // the demo ends now
	b := s.visitor()
	paths := []string{
		b.get("/replay").Header().Get("Location"), b.get("/replay").Header().Get("Location") + "&view=table", b.get("/reports?last=session").Header().Get("Location"),
		"/log?id=" + s.lastLog(), "/search?q=ari", "/classes?class=" + url.QueryEscape(v.ProvActivity),
		"/query?query=" + url.QueryEscape("SELECT ?s ?p ?o { ?s ?p ?o }"),
	}
	for _, p := range s.ui.pages {
		if p.path != "/log" && p.path != "/replay" && p.path != "/system/logs" {
			paths = append(paths, p.path)
		}
	}
	loads := regexp.MustCompile(`<a href="(/reports\?[^"]*block=[^"]*)"`)
	for _, name := range report.Names() {
		page := b.fits("/reports?section=" + name)
		for _, m := range loads.FindAllStringSubmatch(page, -1) {
			paths = append(paths, strings.ReplaceAll(m[1], "&amp;", "&"))
		}
	}
	if len(paths) < 25 {
		t.Fatalf("only %d pages: %q", len(paths), paths)
	}
	for _, path := range paths {
		b.fits(path)
	}
}

// TestAReplayOfFiveThousandEventsIsSmall has four robots, 2,500 messages and 50 shared
// events.
func TestAReplayOfFiveThousandEventsIsSmall(t *testing.T) {
	s := openService(t)
	var text strings.Builder
	begin := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for i := range 5000 {
		fmt.Fprintf(&text, "<urn:a%d> <%s> %q^^<%s> ; <%s> <urn:r%d> ; <%s> <urn:e%d> .\n", i, v.ProvStartedAtTime, begin.Add(time.Duration(i*2)*time.Second).Format(time.RFC3339), rdf.XSDDateTime, v.SegbWasPerformedBy, i%4, v.SchemaAbout, i/100)
		if i%2 == 0 {
			fmt.Fprintf(&text, "<urn:m%d> a <%s> ; <%s> \"Sentence number %d\" ; <%s> <urn:maria> ; <%s> <urn:a%d> .\n", i, v.SchemaMessage, v.SchemaText, i, v.SchemaSender, v.ProvWasGeneratedBy, i)
		}
	}
	s.publish(text.String())
	b := s.visitor()
	to := b.get("/replay?at=2026-03-01T10:00:00Z").Header().Get("Location")
	for _, more := range []string{"", "&view=table", "&view=table&kind=shared"} {
		page := b.fits(to + more)
		if more == "" && (strings.Count(page, `<rect class="hull"`) != 24 || !strings.Contains(page, `<path class="hull"`)) {
			t.Error("the shared events are not drawn")
		}
	}
}
