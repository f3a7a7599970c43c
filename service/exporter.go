package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/service/admit"
	"github.com/segraph/segraph/store"
)

// text is written to a spool and read from it at the same time.
type text struct {
	*spool.Reader
	close func() error
}

// Close stops writing the text.
func (t *text) Close() error { return t.close() }

// makeText waits for its turn at a gate and for the bytes of memory that an export needs, opens the export and starts a goroutine
// that writes its text in a content coding, coded, or plain for "". open reads all of the content, so that an erasure that ends
// meanwhile ends the text too. The caller closes the text, which ends the goroutine.
func (s *Service) makeText(ctx context.Context, gate *admit.Gate, needs int64, coded string, open func(context.Context) (store.Export, error)) (io.ReadCloser, error) {
	limit, end := context.WithTimeoutCause(ctx, s.config.Limits.ExportPatience, errBusy)
	defer end()
	// The writer may outlive the reader's first error, but not Close.
	making, cancel := context.WithCancel(ctx)
	m := &exporter{ctx: making, gate: gate, page: gate != s.exporters, room: s.config.Limits.RoomPatience, coding: coded, made: func() {}}
	defer func() {
		if m.to == nil { // no text is being made, also after a panic
			cancel()
			m.leave()
			m.made()
		}
	}()
	turn := func() error { return m.enter(limit) }
	memory := func() (err error) { m.made, err = s.enterMemory(limit, needs, coded); return err }
	waits := []func() error{memory, turn} // a bundle needs much memory, and small exports can use the turn meanwhile
	if m.page {                           // many pages wait for their turn, and others can use their memory meanwhile
		waits = []func() error{turn, memory}
	}
	for _, wait := range waits { // before open, so that a waiting request holds no read snapshot
		if err := wait(); err != nil {
			return nil, s.waited(limit, err)
		}
	}
	of := s.spools.Generation()
	export, err := open(making)
	if err != nil {
		return nil, err
	}
	made := make(chan struct{})
	var reader *spool.Reader
	m.to, reader = s.spools.New()
	m.to.Since(of)
	go func() {
		defer close(made)
		defer s.guard(making, func() { m.breakDown(export) })
		m.export(export)
	}()
	return &text{reader, func() error {
		cancel()
		err := reader.Close() // also ends a writer that waits for room
		<-made
		return err
	}}, nil
}

// compressorSize is roughly the memory, in bytes, that compressing an answer takes.
const compressorSize = 1 << 20

// enterMemory waits for the memory to make an answer: needs, in bytes, and what it takes to compress the answer, if it is to
// be compressed. The caller calls leave once the answer is made. leave may be called more than once.
func (s *Service) enterMemory(ctx context.Context, needs int64, coded string) (leave func(), err error) {
	if coded != "" {
		needs += compressorSize
	}
	if needs == 0 {
		return func() {}, nil
	}
	if leave, err = s.memory.Wait(ctx, needs); err != nil {
		err = fmt.Errorf("wait for memory to make an answer: %w", err)
	}
	return leave, err
}

// maxWaits times Limits.RoomPatience is how long an export waits for room in total.
const maxWaits = 10

// exporter writes a text to a spool. While it writes it holds one of the exporters'
// slots, since writing keeps a processor busy. If the spool has no room, because the
// disk or the pool's share is full, it releases the slot and waits for its clients to
// read. Meanwhile it holds a read snapshot, and the file grows with every write. So one
// wait is at most Limits.RoomPatience, and all waits together at most maxWaits times that. Then
// the text breaks off.
type exporter struct {
	ctx    context.Context
	gate   *admit.Gate
	page   bool         // it is small, and holds memory that others with a turn may wait for: it takes no second turn
	to     *spool.Spool // nil before the text is begun
	inside bool
	room   time.Duration // Limits.RoomPatience
	waited time.Duration // total wait for room so far
	coding string        // the content coding of the text
	made   func()        // called once the text is made
}

func (m *exporter) enter(ctx context.Context) error {
	err := m.gate.Enter(ctx, 1)
	m.inside = err == nil
	return err
}

func (m *exporter) leave() {
	if m.inside {
		m.inside = false
		m.gate.Leave(1)
	}
}

// Write writes to the export's text. While it waits for room, because a reader is slow, it gives its turn to other
// exports: a turn is for those that need a processor.
func (m *exporter) Write(p []byte) (int, error) {
	n, err := m.to.TryWrite(p)
	if err == nil || errors.Is(err, spool.ErrClosed) || errors.Is(err, spool.ErrRevoked) {
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
	if m.page {
		return n + rest, nil
	}
	if err := m.enter(m.ctx); err != nil {
		return n + rest, fmt.Errorf("wait for the turn of an export: %w", err)
	}
	return n + rest, nil
}

// export writes a text to a spool, compressed during the exporter's turn: that needs less room, and keeps no more
// processors busy than there are. The end of the compressed text is written only on success, so a text that was
// cut short does not look complete.
func (m *exporter) export(export store.Export) {
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
func (m *exporter) breakDown(export store.Export) {
	m.to.CloseWrite(closeExport(export, errors.New("the export failed unexpectedly")))
}

// closeExport closes an export and joins its error to err.
func closeExport(export store.Export, err error) error {
	if closing := export.Close(); closing != nil {
		err = errors.Join(err, fmt.Errorf("close the export: %w", closing))
	}
	return err
}
