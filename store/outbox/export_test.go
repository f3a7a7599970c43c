package outbox

import (
	"context"

	"github.com/segraph/segraph/store/rdf"
)

const TrimAtOnce = trimAtOnce

// AllInParts is All with atOnce quads at a time.
func (o *Outbox) AllInParts(ctx context.Context, atOnce int, each func(last uint64, quads []rdf.Quad) error) error {
	return o.all(ctx, atOnce, each)
}
