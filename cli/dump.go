package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/turtle"
)

func dump() verb {
	return verb{
		name:    "dump",
		summary: "Export the graph from the file, without the service.",
		detail: `Writes one consistent snapshot of the graph to stdout, or to the file of --out. The file's name
decides the format unless --format does; on stdout it is Turtle. Turtle, N-Triples and RDF/XML hold the
default graph alone, TriG and N-Quads all graphs. Stop the service first, or use its GET /events.

With --canonical it writes all graphs in canonical form (RDFC-1.0): N-Quads, sorted, with canonical
labels of blank nodes. Equal bytes mean equal content, and two stores with the same content give the
same bytes, so compare them with cmp or by a hash. The command ends with an error if blank nodes are
too similar to tell apart.
Sorting needs as much room for temporary files as the output ($TMPDIR names the folder).`,
		settings: []string{"data", "out", "format", "canonical"},
		run:      runDump,
	}
}

// runDump writes the graphs that the format can hold, and says what it omits.
func runDump(ctx context.Context, p *program, c *config.Config) error {
	format, err := dumpFormat(c)
	if err != nil {
		return err
	}
	if sameFile(c.Out, c.Data) {
		return &config.Error{Msg: "--out is the store's own file " + c.Data, Hint: "Name another file to write to."}
	}
	return withStore(c.Data, func(s *persist.Store) (err error) {
		write := func(w io.Writer) error { return s.Dump(ctx, w, format) }
		if c.Canonical {
			write = func(w io.Writer) error {
				return s.View(func(snap *engine.Snapshot) error { return dumpCanonical(ctx, w, snap) })
			}
		}
		if c.Out == "-" {
			err = write(p.stdout)
		} else {
			err = replaceFile(c.Out, write)
		}
		if err != nil {
			return fmt.Errorf("dumping to %s: %w", c.Out, err)
		}
		if format == turtle.TriG || format == turtle.NQuads {
			return nil
		}
		left, err := s.InNamedGraphs()
		if err == nil && left > 0 {
			fmt.Fprintf(p.stderr, "segraph: %s triples in named graphs were omitted, because this format can't hold them; use --format trig or nquads\n", grouped(left))
		}
		return err
	})
}

// dumpFormat returns the format that the settings choose: N-Quads for the canonical form; otherwise the format
// that a setting names, the format of the file's name, or Turtle.
func dumpFormat(c *config.Config) (format turtle.Format, err error) {
	if c.Canonical {
		if c.Format != "" && c.Format != "nquads" {
			return format, &config.Error{Msg: "--canonical writes N-Quads, not " + c.Format, Hint: "Leave out --format."}
		}
		return turtle.NQuads, nil
	}
	if c.Format == "" && c.Out == "-" {
		return turtle.Turtle, nil
	}
	if format, err = formatOf(c.Format, c.Out); err == nil && format == turtle.JSONLD {
		err = &config.Error{Msg: "dump does not write JSON-LD", Hint: "Give --format turtle, ntriples, trig, nquads or rdfxml."}
	}
	return format, err
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// replaceFile replaces the content of path with what write writes, or leaves the file
// unchanged on error: it writes a temporary file beside it, syncs it, and renames it.
// Anything but a regular file, such as a pipe or a device, is written directly.
func replaceFile(path string, write func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // replace the file, not the link to it
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	dir, name := filepath.Dir(path), filepath.Base(path)
	// Only the owner may read a temporary file. That suits the data.
	f, err := file.Temporary(dir, "."+name+".", ".tmp")
	if err != nil {
		return fmt.Errorf("creating a temporary file beside it: %w", err)
	}
	if err = errors.Join(write(f), f.Sync()); err == nil {
		err = file.Place(f, path)
	}
	if err != nil {
		_ = f.Close() // a second time if the rename failed
		return errors.Join(err, os.Remove(f.Name()))
	}
	return file.SyncFolder(dir)
}
