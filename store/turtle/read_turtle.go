package turtle

import (
	"io"

	"github.com/segraph/segraph/store/rdf"
)

// state is what the grammar allows next.
type state uint8

const (
	atStatement        state = iota // a directive, a subject, or the end
	atPredicate                     // a predicate
	atPredicateOrGraph              // a predicate, or "{" if the subject was the name of a graph
	afterProperties                 // a predicate or the end of the statement, after the subject [ … ]
	afterSemicolon                  // a predicate, or what may follow an object except ","
	atObject                        // an object
	afterObject                     // ",", ";", ".", a closing bracket or an annotation
	afterReifier                    // the same, or "{|" with properties of the reifier
	atItem                          // an item of a collection
	afterItem                       // an item of a collection, or ")"
)

// role is the role of a node in a statement.
type role uint8

const (
	asSubject role = iota
	asObject
	asItem
	asAnnotation // "{|" only
)

// bracket is an open "[", "(" or "{|", with the state to restore when it closes.
type bracket struct {
	role               role     // of the node that the bracket represents
	object             rdf.Term // that node, or the object that is annotated
	subject, predicate rdf.Term
}

// readTurtle reads Turtle or TriG until there is a quad to return (RDF 1.1 Turtle section
// 6.5, RDF 1.1 TriG section 4.5). r.stack holds the nesting, so no text can make the
// goroutine's stack deep.
func (r *Reader) readTurtle() error {
	for len(r.out) == 0 {
		c, err := r.next()
		if err != nil {
			return err
		}
		switch r.state {
		case atStatement:
			err = r.statement(c)
		case atPredicate, atPredicateOrGraph, afterProperties, afterSemicolon:
			err = r.verb(c)
		case atObject:
			err = r.node(c, asObject)
		case afterObject, afterReifier:
			if c == '~' || c == '{' {
				err = r.afterObject(c)
			} else { // almost always
				err = r.punctuation(c)
			}
		case atItem:
			err = r.node(c, asItem)
		case afterItem:
			err = r.nextItem(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// statement reads the start of a statement.
func (r *Reader) statement(c byte) error {
	switch {
	case c == 0 && r.ended() && !r.inGraph:
		return io.EOF
	case c == '@':
		return r.directive()
	case c == '}' && r.inGraph:
		r.pos++
		r.closeGraph()
		return nil
	case c == '{' && r.format == TriG && !r.inGraph:
		r.pos++
		r.openGraph(rdf.Term{})
		return nil
	case c == '{' && r.format == Turtle:
		return r.errorf(0, `"{" begins a graph, which is TriG and not Turtle`)
	}
	return r.node(c, asSubject)
}

// verb reads a predicate, or what may take its place.
func (r *Reader) verb(c byte) error {
	switch {
	case c == '<' || startsWord(c):
		iri, err := r.predicateIRI(c)
		if err != nil {
			return err
		}
		r.predicate = rdf.NewIRI(iri)
		r.state = atObject
		return nil
	case c == '{' && r.state == atPredicateOrGraph:
		r.pos++
		r.openGraph(r.subject)
		return nil
	case r.state == afterSemicolon && (c == ';' || c == '.' || c == ']' || c == '}' || c == '|'),
		r.state == afterProperties && (c == '.' || c == '}'):
		return r.punctuation(c)
	}
	return r.unexpected(wantPredicate)
}

// predicateIRI reads a predicate that begins with c.
func (r *Reader) predicateIRI(c byte) (string, error) {
	iri, bare, err := r.named(c, wantPredicate)
	if err == nil && bare != nil {
		if string(bare) != "a" {
			return "", r.strayWord(wantPredicate, bare)
		}
		iri = rdf.RDFType
	}
	return iri, err
}

// punctuation reads the character after an object, which continues or ends the statement,
// or closes a bracket or a graph.
func (r *Reader) punctuation(c byte) error {
	nested := len(r.stack) > 0
	switch {
	case c == ';':
		r.state = afterSemicolon
	case c == ',':
		r.state = atObject
	case c == '.' && !nested:
		r.state = atStatement
	case c == ']' && nested && !r.inAnnotation():
		r.close(c)
	case c == '|' && r.inAnnotation():
		if next, err := r.peek(1); err != nil {
			return err
		} else if next != '}' {
			return r.unexpected(`"|}" at the end of an annotation`)
		}
		r.pos++
		r.close(c)
	case r.inAnnotation():
		return r.unexpected(`"|}", ";" or "," after an object inside "{|"`)
	case c == '}' && !nested && r.inGraph:
		r.closeGraph()
	case nested:
		return r.unexpected(`"]", ";" or "," after an object inside "["`)
	default:
		want := `".", ";" or ","`
		if r.inGraph {
			want = `".", ";", "," or "}"`
		}
		return r.errorf(0, `expected %s after an object, found %s; is a "." missing before it?`, want, r.found())
	}
	r.pos++
	return nil
}

// inAnnotation reports whether the innermost open bracket is "{|".
func (r *Reader) inAnnotation() bool {
	return len(r.stack) > 0 && r.stack[len(r.stack)-1].role == asAnnotation
}

// open reads "[" or "(". [] is a new node, and () is rdf:nil.
func (r *Reader) open(c byte, as role) error {
	if len(r.stack) == r.maxDepth {
		return r.errorf(0, `"[" and "(" are nested deeper than %d`, r.maxDepth)
	}
	r.pos++
	next, err := r.next()
	switch {
	case err != nil:
		return err
	case c == '[' && next == ']':
		r.pos++
		r.place(r.terms.blanks.Fresh(), as)
		return nil
	case c == '(' && next == ')':
		r.pos++
		r.place(rdf.NewIRI(rdf.RDFNil), as)
		if as == asSubject { // "()" can't name a graph
			r.state = atPredicate
		}
		return nil
	}
	node := r.terms.blanks.Fresh()
	r.place(node, as)
	r.stack = append(r.stack, bracket{as, node, r.subject, r.predicate})
	r.subject = node
	r.state = atPredicate
	if c == '(' {
		r.state = atItem
	}
	return nil
}

// close restores the state from before the innermost open bracket, which c closes.
func (r *Reader) close(c byte) {
	top := r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	r.subject, r.predicate, r.object = top.subject, top.predicate, top.object
	switch {
	case top.role == asObject || top.role == asAnnotation:
		r.state = afterObject
	case top.role == asItem:
		r.state = afterItem
	case c == ']':
		r.state = afterProperties
	default: // a collection as subject needs a predicate
		r.state = atPredicate
	}
}

// nextItem reads what follows an item of a collection. r.subject is the item's cell.
func (r *Reader) nextItem(c byte) error {
	rest := rdf.NewIRI(rdf.RDFRest)
	if c == ')' {
		r.pos++
		r.emit(r.subject, rest, rdf.NewIRI(rdf.RDFNil))
		r.close(c)
		return nil
	}
	cell := r.terms.blanks.Fresh()
	r.emit(r.subject, rest, cell)
	r.subject = cell
	return r.node(c, asItem)
}

// place uses a term as subject, object or item; as is not asAnnotation. An object or an
// item completes a triple.
func (r *Reader) place(t rdf.Term, as role) {
	switch as {
	case asSubject:
		r.subject = t
		r.state = atPredicate
		if r.format == TriG && !r.inGraph {
			r.state = atPredicateOrGraph
		}
	case asObject:
		r.emit(r.subject, r.predicate, t)
		r.object, r.state = t, afterObject
	case asItem:
		r.emit(r.subject, rdf.NewIRI(rdf.RDFFirst), t)
		r.state = afterItem
	}
}
