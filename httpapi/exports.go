package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/turtle"
)

// exportKind is what two exports must have in common to be the same bytes, but for the graph itself.
type exportKind struct {
	format turtle.Format
	coding string
}

// sharedExport is an export that is made once, for all who ask for it while it is being made or sent.
type sharedExport struct {
	kind    exportKind
	tag     string // of the graph
	number  uint64 // of all exports, in the order in which they were begun
	text    *spool.Copy
	cancel  func()        // ends making it
	made    chan struct{} // closed once it is made, or given up
	readers int
}

// exports knows the newest export of each kind.
type exports struct {
	mu     sync.Mutex
	begun  uint64 // how many were begun
	newest map[exportKind]*sharedExport
	next   map[exportKind]chan struct{} // closed when the next one is begun
}

// exportReader reads a shared export.
type exportReader struct {
	*spool.CopyReader
	shared *sharedExport
	of     *exports
}

// arrive returns how many exports were begun before a request.
func (e *exports) arrive() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.begun
}

// join returns a reader of the newest export of a kind, if that is of the graph with this tag, or of a later moment than
// the request: one that was begun after so many. It is nil where there is none, and next then tells when there is another one.
func (e *exports) join(kind exportKind, tag string, begun uint64) (r *exportReader, next <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.newest[kind]; s != nil && (s.tag == tag || s.number > begun) {
		if text := s.text.Join(); text != nil {
			s.readers++
			return &exportReader{text, s, e}, nil
		}
	}
	if e.next[kind] == nil {
		e.next[kind] = make(chan struct{})
	}
	return nil, e.next[kind]
}

// begin makes a shared export, of which others hear, and its first reader.
func (e *exports) begin(kind exportKind, tag string, pool *spool.Pool, cancel func()) *exportReader {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.begun++
	s := &sharedExport{kind: kind, tag: tag, number: e.begun, cancel: cancel, made: make(chan struct{}), readers: 1}
	text, first := pool.NewCopy()
	s.text, e.newest[kind] = text, s
	if next := e.next[kind]; next != nil {
		close(next)
		delete(e.next, kind)
	}
	return &exportReader{first, s, e}
}

// leave ends reading. The last reader ends the export, and waits until it is ended.
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

// errBusy is why nobody waits any longer for an export.
var errBusy = errors.New("too many exports are being made")

// sendExport sends the graph as it is now, or as it was at a later moment than the request came. Requests for the same bytes
// share them, so that they cost the processors, the disk and a moment of the store once.
func (a *API) sendExport(w http.ResponseWriter, r *http.Request, kind exportKind) error {
	text, err := a.findExport(r.Context(), kind)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", entityTag(text.shared.tag, kind.coding))
	stop := context.AfterFunc(r.Context(), func() { _ = text.Close() }) // again in leave
	defer stop()
	err = send(w, text)
	if gone := r.Context().Err(); gone != nil && errors.Is(err, spool.ErrClosed) {
		err = fmt.Errorf("send an export: %w", gone)
	}
	return errors.Join(err, text.leave())
}

// findExport joins an export, or begins one in its turn. The turn comes before the moment of the graph, which is not kept
// while a request waits.
func (a *API) findExport(ctx context.Context, kind exportKind) (*exportReader, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, a.config.Limits.ExportPatience, errBusy)
	defer cancel()
	begun := a.exports.arrive()
	tag, err := a.eventsTag(ctx, kind.format)
	if err != nil {
		return nil, err
	}
	for {
		text, next := a.exports.join(kind, tag, begun)
		if text != nil {
			return text, nil
		}
		in, err := a.makers.enterUnless(ctx, 1, next)
		if err != nil {
			return nil, a.waited(ctx, err)
		}
		if in {
			return a.beginExport(ctx, kind, begun)
		}
	}
}

// waited returns the problem of a request that waited for its export for too long.
func (a *API) waited(ctx context.Context, err error) error {
	if context.Cause(ctx) == errBusy {
		return newProblem(http.StatusServiceUnavailable, "%v; try again later", errBusy).limited("exports").retryAfter(a.config.Limits.ExportPatience)
	}
	return fmt.Errorf("wait for the turn of an export: %w", err)
}

// beginExport opens the graph in a turn that is taken, and begins its export, unless another request has meanwhile.
func (a *API) beginExport(ctx context.Context, kind exportKind, begun uint64) (reader *exportReader, err error) {
	m := &maker{gate: a.makers, inside: true, room: a.config.Limits.Room, coding: kind.coding}
	defer func() {
		if m.to == nil { // nobody makes anything
			m.leave()
		}
	}()
	if m.made, err = a.enterCompression(ctx, kind.coding); err != nil {
		return nil, a.waited(ctx, err)
	}
	defer func() {
		if m.to == nil {
			m.made()
		}
	}()
	// Who asked first may hang up while others read.
	making, cancel := context.WithCancel(context.WithoutCancel(ctx))
	export, err := a.config.Graph.Export(making, kind.format)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("export the graph: %w", err)
	}
	if reader, _ = a.exports.join(kind, export.ETag(), begun); reader != nil {
		cancel()
		return reader, closeExport(export, nil)
	}
	reader = a.exports.begin(kind, export.ETag(), a.spools, cancel)
	m.ctx, m.to = making, reader.shared.text
	go func() {
		defer close(reader.shared.made)
		defer a.guard(making, func() { m.breakDown(export) })
		a.makeText(m, export)
	}()
	return reader, nil
}

// makeText makes a text into a spool. It is compressed on its way there, which so takes less room, and in the maker's turn, so
// that clients keep no more processors busy than there are. The end of the compressed text comes only after all went
// well: one that is cut short does not look complete.
func (a *API) makeText(m *maker, export store.Export) {
	defer m.leave()
	defer m.made()
	to := coding.NewWriter(m.coding, m)
	_, err := export.WriteTo(to)
	if err = closeExport(export, err); err == nil {
		err = to.Close()
	} else {
		to.Abandon()
	}
	m.to.CloseWrite(err)
}

// breakDown ends the text of an export that panicked.
func (m *maker) breakDown(export store.Export) {
	m.to.CloseWrite(closeExport(export, errors.New("the export broke down")))
}
