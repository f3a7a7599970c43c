package service

import (
	"context"
	"errors"

	"github.com/segraph/segraph/internal/semcheck"
	"github.com/segraph/segraph/store/turtle"
)

// maxIssues is how many issues of a document are reported in full. The rest are counted.
const maxIssues = 1000

// Validation lists the issues of a document. Its JSON is the answer of POST
// /ttl/validate.
type Validation struct {
	Valid       bool             `json:"valid"`
	SyntaxOK    bool             `json:"syntax_ok"`
	SemanticOK  bool             `json:"semantic_ok"`
	TripleCount int              `json:"triple_count"`
	IssueCount  int              `json:"issue_count"` // including those left out of Issues
	Issues      []semcheck.Issue `json:"issues"`

	// Undeclared is the undeclared prefix, with its colon, that the only issue is about.
	Undeclared string `json:"-"`
}

// Validate checks the syntax of a document and its use of the vocabulary. The first syntax
// error is the only issue. Validate does not use the store. Issues are not an error. The caller holds the document's turn.
func (s *Service) Validate(ctx context.Context, p Publication) (Validation, error) {
	d, err := readDocument(ctx, p.Content, p.Format, p.options(turtle.Options{CheckIRIs: true}))
	var syntax *turtle.SyntaxError
	if errors.As(err, &syntax) {
		return Validation{IssueCount: 1, Undeclared: syntax.Undeclared, Issues: []semcheck.Issue{{
			Severity: semcheck.Error, Code: semcheck.TurtleSyntaxError, Message: Sentence(syntax.Error()), Line: &syntax.Line, Column: &syntax.Column,
		}}}, nil
	}
	if err != nil {
		return Validation{}, err
	}
	odd := d.odd
	limit := maxIssues - len(odd.first)
	if odd.swallowed = p.swallowed(); odd.swallowed != nil {
		limit--
	}
	report, triples, err := semcheck.Check(ctx, d.text.Reader, limit)
	if err != nil {
		return Validation{}, err
	}
	v := Validation{
		SyntaxOK:    odd.total == 0 || !s.config.StrictIRIs,
		SemanticOK:  report.Errors == 0,
		TripleCount: triples,
		IssueCount:  report.Total + odd.total,
	}
	v.Valid = v.SyntaxOK && v.SemanticOK
	if odd.swallowed != nil {
		report.Issues, v.IssueCount = append(report.Issues, *odd.swallowed), v.IssueCount+1
	}
	for _, i := range odd.terms.First { // report has times of known properties
		if len(report.Issues)+len(odd.first) < maxIssues && (i.Predicate == nil || !semcheck.IsTime(*i.Predicate)) {
			report.Issues = append(report.Issues, i)
			v.IssueCount++
		}
	}
	if v.SyntaxOK { // warnings come last
		v.Issues = append(report.Issues, semcheck.OfIRIs(odd.first, semcheck.Warning)...)
	} else {
		v.Issues = append(semcheck.OfIRIs(odd.first, semcheck.Error), report.Issues...)
	}
	return v, nil
}
