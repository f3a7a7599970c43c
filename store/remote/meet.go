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
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/turtle"
)

// errConflict is the cause of errors of a server that holds another graph than the file:
// somebody has to decide.
var errConflict = errors.New("the file and the graph store hold different graphs")

// unmetNote is there while a file that was empty has not met its server yet. What was
// published meanwhile does not keep the file from taking in what the server holds.
const unmetNote = "unmet"

// noteUnmet notes that an empty file waits for its server.
func (s *Store) noteUnmet(ctx context.Context) error {
	_, last, _, err := s.outbox.Span()
	if err != nil || last > 0 { // it was told of something before
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

// setMet notes that the file has met its server.
func (s *Store) setMet(ctx context.Context) error {
	if unmet, err := s.unmet(); err != nil || !unmet {
		return err
	}
	return s.outbox.SetNote(ctx, unmetNote, nil)
}

// meet returns the first meeting of the file with a server that holds nothing of it, or
// not any more.
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
	case !empty && !ours && !unmet && m.file != "":
		return &store.UnreadyError{Err: errConflict, Detail: fmt.Sprintf("the graph %s of %s follows another file than this one; "+
			"name another graph, or empty that one", s.config.Graph, s.config.Product)}
	case !empty && !ours && !unmet:
		return &store.UnreadyError{Err: errConflict, Detail: fmt.Sprintf("the graph %s of %s holds triples that are not from this file, and the file holds others; "+
			"name another graph, or empty one of the two", s.config.Graph, s.config.Product)}
	case !empty:
		return s.adopt(ctx)
	case ours && m.file == "":
		if err := s.nameOthers(ctx); err != nil {
			return err
		}
	}
	return s.tellAll(ctx)
}

// nameOthers logs which graphs of before the server holds, since neither it nor the file
// holds anything under this name: an operator whose data are in one of them is to know
// that they are not seen. It asks for those alone that are likely: which graphs there are
// is a question that holds up every writer of a Virtuoso, for half a minute at 20 graphs.
func (s *Store) nameOthers(ctx context.Context) error {
	for _, name := range s.config.Dialect.Older {
		empty, err := s.nothingIn(ctx, name)
		if err != nil {
			return err
		}
		if !empty && name != s.config.Graph {
			s.log.Warn("the graph store holds another graph, which is not seen; with its name in the settings, an empty file takes it in",
				"product", s.config.Product, "graph", s.config.Graph, "other", name)
		}
	}
	return nil
}

// nothingHere reports whether the file holds nothing that the server would be told.
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

// adopt takes what the server's graph holds into the file, which is empty but for what
// was published while it waited for the server: a graph that was there before segraph, or
// whose file was lost. Its terms are what the server makes of them. Nothing is published
// or asked meanwhile, since nobody has all of it.
func (s *Store) adopt(ctx context.Context) error {
	s.setDown(&absence{state: store.FollowConflict, refuses: true, err: &store.UnreadyError{
		Detail: fmt.Sprintf("the graph %s of %s is being taken into the file", s.config.Graph, s.config.Product)}})
	s.adding.Lock()
	s.adding.Unlock() //lint:ignore SA2001 taking the lock waits for those that publish now
	empty, err := s.nothingHere(ctx)
	if err != nil {
		return err
	}
	s.log.Warn("the file takes in what the graph store holds", "product", s.config.Product, "graph", s.config.Graph, "file_empty", empty)
	if bare, err := s.nothingIn(ctx, s.contextsGraph()); err != nil {
		return err
	} else if !bare {
		s.log.Warn("the graph of contexts at the graph store is emptied: what decided them is in another file; bring back a backup of that one to keep them",
			"product", s.config.Product, "graph", s.contextsGraph())
	}
	// It is read once to see whether all of it can be had: the journal has nothing of
	// what came to nothing.
	if err := s.fetchAll(ctx, io.Discard); err != nil {
		return s.notAdopted(err)
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
	return s.tellAll(ctx) // under the names that this file has for blank nodes
}

// brokenOff deals with a graph of which only a part was taken in. If the file was empty
// before, it is emptied, and the next try begins from nothing. If not, both graphs are
// left as they are, for somebody to decide.
func (s *Store) brokenOff(ctx context.Context, err error, empty bool) error {
	ctx = context.WithoutCancel(ctx)
	if !empty {
		s.log.Error("taking in what the graph store holds broke off, and the file has a part of it", "product", s.config.Product, "error", err)
		return errors.Join(s.setMet(ctx), &store.UnreadyError{Err: fmt.Errorf("%w: %w", errConflict, err), Detail: fmt.Sprintf(
			"taking in the graph %s of %s broke off; publish what is in it again, name another graph, or begin with a new file", s.config.Graph, s.config.Product)})
	}
	e := journal.Entry{LogID: uuid.NewString(), Action: journal.Clear, Time: time.Now().UTC(), Actor: "segraph"}
	_, cerr := s.Store.Clear(ctx, true, e)
	return s.notAdopted(errors.Join(err, cerr))
}

// errNotAdopted is the cause of errors of a graph that the file can't take in.
var errNotAdopted = errors.New("taking in what the graph store holds")

// notAdopted says why the file can't take in what the server holds, without any of it:
// everybody may read that.
func (s *Store) notAdopted(err error) error {
	if unavailable(err) {
		return err
	}
	why := "the log says why"
	var part *PartError
	switch {
	case errors.Is(err, results.ErrNameless):
		why = "it has a literal that has lost its language or datatype there, which the log shows"
	case errors.As(err, &part):
		why = part.Error()
	}
	return &store.UnreadyError{Detail: fmt.Sprintf("the graph %s of %s can't be taken into the empty file: %s", s.config.Graph, s.config.Product, why),
		Err: fmt.Errorf("%w: %w", errNotAdopted, err)}
}

// fetchAll writes what the server's graph holds as N-Triples.
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

// nothingIn reports whether a graph of the server's is empty.
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

// each asks a query of segraph's own and calls row until it gives io.EOF.
func (s *Store) each(ctx context.Context, query string, form url.Values, row func(*results.Reader) error) error {
	ctx, stop := s.whileAlive(ctx)
	defer stop()
	err := s.eachRow(ctx, query, form, row)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

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
