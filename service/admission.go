package service

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

// workload bounds what all received documents together use: processors while they are
// parsed and checked, and memory until they are stored. The memory is for their texts,
// and for the triples of large ones. Documents wait in order of arrival.
type workload struct {
	shared     *memory.Pool // the shared memory; nil means no limit
	processors *gate
	memory     *gate // bytes of document text
	patience   time.Duration
}

// Admission is what a document holds while it is read and stored.
type Admission struct {
	load    *workload
	bytes   int64
	worker  bool
	release []func() // release the shared memory
}

// BeginDocument waits for the turn of a document of the given size. The caller must call
// End. The error is an *Error if the wait is too long or the document too large, or
// wraps ctx's.
func (s *Service) BeginDocument(ctx context.Context, bytes int64) (*Admission, error) {
	return s.work.begin(ctx, bytes)
}

func (l *workload) begin(ctx context.Context, bytes int64) (*Admission, error) {
	t := &Admission{load: l}
	if bytes <= smallDocument {
		return t, nil
	}
	if largest := l.largest(); bytes > largest {
		return nil, refuse(TooLarge, "parsing %s of RDF may take more than the %d MiB of memory that one document may use "+
			"(SEGRAPH_MEMORY sets the memory); split it into parts of %d KiB", BytesText(bytes), l.shared.MaxRequest()>>20, largest>>10).limited("document_memory")
	}
	limit, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	if err := l.memory.enter(limit, bytes); err != nil {
		return nil, l.refusal(ctx)
	}
	t.bytes = bytes
	if l.shared != nil {
		give, err := l.shared.Wait(limit, bytes*textCost)
		if t.release = append(t.release, give); err != nil {
			t.End()
			return nil, l.refusal(ctx)
		}
	}
	if err := l.processors.enter(limit, 1); err != nil {
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
func (l *workload) largest() int64 {
	if l.shared == nil {
		return math.MaxInt64
	}
	return l.shared.MaxRequest() / textCost
}

// reserve waits for the memory that storing a large document takes.
func (t *Admission) reserve(ctx context.Context, d *reading) error {
	shared := t.load.shared
	if shared == nil {
		return nil
	}
	cost := tripleCost*int64(d.read) + labelCost*int64(d.labels)
	if largest := shared.MaxRequest(); cost > largest {
		return refuse(TooLarge, "storing %d triples takes more than the %d MiB of memory that one document may use "+
			"(SEGRAPH_MEMORY sets the memory); split them into several documents", d.read, largest>>20).limited("document_memory")
	}
	limit, cancel := context.WithTimeout(ctx, t.load.patience)
	defer cancel()
	give, err := shared.Wait(limit, cost)
	if t.release = append(t.release, give); err != nil {
		return t.load.refusal(ctx)
	}
	return nil
}

// refusal returns the error of a document that stopped waiting: it wraps ctx's error if
// the request ended, and is an *Error if the wait took too long.
func (l *workload) refusal(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("wait for the turn of a document: %w", err)
	}
	return refuse(Unavailable, "too many documents are being processed; try again later").limited("documents").retry(l.patience)
}

// checked releases the processor, since the rest waits for the disk.
func (t *Admission) checked() {
	if t.worker {
		t.worker = false
		t.load.processors.leave(1)
	}
}

// yield lets other documents have the processor, if they wait for one.
func (t *Admission) yield(ctx context.Context) error {
	if !t.worker {
		return nil
	}
	t.checked()
	limit, cancel := context.WithTimeout(ctx, t.load.patience)
	defer cancel()
	if err := t.load.processors.enter(limit, 1); err != nil {
		return t.load.refusal(ctx)
	}
	t.worker = true
	return nil
}

// End releases whatever the document still holds. It may be called more than once.
func (t *Admission) End() {
	t.checked()
	if t.bytes > 0 {
		t.load.memory.leave(t.bytes)
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
// BeginDocument.
func (s *Service) BeginDecompressing(ctx context.Context) (end func(), err error) {
	if err := s.decoders.enter(ctx, 1); err != nil {
		return nil, fmt.Errorf("wait for a decompression slot: %w", err)
	}
	limit, cancel := context.WithTimeout(ctx, s.work.patience)
	defer cancel()
	give, err := s.memory.Wait(limit, decompressorSize)
	if err != nil {
		s.decoders.leave(1)
		return nil, s.work.refusal(ctx)
	}
	return func() {
		give()
		s.decoders.leave(1)
	}, nil
}
