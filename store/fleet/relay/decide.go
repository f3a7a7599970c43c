package relay

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// decided is what became of a decision.
type decided struct {
	answer any
	err    error
}

// UndecidedError says that a decision did not get into the stream, or that this centre has not read up to it.
type UndecidedError struct{ Detail string }

func (e *UndecidedError) Error() string { return e.Detail }

func unsent(err error) error {
	return &UndecidedError{fmt.Sprintf("the decision may not have reached the stream; look, and try again: %v", err)}
}

// Decide sends a decision of a person to all centres that read the stream, and returns the answer of this one, once it
// has read up to it. So all centres carry it out between the same packs.
func (r *Reader) Decide(ctx context.Context, decision []byte) (answer any, err error) {
	m, id, done := nats.NewMsg(decisions+r.centre), uuid.NewString(), make(chan decided, 1)
	m.Data = decision
	m.Header.Set(decisionHeader, id)
	r.mu.Lock()
	c := r.conn
	r.pending[id] = done
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.pending, id)
		r.mu.Unlock()
	}()
	if c == nil {
		return nil, unsent(nats.ErrNoServers)
	}
	bounded, cancel, err := c.bound(ctx, 0)
	if err != nil {
		return nil, unsent(err)
	}
	defer cancel()
	if _, err = c.jet.PublishMsg(bounded, m, jetstream.WithExpectStream(packs)); err != nil {
		return nil, unsent(failed(err))
	}
	select {
	case got := <-done:
		return got.answer, got.err
	case <-bounded.Done():
		return nil, &UndecidedError{"the decision is in the stream, and this centre has not read up to it; look again when it has"}
	}
}
