package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/segraph/segraph/internal/extsort"
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
	lines := extsort.New(linesInMemory)
	defer func() { err = errors.Join(err, lines.Close()) }()
	var b []byte
	for q, err := range snap.Quads(ctx) {
		if err == nil {
			b = canon.AppendQuad(b[:0], q, labels)
			err = lines.Add(string(b))
		}
		if err != nil {
			return err
		}
	}
	out, last := bufio.NewWriterSize(w, 1<<16), ""
	for line, err := range lines.All() {
		if err = cmp.Or(err, ctx.Err()); err == nil && line != last {
			_, err = out.WriteString(line)
		}
		if err != nil {
			return err
		}
		last = line
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
