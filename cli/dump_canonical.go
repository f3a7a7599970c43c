package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lanrat/extsort"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
)

// linesInMemory is how many lines are sorted in memory before they go to a temporary file.
const linesInMemory = 50_000

// dumpCanonical writes all quads of a snapshot in canonical form. It holds only the quads
// with blank nodes in memory, and sorts the lines in temporary files.
// It returns the blank nodes that have no canonical label, because they are too similar.
func dumpCanonical(ctx context.Context, w io.Writer, snap *engine.Snapshot) (a alike, err error) {
	labels, a, err := canonicalLabels(ctx, snap)
	if err != nil {
		return a, err
	}
	return a, sortLines(ctx, w, snap, labels)
}

// alike are blank nodes without a canonical label.
type alike struct {
	nodes []string   // by their labels in the file
	quads []rdf.Quad // some of theirs
}

// Limits of what a warning says.
const (
	alikeQuads = 200 // whose logs are searched for
	alikeNames = 3   // nodes and logs that are named
)

// warning says which nodes have no canonical label, and which logs have them.
func (a alike) warning(ctx context.Context, s *persist.Store) (string, error) {
	graphs := map[rdf.Term][]rdf.Quad{}
	for _, q := range a.quads {
		graphs[q.G] = append(graphs[q.G], q)
	}
	found := map[string]string{} // by their ids, which tell when they came
	for _, quads := range graphs {
		logs, err := s.Origins(ctx, quads, time.Time{}, math.MaxInt)
		if err != nil {
			return "", err
		}
		for _, l := range logs {
			if l.Seq > 0 {
				found[l.LogID] = l.LogID + " of " + strconv.Quote(l.Actor)
			}
		}
	}
	var nodes, logs []string
	for i, node := range a.nodes[:min(alikeNames, len(a.nodes))] {
		nodes = append(nodes, fmt.Sprintf("_:%s (_:alike%d here)", printable(node), i))
	}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		logs = append(logs, found[id])
	}
	text := fmt.Sprintf("%s blank nodes are too similar to have canonical labels, such as %s", grouped(int64(len(a.nodes))), strings.Join(nodes, ", "))
	switch more := len(logs) - alikeNames; {
	case more > 0:
		text += fmt.Sprintf(", from %d logs or more, such as log %s", len(logs), strings.Join(logs[:alikeNames], ", log "))
	case len(logs) > 0:
		text += ", from log " + strings.Join(logs, ", log ")
	}
	return text + ". An equal store may have other lines: only equal bytes are a proof", nil
}

// sortLines writes the line of each quad once, in order.
func sortLines(ctx context.Context, w io.Writer, snap *engine.Snapshot, labels map[string]string) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	lines := make(chan string, 1000)
	sorter, sorted, failed := extsort.Strings(lines, &extsort.Config{ChunkSize: linesInMemory, TempFilesDir: os.TempDir()})
	read := make(chan error, 1)
	go func() {
		defer close(lines)
		read <- sendLines(ctx, lines, snap, labels)
	}()
	if sorter != nil {
		go sorter.Sort(ctx)
	}
	out, last := bufio.NewWriterSize(w, 1<<16), ""
	for line := range sorted {
		if line != last && err == nil {
			if _, err = out.WriteString(line); err != nil {
				stop() // the sorter then removes its files and closes sorted
			}
		}
		last = line
	}
	sortErr := <-failed
	stop()
	readErr := <-read
	switch {
	case err != nil:
		return err
	case sortErr != nil:
		return fmt.Errorf("sorting: %w", sortErr)
	case readErr != nil:
		return readErr
	}
	return out.Flush()
}

// alikeSteps is the limit of steps for each blank node of similar ones. Nodes in data that
// nobody made for this take some hundred.
const alikeSteps = 200_000

// canonicalLabels returns the labels of the snapshot's blank nodes, and those nodes whose
// label is not canonical.
func canonicalLabels(ctx context.Context, snap *engine.Snapshot) (labels map[string]string, a alike, err error) {
	var quads []rdf.Quad
	for q, err := range snap.Quads(ctx) {
		if err != nil {
			return nil, a, err
		}
		if q.S.IsBlank() || q.O.HasBlank() || q.G.IsBlank() {
			quads = append(quads, q)
		}
	}
	labels, a.nodes, err = canon.LabelsOrAlike(quads, canon.Options{Steps: alikeSteps})
	if len(a.nodes) > 0 {
		a.choose(quads)
	}
	return labels, a, err
}

// choose chooses a quad of each node, or of as many nodes as a warning may search for,
// evenly among all.
func (a *alike) choose(quads []rdf.Quad) {
	wanted := map[string]bool{}
	for i := 0; i < len(a.nodes); i += max(1, len(a.nodes)/alikeQuads) {
		wanted[a.nodes[i]] = true
	}
	for _, q := range quads {
		if q.S.IsBlank() && wanted[q.S.Value()] {
			a.quads = append(a.quads, q)
			delete(wanted, q.S.Value())
		} else if q.O.IsBlank() && wanted[q.O.Value()] {
			a.quads = append(a.quads, q)
			delete(wanted, q.O.Value())
		}
	}
}

// sendLines sends the line of each quad.
func sendLines(ctx context.Context, lines chan<- string, snap *engine.Snapshot, labels map[string]string) error {
	var b []byte
	for q, err := range snap.Quads(ctx) {
		if err != nil {
			return err
		}
		b = canon.AppendQuad(b[:0], q, labels)
		select {
		case lines <- string(b):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
