package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
)

// server is a graph store that answers as a test requires, and records its requests.
type server struct {
	*httptest.Server
	mu      sync.Mutex
	updates []string
	queries []string
	answer  func(w http.ResponseWriter, query string) bool // reports whether it has answered
	refuse  func(update string) bool
	breaks  func(update string) bool // with status 500
	undo    int                      // how many updates it rolls back before it accepts one
	mark    string
}

func newServer(t *testing.T) *server {
	s := &server{}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/update" {
		text := new(strings.Builder)
		if s.undo > 0 {
			s.undo--
			http.Error(w, "undone", http.StatusInternalServerError)
			return
		}
		if _, err := fmt.Fprint(text, readAll(r)); err != nil || s.refuse != nil && s.refuse(text.String()) {
			http.Error(w, "I do not take that", http.StatusBadRequest)
			return
		}
		if s.breaks != nil && s.breaks(text.String()) {
			http.Error(w, "a bug", http.StatusInternalServerError)
			return
		}
		s.updates = append(s.updates, text.String())
		if _, rest, ok := strings.Cut(text.String(), "<"+markProperty+"> \""); ok {
			s.mark, _, _ = strings.Cut(rest, `"`)
		}
		return
	}
	query := r.PostFormValue("query")
	s.queries = append(s.queries, query)
	if s.answer != nil && s.answer(w, query) {
		return
	}
	w.Header().Set("Content-Type", mediaResults)
	switch {
	case strings.HasPrefix(query, "ASK"):
		fmt.Fprint(w, `{"head":{},"boolean":true}`)
	case strings.Contains(query, markProperty) && s.mark != "":
		fmt.Fprintf(w, `{"head":{"vars":["o"]},"results":{"bindings":[{"o":{"type":"literal","value":%q}}]}}`, s.mark)
	default:
		fmt.Fprint(w, `{"head":{"vars":["s"]},"results":{"bindings":[]}}`)
	}
}

func readAll(r *http.Request) string {
	var b strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := r.Body.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			return b.String()
		}
	}
}

// received returns the updates that contain a text.
func (s *server) received(text string) (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.updates {
		if strings.Contains(u, text) {
			out = append(out, u)
		}
	}
	return out
}

// follow makes a new file that the server follows, and waits until it does.
func follow(t *testing.T, s *server, d Dialect) *Store {
	t.Helper()
	return followAs(t, s, as{Config: Config{Dialect: d}})
}

// as is a configuration with the options of all.
type as struct {
	Config
	strict bool
}

// configured completes a configuration with the server.
func (s *server) configured(c Config) Config {
	c.Name, c.Product = cmp.Or(c.Name, "server"), cmp.Or(c.Product, "the server")
	c.Query, c.Update, c.Graph = s.URL+"/query", s.URL+"/update", "urn:g"
	return c
}

// followAs is follow with a configuration, which it completes with the server.
func followAs(t *testing.T, s *server, c as) *Store {
	t.Helper()
	f := beginAs(t, s, c)
	eventually(t, "the server has all", func() bool { return f.Ready(context.Background()) == nil && state(f) == store.FollowOK })
	return f
}

// beginAs makes a new file that the server is to follow.
func beginAs(t *testing.T, s *server, c as) *Store {
	t.Helper()
	return beginFile(t, s, filepath.Join(t.TempDir(), "segraph.db"), c)
}

// beginFile is beginAs with a file that may exist.
func beginFile(t *testing.T, s *server, path string, c as) *Store {
	t.Helper()
	file, err := persist.Open(path, persist.Options{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	f := Follow(file.Store, file.Outbox, Options{Strict: c.strict}, s.configured(c.Config))
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(time.Millisecond) { // between two checks
		if time.Now().After(end) {
			t.Fatalf("did not happen within 30 s: %s", what)
		}
	}
}

func add(t *testing.T, f *Store, objects ...rdf.Term) {
	t.Helper()
	d := &store.Document{}
	for _, o := range objects {
		d.Add(rdf.Quad{S: rdf.NewIRI("urn:s"), P: rdf.NewIRI("urn:p"), O: o})
	}
	if _, err := f.Add(t.Context(), d, journal.Entry{Action: journal.Insert}); err != nil {
		t.Fatal(err)
	}
}

// collected stores an answer.
type collected struct{ rows [][]rdf.Term }

func (c *collected) Head([]string) error { return nil }

func (c *collected) Boolean(bool) error { return nil }

func (c *collected) Row(terms []rdf.Term) error {
	c.rows = append(c.rows, append([]rdf.Term(nil), terms...))
	return nil
}

func ask(t *testing.T, f *Store, text string, l budget.Limits) ([][]rdf.Term, error) {
	t.Helper()
	q, err := sparql.Prepare(context.Background(), text, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out collected
	err = f.Query(t.Context(), q, l, &out, func(rdf.Triple) error { return nil })
	return out.rows, err
}

const all = "SELECT ?o { ?s ?p ?o }"

func bindings(values ...string) string {
	rows := []map[string]any{}
	for _, v := range values {
		rows = append(rows, map[string]any{"o": map[string]string{"type": "literal", "value": v}})
	}
	text, _ := json.Marshal(map[string]any{"head": map[string]any{"vars": []string{"o"}}, "results": map[string]any{"bindings": rows}})
	return string(text)
}

// answerRows answers the query all, and ignores other queries.
func answerRows(do func(w http.ResponseWriter)) func(http.ResponseWriter, string) bool {
	return func(w http.ResponseWriter, query string) bool {
		if !strings.Contains(query, "?s ?p ?o") || strings.Contains(query, "LIMIT") {
			return false
		}
		do(w)
		return true
	}
}
