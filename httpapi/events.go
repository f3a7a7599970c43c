package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/turtle"
)

// Media types of the graph.
const (
	mediaTurtle   = "text/turtle"
	mediaNTriples = "application/n-triples"
)

// getEvents gives the published graph: one moment of it, as fast as the client takes it. The
// store is let go of as soon as the text is made, however slow the client is, as long as there is
// room on the disk for the text.
func (a *API) getEvents(w http.ResponseWriter, r *http.Request) error {
	given, err := parameters(r)
	if err != nil {
		return err
	}
	if err := refuse(given, among(graphParameters), "/events is the published graph; query other graphs with /query"); err != nil {
		return err
	}
	w.Header().Add("Vary", "Accept")
	format := turtle.Turtle
	// Who takes neither gets the default, as clients know it of the public service; RFC 9110, section
	// 12.5.1, leaves that to the server.
	if negotiate(r, mediaTurtle, mediaNTriples) == mediaNTriples {
		format = turtle.NTriples
	}
	return a.Export(w, r, format)
}

// Export answers with the published graph in Turtle or N-Triples, as GET /events does.
func (a *API) Export(w http.ResponseWriter, r *http.Request, format turtle.Format) error {
	contentType := mediaTurtle + "; charset=utf-8"
	if format == turtle.NTriples {
		contentType = mediaNTriples
	}
	h := w.Header()
	coded, err := chooseCoding(w, r)
	if err != nil {
		return err
	}
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "private, no-cache") // to be asked about each time, with the ETag
	known := r.Header.Values("If-None-Match")
	if r.Method == http.MethodHead || known != nil {
		tag, err := a.eventsTag(r.Context(), format)
		if err != nil {
			return err
		}
		h.Set("ETag", entityTag(tag, coded))
		switch {
		case matches(known, entityTag(tag, "")):
			h.Del("Content-Type")
			h.Del("Content-Encoding")
			w.WriteHeader(http.StatusNotModified)
			return nil
		case r.Method == http.MethodHead:
			w.WriteHeader(http.StatusOK)
			return nil
		}
	}
	return a.sendExport(w, r, exportKind{format, coded})
}

// sendText waits for the turn of a text, opens it and sends it in a content coding.
func (a *API) sendText(w http.ResponseWriter, r *http.Request, coded string, open func(context.Context) (store.Export, error)) error {
	limit, end := context.WithTimeoutCause(r.Context(), a.config.Limits.ExportPatience, errBusy)
	defer end()
	leave, err := a.enterCompression(limit, coded)
	if err != nil {
		return a.waited(limit, err)
	}
	defer leave()
	// The turn comes before the moment of the graph, which is not kept while one waits.
	if err := a.makers.enter(limit, 1); err != nil {
		return a.waited(limit, err)
	}
	m := &maker{gate: a.makers, inside: true, room: a.config.Limits.Room, coding: coded, made: leave}
	defer m.leave() // for what goes wrong before stream; that one leaves as soon as the text is made
	// What makes the text may outlive the handler's first error, not the handler.
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	m.ctx = ctx
	export, err := open(ctx)
	if err != nil {
		return err
	}
	return a.stream(m, cancel, w, export)
}

// eventsTag returns the tag that an export would have now.
func (a *API) eventsTag(ctx context.Context, format turtle.Format) (string, error) {
	export, err := a.config.Graph.Export(ctx, format)
	if err != nil {
		return "", fmt.Errorf("export the graph: %w", err)
	}
	return export.ETag(), closeExport(export, nil)
}

// stream makes the text into a spool and sends it from there.
func (a *API) stream(m *maker, cancel context.CancelFunc, w http.ResponseWriter, export store.Export) error {
	text := a.spools.New()
	m.to = text
	made := make(chan struct{})
	go func() {
		defer close(made)
		defer a.guard(m.ctx, func() { m.breakDown(export) })
		a.makeText(m, export)
	}()
	err := send(w, text)
	cancel()
	err = errors.Join(err, text.Close()) // which also ends a writer that waits for room
	<-made
	return err
}

// maxWaits times Limits.Room is how long an export waits for room in all.
const maxWaits = 10

// maker writes a text into a spool and holds a place among those who make texts, since making one
// keeps a processor busy. Where the spool has no room, because the disk is full or the pool's share
// is used up, it gives its place back while it waits for its clients. What it then holds is a
// moment of the store, and while it does, the file grows by all that is written: so it waits for
// Limits.Room at a time at most, and for maxWaits times that in all. Then the body breaks off.
type maker struct {
	ctx    context.Context
	gate   *gate
	to     spoolWriter // nil before the text is begun
	inside bool
	room   time.Duration // Limits.Room
	waited time.Duration // for room, so far
	coding string        // the content coding of the text
	made   func()        // called once the text is made
}

// spoolWriter is the end of a spool that is written to: a *spool.Spool or *spool.Copy.
type spoolWriter interface {
	Write(p []byte) (int, error)
	TryWrite(p []byte) (int, error)
	CloseWrite(err error)
}

func (m *maker) leave() {
	if m.inside {
		m.inside = false
		m.gate.leave(1)
	}
}

func (m *maker) Write(p []byte) (int, error) {
	n, err := m.to.TryWrite(p)
	if err == nil || errors.Is(err, spool.ErrClosed) {
		return n, err
	}
	m.leave()
	began := time.Now()
	rest, err := m.to.Write(p[n:])
	if m.waited += time.Since(began); err == nil && m.waited > maxWaits*m.room {
		err = spool.ErrStalled
	}
	if err != nil {
		return n + rest, err
	}
	if err := m.gate.enter(m.ctx, 1); err != nil {
		return n + rest, fmt.Errorf("wait for the turn of an export: %w", err)
	}
	m.inside = true
	return n + rest, nil
}

// send copies the spool to the client. Nothing is sent before the first bytes are there, so
// that an export that fails at once is still answered with its error.
func send(w http.ResponseWriter, s io.Reader) error {
	p := make([]byte, piece/2)
	control, flushed := http.NewResponseController(w), time.Now()
	for {
		n, err := s.Read(p)
		if n > 0 {
			if _, err := w.Write(p[:n]); err != nil {
				return fmt.Errorf("send an answer: %w: %w", errClientGone, err)
			}
			if now := time.Now(); now.Sub(flushed) >= time.Second { // of what comes slowly, a client sees what there is
				flushed = now
				_ = control.Flush() // the next Write fails if the client is gone
			}
		}
		if err == io.EOF { // and no other error, though it may wrap one of a connection elsewhere
			_, err := w.Write(nil) // begins the answer of an empty graph
			return err
		}
		if err != nil {
			return fmt.Errorf("make the text of an answer: %w", err)
		}
	}
}

// closeExport lets go of an export and joins what goes wrong then to err.
func closeExport(export store.Export, err error) error {
	if closing := export.Close(); closing != nil {
		err = errors.Join(err, fmt.Errorf("close the export: %w", closing))
	}
	return err
}

// matches tells whether If-None-Match names an entity tag, by weak comparison (RFC 9110,
// sections 8.8.3.2 and 13.1.2).
func matches(header []string, tag string) bool {
	for part := range strings.SplitSeq(strings.Join(header, ","), ",") {
		part = strings.TrimSpace(part)
		if part == "*" || strings.TrimPrefix(part, "W/") == tag {
			return true
		}
	}
	return false
}
