package relay

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/segraph/segraph/store/fleet/centre"
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

// ErrStopped says that a decision of another centre can't be understood here. What comes after it is not read.
var ErrStopped = errors.New("stopped: all centres need the same version")

// Decide sends a decision of a person to all centres that read the stream, and returns the answer of this one, once it
// has read up to it. So all centres carry it out between the same packs.
func (r *Reader) Decide(ctx context.Context, decision []byte) (answer any, err error) {
	r.mu.Lock()
	c := r.conn
	r.mu.Unlock()
	if c == nil {
		return nil, unsent(nats.ErrNoServers)
	}
	bounded, cancel, err := c.bound(ctx, 0)
	if err != nil {
		return nil, unsent(err)
	}
	defer cancel()
	done := make(chan decided, 1)
	number, err := r.send(bounded, c, decision, done)
	defer func() {
		r.mu.Lock()
		delete(r.pending, number)
		r.mu.Unlock()
	}()
	if err != nil {
		return nil, unsent(failed(err))
	}
	select {
	case got := <-done:
		return got.answer, got.err
	case <-bounded.Done():
		return nil, &UndecidedError{"the decision is in the stream, and this centre has not read up to it; look again when it has"}
	}
}

// send puts a decision into the stream, with a number that this centre has not used, also before a restart.
func (r *Reader) send(ctx context.Context, c *conn, decision []byte, done chan<- decided) (number uint64, err error) {
	r.deciding.Lock()
	defer r.deciding.Unlock()
	r.mu.Lock()
	r.number = max(r.number+1, r.read.Decided[r.centre]+1, uint64(time.Now().UnixNano()))
	number = r.number
	r.pending[number] = done
	r.mu.Unlock()
	m := nats.NewMsg(decisions + r.centre)
	m.Data = decision
	m.Header.Set(decisionHeader, strconv.FormatUint(number, 10))
	proof, err := r.proof(r.centre, number, decision)
	if err == nil {
		m.Header.Set(proofHeader, proof)
		_, err = c.jet.PublishMsg(ctx, m, jetstream.WithExpectStream(packs))
	}
	return number, err
}

// proof returns what only those with the secret can make for a decision of a centre.
func (r *Reader) proof(of string, number uint64, decision []byte) (string, error) {
	key, err := hkdf.Key(sha256.New, []byte(r.options.Secret), nil, "segraph: decisions of centres", sha256.Size)
	if err != nil {
		return "", err
	}
	h := hmac.New(sha256.New, key)
	fmt.Fprintf(h, "%s\n%d\n", of, number)
	h.Write(decision)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// decide carries out a decision in the stream. It skips one that no centre sent, or that was sent twice.
func (r *Reader) decide(ctx context.Context, m jetstream.Msg, at centre.Place) error {
	of := strings.TrimPrefix(m.Subject(), decisions)
	number, _ := strconv.ParseUint(m.Headers().Get(decisionHeader), 10, 64) // 0 was used before any
	proof, err := r.proof(of, number, m.Data())
	if err != nil {
		return err
	}
	forged := !hmac.Equal([]byte(proof), []byte(m.Headers().Get(proofHeader)))
	if forged || number <= at.Decided[of] {
		r.options.Log.ErrorContext(ctx, "a decision is skipped: no centre with this SECRET_KEY sent it, or it was sent twice", "centre", of, "message", at.Seq, "forged", forged)
		r.reached(at)
		return nil
	}
	at.Decided = maps.Clone(at.Decided)
	if at.Decided == nil {
		at.Decided = map[string]uint64{}
	}
	at.Decided[of] = number
	answer, refused, err := r.options.Decide(ctx, m.Data(), at)
	if err == nil {
		err = r.options.Hub.Reached(ctx, at) // of what changed nothing, or needed several units of work
	}
	if err != nil {
		return fmt.Errorf("message %d, a decision at %.100q: %w", at.Seq, of, err)
	}
	r.reached(at)
	r.tell(of, number, answer, refused)
	return nil
}

// tell passes the answer to the person who decided at this centre.
func (r *Reader) tell(of string, number uint64, answer any, refused error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if who := r.pending[number]; who != nil && of == r.centre {
		delete(r.pending, number)
		who <- decided{answer, refused} // it has room for one
	}
}
