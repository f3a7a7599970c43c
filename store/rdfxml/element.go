package rdfxml

import (
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// element is a start tag with its names resolved.
type element struct {
	tag      token
	name     expanded
	attrs    []attribute // without xmlns and xml:…
	outer    int         // length of Reader.bindings outside the element
	base     rdf.BaseIRI
	language string
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

// open resolves the names of a start tag, and applies its xmlns, xml:base and xml:lang.
func (r *Reader) open(t token) (element, error) {
	parent := r.top()
	e := element{tag: t, outer: len(r.bindings), base: parent.base, language: parent.language}
	if len(r.frames) > r.maxDepth {
		return e, r.scan.errorf("elements are nested more than %d deep", r.maxDepth)
	}
	if r.ended {
		return e, r.scan.errorf("a document has one root element, found another: <%s>", t.name)
	}
	if err := r.declare(t); err != nil {
		return e, err
	}
	if parent.kind == document {
		for _, b := range r.bindings {
			r.prefixes = append(r.prefixes, turtle.Prefix{Label: b.prefix, Namespace: b.namespace})
		}
	}
	var err error
	if e.name, err = r.resolveName(t.name, true); err != nil {
		return e, err
	}
	seen := make(map[expanded]bool, len(t.attrs))
	for _, a := range t.attrs {
		if isDeclaration(a.name) {
			continue
		}
		name, err := r.resolveName(a.name, false)
		if err != nil {
			return e, err
		}
		if seen[name] {
			return e, r.scan.errorf("the attribute %s occurs twice", a.name)
		}
		seen[name] = true
		if err := r.attribute(&e, a, name); err != nil {
			return e, err
		}
	}
	return e, nil
}

// attribute applies one attribute that declares no namespace.
func (r *Reader) attribute(e *element, a attr, name expanded) error {
	prefix, _, _ := strings.Cut(a.name, ":")
	switch {
	case name.namespace == xmlNS && name.local == "lang":
		if a.value != "" && !turtle.IsLanguage(a.value) {
			return r.scan.errorf("%q is not a language tag", a.value)
		}
		e.language = a.value
	case name.namespace == xmlNS && name.local == "base":
		iri, err := r.iri(&e.base, a.value)
		if err == nil {
			e.base, err = rdf.ParseBaseIRI(iri)
		}
		return err
	case len(prefix) >= 3 && strings.EqualFold(prefix[:3], "xml"): // reserved; section 6.1.4 ignores them
	case name.namespace == "":
		switch name.local {
		case "about", "ID", "resource", "parseType", "type": // section 6.1.4
			e.attrs = append(e.attrs, attribute{expanded{rdf.RDF, name.local}, a.value})
		default:
			return r.scan.errorf("the attribute %s needs a prefix that names its namespace", a.name)
		}
	default:
		e.attrs = append(e.attrs, attribute{name, a.value})
	}
	return nil
}

// isDeclaration reports whether an attribute declares a namespace.
func isDeclaration(name string) bool { return name == "xmlns" || strings.HasPrefix(name, "xmlns:") }

// declare adds the namespaces that a start tag declares (Namespaces in XML, section 3).
func (r *Reader) declare(t token) error {
	from := len(r.bindings)
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
		for _, b := range r.bindings[from:] {
			if b.prefix == prefix {
				return r.scan.errorf("the attribute %s occurs twice", a.name)
			}
		}
		r.bindings = append(r.bindings, binding{prefix, a.value})
	}
	return nil
}

// resolveName resolves a qualified name. The default namespace does not apply to
// attributes.
func (r *Reader) resolveName(name string, tag bool) (expanded, error) {
	prefix, local, ok := splitName(name)
	if !ok {
		return expanded{}, r.scan.errorf("%q is not a name", name)
	}
	if prefix == "" && !tag {
		return expanded{"", local}, nil
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
	return iri, nil
}

// nameIRI returns the IRI that the name of an element or attribute stands for.
func (r *Reader) nameIRI(n expanded) (string, error) {
	if n.namespace == "" {
		return "", r.scan.errorf("the name %s has no namespace", n.local)
	}
	if err := turtle.CheckIRI(n.iri()); err != nil {
		return "", r.scan.errorf("the name %s: %v", n.local, err)
	}
	return n.iri(), nil
}
