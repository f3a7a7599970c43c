package rdfxml

import (
	"hash/maphash"
	"strconv"

	"github.com/segraph/segraph/store/rdf"
)

// start handles an element according to its parent.
func (r *Reader) start(e element) error {
	parent := r.top()
	switch parent.kind {
	case document:
		if e.name.syntax() == "RDF" {
			for _, a := range e.attrs {
				if a.name.namespace != itsNS { // those of its: that open left, such as its:dir without rdf:version, are ignored here
					return r.scan.errorf("rdf:RDF has no attribute %s", a.name.iri())
				}
			}
			r.push(e, openElement{kind: nodeList})
			return nil
		}
		_, err := r.node(e)
		return err
	case nodeList:
		_, err := r.node(e)
		return err
	case node:
		return r.property(e)
	case property:
		return r.object(e)
	case collection:
		return r.item(e)
	case tripleTerm:
		if parent.filled {
			return r.scan.errorf("a triple term holds one node element, found another: <%s>", e.tag.name)
		}
		parent.filled = true
		_, err := r.node(e)
		return err
	}
	return r.scan.errorf("<%s> must be empty, found <%s>", parent.name, e.tag.name)
}

// push appends to the open elements.
func (r *Reader) push(e element, f openElement) {
	f.name, f.bindings, f.scope = e.tag.name, e.outer, e.scope
	r.elements = append(r.elements, f)
}

// object handles the node element in a property element.
func (r *Reader) object(e element) error {
	f := r.top()
	switch {
	case f.filled:
		return r.scan.errorf("a property element holds one node element, found another: <%s>", e.tag.name)
	case f.datatype != "":
		return r.scan.errorf("a property element with rdf:datatype holds text, found <%s>", e.tag.name)
	}
	read := f.text
	f.filled, f.text = true, nil
	if err := r.text(string(read)); err != nil { // only white space may precede it
		return err
	}
	at := len(r.elements) - 1 // node appends to r.elements, and may move f
	o, err := r.node(e)
	if err != nil {
		return err
	}
	return r.state(&r.elements[at], o)
}

// item handles a node element in a collection.
func (r *Reader) item(e element) error {
	at := len(r.elements) - 1
	cell := r.blanks.Fresh()
	o, err := r.node(e)
	if err != nil {
		return err
	}
	f := &r.elements[at]
	if !f.cell.IsZero() {
		r.emit(f.cell, rdfRest, cell)
	} else if err := r.state(f, cell); err != nil {
		return err
	}
	r.emit(cell, rdfFirst, o)
	f.cell = cell
	return nil
}

// forbidden reports whether the grammar forbids a name of the RDF namespace, both for
// elements and for property attributes (sections 5.1 and 6.2).
func forbidden(name string) bool {
	switch name {
	case "RDF", "ID", "about", "annotation", "annotationNodeID", "parseType", "resource", "nodeID", "datatype", "version",
		"aboutEach", "aboutEachPrefix", "bagID":
		return true
	}
	return false
}

// node handles a node element (section 7.2.11), and returns its subject.
func (r *Reader) node(e element) (rdf.Term, error) {
	if n := e.name.syntax(); forbidden(n) || n == "li" {
		return rdf.Term{}, r.scan.errorf("rdf:%s is not allowed as a node element", n)
	}
	var subject rdf.Term
	var properties []attribute
	for _, a := range e.attrs {
		var err error
		var s rdf.Term
		switch n := a.name.syntax(); n {
		case "about":
			s, err = r.reference(&e, a.value)
		case "ID":
			s, err = r.identifier(&e, a.value)
		case "nodeID":
			s, err = r.nodeID(a.value)
		default:
			if err = r.checkProperty(a); err == nil {
				properties = append(properties, a)
			}
		}
		if err != nil {
			return rdf.Term{}, err
		}
		if !s.IsZero() && !subject.IsZero() {
			return rdf.Term{}, r.scan.errorf("a node element has only one of rdf:about, rdf:ID and rdf:nodeID")
		}
		if !s.IsZero() {
			subject = s
		}
	}
	if subject.IsZero() {
		subject = r.blanks.Fresh()
	}
	if e.name.syntax() != "Description" {
		class, err := r.nameIRI(e.name)
		if err != nil {
			return rdf.Term{}, err
		}
		r.emit(subject, rdfType, rdf.NewIRI(class))
	}
	if err := r.properties(&e, subject, properties); err != nil {
		return rdf.Term{}, err
	}
	r.push(e, openElement{kind: node, subject: subject})
	return subject, nil
}

// checkProperty returns an error if an attribute can't be a property.
func (r *Reader) checkProperty(a attribute) error {
	if n := a.name.syntax(); forbidden(n) || n == "Description" || n == "li" {
		return r.scan.errorf("the attribute rdf:%s is not allowed here", n)
	}
	return nil
}

// maxProperties limits the total bytes of the predicates of one element's attributes.
// They are in memory together, and a short tag can name long predicates, because it
// writes their namespace only once.
const maxProperties = 1 << 20

// properties emits a triple for each attribute.
func (r *Reader) properties(e *element, subject rdf.Term, attrs []attribute) error {
	length := 0
	for _, a := range attrs {
		predicate, err := r.nameIRI(a.name)
		if err != nil {
			return err
		}
		if length += len(predicate); length > maxProperties && len(attrs) > 1 {
			return r.scan.errorf("the predicates that the attributes of one element name are longer than %d bytes in total", maxProperties)
		}
		object := e.plain(a.value)
		if a.name.syntax() == "type" {
			if object, err = r.reference(e, a.value); err != nil {
				return err
			}
		}
		r.emit(subject, rdf.NewIRI(predicate), object)
	}
	return nil
}

// plain returns the literal of a text without a datatype (section 6.1.8).
func (s *scope) plain(text string) rdf.Term {
	switch {
	case s.language == "":
		return rdf.NewString(text)
	case s.direction == "":
		return rdf.NewLang(text, s.language)
	}
	return rdf.NewDirLang(text, s.language, s.direction)
}

// reference returns the IRI that an attribute refers to.
func (r *Reader) reference(e *element, value string) (rdf.Term, error) {
	iri, err := r.iri(&e.base, value)
	return rdf.NewIRI(iri), err
}

// identifier returns the IRI of an rdf:ID, which must be unique (section 7.2.34).
func (r *Reader) identifier(e *element, value string) (rdf.Term, error) {
	if !isNCName(value) {
		return rdf.Term{}, r.scan.errorf("rdf:ID=%q is not an XML name", value)
	}
	t, err := r.reference(e, "#"+value)
	if err != nil {
		return t, err
	}
	hash := maphash.String(r.seed, t.Value())
	if _, ok := r.ids[hash]; ok {
		return t, r.scan.errorf("rdf:ID=%q occurs twice", value)
	}
	r.ids[hash] = struct{}{}
	return t, nil
}

func (r *Reader) nodeID(value string) (rdf.Term, error) {
	if !isNCName(value) {
		return rdf.Term{}, r.scan.errorf("rdf:nodeID=%q is not an XML name", value)
	}
	return r.blanks.Label(value), nil
}

// property handles a property element (sections 7.2.14 to 7.2.21).
func (r *Reader) property(e element) error {
	n := e.name.syntax()
	if forbidden(n) || n == "Description" {
		return r.scan.errorf("rdf:%s is not allowed as a property element", n)
	}
	parent := r.top()
	f := openElement{subject: parent.subject}
	name := e.name
	if n == "li" {
		parent.items++
		name.local = "_" + strconv.Itoa(parent.items)
	}
	iri, err := r.nameIRI(name)
	if err != nil {
		return err
	}
	f.predicate = rdf.NewIRI(iri)
	object, parseType, properties, err := r.propertyAttributes(&e, &f)
	if err != nil {
		return err
	}
	described := !object.IsZero() || len(properties) > 0
	switch {
	case parseType != nil && (described || f.datatype != ""):
		return r.scan.errorf("a property element with rdf:parseType has no attribute besides rdf:ID and rdf:annotation")
	case described && f.datatype != "":
		return r.scan.errorf("a property element with rdf:datatype has no attribute that describes a resource")
	case parseType != nil:
		return r.parseAs(*parseType, e, f)
	case !described:
		f.kind = property
		r.push(e, f)
		return nil
	}
	if object.IsZero() {
		object = r.blanks.Fresh()
	}
	if err := r.state(&f, object); err != nil {
		return err
	}
	f.kind = empty
	r.push(e, f)
	return r.properties(&e, object, properties)
}

// propertyAttributes reads the attributes of a property element into f. It returns the object
// that they name, the rdf:parseType, if there is one, and the properties of the object.
func (r *Reader) propertyAttributes(e *element, f *openElement) (object rdf.Term, parseType *string, properties []attribute, err error) {
	for _, a := range e.attrs {
		var o rdf.Term
		switch n := a.name.syntax(); n {
		case "ID":
			f.id, err = r.identifier(e, a.value)
		case "annotation", "annotationNodeID":
			err = r.annotation(e, f, a)
		case "resource":
			o, err = r.reference(e, a.value)
		case "nodeID":
			o, err = r.nodeID(a.value)
		case "datatype":
			f.datatype, err = r.iri(&e.base, a.value)
		case "parseType":
			parseType = &a.value
		default:
			err = r.checkProperty(a)
			properties = append(properties, a)
		}
		if err == nil && !o.IsZero() && !object.IsZero() {
			err = r.scan.errorf("a property element has only one of rdf:resource and rdf:nodeID")
		}
		if err != nil {
			return rdf.Term{}, nil, nil, err
		}
		if !o.IsZero() {
			object = o
		}
	}
	return object, parseType, properties, nil
}

// annotation applies rdf:annotation or rdf:annotationNodeID. Both name a reifier.
func (r *Reader) annotation(e *element, f *openElement, a attribute) (err error) {
	switch {
	case !r.version.Admits(rdf.RDF12):
		return r.scan.errorf("rdf:%s is of RDF 1.2, which is not accepted here", a.name.local)
	case !f.reifier.IsZero():
		return r.scan.errorf("a property element has only one of rdf:annotation and rdf:annotationNodeID")
	case a.name.local == "annotation":
		f.reifier, err = r.reference(e, a.value)
	default:
		f.reifier, err = r.nodeID(a.value)
	}
	return err
}

// parseAs opens a property element with an rdf:parseType.
func (r *Reader) parseAs(parseType string, e element, f openElement) error {
	switch parseType {
	case "Resource":
		object := r.blanks.Fresh()
		if err := r.state(&f, object); err != nil {
			return err
		}
		f = openElement{kind: node, subject: object}
	case "Collection":
		f.kind = collection
	case "Triple":
		if e.rdf12 && !r.version.Admits(rdf.RDF12) {
			return r.scan.errorf(`rdf:parseType="Triple" makes a triple term of RDF 1.2, which is not accepted here`)
		}
		f.kind = tripleTerm
		r.inner = &stated{outer: r.inner}
	default: // any other value means Literal (section 7.2.20)
		f.kind, f.xml = literal, &fragment{}
	}
	r.push(e, f)
	return nil
}
