package httpapi

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/segraph/segraph/internal/memory"
)

// smallDocument is how many bytes a document may have to be worked on at once: reading it takes
// a fraction of a millisecond.
const smallDocument = 4 << 10

// workload bounds what documents take together once they have come whole: processors, while
// they are read and checked, so that other requests are not kept waiting for one, and memory,
// until they are stored: for their texts, and for the triples of large ones. Documents wait for their turn in the order
// in which they came.
type workload struct {
	shared     *memory.Pool // of what they take; nil is as much as they need
	processors *gate
	memory     *gate // of bytes of text
	patience   time.Duration
}

// turn is what a document holds of a workload.
type turn struct {
	load   *workload
	bytes  int64
	worker bool
	give   []func() // give back the shared memory
}

// begin waits for the turn of a document of so many bytes, which end gives back. The error is a
// problem when that takes too long, or wraps that of ctx.
func (l *workload) begin(ctx context.Context, bytes int64) (*turn, error) {
	t := &turn{load: l}
	if bytes <= smallDocument {
		return t, nil
	}
	if most := l.most(); bytes > most {
		return nil, newProblem(http.StatusRequestEntityTooLarge, "reading %s of RDF may take more than the %d MiB of memory that one document may have "+
			"(SEGRAPH_MEMORY sets what there is); send it in parts of %d KiB", bytesText(bytes), l.shared.Alone()>>20, most>>10).limited("document_memory")
	}
	limit, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	if err := l.memory.enter(limit, bytes); err != nil {
		return nil, l.refusal(ctx)
	}
	t.bytes = bytes
	if l.shared != nil {
		give, err := l.shared.Wait(limit, bytes*textCost)
		if t.give = append(t.give, give); err != nil {
			t.end()
			return nil, l.refusal(ctx)
		}
	}
	if err := l.processors.enter(limit, 1); err != nil {
		t.end()
		return nil, l.refusal(ctx)
	}
	t.worker = true
	return t, nil
}

// What documents take of the shared memory: for each byte of text, of which there are some copies for a moment; and once it is
// known that a document is too large to be held, for each triple, and for each mention of a blank node with a label.
const (
	textCost   = 4
	tripleCost = 12
	labelCost  = 64
)

// most returns how many bytes the largest document may have.
func (l *workload) most() int64 {
	if l.shared == nil {
		return math.MaxInt64
	}
	return l.shared.Alone() / textCost
}

// hold waits for the memory that a large document takes while it is stored.
func (t *turn) hold(ctx context.Context, d *reading) error {
	shared := t.load.shared
	if shared == nil {
		return nil
	}
	cost := tripleCost*int64(d.read) + labelCost*int64(d.labels)
	if most := shared.Alone(); cost > most {
		return newProblem(http.StatusRequestEntityTooLarge, "storing %d triples takes more than the %d MiB of memory that one document may have "+
			"(SEGRAPH_MEMORY sets what there is); send them in several documents", d.read, most>>20).limited("document_memory")
	}
	limit, cancel := context.WithTimeout(ctx, t.load.patience)
	defer cancel()
	give, err := shared.Wait(limit, cost)
	if t.give = append(t.give, give); err != nil {
		return t.load.refusal(ctx)
	}
	return nil
}

// refusal tells the end of a request from that of our patience.
func (l *workload) refusal(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("wait for the turn of a document: %w", err)
	}
	return newProblem(http.StatusServiceUnavailable, "too many documents are being worked on; try again later").limited("documents").retryAfter(l.patience)
}

// checked gives back the processor: what follows is to wait for the disk.
func (t *turn) checked() {
	if t.worker {
		t.worker = false
		t.load.processors.leave(1)
	}
}

// end gives back what is still held. It may be called more than once.
func (t *turn) end() {
	t.checked()
	if t.bytes > 0 {
		t.load.memory.leave(t.bytes)
		t.bytes = 0
	}
	for _, give := range t.give {
		give()
	}
}
