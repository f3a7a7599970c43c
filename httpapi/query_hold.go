package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/store/sparql"
)

// mostHeld is how many bytes of an answer are held back while the client has another form to choose.
const mostHeld = 1 << 20

// held holds the beginning of an answer back, which so can be given up for another.
type held struct {
	to    io.Writer
	begin func() // called once, before the first bytes are handed on
	most  int    // bytes that are held
	kept  []byte
	begun bool
}

func (h *held) Write(p []byte) (int, error) {
	if h.begun {
		return h.to.Write(p)
	}
	h.kept = append(h.kept, p...)
	if len(h.kept) <= h.most {
		return len(p), nil
	}
	return len(p), h.release()
}

// release hands on what is held.
func (h *held) release() error {
	if h.begun {
		return nil
	}
	h.begun = true
	h.begin()
	kept := h.kept
	h.kept = nil
	_, err := h.to.Write(kept)
	return err
}

// writeAnswer runs a query and writes its answer to out, in the first of the forms that can hold it: some can't hold
// every term, such as XML the character U+0001. Once more than mostHeld was written it is too late for another. begin is
// told the form before the first byte comes. The error is that of the first form where none can.
func (a *API) writeAnswer(ctx context.Context, q *sparql.Query, forms []answerForm, out io.Writer, begin func(answerForm)) error {
	var first error
	for i, form := range forms {
		h := &held{to: out, begin: func() { begin(form) }}
		if i < len(forms)-1 {
			h.most = mostHeld
		}
		to := coding.NewWriter(form.coding, h)
		err := a.runQuery(ctx, q, form.writer(to, q.Prefixes()))
		if err == nil {
			return errors.Join(to.Close(), h.release())
		}
		to.Abandon() // without an end, so that it does not look complete
		if first == nil {
			first = err
		}
		var unfit *formError
		if !errors.As(err, &unfit) || h.begun || ctx.Err() != nil {
			return err
		}
	}
	return first
}

// headed sets the type of an answer when its first bytes come.
type headed struct {
	http.ResponseWriter
	chosen <-chan answerForm // has the form by then
}

func (w headed) Write(p []byte) (int, error) {
	select {
	case form := <-w.chosen:
		w.Header().Set("Content-Type", form.contentType)
	default:
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w headed) Unwrap() http.ResponseWriter { return w.ResponseWriter }
