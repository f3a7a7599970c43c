package service

import (
	"context"
	"fmt"

	"github.com/segraph/segraph/store/sparql"
)

// ExplainText parses a query and explains it in one slot; see Explain.
func (s *Service) ExplainText(ctx context.Context, asked Query) (*sparql.Explanation, error) {
	return s.explain(ctx, asked.Text, func(ctx context.Context) (*sparql.Query, error) { return s.prepare(ctx, asked) })
}

// Explain runs a query in its turn and within the limits, and returns its plan. text is
// the client's text. If a limit was reached, the explanation says so. The error is an
// *Error if the client can act on it.
func (s *Service) Explain(ctx context.Context, q *sparql.Query, text string) (*sparql.Explanation, error) {
	return s.explain(ctx, text, func(context.Context) (*sparql.Query, error) { return q, nil })
}

func (s *Service) explain(ctx context.Context, text string, read func(context.Context) (*sparql.Query, error)) (*sparql.Explanation, error) {
	place, err := s.placeToRead(ctx, text)
	if err != nil {
		return nil, err
	}
	q, err := read(place.ctx)
	if err != nil {
		place.end()
		return nil, err
	}
	if !place.taken {
		if place, err = s.beginQuery(ctx, text); err != nil {
			return nil, err
		}
	}
	defer place.end()
	x, err := s.config.Queries.Explain(place.ctx, q, s.QueryLimits())
	if err != nil {
		return nil, queryError(fmt.Errorf("explain a query: %w", err))
	}
	return x, nil
}
