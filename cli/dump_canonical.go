package cli

import (
	"bufio"
	"context"
	"errors"
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
func dumpCanonical(ctx context.Context, w io.Writer, snap *engine.Snapshot) error {
	labels, err := canonicalLabels(ctx, snap)
	if err != nil {
		return err
	}
	return sortLines(ctx, w, snap, labels)
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

// Limits of the steps that labelling takes: some seconds, and more than data takes unless somebody made
// it to take long.
const (
	labelSteps = 10_000_000
	quadSteps  = 500 // more for each quad with a blank node
)

// canonicalLabels returns the labels of the snapshot's blank nodes.
func canonicalLabels(ctx context.Context, snap *engine.Snapshot) (map[string]string, error) {
	var quads []rdf.Quad
	for q, err := range snap.Quads(ctx) {
		if err != nil {
			return nil, err
		}
		if q.S.IsBlank() || q.O.HasBlank() || q.G.IsBlank() {
			quads = append(quads, q)
		}
	}
	labels, err := canon.Labels(quads, canon.Options{Steps: labelSteps + quadSteps*len(quads)})
	if errors.Is(err, canon.ErrSteps) {
		err = fmt.Errorf("%w; dump without --canonical, or replace blank nodes by IRIs", err)
	}
	return labels, err
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
