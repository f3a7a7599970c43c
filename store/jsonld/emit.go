package jsonld

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// emitter emits the quads of expanded nodes (JSON-LD 1.1 API, section 8.1).
type emitter struct {
	emit   func(rdf.Quad)
	strict bool
	blanks turtle.Blanks
	err    error
	good   string // the last long IRI that is well-formed
}

func (w *emitter) quad(s, p, o, g rdf.Term) {
	if w.err == nil && !s.IsZero() && !p.IsZero() && !o.IsZero() {
		w.emit(rdf.Quad{S: s, P: p, O: o, G: g})
	}
}

// resource returns the term for an @id. It is zero for a relative or invalid IRI, which
// RDF does not allow.
func (w *emitter) resource(id string) rdf.Term {
	if isBlank(id) {
		return w.blanks.Label(id[len("_:"):])
	}
	if id != w.good && !wellFormed(id, w.strict) {
		w.drop("%q is not an absolute IRI", id)
		return rdf.Term{}
	}
	if len(id) > freePart {
		w.good = id
	}
	return rdf.NewIRI(id)
}

// predicate returns the IRI of a property. Blank nodes as properties are dropped.
func (w *emitter) predicate(iri string) rdf.Term {
	if isBlank(iri) {
		w.drop("the property %q is a blank node", iri)
		return rdf.Term{}
	}
	return w.resource(iri)
}

// drop records that a part of the document is dropped. With Options.Strict that is an
// error.
func (w *emitter) drop(format string, args ...any) {
	if w.strict {
		w.fail(errorf(dropped, format, args...))
	}
}

// fail keeps the first error.
func (w *emitter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// node emits a node object, and returns its term: zero if its @id is no IRI that RDF allows.
func (w *emitter) node(m *object, graph rdf.Term) rdf.Term {
	var subject rdf.Term
	if id, ok := m.get("@id"); !ok {
		subject = w.blanks.Fresh()
	} else if s, ok := id.(string); ok {
		subject = w.resource(s)
	} else {
		w.drop("an @id has the form of a keyword")
	}
	if m.has("@language") || m.has("@direction") {
		w.drop("@language or @direction belongs to no string")
	}
	for _, v := range flat(m.value("@type")) {
		if s, ok := v.(string); ok {
			w.quad(subject, rdf.NewIRI(rdf.RDFType), w.resource(s), graph)
		}
	}
	for _, v := range flat(m.value("@included")) {
		w.node(v.(*object), graph)
	}
	if inner, ok := m.get("@graph"); ok {
		for _, v := range flat(inner) {
			node, ok := v.(*object)
			if ok && (isValue(node) || isList(node)) {
				w.drop("a value in a graph belongs to no property")
			} else if ok && !subject.IsZero() {
				w.node(node, subject)
			}
		}
	}
	if reverse := asObject(m.value("@reverse")); reverse != nil {
		reverse.sort()
		for _, p := range reverse.entries {
			for _, v := range flat(p.value) {
				w.quad(w.node(v.(*object), graph), w.predicate(p.name), subject, graph)
			}
		}
	}
	m.sort()
	for _, p := range m.entries {
		if !isKeyword(p.name) {
			for _, v := range flat(p.value) {
				w.quad(subject, w.predicate(p.name), w.object(v, graph), graph)
			}
		}
	}
	return subject
}

// object emits the quads that describe a value, and returns its term.
func (w *emitter) object(v any, graph rdf.Term) rdf.Term {
	m, ok := v.(*object)
	switch {
	case !ok:
		return rdf.Term{}
	case isList(m):
		return w.list(flat(m.value("@list")), graph)
	case isValue(m):
		return w.literal(m)
	}
	return w.node(m, graph)
}

// list emits an RDF list and returns its head: rdf:nil for no items.
func (w *emitter) list(items []any, graph rdf.Term) rdf.Term {
	head := rdf.NewIRI(rdf.RDFNil)
	var last rdf.Term
	for _, item := range items {
		cell := w.blanks.Fresh()
		if last.IsZero() {
			head = cell
		} else {
			w.quad(last, rdf.NewIRI(rdf.RDFRest), cell, graph)
		}
		w.quad(cell, rdf.NewIRI(rdf.RDFFirst), w.object(item, graph), graph)
		last = cell
	}
	w.quad(last, rdf.NewIRI(rdf.RDFRest), rdf.NewIRI(rdf.RDFNil), graph)
	return head
}

// literal returns the literal of a value object (section 8.2.2).
func (w *emitter) literal(m *object) rdf.Term {
	datatype, _ := m.value("@type").(string)
	language, _ := m.value("@language").(string)
	direction, _ := m.value("@direction").(string)
	if datatype == "@json" {
		return rdf.NewLiteral(string(appendJSON(nil, m.value("@value"))), rdf.RDF+"JSON")
	}
	badLanguage, badDatatype := language != "" && !rdf.IsLanguageTag(language), datatype != "" && !wellFormed(datatype, w.strict)
	if badLanguage || badDatatype {
		w.drop("a literal has the language %q or the datatype %q, which is not valid", language, datatype)
		return rdf.Term{}
	}
	if datatype == rdf.RDFLangString || datatype == rdf.RDFDirLangString { // RDF 1.2 Concepts, section 3.3
		w.fail(errorf("invalid typed value", "a value of the type %s has a @language instead of @type", datatype))
		return rdf.Term{}
	}
	var text string
	switch v := m.value("@value").(type) {
	case bool:
		text = strconv.FormatBool(v)
		if datatype == "" {
			datatype = rdf.XSDBoolean
		}
	case json.Number:
		var err error
		if text, datatype, err = number(v, datatype); err != nil {
			w.drop("the number %.99s is beyond the range of xsd:double", v)
			return rdf.Term{}
		}
	case string:
		text = v
	}
	switch {
	case direction != "" && language != "":
		return rdf.NewDirLang(text, language, direction)
	case direction != "":
		w.drop("the text %q has the direction %s but no language, which RDF can't represent", text, direction)
	case language != "":
		return rdf.NewLang(text, language)
	}
	return rdf.NewLiteral(text, datatype)
}

// number returns the lexical form and datatype of a number (section 8.6). Integers
// keep all digits, up to 21. The error says that xsd:double can't hold the number.
func number(n json.Number, datatype string) (lexical, of string, err error) {
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil && datatype != rdf.XSDDouble {
		return strconv.FormatInt(i, 10), cmp.Or(datatype, rdf.XSDInteger), nil
	}
	digits := len(strings.TrimPrefix(string(n), "-"))
	if i, ok := new(big.Int).SetString(string(n), 10); ok && datatype != rdf.XSDDouble && digits <= 21 {
		return i.String(), cmp.Or(datatype, rdf.XSDInteger), nil
	}
	f, err := n.Float64()
	if err != nil {
		return "", "", err
	}
	if f == 0 {
		f = 0 // not -0
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e21 && datatype != rdf.XSDDouble {
		return strconv.FormatFloat(f, 'f', -1, 64), cmp.Or(datatype, rdf.XSDInteger), nil
	}
	return rdf.FormatDouble(f), cmp.Or(datatype, rdf.XSDDouble), nil
}
