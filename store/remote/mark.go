package remote

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/sparql/results"
)

// mark is the content of a separate graph at the server. It records which file's changes
// the server has, and up to which.
type mark struct {
	file     string // id of the file; "" if there is no mark
	change   uint64
	complete bool // false while everything is being sent
}

func (s *Store) stateGraph() string { return s.config.Graph + ":state" }
func (s *Store) graphs() []string   { return []string{s.config.Graph, s.contextsGraph()} }
func (s *Store) fileID() string     { return s.Store.ID() }

const markProperty = "urn:segraph:told"

// mark writes the number of the last change at the server.
func (s *Store) mark(ctx context.Context, change uint64) error {
	return s.writeMark(ctx, strconv.FormatUint(change, 10))
}

// writeMark adds the new mark before it removes others, so that one always exists.
func (s *Store) writeMark(ctx context.Context, change string) error {
	graph, text := s.stateGraph(), s.fileID()+" "+change
	err := s.timed(ctx, 0, func(ctx context.Context) error {
		err := s.client.update(ctx, fmt.Sprintf("INSERT DATA { GRAPH <%s> { <%s> <%s> %q } }", graph, s.config.Graph, markProperty, text))
		if err != nil {
			return err
		}
		return s.client.update(ctx, fmt.Sprintf("DELETE { GRAPH <%s> { ?s ?p ?o } } WHERE { GRAPH <%s> { ?s ?p ?o FILTER(STR(?o) != %q) } }", graph, graph, text))
	})
	if err != nil {
		return fmt.Errorf("marking the progress at the graph store: %w", err)
	}
	return nil
}

// readMark reads the mark. If a crash left two, it returns the lower one.
func (s *Store) readMark(ctx context.Context) (m mark, err error) {
	ctx, cancel := context.WithTimeout(ctx, updateTime)
	defer cancel()
	err = s.each(ctx, fmt.Sprintf("SELECT ?o WHERE { GRAPH <%s> { <%s> <%s> ?o } }", s.stateGraph(), s.config.Graph, markProperty),
		url.Values{"named-graph-uri": {s.stateGraph()}, "default-graph-uri": {noGraph}}, func(r *results.Reader) error {
			row, err := r.Next()
			if err != nil {
				return err
			}
			file, number, _ := strings.Cut(row[0].Value(), " ")
			change, err := strconv.ParseUint(number, 10, 64)
			next := mark{file, change, err == nil}
			if m.file == "" || !next.complete || m.complete && next.change < m.change || next.file != s.fileID() {
				m = next
			}
			return nil
		})
	return m, err
}
