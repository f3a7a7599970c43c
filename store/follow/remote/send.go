package remote

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/follow/outbox"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// graphName returns the server's name for a graph of the file.
func (f *follower) graphName(g rdf.Term) string {
	if g.IsZero() {
		return f.config.Graph
	}
	return f.contextsGraph()
}

// contextsGraph returns the server's name for the graph of contexts. If Config.Graph is
// the default, that is store.ContextsGraph. Otherwise several services may share the
// server, and the name depends on Config.Graph.
func (f *follower) contextsGraph() string {
	if f.config.Graph == DefaultGraph {
		return store.ContextsGraph
	}
	return f.config.Graph + ":contexts"
}

// send sends a change to the server. Sending it again has no further effect. A triple that the server can't store is
// omitted, and f.unable is set. If the server refuses to remove one, or only the published graph is cleared after that,
// send returns an error, and the server gets everything again.
func (f *follower) send(ctx context.Context, c outbox.Change) error {
	for _, g := range c.Reset {
		if err := f.empty(ctx, f.graphName(g)); err != nil {
			return err
		}
	}
	switch {
	case len(c.Reset) == len(f.graphs()):
		if err := f.forgetNotes(ctx); err != nil {
			return err
		}
	case slices.Contains(c.Reset, rdf.Term{}) && f.unable.Load():
		return f.startOver(ctx, errors.New("what the graph store refused may be gone with the published graph"))
	}
	if err := f.remove(ctx, c.Remove); err != nil {
		return err
	}
	return f.add(ctx, c.Add)
}

// startOver returns an error that makes the server get everything again.
func (f *follower) startOver(ctx context.Context, why error) error {
	if err := f.writeMark(ctx, "-"); err != nil {
		return err
	}
	return fmt.Errorf("everything is sent again: %w", why)
}

// empty clears a graph.
func (f *follower) empty(ctx context.Context, graph string) error {
	ctx, cancel := context.WithTimeout(ctx, resetTime)
	defer cancel()
	if err := f.client.update(ctx, f.config.Dialect.Clear(graph)); err != nil {
		return fmt.Errorf("clearing the graph %s: %w", graph, err)
	}
	return nil
}

// perRemoval is how many triples are removed in one update.
const perRemoval = 500

func (f *follower) remove(ctx context.Context, quads []rdf.Quad) error {
	return inParts(quads, perRemoval, func(g rdf.Term, part []rdf.Quad) error {
		return f.bisect(ctx, part, func(ctx context.Context, triples int, text string) error {
			return f.update(ctx, "DELETE", g, triples, text)
		}, func(q rdf.Quad, refusal error) error {
			return f.startOver(ctx, fmt.Errorf("removing the triple %.500v: %v", q, refusal))
		})
	})
}

// perDocument is how many triples one document of the Graph Store Protocol has.
const perDocument = 100_000

// add adds quads to the server: many as a document, few as an update.
func (f *follower) add(ctx context.Context, quads []rdf.Quad) error {
	limit := f.config.Dialect.MaxInsert
	if f.config.GraphStore != "" && len(quads) > limit {
		limit = perDocument
	}
	return inParts(quads, limit, func(g rdf.Term, part []rdf.Quad) error {
		if err := f.checkWords(ctx, part); err != nil {
			return err
		}
		return f.bisect(ctx, part, func(ctx context.Context, triples int, text string) error {
			d := &f.config.Dialect
			if f.config.GraphStore == "" || triples <= d.MaxInsert && len(text) <= d.MaxInsertBytes {
				return f.update(ctx, "INSERT", g, triples, text)
			}
			return f.client.insert(ctx, f.graphName(g), []byte(d.TurtleHead+text))
		}, func(q rdf.Quad, refusal error) error { return f.leaveOut(ctx, q, refusal.Error()) })
	})
}

// update inserts or deletes triples in one request: verb is INSERT or DELETE. It refuses a text that
// is too long, unless it has a single triple.
func (f *follower) update(ctx context.Context, verb string, g rdf.Term, triples int, text string) error {
	if triples > 1 && len(text) > f.config.Dialect.MaxInsertBytes {
		return &RefusalError{Status: http.StatusRequestEntityTooLarge, Text: "the update is too long"}
	}
	return f.client.update(ctx, verb+" DATA { GRAPH <"+f.graphName(g)+"> {\n"+text+"} }")
}

// bisect calls do with triples of one graph and their number. do sends them in one request, which
// takes effect as a whole or not at all. If the server refuses it, bisect calls do with halves of
// them, and calls alone with each triple that is refused alone. A server that breaks at an update refuses it, see breaks.
func (f *follower) bisect(ctx context.Context, part []rdf.Quad,
	do func(ctx context.Context, triples int, text string) error, alone func(q rdf.Quad, refusal error) error) error {
	text, err := f.triples(ctx, part)
	if err != nil || text == "" {
		return err
	}
	send := func() error {
		return f.timed(ctx, len(part), func(ctx context.Context) error { return do(ctx, len(part), text) })
	}
	err = send()
	var refusal *RefusalError
	switch {
	case !errors.As(err, &refusal) && !f.breaks(err):
		return err
	case len(part) > 1: // halves follow
	case refusal != nil:
		return alone(part[0], refusal)
	default:
		trial := fmt.Sprintf(" DATA { GRAPH <%s> { <%s> <%s> \"trial %d\" } }", f.stateGraph(), noGraph, wordProperty, time.Now().UnixNano()) // never there yet
		try := func(verb string) error {
			return f.timed(ctx, 1, func(ctx context.Context) error { return f.client.update(ctx, verb+trial) })
		}
		if failed := try("INSERT"); failed != nil {
			return failed // so it is not because of the triple
		}
		_ = try("DELETE") // nothing reads a trial that stays
		err = send()
		if refused := errors.Is(err, errBreaks) || errors.As(err, &refusal); refused {
			return alone(part[0], err)
		}
		return err // it has recovered, or is away
	}
	for half := range slices.Chunk(part, (len(part)+1)/2) {
		if err := f.bisect(ctx, half, do, alone); err != nil {
			return err
		}
	}
	return nil
}

// maxBreaks is how often in a row sending may fail with status 500 until the content counts as the cause.
const maxBreaks = 5

// breaks reports whether the server broke at an update so often that something in it counts as refused.
func (f *follower) breaks(err error) bool {
	if errors.Is(err, errBreaks) {
		f.broken++
		return f.broken > maxBreaks
	}
	return false
}

// leaveOut records that a triple was omitted, because the server can't store it.
func (f *follower) leaveOut(ctx context.Context, q rdf.Quad, why string) error {
	if !f.unable.Load() {
		f.log.Error("the graph store can't store a triple; the file answers queries from now on, until the graph is cleared",
			"triple", fmt.Sprintf("%.500v", q), "error", why)
	}
	return f.note(ctx, unableNote)
}

// timed runs do with a timeout that allows for sending the given number of triples.
func (f *follower) timed(ctx context.Context, triples int, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, updateTime+time.Duration(triples/10_000)*updateTime)
	defer cancel()
	return do(ctx)
}

// inParts splits quads into parts of one graph each, with no more than limit quads, and
// calls do with each part in order.
func inParts(quads []rdf.Quad, limit int, do func(g rdf.Term, part []rdf.Quad) error) error {
	for len(quads) > 0 {
		n := 1
		for n < len(quads) && n < limit && quads[n].G == quads[0].G {
			n++
		}
		if err := do(quads[0].G, quads[:n]); err != nil {
			return err
		}
		quads = quads[n:]
	}
	return nil
}

// triples returns triples as N-Triples, which is valid SPARQL and Turtle. It omits those
// that the server can't store: the file may have them from a time when another server
// followed it, or none did.
func (f *follower) triples(ctx context.Context, quads []rdf.Quad) (string, error) {
	var out bytes.Buffer
	w := turtle.NewWriter(&out, turtle.NTriples, nil)
	d := &f.config.Dialect
	for _, q := range quads {
		if why := cmp.Or(d.refuse(q.S), d.refuse(q.P), d.refuse(q.O)); why != "" {
			if err := f.leaveOut(ctx, q, why); err != nil {
				return "", err
			}
			continue
		}
		object := d.out(q.O)
		if why := f.losesWord(object); why != "" {
			if err := f.leaveOut(ctx, q, why); err != nil {
				return "", err
			}
			continue
		}
		if d.ShortFloats && isFloat(q.O) {
			if err := f.note(ctx, floatsNote); err != nil {
				return "", err
			}
		}
		if object != q.O && object.IsLiteral() {
			if err := f.note(ctx, keptNote); err != nil {
				return "", err
			}
		}
		if err := w.Write(rdf.Quad{S: d.out(q.S), P: q.P, O: object}); err != nil {
			return "", fmt.Errorf("writing triples for the graph store: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return "", fmt.Errorf("writing triples for the graph store: %w", err)
	}
	return out.String(), nil
}

// Notes in the outbox about the server's content.
const (
	unableNote = "unable" // it lacks a triple that it refused
	floatsNote = "floats" // it has literals of xsd:double or xsd:float, in a dialect with ShortFloats
	keptNote   = "kept"   // it has literals with substituted datatypes
)

func isFloat(t rdf.Term) bool { return t.Datatype() == rdf.XSDDouble || t.Datatype() == rdf.XSDFloat }

// notes returns the flag of each note.
func (f *follower) notes() map[string]*atomic.Bool {
	return map[string]*atomic.Bool{unableNote: &f.unable, floatsNote: &f.floats, keptNote: &f.kept}
}

// ownNote returns the name of a note in the outbox.
func (f *follower) ownNote(name string) string { return name + " " + f.config.Name }

// note sets a note. Call it before the server receives the data that the note describes.
func (f *follower) note(ctx context.Context, name string) error {
	if f.notes()[name].Swap(true) {
		return nil
	}
	return f.outbox.SetNote(ctx, f.ownNote(name), []byte{1})
}

// forgetNotes clears all notes, when the server's graph is empty.
func (f *follower) forgetNotes(ctx context.Context) error {
	for name, is := range f.notes() {
		if is.Swap(false) {
			if err := f.outbox.SetNote(ctx, f.ownNote(name), nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// readNotes reads all notes after a start.
func (f *follower) readNotes() error {
	for name, is := range f.notes() {
		noted, err := f.outbox.Note(f.ownNote(name))
		if err != nil {
			return err
		}
		is.Store(noted != nil)
	}
	return nil
}

// asUnready wraps an error in a *store.UnreadyError, unless it wraps store.ErrUnavailable
// already.
func asUnready(product string, err error) error {
	if err == nil || unavailable(err) {
		return err
	}
	return &store.UnreadyError{Detail: product + " fails requests", Err: err}
}
