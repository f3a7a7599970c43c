package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// knownLog is a log that every memoryGraph contains, with all of the graph's triples.
const knownLog = "0197c1f0-0000-7000-8000-000000000001"

// Logs records its filter and returns the whole journal, newest first.
func (g *memoryGraph) Logs(_ context.Context, f journal.Filter, quads []rdf.Quad) (p journal.Page, err error) {
	if err := g.fail(); err != nil {
		return p, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.filter, g.brought = f, quads
	for i, e := range slices.Backward(g.journal) {
		if len(p.Entries) == f.Limit {
			p.Next = uint64(i + 2)
			break
		}
		p.Entries = append(p.Entries, journal.Numbered{Seq: uint64(i + 1), Entry: e})
	}
	return p, nil
}

func (g *memoryGraph) Log(_ context.Context, id string, limit int) (l store.Log, err error) {
	if err := g.fail(); err != nil || id != knownLog {
		return l, err
	}
	triple := rdf.Quad{S: rdf.NewIRI("http://e/a"), P: rdf.NewIRI("http://e/p"), O: rdf.NewLang("x", "en")}
	named := rdf.Quad{S: rdf.NewBlank("b1"), P: triple.P, O: rdf.NewString("</script>"), G: rdf.NewIRI("http://e/g")}
	l = store.Log{Entries: []journal.Numbered{{Seq: 1, Entry: journal.Entry{LogID: id}}}, Quads: []rdf.Quad{triple, named}, Total: 2, Kept: true}
	l.Quads = l.Quads[:min(limit, 2)]
	return l, nil
}

func (g *memoryGraph) Repeated(_ context.Context, e journal.Entry) (journal.Entry, bool, error) {
	for _, earlier := range g.past {
		if earlier.RequestID == e.RequestID && earlier.SHA256 == e.SHA256 && earlier.Actor == e.Actor && earlier.Claimed == e.Claimed {
			return earlier, true, nil
		}
	}
	return journal.Entry{}, false, nil
}

func (g *memoryGraph) LogText(ctx context.Context, id string, f turtle.Format) (store.Export, error) {
	if id != knownLog {
		return nil, store.ErrNoLog
	}
	x, err := g.Export(ctx, rdf.Term{}, f)
	if err == nil && g.forgotten {
		x.(*memoryExport).write = func(context.Context, io.Writer) error { return fmt.Errorf("writing: %w", store.ErrNotKept) }
	}
	return x, err
}

func TestTheJournalTellsWhoWroteWhatInPages(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for range 5 {
		s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, "robot"), token: s.token(t, auth.Logger)})
	}
	type page struct {
		Count   int
		Entries []struct {
			Seq                            uint64
			LogID                          string `json:"log_id"`
			Action, Actor, Claimed, SHA256 string
			Time                           time.Time
			Triples                        int
		}
		Next *uint64
	}
	token := s.token(t, auth.Auditor)
	w := s.do(t, call{method: "GET", path: "/logs?limit=2", token: token})
	p := asJSON[page](t, w)
	if w.Code != 200 || p.Count != 2 || p.Next == nil || *p.Next != 4 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if e := p.Entries[0]; e.Seq != 5 || e.Action != "insert" || e.Actor != "ari" || e.Claimed != "robot" || e.Time.IsZero() || len(e.SHA256) != 64 || e.LogID == "" {
		t.Errorf("%+v", e)
	}
	w = s.do(t, call{method: "GET", path: "/logs?limit=9", token: token})
	if p := asJSON[page](t, w); p.Count != 5 || p.Next != nil {
		t.Errorf("the last page: %s", w.Body)
	}
	empty := newService(t)
	if w := empty.do(t, call{method: "GET", path: "/logs", token: token}); !strings.Contains(w.Body.String(), `"entries":[]`) {
		t.Errorf("an empty journal: %s", w.Body)
	}
}

func TestTheJournalsFiltersAreThoseOfTheQuery(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	query := url.Values{
		"limit": {"7"}, "before": {"12"}, "actor": {"ari"}, "user": {"tiago"}, "action": {"clear"},
		"since": {"2026-01-01T00:00:00Z"}, "until": {"2026-02-01T00:00:00 01:00"}, // a + that was not encoded
		"triple": {`_:b7 <http://e/p> "x, \"y\""@en <http://e/g>`},
	}
	if w := s.do(t, call{method: "GET", path: "/logs?" + query.Encode()}); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	f := s.graph.filter
	if f.Limit != 7 || f.Before != 12 || f.Actor != "ari" || f.Claimed != "tiago" || f.Action != journal.Clear || f.Look != 200_000 ||
		f.Since.Unix() != 1767225600 || f.Until.Unix() != 1769900400 {
		t.Errorf("%+v", f)
	}
	want := rdf.Quad{S: rdf.NewBlank("b7"), P: rdf.NewIRI("http://e/p"), O: rdf.NewLang(`x, "y"`, "en"), G: rdf.NewIRI("http://e/g")}
	if !slices.Equal(s.graph.brought, []rdf.Quad{want}) {
		t.Errorf("the triple is read as %v", s.graph.brought)
	}
	if s.do(t, call{method: "GET", path: "/logs"}); s.graph.brought != nil || s.graph.filter.Limit != defaultEntries {
		t.Errorf("without any: %+v %v", s.graph.filter, s.graph.brought)
	}
	for name, values := range map[string][]string{
		"limit":  {"0", "1001", "-1", "x", ""},
		"before": {"0", "-3", "x"},
		"since":  {"yesterday", "2026-01-01"},
		"until":  {"x"},
		"triple": {"", "<http://e/a> <http://e/p>", "<a> <b> <c>", "<http://e/a> <http://e/p> 1 .", "<http://e/a> <http://e/p> \"1\" . <http://e/a> <http://e/p> \"2\" .", "."},
	} {
		for _, v := range values {
			p := wantProblem(t, s.do(t, call{method: "GET", path: "/logs?" + url.Values{name: {v}}.Encode()}), 422, "")
			if len(p.Errors) != 1 || !slices.Equal(p.Errors[0].Loc, []string{"query", name}) {
				t.Errorf("%s=%q: %+v", name, v, p.Errors)
			}
		}
	}
}

func TestOneLogComesWithItsTriples(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	path := "/logs/" + knownLog
	type log struct {
		LogID   string `json:"log_id"`
		Total   int
		Kept    bool
		Triples [][]string
		Entries []any
	}
	l := asJSON[log](t, s.do(t, call{method: "GET", path: path}))
	if l.LogID != knownLog || l.Total != 2 || !l.Kept || len(l.Entries) != 1 || len(l.Triples) != 2 ||
		!slices.Equal(l.Triples[0], []string{"<http://e/a>", "<http://e/p>", `"x"@en`}) ||
		!slices.Equal(l.Triples[1], []string{"_:b1", "<http://e/p>", `"</script>"`, "<http://e/g>"}) {
		t.Errorf("%+v", l)
	}
	if l := asJSON[log](t, s.do(t, call{method: "GET", path: path + "?limit=1"})); len(l.Triples) != 1 || l.Total != 2 {
		t.Errorf("one triple of it: %+v", l)
	}
	s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, nil)})
	for accept, kind := range map[string]string{"text/turtle": "text/turtle; charset=utf-8", "application/n-triples": "application/n-triples", "application/rdf+xml": "application/rdf+xml"} {
		for _, method := range []string{"GET", "HEAD"} {
			w := s.do(t, call{method: method, path: path, header: map[string]string{"Accept": accept}})
			if w.Code != 200 || w.Header().Get("Content-Type") != kind || method == "GET" && !strings.Contains(w.Body.String(), "<http") {
				t.Errorf("%s %s: %d %v %s", method, accept, w.Code, w.Header(), w.Body)
			}
		}
		wantProblem(t, s.do(t, call{method: "GET", path: "/logs/none", header: map[string]string{"Accept": accept}}), 404, "no log with this id")
	}
	wantProblem(t, s.do(t, call{method: "GET", path: "/logs/none"}), 404, "no log with this id")
	wantProblem(t, s.do(t, call{method: "GET", path: path + "?limit=10001"}), 422, `"limit" must be`)
	if n := s.graph.exports(); n != 0 {
		t.Errorf("%d texts are still open", n)
	}
}

func TestTheTextOfADeletedLogIs404WithTheReason(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.graph.forgotten = true
	w := s.do(t, call{method: "GET", path: "/logs/" + knownLog, header: map[string]string{"Accept": "text/turtle"}})
	wantProblem(t, w, 404, "contribution was deleted")
}

func (g *memoryGraph) Origins(_ context.Context, quads []rdf.Quad, _ time.Time, _ int) ([]journal.Numbered, error) {
	return make([]journal.Numbered, len(quads)), g.fail()
}
