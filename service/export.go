package service

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

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
	detach func() bool // the end of ctx no longer closes reader
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
	e.detach = context.AfterFunc(ctx, func() { _ = reader.Close() })
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
	e.detach()
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

// versionUnwritten returns the version of RDF of an export that will not be written. The error is what writing it
// would return, if that is known without writing.
func versionUnwritten(export store.Export, f turtle.Format) (rdf.Version, error) {
	if f == turtle.JSONLD {
		if v, err := export.Version(); err == nil && v == rdf.RDF12 {
			return v, format.ErrTripleTerms
		}
	}
	return versionOf(export, f)
}

// openExport opens an export. The error is an *Error if there is no graph with the name.
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
	opened  time.Time   // no later than the graph
	text    *spool.Spool
	cancel  func()        // stops making it
	made    chan struct{} // closed once it is made or abandoned
	readers int
}

// exports tracks the newest export of each kind.
type exports struct {
	mu     sync.Mutex
	newest map[exportKind]*sharedExport
}

// exportReader reads a shared export.
type exportReader struct {
	*spool.Reader
	shared *sharedExport
	of     *exports
}

// join returns a reader of the newest export of a kind, if that export is of the graph
// with this tag or of one after a time. Otherwise it returns nil.
func (e *exports) join(kind exportKind, tag string, after time.Time) *exportReader {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.newest[kind]
	if s == nil || s.tag != tag && !s.opened.After(after) {
		return nil
	}
	text := s.text.Join()
	if text == nil {
		return nil
	}
	s.readers++
	return &exportReader{text, s, e}
}

// begin registers a shared export of a generation of the pool, and returns its first reader.
func (e *exports) begin(s *sharedExport, pool *spool.Pool, generation uint64) *exportReader {
	e.mu.Lock()
	defer e.mu.Unlock()
	var first *spool.Reader
	s.text, first = pool.NewShared()
	s.text.Since(generation)
	s.made, s.readers, e.newest[s.kind] = make(chan struct{}), 1, s
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
var errBusy = errors.New("too many exports or pages are being made")

// findExport joins an export, or begins one when its turn comes. One request at a time
// waits for its turn, so that those behind it can join what it begins.
func (s *Service) findExport(ctx context.Context, kind exportKind) (*exportReader, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.config.Limits.ExportPatience, errBusy)
	defer cancel()
	arrived := time.Now()
	tag, err := s.ETag(ctx, kind.name, kind.format)
	if err != nil {
		return nil, err
	}
	if reader := s.exports.join(kind, tag, arrived); reader != nil {
		return reader, nil
	}
	if err := s.nextExport.Enter(ctx, 1); err != nil {
		return nil, s.waited(ctx, err)
	}
	defer s.nextExport.Leave(1)
	if reader := s.exports.join(kind, tag, arrived); reader != nil {
		return reader, nil
	}
	if err := s.exporters.Enter(ctx, 1); err != nil {
		return nil, s.waited(ctx, err)
	}
	return s.beginExport(ctx, kind)
}

// waited returns the error of a request that stopped waiting for its export.
func (s *Service) waited(ctx context.Context, err error) error {
	if context.Cause(ctx) == errBusy {
		return refuse(Unavailable, "%v; try again later", errBusy).limited("exports").retry(s.config.Limits.ExportPatience)
	}
	return fmt.Errorf("wait for the turn of an export: %w", err)
}

// beginExport opens the graph and starts a goroutine that writes the export. The caller has taken the turn, which the goroutine
// leaves; it ends at the latest with its last reader. So a request that waits for its turn holds no read snapshot.
func (s *Service) beginExport(ctx context.Context, kind exportKind) (reader *exportReader, err error) {
	m := &exporter{gate: s.exporters, inside: true, room: s.config.Limits.RoomPatience, coding: kind.coding}
	defer func() {
		if m.to == nil { // no export is being made
			m.leave()
		}
	}()
	if m.made, err = s.enterMemory(ctx, 0, kind.coding); err != nil {
		return nil, s.waited(ctx, err)
	}
	defer func() {
		if m.to == nil {
			m.made()
		}
	}()
	// The first client may hang up while others read.
	making, cancel := context.WithCancel(context.WithoutCancel(ctx))
	opened := time.Now()
	of := s.spools.Generation()
	export, err := s.config.Graph.Export(making, kind.name, kind.format)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("export the graph: %w", err)
	}
	v, err := versionOf(export, kind.format)
	if err != nil {
		cancel()
		return nil, closeExport(export, err)
	}
	reader = s.exports.begin(&sharedExport{kind: kind, tag: export.ETag(), version: v, opened: opened, cancel: cancel}, s.spools, of)
	m.ctx, m.to = making, reader.shared.text
	go func() {
		defer close(reader.shared.made)
		defer s.guard(making, func() { m.breakDown(export) })
		m.export(export)
	}()
	return reader, nil
}
