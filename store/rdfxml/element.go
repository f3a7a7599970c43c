package rdfxml

import (
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// element is a start tag with its names resolved.
type element struct {
	tag   token
	name  expanded
	attrs []attribute // without xmlns, xml:…, rdf:version and, with rdf12, its:dir and its:version
	outer int         // number of Reader.bindings outside the element
	scope
}

// scope is what an element passes on to those inside it.
type scope struct {
	base      rdf.BaseIRI
	language  string
	direction string // "ltr", "rtl" or ""
	rdf12     bool   // rdf:version allows its:dir and rdf:parseType="Triple"
}

// expanded is a name with its namespace.
type expanded struct{ namespace, local string }

func (n expanded) iri() string { return n.namespace + n.local }

// syntax returns the local name of a name in the RDF namespace, or "".
func (n expanded) syntax() string {
	if n.namespace == rdf.RDF {
		return n.local
	}
	return ""
}

// attribute is an attribute with its name resolved.
type attribute struct {
	name  expanded
	value string
}

// readVersion applies rdf:version. A label that RDF 1.2 Concepts, section 2.1, does not
// define may be an error (RDF 1.2 XML Syntax, section 2.18), and here it is, as in Turtle.
func (r *Reader) readVersion(e *element, label string) error {
	v, known := rdf.VersionOf(label)
	switch {
	case !known:
		return r.scan.errorf("RDF has no version %.100q; those known here are %s", label, rdf.VersionLabels)
	case !r.version.Admits(v):
		return r.scan.errorf("rdf:version=%q announces RDF %s, and only RDF %s is accepted here", label, v, r.version)
	}
	e.rdf12 = v != rdf.RDF11
	return nil
}

// open resolves the names of a start tag, and applies its xmlns, xml:base, xml:lang,
// rdf:version and its:dir.
func (r *Reader) open(t token) (element, error) {
	parent := r.top()
	e := element{tag: t, outer: len(r.bindings.all), scope: parent.scope}
	if len(r.elements) > r.maxDepth {
		return e, r.scan.errorf("elements are nested more than %d deep", r.maxDepth)
	}
	if r.ended {
		return e, r.scan.errorf("a document has only one root element, found another: <%s>", t.name)
	}
	if err := r.declare(t); err != nil {
		return e, err
	}
	if parent.kind == document {
		for _, b := range r.bindings.all {
			r.prefixes = append(r.prefixes, turtle.Prefix{Label: b.prefix, Namespace: b.namespace})
		}
	}
	var err error
	if e.name, err = r.resolveTag(t.name); err != nil {
		return e, err
	}
	attrs, err := r.attributes(t)
	if err != nil {
		return e, err
	}
	for _, a := range attrs { // its:dir depends on rdf:version, which may follow it
		if a.name.syntax() == "version" {
			if err := r.readVersion(&e, a.value); err != nil {
				return e, err
			}
		}
	}
	for _, a := range attrs {
		if err := r.attribute(&e, a); err != nil {
			return e, err
		}
	}
	return e, nil
}

// attributes resolves the names of a start tag's attributes. It leaves out declarations
// of namespaces, and the reserved names that section 6.1.2 ignores.
func (r *Reader) attributes(t token) ([]attribute, error) {
	attrs := make([]attribute, 0, len(t.attrs))
	seen := make(map[expanded]bool, len(t.attrs))
	for _, a := range t.attrs {
		if isDeclaration(a.name) {
			continue
		}
		name, err := r.resolveAttribute(a.name)
		if err != nil {
			return nil, err
		}
		reserved := len(a.name) >= 3 && strings.EqualFold(a.name[:3], "xml") && name.namespace != xmlNS
		if name.namespace == "" && !reserved {
			switch name.local {
			case "about", "ID", "resource", "parseType", "type", "version": // section 6.1.4
				name.namespace = rdf.RDF
			default:
				return nil, r.scan.errorf("the attribute %s needs a prefix that names its namespace", a.name)
			}
		}
		if seen[name] {
			return nil, r.scan.errorf("the attribute %s occurs twice", a.name)
		}
		seen[name] = true
		if !reserved {
			attrs = append(attrs, attribute{name, a.value})
		}
	}
	return attrs, nil
}

// attribute applies an attribute of xml:, its: or rdf:version to e, and adds any other to
// e.attrs.
func (r *Reader) attribute(e *element, a attribute) error {
	switch {
	case a.name.namespace == xmlNS:
		return r.xmlAttribute(e, a)
	case a.name.syntax() == "version": // open has read it
	case a.name.namespace == itsNS && a.name.local == "version" && e.rdf12: // changes nothing in RDF
	case a.name.namespace == itsNS && a.name.local == "dir" && e.rdf12:
		if a.value != "" && a.value != "ltr" && a.value != "rtl" {
			return r.scan.errorf("its:dir=%q is not a base direction: write ltr or rtl", a.value)
		}
		e.direction = a.value
	default:
		e.attrs = append(e.attrs, a)
	}
	return nil
}

// xmlAttribute applies xml:lang and xml:base, and ignores others, such as xml:space.
func (r *Reader) xmlAttribute(e *element, a attribute) error {
	switch a.name.local {
	case "lang":
		if a.value != "" && !rdf.IsLanguageTag(a.value) {
			return r.scan.errorf("%q is not a language tag", a.value)
		}
		e.language = a.value
	case "base":
		iri, err := r.iri(&e.base, a.value)
		if err == nil {
			e.base, err = rdf.ParseBaseIRI(iri)
		}
		return err
	}
	return nil
}

// maxNamespace limits the bytes of a namespace.
const maxNamespace = 64 << 10

// isDeclaration reports whether an attribute declares a namespace.
func isDeclaration(name string) bool { return name == "xmlns" || strings.HasPrefix(name, "xmlns:") }

// declare adds the namespaces that a start tag declares (Namespaces in XML, section 3).
func (r *Reader) declare(t token) error {
	from := len(r.bindings.all)
	for _, a := range t.attrs {
		if !isDeclaration(a.name) {
			continue
		}
		prefix := strings.TrimPrefix(strings.TrimPrefix(a.name, "xmlns"), ":")
		switch {
		case a.name != "xmlns" && !isNCName(prefix):
			return r.scan.errorf("%q is not a prefix", prefix)
		case a.name != "xmlns" && a.value == "":
			return r.scan.errorf("the prefix %s is declared without a namespace", prefix)
		case prefix == "xmlns" || a.value == xmlnsNS || (prefix == "xml") != (a.value == xmlNS):
			return r.scan.errorf("the prefix %s can't be declared as %s", prefix, a.value)
		}
		if len(a.value) > maxNamespace {
			return r.scan.errorf("the namespace of the prefix %s is longer than %d bytes", prefix, maxNamespace)
		}
		if r.bindings.place[prefix] > from { // this tag has declared it
			return r.scan.errorf("the attribute %s occurs twice", a.name)
		}
		r.bindings.add(prefix, a.value)
	}
	return nil
}

// resolveAttribute resolves the name of an attribute, to which the default namespace does not apply.
func (r *Reader) resolveAttribute(name string) (expanded, error) {
	if prefix, local, ok := splitName(name); ok && prefix == "" {
		return expanded{"", local}, nil
	}
	return r.resolveTag(name)
}

func (r *Reader) resolveTag(name string) (expanded, error) {
	prefix, local, ok := splitName(name)
	if !ok {
		return expanded{}, r.scan.errorf("%q is not a name", name)
	}
	namespace, ok := r.bindings.namespace(prefix)
	if !ok {
		return expanded{}, r.scan.errorf("the prefix %s: is not declared", prefix)
	}
	return expanded{namespace, local}, nil
}

// iri resolves a reference and checks that it is an IRI.
func (r *Reader) iri(base *rdf.BaseIRI, reference string) (string, error) {
	iri, err := base.Resolve(reference)
	if err == nil {
		err = turtle.CheckIRI(iri)
	}
	if err != nil {
		return "", r.scan.errorf("%q: %v", reference, err)
	}
	return iri, r.composed(len(iri) - len(reference))
}

// composed accounts for the n bytes that a base or namespace added to an IRI. It
// returns an error once they add up to too many. It also counts IRIs that occur in no
// triple.
func (r *Reader) composed(n int) error {
	if !r.excess.Add(turtle.ExcessOf(1, n), r.scan.source.n) {
		return r.scan.errorf(turtle.TooLong)
	}
	return nil
}

// nameIRI returns the IRI of the name of an element or attribute: its namespace and
// local name, joined.
func (r *Reader) nameIRI(n expanded) (string, error) {
	if n.namespace == "" {
		return "", r.scan.errorf("the name %s has no namespace", n.local)
	}
	iri := n.iri()
	if err := turtle.CheckIRI(iri); err != nil {
		return "", r.scan.errorf("the name %s: %v", n.local, err)
	}
	return iri, r.composed(len(n.namespace))
}
