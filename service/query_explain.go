package service

import (
	"context"
	"fmt"

	"github.com/segraph/segraph/store/sparql"
)

// ExplainText parses a query and explains it in one slot; see Explain.
func (s *Service) ExplainText(ctx context.Context, query Query) (*sparql.Explanation, error) {
	var q *sparql.Query
	slot, err := s.slotToRun(ctx, query.Text, func(ctx context.Context) (err error) {
		q, err = s.prepare(ctx, query)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.explain(q, slot)
}

// Explain runs a query in its turn and within the limits, and returns its plan. text is
// the client's text. If a limit was reached, the explanation says so. The error is an
// *Error if the client can act on it.
func (s *Service) Explain(ctx context.Context, q *sparql.Query, text string) (*sparql.Explanation, error) {
	slot, err := s.beginQuery(ctx, text)
	if err != nil {
		return nil, err
	}
	return s.explain(q, slot)
}

// explain explains a query in a slot and releases the slot.
func (s *Service) explain(q *sparql.Query, slot *querySlot) (*sparql.Explanation, error) {
	defer slot.end()
	x, err := s.config.Queries.Explain(slot.ctx, q, s.QueryLimits())
	if err != nil {
		return nil, queryError(fmt.Errorf("explain a query: %w", err))
	}
	return x, nil
}
