package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/follow/outbox"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// Contexts that robots got while a graph was imported stay when the import breaks off, and the next start imports the
// graph all the same.
func TestAnImportThatBreaksOffKeepsContexts(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.answer = func(w http.ResponseWriter, query string) bool {
		switch {
		case !strings.Contains(query, "?s ?p ?o") || strings.Contains(query, "GRAPH"):
			return false
		case strings.Contains(query, "LIMIT"):
			fmt.Fprint(w, `{"head":{"vars":["s"]},"results":{"bindings":[{"s":{"type":"uri","value":"urn:s"}}]}}`)
		default:
			fmt.Fprint(w, `{"head":{"vars":["s","p","o"]},"results":{"bindings":[{"s":{"type":"uri","value":"urn:s"},"p":{"type":"uri","value":"urn:p"},"o":{"type":"literal","value":"old"}}]}}`)
		}
		return true
	}
	path := filepath.Join(t.TempDir(), "segraph.db")
	var fails, importing atomic.Bool
	fails.Store(true)
	follows := make(chan *Store, 1)
	begin := func() *Store {
		o := outbox.New(true)
		file, err := engine.Open(path, engine.Options{Extensions: []engine.Extension{o.Extension(), {
			Entered: func(_ *engine.Tx, _ uint64, e *journal.Entry) (func(), error) {
				if e.Action == journal.Insert && fails.Load() {
					importing.Store((<-follows).Importing() != nil)
					return nil, errors.New("no space left on device")
				}
				return nil, nil
			},
			Clear: func(tx *engine.Tx) error { return tx.RemoveGraph(rdf.NewIRI(store.ContextsGraph)) },
		}}})
		if err != nil {
			t.Fatal(err)
		}
		if fails.Load() {
			d := &engine.Delta{}
			d.Add.Add(rdf.Quad{S: rdf.NewIRI("urn:context"), P: rdf.NewIRI("urn:p"), O: rdf.NewString("new"), G: rdf.NewIRI(store.ContextsGraph)})
			if err := file.Update(t.Context(), func(tx *engine.Tx) error { return tx.Apply(d) }); err != nil {
				t.Fatal(err)
			}
		}
		return Follow(file, o, Options{}, s.configured(Config{}))
	}
	holds := func(f *Store) (graph, contexts int) {
		err := f.outbox.All(t.Context(), func(quads []rdf.Quad) error {
			for _, q := range quads {
				if q.G.IsZero() {
					graph++
				} else {
					contexts++
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return graph, contexts
	}
	f := begin()
	follows <- f
	var unready *store.UnreadyError
	eventually(t, "the import breaks off", func() bool {
		return errors.As(f.Ready(t.Context()), &unready) && strings.Contains(unready.Detail, "can't be imported")
	})
	if graph, contexts := holds(f); graph != 0 || contexts != 1 {
		t.Errorf("%d triples and %d contexts are left, want 0 and 1", graph, contexts)
	}
	if !importing.Load() || f.Importing() != nil {
		t.Errorf("during the import it is known: %v, and later %v", importing.Load(), f.Importing())
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	fails.Store(false)
	f = begin()
	defer f.Close()
	eventually(t, "the graph is imported", func() bool { return f.Ready(context.Background()) == nil && state(f) == store.FollowOK })
	if graph, contexts := holds(f); graph != 1 || contexts != 1 {
		t.Errorf("after the next start the file has %d triples and %d contexts, want 1 of each", graph, contexts)
	}
}
