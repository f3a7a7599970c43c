package outbox

import (
	"context"

	"github.com/segraph/segraph/store/rdf"
)

const TrimAtOnce = trimAtOnce

// AllInParts is All with most quads at a time.
func (o *Outbox) AllInParts(ctx context.Context, most int, each func(last uint64, quads []rdf.Quad) error) error {
	return o.all(ctx, most, each)
}
