package jsonld

import "github.com/segraph/segraph/store/rdf"

// cells are those of a list whose items are read one by one.
type cells struct {
	scope scope    // of the list itself
	last  rdf.Term // its last cell; zero before the first
}

// array begins to read an array. isList says that its items become a list of RDF.
func (r *Reader) array(i int64, s scope, isList bool) {
	s.root = false // an object with only a @graph is a node here
	f := openValue{scope: s, isArray: true, next: i + 1, checked: true}
	if isList {
		f.ends = &cells{scope: s}
		f.scope.list, f.scope.predicate = f.ends, rdf.NewIRI(rdf.RDFFirst)
	}
	r.opened = append(r.opened, f)
}

// link emits the quads that refer to a value. It makes a cell for an item of a list.
func (r *Reader) link(object rdf.Term, s scope) {
	if s.list != nil {
		s.subject = r.emitter.blanks.Fresh()
		r.chain(s.list, s.subject)
	}
	r.emitter.quad(s.subject, s.predicate, object, s.graph)
}

// chain emits the quad that refers to the next cell of a list, or to its end.
func (r *Reader) chain(l *cells, cell rdf.Term) {
	if l.last.IsZero() {
		r.link(cell, l.scope)
	} else {
		r.emitter.quad(l.last, rdf.NewIRI(rdf.RDFRest), cell, l.scope.graph)
	}
	l.last = cell
}
