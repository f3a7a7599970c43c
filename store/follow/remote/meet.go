package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
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

// noteUnmet records that an empty file waits for its servers.
func (s *Store) noteUnmet(ctx context.Context) error {
	_, last, err := s.outbox.Span()
	if err != nil || last > 0 { // changes were made before
		return err
	}
	if n, err := published(s.Store); err != nil || n > 0 {
		return err
	}
	return s.outbox.SetNote(ctx, unmetNote, []byte{1})
}

// unmet reports whether the file has met no server since it was empty.
func (f *follower) unmet() (bool, error) {
	noted, err := f.outbox.Note(unmetNote)
	return noted != nil, err
}

// setMet records that the file has met its server.
func (f *follower) setMet(ctx context.Context) error {
	if unmet, err := f.unmet(); err != nil || !unmet {
		return err
	}
	return f.outbox.SetNote(ctx, unmetNote, nil)
}

// meet handles a server that has no mark of this file: at their first meeting, or after
// the server lost everything. One server is met at a time, because its graph may be imported.
func (f *follower) meet(ctx context.Context, m mark) error {
	f.group.meeting.Lock()
	defer f.group.meeting.Unlock()
	empty, err := f.nothingIn(ctx, f.config.Graph)
	if err != nil {
		return err
	}
	ours, err := published(f.file)
	if err != nil {
		return err
	}
	unmet, err := f.unmet()
	known := !unmet || f.owned
	switch {
	case err != nil:
		return err
	case m.file != "" && known:
		return f.ownedBy(m)
	case !empty && ours > 0 && !unmet:
		return &store.UnreadyError{Err: errConflict, Detail: fmt.Sprintf("the graph %s of %s holds triples that are not from this file, and the file holds others; "+
			"name another graph, or empty one of the two", f.config.Graph, f.config.Product)}
	case !empty:
		return f.importGraph(ctx)
	case ours == 0 && m.file == "":
		return f.nameOthers(ctx)
	}
	return nil
}

// nameOthers logs which older graphs the server has. It is called if neither the server
// nor the file has anything under the configured name: an operator whose data is in an
// older graph must learn that it is not used. It checks only likely names, because on
// Virtuoso, listing all graphs blocks every writer, for half a minute with 20 graphs.
func (f *follower) nameOthers(ctx context.Context) error {
	for _, name := range f.config.Dialect.Older {
		empty, err := f.nothingIn(ctx, name)
		if err != nil {
			return err
		}
		if !empty && name != f.config.Graph {
			f.log.Warn("the graph store has another graph, which is not used; if the settings name it, an empty file imports it",
				"product", f.config.Product, "graph", f.config.Graph, "other", name)
		}
	}
	return nil
}

// published returns how many triples the file's published graph has. Contexts do not matter: an import adds none.
func published(s *engine.Store) (int64, error) {
	return engine.Read(s, func(snap *engine.Snapshot) (int64, error) { return snap.Count(0, 0, 0, 0) })
}

// importGraph imports the server's graph into the file. The file's graph is empty, except for
// documents published while it waited for the server. Such a graph is older than segraph,
// or its file was lost. Its terms have the server's form. During the import no document is
// published and nothing queried, because neither side has everything.
func (f *follower) importGraph(ctx context.Context) error {
	f.setDown(&absence{state: store.FollowConflict, refuses: true, importing: true, err: &store.UnreadyError{
		Detail: fmt.Sprintf("the graph %s of %s is being imported into the file", f.config.Graph, f.config.Product)}})
	f.group.adding.Lock()
	f.group.adding.Unlock() //lint:ignore SA2001 taking the lock waits for those that publish now
	ours, err := published(f.file)
	if err != nil {
		return err
	}
	f.log.Warn("importing the graph store's graph into the file", "product", f.config.Product, "graph", f.config.Graph, "file_empty", ours == 0)
	if bare, err := f.nothingIn(ctx, f.contextsGraph()); err != nil {
		return err
	} else if !bare {
		f.log.Warn("the graph of contexts at the graph store is cleared: its decisions are in another file; to keep them, import a backup of that file",
			"product", f.config.Product, "graph", f.contextsGraph())
	}
	// Everything is read before any is stored, so a failed attempt leaves no entry in the journal.
	text, err := spool.Unnamed(filepath.Dir(f.file.Path()))
	if err != nil {
		return f.notImported(fmt.Errorf("making a temporary copy: %w", err))
	}
	defer text.Close()
	err = f.fetchAll(ctx, text)
	if err == nil {
		_, err = text.Seek(0, io.SeekStart)
	}
	if err != nil {
		return f.notImported(err)
	}
	e := journal.Entry{LogID: uuid.NewString(), Action: journal.Insert, Time: time.Now().UTC(), Actor: "segraph"}
	loaded, err := f.file.Load(ctx, text, turtle.NTriples, turtle.Options{}, e, nil)
	if err != nil {
		return f.brokenOff(ctx, err, loaded.Added)
	}
	// All is sent next, with this file's names for blank nodes. Another server's graph is not
	// imported any more.
	if err := f.writeMark(ctx, "-"); err != nil {
		return err
	}
	return f.setMet(ctx)
}

// brokenOff handles an import that ended early, after it added some triples. If the published graph has no others,
// brokenOff clears it, and the next attempt starts over. Otherwise it leaves both graphs unchanged, for an operator to
// decide.
func (f *follower) brokenOff(ctx context.Context, err error, added int64) error {
	ctx = context.WithoutCancel(ctx)
	now, cerr := published(f.file)
	if cerr != nil {
		return errors.Join(err, cerr)
	}
	if now != added {
		f.log.Error("importing the graph store's graph broke off, and the file has a part of it", "product", f.config.Product, "error", err)
		return errors.Join(f.setMet(ctx), &store.UnreadyError{Err: fmt.Errorf("%w: %w", errConflict, err), Detail: fmt.Sprintf(
			"importing the graph %s of %s broke off; publish its content again, name another graph, or start with a new file", f.config.Graph, f.config.Product)})
	}
	e := journal.Entry{LogID: uuid.NewString(), Action: journal.Clear, Time: time.Now().UTC(), Actor: "segraph"}
	_, cerr = f.file.Clear(ctx, false, e)
	return f.notImported(errors.Join(err, cerr))
}

// errNotImported is the cause of errors of a graph that the file can't import.
var errNotImported = errors.New("importing the graph store's graph")

// notImported returns the error of a graph that the file can't import. It does not quote
// the graph, because everybody may read the error.
func (f *follower) notImported(err error) error {
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
	return &store.UnreadyError{Detail: fmt.Sprintf("the graph %s of %s can't be imported into the empty file: %s", f.config.Graph, f.config.Product, why),
		Err: fmt.Errorf("%w: %w", errNotImported, err)}
}

// fetchAll writes the server's graph as N-Triples.
func (f *follower) fetchAll(ctx context.Context, to io.Writer) error {
	w := turtle.NewWriter(to, turtle.NTriples, nil)
	query := "SELECT ?s ?p ?o WHERE { ?s ?p ?o }"
	if f.config.Dialect.ShortFloats {
		query = fmt.Sprintf(`SELECT ?s ?p ?o (IF(DATATYPE(?o) = <%s> || DATATYPE(?o) = <%s>, STR(?o), "") AS ?text) WHERE { ?s ?p ?o }`, rdf.XSDDouble, rdf.XSDFloat)
	}
	err := f.each(ctx, query, url.Values{"default-graph-uri": {f.config.Graph}}, func(r *results.Reader) error {
		row, err := r.Next()
		if err != nil {
			return err
		}
		d := &f.config.Dialect
		o := d.in(row[2])
		if len(row) > 3 {
			o = exactFloat(o, row[3])
		}
		return w.Write(rdf.Quad{S: d.in(row[0]), P: d.in(row[1]), O: o})
	})
	return errors.Join(err, w.Close())
}

// nothingIn reports whether a graph at the server is empty.
func (f *follower) nothingIn(ctx context.Context, graph string) (empty bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, updateTime)
	defer cancel()
	empty = true
	err = f.each(ctx, "SELECT ?s WHERE { ?s ?p ?o } LIMIT 1", url.Values{"default-graph-uri": {graph}}, func(r *results.Reader) error {
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
func (f *follower) each(ctx context.Context, query string, form url.Values, row func(*results.Reader) error) error {
	ctx, stop := f.whileAlive(ctx)
	defer stop()
	err := f.eachRow(ctx, query, form, row)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// eachRow calls row with the reader of a query's results until it returns io.EOF or another error.
func (f *follower) eachRow(ctx context.Context, query string, form url.Values, row func(*results.Reader) error) error {
	form.Set("query", query)
	answer, err := f.client.query(ctx, form)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if err := f.config.Dialect.Complete(answer.Header); err != nil {
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
