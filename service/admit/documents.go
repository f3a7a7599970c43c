package admit

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/segraph/segraph/internal/memory"
)

// smallDocument is the largest document, in bytes, that is read without waiting for a
// turn. Reading it takes a fraction of a millisecond.
const smallDocument = 4 << 10

// Documents bounds what all received documents together use: processors while they are
// parsed and checked, and memory until they are stored. The memory is for their texts,
// and for the triples of large ones. Documents wait in order of arrival. Create one with
// NewDocuments. It is safe for concurrent use.
type Documents struct {
	shared     *memory.Pool // nil means no limit
	processors *Gate
	memory     *Gate // bytes of document text
	decoders   *Gate // bounds concurrent decompression
	signed     *Gate // bytes for signed bodies as received
	patience   time.Duration
}

// NewDocuments returns a bound on the processors that documents use, the bytes of their texts, and
// their share of memory. A document waits at most patience for each.
func NewDocuments(shared *memory.Pool, processors int, bytes int64, patience time.Duration) *Documents {
	signed := bytes
	if shared != nil {
		signed = min(signed, shared.Size()/8)
	}
	return &Documents{shared: shared, processors: NewGate(int64(processors)), memory: NewGate(bytes), decoders: NewGate(int64(processors)), signed: NewGate(signed), patience: patience}
}

// Reading returns how many documents are being read.
func (l *Documents) Reading() int { return int(l.processors.Inside()) }

// Bytes returns the bytes of the documents that are being read or stored.
func (l *Documents) Bytes() int64 { return l.memory.Inside() }

// Turn is what a document holds while it is read and stored.
type Turn struct {
	of      *Documents
	bytes   int64
	worker  bool
	lost    error    // why Yield did not get the processor back
	release []func() // release the shared memory; may be called more than once
}

// A TooLargeError refuses a document that needs more memory than one may use.
type TooLargeError struct{ Detail string }

func (e *TooLargeError) Error() string { return e.Detail }

// A BusyError refuses a document that waited too long.
type BusyError struct{ Patience time.Duration }

func (e *BusyError) Error() string {
	return "too many documents are being processed; try again later"
}

// Unread returns the turn of a document that is read already: it holds nothing yet.
func (l *Documents) Unread() *Turn { return &Turn{of: l} }

// Begin waits for the turn of a document with a size in bytes. The caller calls End. The error is a
// *TooLargeError, a *BusyError, or wraps ctx's.
func (l *Documents) Begin(ctx context.Context, bytes int64) (*Turn, error) {
	t := &Turn{of: l}
	if bytes <= smallDocument {
		return t, nil
	}
	if largest := l.largest(); bytes > largest {
		return nil, &TooLargeError{fmt.Sprintf("parsing %d bytes of RDF may take more than the %d MiB of memory that one document may use "+
			"(SEGRAPH_MEMORY sets the memory); split it into parts of %d KiB", bytes, l.shared.MaxRequest()>>20, largest>>10)}
	}
	limit, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	if err := l.memory.Enter(limit, bytes); err != nil {
		return nil, l.refusal(ctx)
	}
	t.bytes = bytes
	if l.shared != nil {
		give, err := l.shared.Wait(limit, bytes*textCost)
		if err != nil {
			t.End()
			return nil, l.refusal(ctx)
		}
		t.release = append(t.release, give)
	}
	if err := l.processors.Enter(limit, 1); err != nil {
		t.End()
		return nil, l.refusal(ctx)
	}
	t.worker = true
	return t, nil
}

// Bytes of shared memory that a document takes: per byte of text, because several copies
// of it exist briefly; and, if it is too large to hold, per triple and per mention of a
// labelled blank node.
const (
	textCost   = 4
	tripleCost = 12
	labelCost  = 64
)

// largest returns the size of the largest possible document in bytes.
func (l *Documents) largest() int64 {
	if l.shared == nil {
		return math.MaxInt64
	}
	return l.shared.MaxRequest() / textCost
}

// Reserve waits for the memory that storing a large document takes, given its numbers of triples
// and of mentions of labelled blank nodes. The errors are those of Begin.
func (t *Turn) Reserve(ctx context.Context, triples, labels int) error {
	shared := t.of.shared
	if shared == nil {
		return nil
	}
	cost := tripleCost*int64(triples) + labelCost*int64(labels)
	if largest := shared.MaxRequest(); cost > largest {
		return &TooLargeError{fmt.Sprintf("storing %d triples takes more than the %d MiB of memory that one document may use "+
			"(SEGRAPH_MEMORY sets the memory); split them into several documents", triples, largest>>20)}
	}
	give, err := t.of.wait(ctx, cost)
	if err != nil {
		return err
	}
	t.release = append(t.release, give)
	return nil
}

// refusal returns the error of a document that stopped waiting: it wraps ctx's error if
// the request ended, and is a *BusyError if the wait took too long.
func (l *Documents) refusal(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("wait for the turn of a document: %w", err)
	}
	return &BusyError{l.patience}
}

// Checked releases the processor, since the rest waits for the disk.
func (t *Turn) Checked() {
	if t.worker {
		t.worker = false
		t.of.processors.Leave(1)
	}
}

// Yield lets other documents have the processor, if they wait for one. The errors are those of
// Begin. After an error the turn is lost, and each further call returns the same error.
func (t *Turn) Yield(ctx context.Context) error {
	if !t.worker {
		return t.lost
	}
	t.Checked()
	limit, cancel := context.WithTimeout(ctx, t.of.patience)
	defer cancel()
	if err := t.of.processors.Enter(limit, 1); err != nil {
		t.lost = t.of.refusal(ctx)
		return t.lost
	}
	t.worker = true
	return nil
}

// End releases whatever the document still holds. It may be called more than once.
func (t *Turn) End() {
	t.Checked()
	if t.bytes > 0 {
		t.of.memory.Leave(t.bytes)
		t.bytes = 0
	}
	for _, give := range t.release {
		give()
	}
}

// decompressorSize is the most memory, in bytes, that decompressing a body takes.
const decompressorSize = 9 << 20

// BeginDecompressing waits for a slot and the memory to decompress a body, since even a
// tiny body can demand a window of 8 MiB. The caller calls end. The errors are those of
// Begin.
func (l *Documents) BeginDecompressing(ctx context.Context) (end func(), err error) {
	limit, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	if err := l.decoders.Enter(limit, 1); err != nil {
		return nil, l.refusal(ctx)
	}
	give, err := l.shared.Wait(limit, decompressorSize)
	if err != nil {
		l.decoders.Leave(1)
		return nil, l.refusal(ctx)
	}
	return func() {
		give()
		l.decoders.Leave(1)
	}, nil
}

// BeginSigned waits for the memory of a signed body with a Content-Encoding, which is kept as received beside its document: twice,
// while it is packed. It is no part of the shared memory, for which its document waits later. The caller calls end. The errors are
// those of Begin.
func (l *Documents) BeginSigned(ctx context.Context, bytes int64) (end func(), err error) {
	limit, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	if err := l.signed.Enter(limit, 2*bytes); err != nil {
		return nil, l.refusal(ctx)
	}
	return func() { l.signed.Leave(2 * bytes) }, nil
}

// BeginText waits for the memory to parse a text that is no document. The caller calls end, which may be called more than
// once. The errors are those of Begin.
func (l *Documents) BeginText(ctx context.Context, bytes int64) (end func(), err error) {
	return l.wait(ctx, bytes*textCost)
}

// wait waits for shared memory.
func (l *Documents) wait(ctx context.Context, bytes int64) (give func(), err error) {
	limit, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	if give, err = l.shared.Wait(limit, bytes); err != nil {
		return nil, l.refusal(ctx)
	}
	return give, nil
}
