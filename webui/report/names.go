package report

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// calling is what things are called, by IRI: each by another name.
type calling map[string]string

// add names what is in some columns of rows. label returns what a thing is called besides
// its local name; it may be nil.
func (c calling) add(label func(rdf.Term) string, rows [][]rdf.Term, columns ...int) {
	for _, row := range rows {
		for _, i := range columns {
			if row[i].IsIRI() {
				name := local(row[i])
				if label != nil {
					name = label(row[i])
				}
				c[row[i].Value()] = name
			}
		}
	}
}

// apart tells those apart that were added by the same name.
func (c calling) apart() calling { return views.TellApart(c) }

// of returns what a term is called.
func (c calling) of(term rdf.Term) string {
	if name, ok := c[term.Value()]; ok && term.IsIRI() {
		return name
	}
	return local(term)
}

// used returns the cell of used with the name of the term.
func (c calling) used(term rdf.Term) views.ReportCell {
	cell := used(term)
	cell.Text = c.of(term)
	return cell
}
