package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/turtle"
)

// errConflict is the cause of errors of a server whose graph differs from the file's. An
// operator must decide.
var errConflict = errors.New("the file and the graph store hold different graphs")

// unmetNote is set while a file that was empty has not met its server yet. Documents
// published meanwhile do not prevent importing the server's graph.
const unmetNote = "unmet"

// noteUnmet records that an empty file waits for its server.
func (s *Store) noteUnmet(ctx context.Context) error {
	_, last, _, err := s.outbox.Span()
	if err != nil || last > 0 { // changes were made before
		return err
	}
	if empty, err := s.nothingHere(ctx); err != nil || !empty {
		return err
	}
	return s.outbox.SetNote(ctx, unmetNote, []byte{1})
}

// unmet reports whether the file has met no server since it was empty.
func (s *Store) unmet() (bool, error) {
	noted, err := s.outbox.Note(unmetNote)
	return noted != nil, err
}

// setMet records that the file has met its server.
func (s *Store) setMet(ctx context.Context) error {
	if unmet, err := s.unmet(); err != nil || !unmet {
		return err
	}
	return s.outbox.SetNote(ctx, unmetNote, nil)
}

// meet handles a server that has no mark of this file: at their first meeting, or after
// the server lost everything.
func (s *Store) meet(ctx context.Context, m mark) error {
	empty, err := s.nothingIn(ctx, s.config.Graph)
	if err != nil {
		return err
	}
	ours, err := s.nothingHere(ctx)
	if err != nil {
		return err
	}
	unmet, err := s.unmet()
	switch {
	case err != nil:
		return err
	case m.file != "" && (!unmet || s.owned):
		return s.ownedBy(m)
	case !empty && !ours && !unmet:
		return &store.UnreadyError{Err: errConflict, Detail: fmt.Sprintf("the graph %s of %s holds triples that are not from this file, and the file holds others; "+
			"name another graph, or empty one of the two", s.config.Graph, s.config.Product)}
	case !empty:
		return s.importGraph(ctx)
	case ours && m.file == "":
		if err := s.nameOthers(ctx); err != nil {
			return err
		}
	}
	return s.sendAll(ctx)
}

// nameOthers logs which older graphs the server has. It is called if neither the server
// nor the file has anything under the configured name: an operator whose data is in an
// older graph must learn that it is not used. It checks only likely names, because on
// Virtuoso, listing all graphs blocks every writer, for half a minute with 20 graphs.
func (s *Store) nameOthers(ctx context.Context) error {
	for _, name := range s.config.Dialect.Older {
		empty, err := s.nothingIn(ctx, name)
		if err != nil {
			return err
		}
		if !empty && name != s.config.Graph {
			s.log.Warn("the graph store has another graph, which is not used; if the settings name it, an empty file imports it",
				"product", s.config.Product, "graph", s.config.Graph, "other", name)
		}
	}
	return nil
}

// nothingHere reports whether the file has nothing to send to the server.
func (s *Store) nothingHere(ctx context.Context) (bool, error) {
	err := s.outbox.All(ctx, func(_ uint64, quads []rdf.Quad) error {
		if len(quads) > 0 {
			return errSomething
		}
		return nil
	})
	if errors.Is(err, errSomething) {
		return false, nil
	}
	return err == nil, err
}

var errSomething = errors.New("there is something")

// importGraph imports the server's graph into the file. The file is empty, except for
// documents published while it waited for the server. Such a graph is older than segraph,
// or its file was lost. Its terms have the server's form. During the import nothing is
// published or queried, because neither side has everything.
func (s *Store) importGraph(ctx context.Context) error {
	s.setDown(&absence{state: store.FollowConflict, refuses: true, err: &store.UnreadyError{
		Detail: fmt.Sprintf("the graph %s of %s is being imported into the file", s.config.Graph, s.config.Product)}})
	s.adding.Lock()
	s.adding.Unlock() //lint:ignore SA2001 taking the lock waits for those that publish now
	empty, err := s.nothingHere(ctx)
	if err != nil {
		return err
	}
	s.log.Warn("importing the graph store's graph into the file", "product", s.config.Product, "graph", s.config.Graph, "file_empty", empty)
	if bare, err := s.nothingIn(ctx, s.contextsGraph()); err != nil {
		return err
	} else if !bare {
		s.log.Warn("the graph of contexts at the graph store is cleared: its decisions are in another file; to keep them, import a backup of that file",
			"product", s.config.Product, "graph", s.contextsGraph())
	}
	// First read everything without storing it, to find out whether that works. So a
	// failed attempt leaves no entry in the journal.
	if err := s.fetchAll(ctx, io.Discard); err != nil {
		return s.notImported(err)
	}
	r, w := io.Pipe()
	go func() {
		err := errors.New("it panicked")
		defer func() {
			if r := recover(); r != nil {
				s.panicked(r)
			}
			w.CloseWithError(err)
		}()
		err = s.fetchAll(ctx, w)
	}()
	e := journal.Entry{LogID: uuid.NewString(), Action: journal.Insert, Time: time.Now().UTC(), Actor: "segraph"}
	_, err = s.Load(ctx, struct{ io.Reader }{r}, turtle.NTriples, turtle.Options{}, e, nil)
	r.CloseWithError(err)
	if err != nil {
		return s.brokenOff(ctx, err, empty)
	}
	return s.sendAll(ctx) // with this file's names for blank nodes
}

// brokenOff handles an import that ended early. If the file was empty before, brokenOff
// clears it, and the next attempt starts over. Otherwise it leaves both graphs unchanged,
// for an operator to decide.
func (s *Store) brokenOff(ctx context.Context, err error, empty bool) error {
	ctx = context.WithoutCancel(ctx)
	if !empty {
		s.log.Error("importing the graph store's graph broke off, and the file has a part of it", "product", s.config.Product, "error", err)
		return errors.Join(s.setMet(ctx), &store.UnreadyError{Err: fmt.Errorf("%w: %w", errConflict, err), Detail: fmt.Sprintf(
			"importing the graph %s of %s broke off; publish its content again, name another graph, or start with a new file", s.config.Graph, s.config.Product)})
	}
	e := journal.Entry{LogID: uuid.NewString(), Action: journal.Clear, Time: time.Now().UTC(), Actor: "segraph"}
	_, cerr := s.Store.Clear(ctx, true, e)
	return s.notImported(errors.Join(err, cerr))
}

// errNotImported is the cause of errors of a graph that the file can't import.
var errNotImported = errors.New("importing the graph store's graph")

// notImported returns the error of a graph that the file can't import. It does not quote
// the graph, because everybody may read the error.
func (s *Store) notImported(err error) error {
	if unavailable(err) {
		return err
	}
	why := "the server log has the reason"
	var part *PartError
	switch {
	case errors.Is(err, results.ErrNameless):
		why = "a literal has lost its language or datatype there; the server log shows it"
	case errors.As(err, &part):
		why = part.Error()
	}
	return &store.UnreadyError{Detail: fmt.Sprintf("the graph %s of %s can't be imported into the empty file: %s", s.config.Graph, s.config.Product, why),
		Err: fmt.Errorf("%w: %w", errNotImported, err)}
}

// fetchAll writes the server's graph as N-Triples.
func (s *Store) fetchAll(ctx context.Context, to io.Writer) error {
	w := turtle.NewWriter(to, turtle.NTriples, nil)
	query := "SELECT ?s ?p ?o WHERE { ?s ?p ?o }"
	if s.config.Dialect.ShortFloats {
		query = fmt.Sprintf(`SELECT ?s ?p ?o (IF(DATATYPE(?o) = <%s> || DATATYPE(?o) = <%s>, STR(?o), "") AS ?text) WHERE { ?s ?p ?o }`, rdf.XSDDouble, rdf.XSDFloat)
	}
	err := s.each(ctx, query, url.Values{"default-graph-uri": {s.config.Graph}}, func(r *results.Reader) error {
		row, err := r.Next()
		if err != nil {
			return err
		}
		d := &s.config.Dialect
		o := d.in(row[2])
		if len(row) > 3 {
			o = exactFloat(o, row[3])
		}
		return w.Write(rdf.Quad{S: d.in(row[0]), P: d.in(row[1]), O: o})
	})
	return errors.Join(err, w.Close())
}

// nothingIn reports whether a graph at the server is empty.
func (s *Store) nothingIn(ctx context.Context, graph string) (empty bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, updateTime)
	defer cancel()
	empty = true
	err = s.each(ctx, "SELECT ?s WHERE { ?s ?p ?o } LIMIT 1", url.Values{"default-graph-uri": {graph}}, func(r *results.Reader) error {
		_, err := r.Next()
		if err == nil {
			empty = false
		}
		return err
	})
	return empty, err
}

// each runs one of segraph's own queries. It calls row until that returns an error, and
// returns the error unless it is io.EOF.
func (s *Store) each(ctx context.Context, query string, form url.Values, row func(*results.Reader) error) error {
	ctx, stop := s.whileAlive(ctx)
	defer stop()
	err := s.eachRow(ctx, query, form, row)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// eachRow calls row with the reader of a query's results until it returns io.EOF or another error.
func (s *Store) eachRow(ctx context.Context, query string, form url.Values, row func(*results.Reader) error) error {
	form.Set("query", query)
	answer, err := s.client.query(ctx, form)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if err := s.config.Dialect.Complete(answer.Header); err != nil {
		return err
	}
	r, err := results.NewReader(answer.Body)
	for err == nil {
		err = row(r)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
