package reports

import (
	"context"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// leftOut shows what reports can't place.
func (r *Report) leftOut(ctx context.Context, out *ReportSection) error {
	for _, show := range []func(*Report, context.Context, *ReportSection) error{(*Report).unplaced, (*Report).unknownTerms, (*Report).classes} {
		if err := show(r, ctx, out); err != nil {
			return err
		}
	}
	return nil
}

// unplaced counts the activities without a time, and what has a time that can't be read or is still to come.
func (r *Report) unplaced(ctx context.Context, out *ReportSection) error {
	rows, err := kept(r, "unplaced", func() ([][]rdf.Term, error) { return r.rows(ctx, "unplaced") })
	if err != nil {
		return err
	}
	t := r.table("unplaced", "Activities and times", "Every activity has a time, and every time can be read and has come.", "Time", "Fault", "Things#")
	for _, row := range rows {
		t.Rows = append(t.Rows, []ReportCell{shortTerm(row[0].Value()), plain(row[1].Value()),
			count(row[2], r.counted("unplaced", binding{"property", row[0]}, binding{"fault", row[1]}))})
	}
	out.Tables = append(out.Tables, t)
	return nil
}

// unknownTerms counts the uses of properties and classes that are not in the ontology of
// their namespace.
func (r *Report) unknownTerms(ctx context.Context, out *ReportSection) error {
	rows, err := kept(r, "term-uses", func() ([][]rdf.Term, error) { return r.rows(ctx, "term-uses") })
	if err != nil {
		return err
	}
	t := r.table("term-uses", "Unknown terms", "Every term of a known namespace is in its vocabulary.", "Term", "Perhaps", "Uses#")
	for _, row := range rows {
		meant, unknown := vocabulary.Unknown(row[0].Value())
		if !unknown {
			continue
		}
		if t.More = len(t.Rows) == r.Limit; t.More {
			break
		}
		t.Rows = append(t.Rows, []ReportCell{shortTerm(row[0].Value()), shortTerm(meant), count(row[1], r.counted("term-uses", binding{"term", row[0]}))})
	}
	out.Tables = append(out.Tables, t)
	return nil
}

// shortTerm returns the cell of a term's IRI, or of "", with its prefix if it has a usual one.
func shortTerm(iri string) ReportCell {
	text, ok := vocabulary.Short(vocabulary.Prefixes(), iri)
	if !ok {
		text = iri
	}
	return ReportCell{Text: text, Value: iri, Title: iri}
}
