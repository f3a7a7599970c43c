package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/lanrat/extsort"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
)

// linesInMemory is how many lines are sorted in memory before they go to a temporary file.
const linesInMemory = 50_000

// dumpCanonical writes all quads of a snapshot in canonical form. It holds only the quads
// with blank nodes in memory, and sorts the lines in temporary files.
// It returns the blank nodes that have no canonical label, because they are too similar.
func dumpCanonical(ctx context.Context, w io.Writer, snap *engine.Snapshot) (alike []string, err error) {
	labels, alike, err := canonicalLabels(ctx, snap)
	if err != nil {
		return nil, err
	}
	return alike, sortLines(ctx, w, snap, labels)
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

// alikeSteps is the limit of steps for each group of similar blank nodes. Groups in data that
// nobody made for this take some hundred.
const alikeSteps = 200_000

// canonicalLabels returns the labels of the snapshot's blank nodes, and those nodes whose
// label is not canonical.
func canonicalLabels(ctx context.Context, snap *engine.Snapshot) (labels map[string]string, alike []string, err error) {
	var quads []rdf.Quad
	for q, err := range snap.Quads(ctx) {
		if err != nil {
			return nil, nil, err
		}
		if q.S.IsBlank() || q.O.HasBlank() || q.G.IsBlank() {
			quads = append(quads, q)
		}
	}
	return canon.LabelsOrAlike(quads, canon.Options{Steps: alikeSteps})
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
