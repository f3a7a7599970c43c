package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
)

// Answer is the answer to a query. The store writes it to a spool at full speed, and the
// client reads it from there, so a slow client holds neither a read snapshot nor a query
// slot.
type Answer struct {
	text   *spool.Reader
	chosen chan Form
	close  func() error
	limit  time.Duration
}

// spoolPatience is how much longer than its time limit a query may wait for room in the
// spools. The query enforces the limit itself except while it waits.
const spoolPatience = 2 * time.Second

// Answer prepares a query and starts it. choose returns the forms that the answer may
// have, the client's preferred form first. The caller must close the answer.
func (s *Service) Answer(ctx context.Context, query Query, choose func(*sparql.Query) ([]Form, error)) (*Answer, error) {
	var q *sparql.Query
	var forms []Form
	slot, err := s.slotToRun(ctx, query.Text, func(ctx context.Context) (err error) {
		if q, err = s.prepare(ctx, query); err == nil {
			forms, err = choose(q)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.begin(q, query.Text, forms, slot), nil
}

// begin runs q into a spool, in one of the forms, and releases its slot when it is done.
// query is the text of q.
func (s *Service) begin(q *sparql.Query, query string, forms []Form, slot *querySlot) *Answer {
	// The query may outlive the reader's first error, but not Close.
	ctx, cancel := context.WithCancel(slot.ctx)
	text, reader := s.spools.New()
	tooLong := time.AfterFunc(s.config.Limits.QueryTime+spoolPatience, func() { _ = reader.Close() })
	ran := make(chan struct{})
	a := &Answer{text: reader, chosen: make(chan Form, 1), limit: s.config.Limits.QueryTime}
	go func() {
		defer close(ran)
		defer slot.end()
		defer tooLong.Stop()
		defer s.guard(ctx, func() { text.CloseWrite(errors.New("the query failed unexpectedly")) })
		text.CloseWrite(s.writeAnswer(ctx, q, query, forms, text, func(form Form) { a.chosen <- form }))
	}()
	a.close = func() error {
		cancel()
		err := reader.Close() // also ends a query that waits for room
		<-ran
		return err
	}
	return a
}

// Read reads the text of the answer. If the client can act on the failure, the error is
// an *Error.
func (a *Answer) Read(p []byte) (int, error) {
	n, err := a.text.Read(p)
	if errors.Is(err, spool.ErrClosed) { // closed by tooLong: a busy machine may notice the limit late
		err = outOfTime(fmt.Sprintf("the query ran longer than %v", a.limit))
	}
	if err == nil || err == io.EOF {
		return n, err
	}
	return n, queryError(err)
}

// Form returns the form of the answer. Only the first call after a Read has begun the
// answer returns ok.
func (a *Answer) Form() (form Form, ok bool) {
	select {
	case form = <-a.chosen:
		return form, true
	default:
		return form, false
	}
}

// Close ends the query.
func (a *Answer) Close() error { return a.close() }

// maxHeadBuffer is how many bytes of an answer are held back so that another form, or an
// error, can still be sent.
const maxHeadBuffer = 1 << 20

// headBuffer holds back the beginning of an answer, so that it can be discarded for
// another form or an error.
type headBuffer struct {
	to      io.Writer
	begin   func() // called once, before the first bytes are passed on
	maxKept int    // in bytes
	kept    []byte
	begun   bool
}

func (h *headBuffer) Write(p []byte) (int, error) {
	if h.begun {
		return h.to.Write(p)
	}
	h.kept = append(h.kept, p...)
	if len(h.kept) <= h.maxKept {
		return len(p), nil
	}
	return len(p), h.release()
}

// release passes on the held bytes.
func (h *headBuffer) release() error {
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

// writeAnswer runs a query and writes its answer to out in the first of the forms that can
// hold it: XML, for example, can't hold U+0001. After maxHeadBuffer bytes the form is
// final. Since the rest is unknown then, RDF is labelled version=1.2, unless neither the
// dataset nor text, the query's text, can bring in features of RDF 1.2. writeAnswer calls
// begin with the form before it writes the first byte. If no form can hold the answer, it
// returns the first form's error.
func (s *Service) writeAnswer(ctx context.Context, q *sparql.Query, text string, forms []Form, out io.Writer, begin func(Form)) error {
	var first error
	for i, form := range forms {
		answer := &versioned{makes: makesRDF12.MatchString(text)}
		if form.hasVersions() {
			answer.accepted = form.Version
		}
		complete := false
		head := &headBuffer{to: out, begin: func() {
			unknown := !complete && form.Version != rdf.RDF11 && answer.mayBecomeRDF12()
			if form.hasVersions() && (answer.rdf12 || unknown) {
				form.ContentType += inVersion(form.Version)
			}
			begin(form)
		}}
		if i < len(forms)-1 || form.hasVersions() || form.mayRefuse() { // another form, a label or an error may follow
			head.maxKept = maxHeadBuffer
		}
		coded := coding.NewWriter(form.Coding, head)
		answer.answerWriter = form.writer(coded, q.Syntax().Prologue.Prefixes)
		err := s.run(ctx, q, answer, answer.Triple)
		answer.source, complete = nil, err == nil // source asks the query's snapshot, which is closed
		if err == nil {
			err = answer.Close()
		}
		if err == nil {
			return errors.Join(coded.Close(), head.release())
		}
		coded.Abandon() // no end marker, so that the answer does not look complete
		if first == nil {
			first = err
		}
		var unfit *formError
		if !errors.As(err, &unfit) || head.begun || ctx.Err() != nil {
			return err
		}
	}
	return first
}
