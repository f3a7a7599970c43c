package service

import (
	"context"
	"errors"

	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// QueryValidation says whether a query can be run. Its JSON is the answer of POST
// /query/validate.
type QueryValidation struct {
	Valid   bool   `json:"valid"`
	Kind    string `json:"query_kind"`              // as syntax.Kind has it
	Update  bool   `json:"allows_update_execution"` // never: reading is all there is
	Message string `json:"message"`                 // a sentence
	Line    *int   `json:"line"`                    // of what is wrong, from 1; null where nothing is
	Column  *int   `json:"column"`                  // from 1, in characters
	// Warnings are about what may not do what the author expects, in the order of the
	// text. A query that is not valid for one of them is refused for the first of its
	// kind.
	Warnings []sparql.Warning `json:"warnings"`
	// Undeclared is the label of the prefix of which the declaration is missing, if that
	// is what is wrong.
	Undeclared *string `json:"-"`
}

// CheckQuery reports whether Prepare would take a query, and what is wrong with it. It
// asks no store. The error is that there was no place or no time for it.
func (s *Service) CheckQuery(ctx context.Context, asked Query) (QueryValidation, error) {
	place, err := s.placeToRead(ctx, asked.Text)
	if err != nil {
		return QueryValidation{}, err
	}
	defer place.end()
	v := QueryValidation{Kind: syntax.Kind(asked.Text), Warnings: []sparql.Warning{}}
	q, err := sparql.Prepare(place.ctx, asked.Text, sparql.Options{Base: asked.Base, Limits: s.QueryLimits()})
	var limit *eval.LimitError
	var checked *sparql.CheckError
	switch {
	case err == nil:
		v.Valid, v.Message = true, "The query can be run."
		v.Warnings = append(v.Warnings, q.Warnings()...)
		return v, nil
	case errors.As(err, &checked):
		v.Warnings = checked.Warnings
	case place.ctx.Err() != nil, errors.As(err, &limit):
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
