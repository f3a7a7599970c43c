package service

import (
	"context"
	"errors"

	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// QueryValidation reports whether a query can be run. Its JSON is the answer of POST
// /query/validate.
type QueryValidation struct {
	Valid   bool   `json:"valid"`
	Kind    string `json:"query_kind"`              // the name of its syntax.Kind
	Update  bool   `json:"allows_update_execution"` // always false: queries only read
	Message string `json:"message"`                 // a sentence
	Line    *int   `json:"line"`                    // of the fault, from 1; null if there is none
	Column  *int   `json:"column"`                  // from 1, in characters
	// Warnings lists constructs that may not do what the author expects, in text order.
	// If such a construct makes the query invalid, the error is the first of its kind.
	Warnings []sparql.Warning `json:"warnings"`
	// Undeclared is the label of the undeclared prefix, if that is the fault.
	Undeclared *string `json:"-"`
}

// CheckQuery reports whether Prepare would accept a query, and its fault if not. It does
// not use the store. The error reports that no slot was free in time.
func (s *Service) CheckQuery(ctx context.Context, query Query) (QueryValidation, error) {
	slot, err := s.slotToParse(ctx, query.Text)
	if err != nil {
		return QueryValidation{}, err
	}
	defer slot.end()
	v := QueryValidation{Kind: syntax.Kind(query.Text), Warnings: []sparql.Warning{}}
	q, err := sparql.Prepare(slot.ctx, query.Text, sparql.Options{Base: query.Base, Limits: s.QueryLimits()})
	var limit *budget.LimitError
	var checked *sparql.CheckError
	switch {
	case err == nil:
		v.Valid, v.Message = true, "The query can be run."
		v.Warnings = append(v.Warnings, q.Warnings()...)
		return v, nil
	case errors.As(err, &checked):
		v.Warnings = checked.Warnings
	case slot.ctx.Err() != nil, errors.As(err, &limit):
		return v, queryError(err)
	}
	v.Message = Sentence(err.Error())
	if line, column := positionOf(err); line > 0 {
		v.Line, v.Column = &line, &column
	}
	var bad *syntax.Error
	if errors.As(err, &bad) {
		v.Undeclared = bad.Undeclared
	}
	return v, nil
}
