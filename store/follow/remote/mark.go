package remote

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/sparql/results"
)

// mark is the content of a separate graph at the server. It records which file's changes
// the server has, and up to which.
type mark struct {
	file     string // id of the file; "" if there is no mark
	change   uint64
	complete bool   // false while everything is being sent
	process  string // id of the process
	host     string // where the process runs, or ""
}

// owner describes for people who wrote the mark.
func (m mark) owner() string {
	if m.host == "" {
		return "the segraph with the file " + m.file
	}
	return fmt.Sprintf("the segraph on %s with the file %s", m.host, m.file)
}

// parseMark parses "FILE CHANGE RUN HOST". The change is "-" while everything is being sent.
func parseMark(text string) (m mark) {
	parts := append(strings.Fields(text), "", "", "", "")
	change, err := strconv.ParseUint(parts[1], 10, 64)
	return mark{parts[0], change, err == nil, parts[2], parts[3]}
}

func (f *follower) stateGraph() string { return f.config.Graph + ":state" }
func (f *follower) graphs() []string   { return []string{f.config.Graph, f.contextsGraph()} }
func (f *follower) fileID() string     { return f.file.ID() }

const markProperty = "urn:segraph:told"

// mark writes the number of the last change at the server.
func (f *follower) mark(ctx context.Context, change uint64) error {
	if err := f.checkOwner(ctx); err != nil {
		return err
	}
	return f.writeMark(ctx, strconv.FormatUint(change, 10))
}

// checkOwner returns an error if the server's last mark is not of this process, or is an earlier one. Another segraph
// may have taken the graph over at any time, so it is called before each write.
func (f *follower) checkOwner(ctx context.Context) error {
	m, err := f.readMark(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("reading whose graph it is: %w", err)
	case m.file == "":
		return &store.UnreadyError{Detail: fmt.Sprintf("the graph <%s> of %s is gone, and with it the mark that the graph <%s> belongs to this file",
			f.stateGraph(), f.config.Product, f.config.Graph)}
	case f.foreign(m):
		return f.ownedBy(m)
	case m.complete && m.change < f.marked: // it lost its last transactions, with the mark after them
		return errLost
	}
	return nil
}

// foreign reports whether a mark is of another file, or of another process that serves a copy of
// this file and has taken over the graph since this process had it.
func (f *follower) foreign(m mark) bool {
	return m.file != f.fileID() || f.owned && m.process != f.process
}

// ownedBy returns the error of a graph that belongs to another segraph.
func (f *follower) ownedBy(m mark) error {
	return &store.UnreadyError{Err: errConflict, Detail: fmt.Sprintf("the graph %s of %s follows another file than this one: it belongs to %s; name another graph, or, "+
		"if that one no longer runs, drop the graphs %[1]s and %[4]s there", f.config.Graph, f.config.Product, m.owner(), f.stateGraph())}
}

// writeMark makes the graph at the server this process's. change is a number or "-", as in
// parseMark. writeMark adds the new mark before it removes others, so that one always exists.
func (f *follower) writeMark(ctx context.Context, change string) error {
	graph, text := f.stateGraph(), strings.Join([]string{f.fileID(), change, f.process, f.host}, " ")
	err := f.timed(ctx, 0, func(ctx context.Context) error {
		err := f.client.update(ctx, fmt.Sprintf("INSERT DATA { GRAPH <%s> { <%s> <%s> %q } }", graph, f.config.Graph, markProperty, text))
		if err != nil {
			return err
		}
		return f.client.update(ctx, fmt.Sprintf("DELETE { GRAPH <%s> { ?s ?p ?o } } WHERE { GRAPH <%s> { ?s ?p ?o FILTER(STR(?o) != %q) } }", graph, graph, text))
	})
	if err != nil {
		return fmt.Errorf("marking the progress at the graph store: %w", err)
	}
	f.owned = true
	return nil
}

// readMark reads the mark. If a crash left two, it returns the one that promises less.
func (f *follower) readMark(ctx context.Context) (m mark, err error) {
	ctx, cancel := context.WithTimeout(ctx, updateTime)
	defer cancel()
	err = f.each(ctx, fmt.Sprintf("SELECT ?o WHERE { GRAPH <%s> { <%s> <%s> ?o } }", f.stateGraph(), f.config.Graph, markProperty),
		url.Values{"named-graph-uri": {f.stateGraph()}, "default-graph-uri": {noGraph}}, func(r *results.Reader) error {
			row, err := r.Next()
			if err != nil {
				return err
			}
			next := parseMark(row[0].Value())
			lower := !next.complete || m.complete && next.change < m.change
			if m.file == "" || lower || f.foreign(next) {
				m = next
			}
			return nil
		})
	return m, err
}
