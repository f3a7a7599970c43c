package outbox

import (
	"context"

	"github.com/segraph/segraph/store/rdf"
)

const (
	TrimAtOnce   = trimAtOnce
	DrainedAgain = drainedAgain
)

// AllInParts is All with most quads at a time.
func (o *Outbox) AllInParts(ctx context.Context, most int, each func(quads []rdf.Quad) error) error {
	return o.all(ctx, most, each)
}

// WaitFor is Wait with most changes that are kept, and most bytes of them.
func (o *Outbox) WaitFor(ctx context.Context, follower string, most uint64, bytes int) error {
	return o.wait(ctx, follower, most, bytes)
}
