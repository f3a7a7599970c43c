package service

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Export is a graph as text. The client reads it at its own pace.
type Export struct {
	reader *exportReader
	ctx    context.Context
	stop   func() bool
}

// Export opens a graph in a format and a content coding, as it is now or as it was at
// some time after the request arrived. The zero name means the published graph. Requests
// for the same bytes share one export, so they use the processors, the disk and a read
// snapshot once. The caller closes the export.
func (s *Service) Export(ctx context.Context, name rdf.Term, format turtle.Format, coding string) (*Export, error) {
	reader, err := s.findExport(ctx, exportKind{name, format, coding})
	if err != nil {
		return nil, err
	}
	e := &Export{reader: reader, ctx: ctx}
	e.stop = context.AfterFunc(ctx, func() { _ = reader.Close() }) // undone in leave
	return e, nil
}

// ETag returns the entity tag of the exported graph, without quotes.
func (e *Export) ETag() string { return e.reader.shared.tag }

// Version returns the lowest version of RDF that can hold the text. It is RDF 1.1 if the
// media type has no versions.
func (e *Export) Version() rdf.Version { return e.reader.shared.version }

// Read reads the next part of the text.
func (e *Export) Read(p []byte) (int, error) {
	n, err := e.reader.Read(p)
	if closed := e.ctx.Err(); closed != nil && errors.Is(err, spool.ErrClosed) {
		err = fmt.Errorf("read an export: %w", closed)
	}
	return n, err
}

// Close ends reading and releases the export.
func (e *Export) Close() error {
	e.stop()
	return e.reader.leave()
}

// ETag returns the tag that an export would have now.
func (s *Service) ETag(ctx context.Context, name rdf.Term, format turtle.Format) (string, error) {
	export, err := s.openExport(ctx, name, format)
	if err != nil {
		return "", err
	}
	return export.ETag(), closeExport(export, nil)
}

// ExportHead returns the entity tag of an export made now and, unless anyVersion is set,
// what Export.Version would return for it, which may read many strings. Like the export, it
// fails if the format is JSON-LD and the graph has triple terms. Whether RDF/XML can hold
// the graph is only known once it is written.
func (s *Service) ExportHead(ctx context.Context, name rdf.Term, format turtle.Format, anyVersion bool) (tag string, v rdf.Version, err error) {
	export, err := s.openExport(ctx, name, format)
	if err != nil {
		return "", rdf.RDF12, err
	}
	v = rdf.RDF11
	if !anyVersion || format == turtle.JSONLD {
		v, err = versionUnwritten(export, format)
	}
	return export.ETag(), v, closeExport(export, err)
}

// versionUnwritten is versionOf for a text that will not be written. The error is that of
// writing it, as far as it is known before.
func versionUnwritten(export store.Export, f turtle.Format) (rdf.Version, error) {
	if f == turtle.JSONLD {
		if v, err := export.Version(); err == nil && v == rdf.RDF12 {
			return v, format.ErrTripleTerms
		}
	}
	return versionOf(export, f)
}

func (s *Service) openExport(ctx context.Context, name rdf.Term, format turtle.Format) (store.Export, error) {
	export, err := s.config.Graph.Export(ctx, name, format)
	if errors.Is(err, store.ErrNoGraph) {
		return nil, refuse(NotFound, "no graph has the name <%s>; GET /query without parameters lists the graphs", name.Value())
	}
	if err != nil {
		return nil, fmt.Errorf("export the graph: %w", err)
	}
	return export, nil
}

// versionOf returns the lowest version of RDF that can hold a text. It is RDF 1.1 if the
// media type has no versions.
func versionOf(export store.Export, format turtle.Format) (rdf.Version, error) {
	if !RDFOf(format).Versions {
		return rdf.RDF11, nil
	}
	v, err := export.Version()
	if err != nil {
		return v, fmt.Errorf("look for RDF 1.2: %w", err)
	}
	return v, nil
}

// exportKind holds what two exports must share to be the same bytes, besides the content
// of the graph.
type exportKind struct {
	name   rdf.Term
	format turtle.Format
	coding string
}

// sharedExport is an export that is made once for all requests that arrive while it is
// made or sent.
type sharedExport struct {
	kind    exportKind
	tag     string      // ETag of the graph
	version rdf.Version // see Export.Version
	number  uint64      // sequence number among all exports
	text    *spool.Copy
	cancel  func()        // stops making it
	made    chan struct{} // closed once it is made or abandoned
	readers int
}

// following announces the next export of a kind: its context ends when that export
// begins.
type following struct {
	context.Context
	begun context.CancelFunc
}

// exports tracks the newest export of each kind.
type exports struct {
	mu     sync.Mutex
	begun  uint64 // number of exports begun
	newest map[exportKind]*sharedExport
	next   map[exportKind]*following
}

// exportReader reads a shared export.
type exportReader struct {
	*spool.CopyReader
	shared *sharedExport
	of     *exports
}

// arrive returns how many exports had begun when a request arrived.
func (e *exports) arrive() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.begun
}

// join returns a reader of the newest export of a kind, if that export is of the graph
// with this tag or began after the request arrived. begun is the result of arrive. If
// there is no such export, join returns nil and a context that ends when the next one
// begins.
func (e *exports) join(kind exportKind, tag string, begun uint64) (r *exportReader, next context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.newest[kind]; s != nil && (s.tag == tag || s.number > begun) {
		if text := s.text.Join(); text != nil {
			s.readers++
			return &exportReader{text, s, e}, nil
		}
	}
	if e.next[kind] == nil {
		ctx, begun := context.WithCancel(context.Background())
		e.next[kind] = &following{ctx, begun}
	}
	return nil, e.next[kind]
}

// begin registers a shared export, wakes those that wait for it, and returns its first
// reader.
func (e *exports) begin(kind exportKind, tag string, v rdf.Version, pool *spool.Pool, cancel func()) *exportReader {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.begun++
	s := &sharedExport{kind: kind, tag: tag, version: v, number: e.begun, cancel: cancel, made: make(chan struct{}), readers: 1}
	text, first := pool.NewCopy()
	s.text, e.newest[kind] = text, s
	if next := e.next[kind]; next != nil {
		next.begun()
		delete(e.next, kind)
	}
	return &exportReader{first, s, e}
}

// reading returns the number of readers of the newest exports.
func (e *exports) reading() (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.newest {
		n += s.readers
	}
	return n
}

// leave ends reading. The last reader also stops the export and waits for it to end.
func (r *exportReader) leave() error {
	err := r.Close()
	e, s := r.of, r.shared
	e.mu.Lock()
	s.readers--
	last := s.readers == 0
	if last && e.newest[s.kind] == s {
		delete(e.newest, s.kind)
	}
	e.mu.Unlock()
	if last {
		s.cancel()
		<-s.made
	}
	return err
}

// errBusy ends the wait for an export.
var errBusy = errors.New("too many exports are being made")

// findExport joins an export, or begins one when its turn comes. It takes the read
// snapshot only after the turn, so that a waiting request holds none.
func (s *Service) findExport(ctx context.Context, kind exportKind) (*exportReader, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.config.Limits.ExportPatience, errBusy)
	defer cancel()
	begun := s.exports.arrive()
	tag, err := s.ETag(ctx, kind.name, kind.format)
	if err != nil {
		return nil, err
	}
	for {
		text, next := s.exports.join(kind, tag, begun)
		if text != nil {
			return text, nil
		}
		// Wait for this request's turn or for the next export of the kind, whichever
		// comes first.
		wait, end := context.WithCancel(ctx)
		stop := context.AfterFunc(next, end)
		err := s.exporters.enter(wait, 1)
		stop()
		end()
		switch {
		case err == nil:
			return s.beginExport(ctx, kind, begun)
		case ctx.Err() != nil:
			return nil, s.waited(ctx, ctx.Err())
		}
	}
}

// waited returns the error of a request that stopped waiting for its export.
func (s *Service) waited(ctx context.Context, err error) error {
	if context.Cause(ctx) == errBusy {
		return refuse(Unavailable, "%v; try again later", errBusy).limited("exports").retry(s.config.Limits.ExportPatience)
	}
	return fmt.Errorf("wait for the turn of an export: %w", err)
}

// beginExport opens the graph and begins its export, unless another request has done so.
// The caller holds the turn.
func (s *Service) beginExport(ctx context.Context, kind exportKind, begun uint64) (reader *exportReader, err error) {
	m := &exporter{gate: s.exporters, inside: true, room: s.config.Limits.Room, coding: kind.coding}
	defer func() {
		if m.to == nil { // no export is being made
			m.leave()
		}
	}()
	if m.made, err = s.enterCompression(ctx, kind.coding); err != nil {
		return nil, s.waited(ctx, err)
	}
	defer func() {
		if m.to == nil {
			m.made()
		}
	}()
	// The first client may hang up while others read.
	making, cancel := context.WithCancel(context.WithoutCancel(ctx))
	export, err := s.config.Graph.Export(making, kind.name, kind.format)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("export the graph: %w", err)
	}
	if reader, _ = s.exports.join(kind, export.ETag(), begun); reader != nil {
		cancel()
		return reader, closeExport(export, nil)
	}
	v, err := versionOf(export, kind.format)
	if err != nil {
		cancel()
		return nil, closeExport(export, err)
	}
	reader = s.exports.begin(kind, export.ETag(), v, s.spools, cancel)
	m.ctx, m.to = making, reader.shared.text
	go func() {
		defer close(reader.shared.made)
		defer s.guard(making, func() { m.breakDown(export) })
		m.export(export)
	}()
	return reader, nil
}
