package views

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/internal/quoted"
)

// Show answers with a page, or with a part of one that a script requested. It renders
// before it writes, so that a rendering error does not leave half a page. It renders also if
// the request's context has ended: net/http ends it when it can't read the rest of a body, while
// the client still reads. Compression leaks nothing, since no page combines a secret with the
// client's input.
func (u *UI) Show(w http.ResponseWriter, r *http.Request, status int, content templ.Component) error {
	var page bytes.Buffer
	if err := content.Render(context.WithoutCancel(r.Context()), &page); err != nil {
		return fmt.Errorf("write a page: %w", err)
	}
	if base := u.Base(); base != "" {
		linked := u.links.Replace(page.String())
		page.Reset()
		page.WriteString(linked)
	}
	w.Header().Add("Vary", "HX-Request")
	return front.WriteCoded(w, codingOf(w, r), status, pageType, quoted.HTML(page.Bytes()))
}

const pageType = "text/html; charset=utf-8"

// codingOf chooses the content coding of a page or a file. A client that accepts none gets
// it plain, as RFC 9110 allows, so that every error has a page.
func codingOf(w http.ResponseWriter, r *http.Request) string {
	coded, err := front.ChooseCoding(w, r)
	if err != nil {
		return ""
	}
	return coded
}

// Stream answers with a page as Show does, but each templ.Flush in it sends what is before
// it. If rendering fails after that, the client sees an incomplete answer.
func (u *UI) Stream(w http.ResponseWriter, r *http.Request, content templ.Component) error {
	w.Header().Set("Content-Type", pageType)
	w.Header().Add("Vary", "HX-Request")
	to := coding.NewWriter(codingOf(w, r), w)
	defer to.Abandon()
	out := &pageStream{to: to, control: http.NewResponseController(w), links: u.links}
	if err := content.Render(r.Context(), out); err != nil {
		return fmt.Errorf("write a page: %w", err)
	}
	out.send()
	_ = to.Close() // fails only if the client is gone
	return nil
}

// pageStream writes a page in parts. It ignores errors of the client, as show does.
type pageStream struct {
	part    bytes.Buffer
	to      *coding.Writer
	control *http.ResponseController
	links   *strings.Replacer
}

func (s *pageStream) Write(p []byte) (int, error) { return s.part.Write(p) }

// Flush sends what has been written. templ calls it between two elements, so it cuts no link
// in two.
func (s *pageStream) Flush() {
	s.send()
	_ = s.to.Flush()
	_ = s.control.Flush()
}

func (s *pageStream) send() {
	_, _ = s.links.WriteString(s.to, string(quoted.HTML(s.part.Bytes())))
	s.part.Reset()
}

// soonShown is how long a page waits for its content before it sends what is above it, unless Config.Patience is longer.
const soonShown = 100 * time.Millisecond

// later is the content of a page, computed by a goroutine.
type later[T any] struct {
	done     chan struct{}
	patience time.Duration // of Soon
	value    T
	err      error
}

// Begin computes content in a goroutine. The caller defers Join, since the goroutine may read the request, and shares
// nothing that either changes.
func Begin[T any](ctx context.Context, u *UI, compute func() (T, error)) *later[T] {
	l := &later[T]{done: make(chan struct{}), patience: max(soonShown, u.Config.Patience), err: errors.New("computing a page panicked")}
	go func() {
		defer close(l.done)
		defer func() {
			if value := recover(); value != nil {
				u.Service.Panicked(ctx, value)
			}
		}()
		l.value, l.err = compute()
	}()
	return l
}

// Soon waits for the content for a while, and reports whether it is there.
func (l *later[T]) Soon() bool {
	select {
	case <-l.done:
		return true
	case <-time.After(l.patience):
		return false
	}
}

// Join waits for the goroutine.
func (l *later[T]) Join() { <-l.done }

// Wait waits for the content.
func (l *later[T]) Wait() (T, error) {
	<-l.done
	return l.value, l.err
}
