package engine

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"runtime/debug"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// chunkQuads is how many quads of a long text share a transaction: enough to gain from
// sorted insertion, few enough to bound memory. Their texts take at most the memory of deferred writes.
const chunkQuads = 250_000

// LoadResult is the result of a load.
type LoadResult struct {
	Quads int64 // quads in the text, including repeated ones
	Added int64 // how many of them were new
	// LeftOut counts quads in the graph of contexts. They are not stored, and not
	// included in Quads: they mirror the resolver's records, which a text does not
	// contain.
	LeftOut int64
	// Withheld counts quads that Options.Becomes left out, also not included in Quads.
	Withheld int64
	// Warnings and WarningCount are those of turtle.Reader.Warnings, if
	// turtle.Options.CheckIRIs is set.
	Warnings     []turtle.Warning
	WarningCount int
}

// loadSteps limits the steps to label the blank nodes of a chunk: see
// store.Document.WriteCanonical. That many take about 0.1 s.
const loadSteps = 200_000

// Load stores a text of any length in chunks, each in a transaction of its own with a copy of e as its journal entry,
// which gets the chunk's number in Entry.Part and the hashes of its bytes and of its canonical form. Before that it
// checks the whole text, and finds which texts Options.Becomes omits of it: a name may be in another chunk than a text.
// Load calls progress, unless nil, once it begins to store, and after each chunk.
func (s *Store) Load(ctx context.Context, r io.ReadSeeker, f turtle.Format, o turtle.Options, e journal.Entry, progress func(quads int64)) (LoadResult, error) {
	return s.load(ctx, r, f, rdf.Term{}, o, e, progress)
}

// load is like Load. graph is the graph for the triples of the text's default graph. A goroutine parses
// chunks, which load stores; it has ended when load returns.
func (s *Store) load(ctx context.Context, r io.ReadSeeker, f turtle.Format, graph rdf.Term, o turtle.Options, e journal.Entry, progress func(quads int64)) (LoadResult, error) {
	e = e.Complete() // all chunks share an id
	var out LoadResult
	start, err := r.Seek(0, io.SeekCurrent)
	if err != nil {
		return out, fmt.Errorf("reading twice: %w", err)
	}
	in, omitted := format.NewReader(r, f, o), store.NewOmitted(s.becomes, s.sentences)
	err = readAll(ctx, in, r, start, omitted.Names)
	out.Warnings, out.WarningCount = in.Warnings()
	o.CheckIRIs, o.StrictIRIs = false, false // do not check twice
	if err == nil && omitted.Any() {
		err = readAll(ctx, format.NewReader(r, f, o), r, start, omitted.Links)
	}
	if err != nil {
		return out, err
	}
	if progress != nil {
		progress(0)
	}
	read := &digest{}
	read.begin()
	text := &teeSeeker{Reader: r, Seeker: r, out: read, at: start, written: start}
	caller := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	chunks, buffers := make(chan chunk), make(chan *store.Document, 2) // one is parsed while the other is stored
	buffers <- &store.Document{}
	buffers <- &store.Document{}
	go s.parseChunks(ctx, text, read, f, graph, o, e, omitted, chunks, buffers)
	blanks := &labels{name: rand.Text(), most: int(labelShare * s.queue.most)}
	var failed error
	whole := false
	for c := range chunks {
		if failed != nil {
			continue // drain until the parser has ended
		}
		if failed = s.loadChunk(ctx, c, blanks, &out); failed != nil {
			cancel()
			continue
		}
		if progress != nil {
			progress(out.Quads)
		}
		whole = c.err != nil // io.EOF: this was the last chunk
		c.buffer.Reset()
		buffers <- c.buffer
	}
	if failed == nil && !whole { // parseChunks ended because ctx has
		failed = caller.Err()
	}
	return out, failed
}

// loadChunk stores one chunk with its journal entry.
func (s *Store) loadChunk(ctx context.Context, c chunk, blanks *labels, res *LoadResult) error {
	if c.err != nil && !errors.Is(c.err, io.EOF) {
		return c.err
	}
	err := s.direct(ctx, directly{do: func(tx *Tx) error { return tx.addLog(c.doc, &c.entry, blanks) }})
	if err != nil {
		return fmt.Errorf("storing: %w", err)
	}
	res.Quads += int64(c.quads)
	res.Added += int64(c.entry.Added)
	res.LeftOut += c.leftOut
	res.Withheld += int64(c.withheld)
	return nil
}

// chunk is a piece of a text. err is io.EOF with the last one.
type chunk struct {
	doc      *store.Document
	buffer   *store.Document // to be used again
	entry    journal.Entry
	quads    int // including repeated ones
	leftOut  int64
	withheld int
	err      error
}

// parseChunks parses a text and sends its chunks to out. read has hashed all bytes that
// the parser has read.
func (s *Store) parseChunks(ctx context.Context, r io.Reader, read *digest, f turtle.Format, graph rdf.Term, o turtle.Options, e journal.Entry, omitted *store.Omitted, out chan<- chunk, buffers <-chan *store.Document) {
	defer close(out)
	defer func() {
		if r := recover(); r != nil { // end the load, not the process
			select {
			case out <- chunk{err: fmt.Errorf("reading the text panicked: %v\n%s", r, debug.Stack())}:
			case <-ctx.Done():
			}
		}
	}()
	in := format.NewReader(r, f, o)
	for n := 1; ; n++ {
		c := chunk{entry: e}
		select {
		case c.buffer = <-buffers:
			c.doc = c.buffer
		case <-ctx.Done():
			return
		}
		for c.err == nil && len(c.doc.Quads) < s.chunk && int64(c.doc.Size()) < s.queue.most {
			q, err := in.Read()
			c.err = err
			switch {
			case err != nil: // the loop ends
			case q.G == contextsGraph:
				c.leftOut++
			default:
				if q.G.IsZero() {
					q.G = graph
				}
				c.doc.Add(q)
			}
		}
		c.doc.Prefixes = in.Prefixes()
		c.doc, c.withheld = c.doc.Without(omitted)
		c.quads = len(c.doc.Quads)
		c.entry.Triples = c.doc.Distinct()
		read.commit(&c.entry, c.doc)
		if only := n == 1 && c.err != nil; only {
			c.entry.Bytes = "" // it has all bytes
		} else {
			c.entry.Part = n
		}
		select {
		case out <- c:
		case <-ctx.Done():
			return
		}
		if c.err != nil {
			return
		}
	}
}

// digest hashes the bytes of a chunk.
type digest struct {
	from, size int64
	secret     journal.Secret
	sum        hash.Hash
	salted     hash.Hash
}

// begin begins a chunk at the end of the previous one.
func (d *digest) begin() {
	d.from, d.size, d.secret = d.from+d.size, 0, journal.NewSecret()
	d.sum, d.salted = sha256.New(), d.secret.Content().Hash()
}

// Write adds bytes to the chunk. It never fails.
func (d *digest) Write(p []byte) (int, error) {
	d.size += int64(len(p))
	_, _ = d.sum.Write(p)
	return d.salted.Write(p)
}

// commit sets the hashes of the chunk, plain and salted, and its place in the text in an entry, and begins the next
// chunk. The hash of the canonical form is left out if computing it takes more than loadSteps.
func (d *digest) commit(e *journal.Entry, doc *store.Document) {
	e.SHA256, e.Commitment, e.Secret = hex.EncodeToString(d.sum.Sum(nil)), journal.Committed(d.salted), d.secret
	e.Bytes = fmt.Sprintf("%d+%d", d.from, d.size)
	e.Graph, e.Canon = doc.Commitment(d.secret.Content(), loadSteps)
	d.begin()
}

// teeSeeker is an io.TeeReader that can seek. It writes each byte once. A reader must
// read all bytes before it seeks beyond what it has read.
type teeSeeker struct {
	io.Reader
	io.Seeker
	out         io.Writer
	at, written int64
}

func (t *teeSeeker) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if fresh := t.at + int64(n) - t.written; fresh > 0 {
		_, _ = t.out.Write(p[int64(n)-fresh : n]) // a hash does not fail
		t.written += fresh
	}
	t.at += int64(n)
	return n, err
}

func (t *teeSeeker) Seek(offset int64, whence int) (_ int64, err error) {
	t.at, err = t.Seeker.Seek(offset, whence)
	return t.at, err
}

// readAll parses a text to its end, calls each with its quads, and returns to its start.
func readAll(ctx context.Context, in format.Reader, r io.Seeker, start int64, each func(rdf.Quad)) error {
	for n := 0; ; n++ {
		q, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		each(q)
		if n%10_000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if _, err := r.Seek(start, io.SeekStart); err != nil {
		return fmt.Errorf("reading again: %w", err)
	}
	return nil
}
