package webui

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/museum"
	v "github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/store/rdf"
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

// viewing are the parameters whose values make a page another page.
var viewing = []string{"view", "section", "block", "rest", "kind", "layout", "table", "chart", "depth", "group"}

// kindOf returns what addresses of the same page and view have in common.
func kindOf(address string) string {
	at, err := url.Parse(address)
	if err != nil {
		return address
	}
	var names []string
	for name, values := range at.Query() {
		if slices.Contains(viewing, name) {
			name += "=" + values[0]
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return at.Path + " " + strings.Join(names, "&")
}

// complete are the addresses where the reader asks for more, however long it is: lines of
// the log beyond the first, one whole line, a session for printing on one page, and a
// picture of the graph with its tables or with what the reader added to it.
var complete = regexp.MustCompile(`[?&](limit=|rows=all|table=1|hide=|v=%|v=[*]|construct=)|^/system/logs/line`)

// TestNoPageHasMoreThanFortyKilobytes follows the links of the demo from the first page,
// one of each kind, and visits each page of the table. The log has long lines.
func TestNoPageHasMoreThanFortyKilobytes(t *testing.T) {
	s := openService(t)
	s.playDemo()
	s.now = time.Now() // the demo ends now
	for i := range 200 {
		s.log.Logger("segraph.test").Error("a long line", "request_id", fmt.Sprint("r-", i), "error", strings.Repeat("deep in the stack <&> ", 40), "path", strings.Repeat("/a", 60), "status", 500, "ms", i)
	}
	b := s.visitor()
	_, said := museum.Sadness()
	waiting := []string{"/why?" + url.Values{"iri": {said}}.Encode(), "/kg-graph?node=" + url.QueryEscape("https://example.org/robot/ari"), "/log?id=" + s.lastLog(),
		"/classes?class=" + url.QueryEscape(v.ProvActivity), "/search?q=ari", "/query?query=" + url.QueryEscape("SELECT ?s ?p ?o { ?s ?p ?o }"), "/reports?last=session"}
	for _, p := range s.ui.pages {
		waiting = append(waiting, p.path)
	}
	links := regexp.MustCompile(`<a [^>]*href="(/[^"#]*)`)
	seen, kinds, sizes := map[string]bool{}, map[string]int{}, map[string]int{}
	for len(waiting) > 0 {
		at := waiting[0]
		waiting = waiting[1:]
		kind := kindOf(at)
		page, _, _ := strings.Cut(at, "?")
		if seen[at] || kinds[kind] == 1 || kinds[page] == 20 || complete.MatchString(at) {
			continue
		}
		seen[at] = true
		kinds[kind]++
		kinds[page]++
		w := b.get(at)
		if to := w.Header().Get("Location"); w.Code == http.StatusSeeOther {
			waiting = append(waiting, to)
			continue
		}
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || strings.HasPrefix(at, "/api/") {
			continue
		}
		sizes[page] = max(sizes[page], w.Body.Len())
		if n := w.Body.Len(); n > initialBytes || w.Code != http.StatusOK && w.Code != http.StatusNotFound && w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%.200s: %d, %d bytes, at most %d are allowed", at, w.Code, n, initialBytes)
		}
		for _, m := range links.FindAllStringSubmatch(w.Body.String(), -1) {
			waiting = append(waiting, html.UnescapeString(m[1]))
		}
	}
	for _, page := range slices.Sorted(maps.Keys(sizes)) {
		t.Logf("%-28s %6d bytes", page, sizes[page])
	}
	for _, p := range s.ui.pages {
		if sizes[p.path] == 0 && p.path != "/demo" { // it only redirects
			t.Errorf("%s was not visited", p.path)
		}
	}
	if len(seen) < 60 {
		t.Errorf("only %d addresses were visited", len(seen))
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
	for _, more := range []string{"", "&view=table", "&view=table&kind=shared", "&view=print", "&view=print&first=4900"} {
		page := b.fits(to + more)
		if more == "" && (strings.Count(page, `<rect class="hull"`) != 24 || !strings.Contains(page, `<path class="hull"`)) {
			t.Error("the shared events are not drawn")
		}
	}
}
