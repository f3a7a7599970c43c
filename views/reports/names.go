package reports

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// termNames maps IRIs to distinct names.
type termNames map[string]string

// add names the terms in some columns of rows. label returns the label of a term, in
// place of its local name; it may be nil.
func (c termNames) add(label func(rdf.Term) string, rows [][]rdf.Term, columns ...int) {
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

// placeWords returns the local name of a place as words.
func placeWords(place rdf.Term) string { return views.Words(local(place)) }

func kindWord(class rdf.Term) string { return views.KindWord(class.Value()) }

// distinct makes equal names distinct; see views.TellApart.
func (c termNames) distinct(ages views.Ages) termNames { return views.TellApart(c, ages) }

func (c termNames) of(term rdf.Term) string {
	if name, ok := c[term.Value()]; ok && term.IsIRI() {
		return name
	}
	return local(term)
}

// used returns the cell of the function used, with the name of the term.
func (c termNames) used(term rdf.Term) ReportCell {
	cell := used(term)
	cell.Text = c.of(term)
	return cell
}
