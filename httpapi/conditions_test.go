package httpapi

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Each route that sends an ETag honours If-Match and If-None-Match, in the order of RFC
// 9110, section 13.2.2.
func TestPreconditionsAreHonoured(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, small)
	addQuads(t, s, "http://e/g", `<http://e/a> <http://e/p> 1 .`)
	backups := newOpenService(t)
	_, name, _ := strings.Cut(backups.do(t, call{method: "GET", path: "/admin/backup"}).Header().Get("Content-Location"), "=")
	for path, of := range map[string]*fixture{
		"/events": s, "/rdf-graph-store?default": s, "/rdf-graph-store?graph=http://e/g": s,
		"/admin/backup?name=" + name: backups, "/docs": s, "/docs/docs.css": s, "/openapi.json": s, "/context.jsonld": s,
	} {
		ask := func(method string, header map[string]string) (int, string) {
			w := of.do(t, call{method: method, path: path, header: header})
			if w.Code == 412 && method == "GET" {
				wantProblem(t, w, 412, "If-Match")
			}
			return w.Code, w.Header().Get("ETag")
		}
		_, tag := ask("GET", nil)
		for _, c := range []struct {
			match, noneMatch string
			want             int
		}{
			{tag, "", 200}, {`"x", ` + tag, "", 200}, {"*", "", 200}, {" * ", "", 200},
			{`"x"`, "", 412}, {"W/" + tag, "", 412}, {`"a,*,b"`, "", 412}, {strings.Trim(tag, `"`), "", 412},
			{tag, tag, 304}, {tag, `"x"`, 200}, {`"x"`, tag, 412}, {"*", "*", 304},
		} {
			header := map[string]string{"If-Match": c.match}
			if c.noneMatch != "" {
				header["If-None-Match"] = c.noneMatch
			}
			for _, method := range []string{"GET", "HEAD"} {
				if got, _ := ask(method, header); got != c.want {
					t.Errorf("%s %s with %v: %d, want %d", method, path, header, got, c.want)
				}
			}
		}
	}
	if got := s.do(t, call{method: "GET", path: "/events", header: map[string]string{"If-None-Match": `"a,*,b"`}}).Code; got != 200 {
		t.Errorf("If-None-Match with a * inside a tag: %d", got)
	}
}

// The ETag of a compressed graph is weak, so no tag matches strongly.
func TestIfMatchNeedsAStrongTag(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, small)
	tag := s.do(t, call{method: "HEAD", path: "/events"}).Header().Get("ETag")
	for _, method := range []string{"GET", "HEAD"} {
		for match, want := range map[string]int{tag: 412, "W/" + tag: 412, "*": 200} {
			w := s.do(t, call{method: method, path: "/events", header: map[string]string{"Accept-Encoding": "gzip", "If-Match": match}})
			if w.Code != want || want == 412 && (w.Header().Get("ETag") != "" || method == "GET" && !strings.Contains(w.Body.String(), "Accept-Encoding: identity")) {
				t.Errorf("%s with %s: %d %v", method, match, w.Code, w.Header())
			}
		}
	}
}

// A precondition counts only if the answer without it is a success (RFC 9110, section
// 13.2.1).
func TestPreconditionsOfRefusedRequestsAreIgnored(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, `<http://e/s> <http://e/p> "a"@en--rtl .`)
	for path, want := range map[string]int{"/rdf-graph-store?graph=urn:x": 404, "/rdf-graph-store": 400, "/events?graph=urn:x": 422, "/events": 406} {
		for _, header := range []map[string]string{{"If-Match": `"x"`}, {"If-None-Match": "*"}} {
			header["Accept"] = "text/turtle; version=1.1"
			for _, method := range []string{"GET", "HEAD"} {
				if got := s.do(t, call{method: method, path: path, header: header}).Code; got != want {
					t.Errorf("%s %s with %v: %d, want %d", method, path, header, got, want)
				}
			}
		}
	}
}

// changingGraph calls change before each export but the first.
type changingGraph struct {
	store.Graph
	opened int
	change func()
}

func (g *changingGraph) Export(ctx context.Context, name rdf.Term, f turtle.Format) (store.Export, error) {
	if g.opened++; g.opened > 1 {
		g.change()
	}
	return g.Graph.Export(ctx, name, f)
}

// If the graph changes between the check and the export, the tag of the export counts.
func TestIfMatchHoldsForTheGraphThatIsSent(t *testing.T) {
	t.Parallel()
	var changing *changingGraph
	s := newOpenService(t, func(c *settings) {
		changing = &changingGraph{Graph: c.Graph, change: func() {}}
		c.Graph = changing
	})
	s.publish(t, "a")
	tag := s.do(t, call{method: "HEAD", path: "/events"}).Header().Get("ETag")
	changing.opened, changing.change = 0, sync.OnceFunc(func() { s.publish(t, "b") })
	wantProblem(t, s.do(t, call{method: "GET", path: "/events", header: map[string]string{"If-Match": tag}}), 412, "current ETag")
	if n := s.graph.exports(); n != 0 {
		t.Errorf("%d exports were not closed", n)
	}
}
