package remote

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
)

// toldTriples returns the distinct triples that the server received about subjects that
// begin with subject. The caller holds s.mu.
func (s *server) toldTriples(subject string) map[string]bool {
	out := map[string]bool{}
	for _, u := range s.updates {
		if !strings.HasPrefix(u, "INSERT DATA") {
			continue
		}
		for line := range strings.Lines(u) {
			if strings.HasPrefix(line, "<"+subject) {
				out[line] = true
			}
		}
	}
	return out
}

// addLarge adds a document with the given number of triples, the last of them twice,
// about subjects that begin with name.
func addLarge(t *testing.T, f *Store, name string, triples int) {
	t.Helper()
	var text strings.Builder
	for i := range triples {
		fmt.Fprintf(&text, "<%s%d> <urn:p> \"%d\" .\n", name, i/10, i)
	}
	fmt.Fprintf(&text, "<%s%d> <urn:p> \"%d\" .\n", name, (triples-1)/10, triples-1)
	e, err := f.AddText(t.Context(), &store.Text{Content: []byte(text.String())}, journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert})
	if err != nil {
		t.Fatal(err)
	}
	if e.Triples != triples || e.Added != triples {
		t.Errorf("stored %d triples, %d of them new; want %d", e.Triples, e.Added, triples)
	}
}

// A large document, which the file stores in steps, is sent completely. Once nothing is
// behind, the server has all of it.
func TestALargeDocumentIsSentCompletely(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	const triples = 20_000
	s := newServer(t)
	f := follow(t, s, Dialect{})
	addLarge(t, f, "urn:large:", triples)
	eventually(t, "nothing is behind", func() bool { n, _ := lacking(f); return n == 0 })
	s.do(func() {
		if n := len(s.toldTriples("urn:large:")); n != triples {
			t.Errorf("nothing is behind, and the server has %d triples of %d", n, triples)
		}
	})
}

// The server answers queries only when it has received all of a large document.
func TestAQueryBehindALargeDocumentSeesAllOfIt(t *testing.T) {
	t.Parallel()
	const triples = 20_000
	s := newServer(t)
	f := follow(t, s, Dialect{})
	s.do(func() {
		s.answer = answerRows(func(w http.ResponseWriter) { // s.mu is held
			if n := len(s.toldTriples("urn:large:")); n != triples {
				t.Errorf("the server is asked when it has %d triples of %d", n, triples)
			}
			fmt.Fprint(w, bindings("from the server"))
		})
	})
	addLarge(t, f, "urn:large:", triples)
	if rows, err := ask(t, f, all, budget.Limits{}); err != nil || len(rows) != 1 && len(rows) != triples {
		t.Errorf("%d rows, %v; want 1 from the server or %d from the file", len(rows), err, triples)
	}
	eventually(t, "nothing is behind", func() bool { n, _ := lacking(f); return n == 0 })
	wantRows(t, f, 1)
}

// A large document with a term that the server can't store is refused, and nothing of it
// is sent.
func TestALargeDocumentThatTheServerCantHaveIsRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	f := follow(t, s, Dialect{Refuse: func(t rdf.Term) string {
		if t.Value() == "too long" {
			return "it is too long"
		}
		return ""
	}})
	text := strings.Repeat("<urn:large:1> <urn:p> [] .\n", 5000) + "<urn:large:1> <urn:p> \"too long\" .\n"
	_, err := f.AddText(t.Context(), &store.Text{Content: []byte(text), Format: turtle.Turtle}, journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert})
	var refused *store.RefusedError
	if !errors.As(err, &refused) || refused.Detail != "it is too long" {
		t.Errorf("AddText returned %v", err)
	}
	add(t, f, rdf.NewString("small"))
	eventually(t, "the server has all", func() bool { n, _ := lacking(f); return n == 0 })
	s.do(func() {
		if n := len(s.toldTriples("urn:large:")); n != 0 {
			t.Errorf("the server received %d triples of it", n)
		}
	})
}
