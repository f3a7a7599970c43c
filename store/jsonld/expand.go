package jsonld

import (
	"fmt"

	"slices"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// expander expands documents (JSON-LD 1.1 API, section 5.1).
type expander struct {
	options Options
	loaded  *Loaded
	scoping int    // scoped contexts being checked
	work    int64  // size of the contexts applied so far; see maxWork
	excess  int64  // bytes that contexts have added to terms so far; see maxExcess
	long    string // the last long IRI of a term, which counts once if it repeats
	length  int64  // of the document in bytes, as far as it is known
}

// expand returns the expanded element: nil, an array or an object (section 5.1.2). property is the active property or "".
func (e *expander) expand(active *context, property string, element any, base string) (any, error) {
	return e.element(active, property, element, base, false)
}

// element is expand. fromMap says that the element is from a map by index, type or id: it keeps the active context, even
// that of a type.
func (e *expander) element(active *context, property string, element any, base string, fromMap bool) (any, error) {
	switch v := element.(type) {
	case nil:
		return nil, nil
	case []any:
		return e.array([]any{}, active, property, v, base, fromMap)
	case *object:
		return e.object(active, property, v, base, fromMap)
	}
	if property == "" || property == "@graph" {
		return nil, e.droppedValue()
	}
	active, err := e.scope(active, active.term(property), false)
	if err != nil {
		return nil, err
	}
	if err := e.checkTime(active.term(property), element); err != nil {
		return nil, err
	}
	return e.value(active, property, element), nil
}

// checkTime returns an error if the value of a built-in term must be an xsd:dateTime and is not. Only Options.Strict
// makes it check.
func (e *expander) checkTime(t *term, value any) error {
	if t == nil || !t.builtIn || !e.options.Strict || t.typ != rdf.XSDDateTime {
		return nil
	}
	text := fmt.Sprint(value)
	if valid, _ := rdf.ValidLexical(text, t.typ); !valid {
		return errorf("invalid typed value", "%q is not a valid xsd:dateTime, such as 2026-06-04T11:53:18Z", text)
	}
	return nil
}

// droppedValue handles a value that belongs to no property. The standard drops it; with Options.Strict it is an error.
func (e *expander) droppedValue() error {
	if e.options.Strict {
		return errorf(dropped, "a value or list belongs to no property")
	}
	return nil
}

// array appends the expanded items of an array to out (step 5). fromMap is as in element.
func (e *expander) array(out []any, active *context, property string, items []any, base string, fromMap bool) (_ []any, err error) {
	inList := active.term(property).has("@list")
	for i, item := range items {
		var v any
		if inner, ok := item.([]any); ok && !inList { // without a copy at each level
			out, err = e.array(out, active, property, inner, base, fromMap)
		} else {
			v, err = e.element(active, property, item, base, fromMap)
		}
		if err != nil {
			return nil, at(err, i)
		}
		if a, ok := v.([]any); ok {
			if inList {
				out = append(out, objectOf("@list", a))
			} else {
				out = append(out, a...)
			}
		} else if v != nil {
			out = append(out, v)
		}
	}
	return out, nil
}

// object expands an object (steps 7 to 20). fromMap is as in element.
func (e *expander) object(active *context, property string, element *object, base string, fromMap bool) (any, error) {
	active, err := e.enter(active, property, element, base, fromMap)
	if err != nil {
		return nil, err
	}
	o, err := e.open(active, property, element, base)
	if err != nil {
		return nil, err
	}
	if err := o.members(element); err != nil {
		return nil, err
	}
	return o.finish()
}

// enter returns the active context inside an object, before the contexts of its types (steps 7 to 9). It reads only the
// names and the @context of the element. fromMap is as in element.
func (e *expander) enter(active *context, property string, element *object, base string, fromMap bool) (_ *context, err error) {
	t := active.term(property) // of the context outside, as the standard requires
	if active.previous != nil && !fromMap && e.reverts(active, element) {
		active = active.previous
	}
	if active, err = e.scope(active, t, false); err != nil {
		return nil, err
	}
	if c, ok := element.get("@context"); ok {
		if active, err = e.inline(active, c, base); err != nil {
			return nil, at(err, "@context")
		}
	}
	return active, nil
}

// open begins an object: it applies the contexts of its types (steps 10 to 12). It
// reads only the types of the element. active is the result of enter.
func (e *expander) open(active *context, property string, element *object, base string) (*opening, error) {
	o := &opening{expander: e, active: active, typeScoped: active, property: property, base: base, result: &object{entries: make([]entry[any], 0, few)}}
	first := true
	for _, m := range element.entries {
		key := m.name
		if iri, _ := e.iri(o.active, key, asVocab); iri != "@type" {
			continue
		}
		var types []string
		for _, v := range list(m.value) {
			if s, ok := v.(string); ok {
				types = append(types, s)
			}
		}
		if first && len(types) > 0 {
			o.inputType, _ = e.iri(o.active, types[len(types)-1], asVocab)
			first = false
		}
		slices.Sort(types)
		for _, s := range types {
			var err error
			if o.active, err = e.scope(o.active, o.typeScoped.term(s), true); err != nil {
				return nil, at(err, key)
			}
		}
	}
	return o, nil
}

// reverts reports whether an object leaves a context that does not propagate. It does
// unless it is a value or only a reference to a node.
func (e *expander) reverts(active *context, element *object) bool {
	for _, m := range element.entries {
		iri, _ := e.iri(active, m.name, asVocab)
		if iri == "@value" || iri == "@id" && len(element.entries) == 1 {
			return false
		}
	}
	return true
}

// opening is an object being expanded.
type opening struct {
	*expander
	active         *context
	typeScoped     *context // active without the contexts of the types
	property, base string
	inputType      string // the last type of the first @type, expanded
	result         *object
}

// members expands the members of an object, and those nested in it by @nest (steps 13
// and 14), but not those that are read later.
func (o *opening) members(element *object) error {
	var nests []entry[any]
	for _, m := range element.entries {
		key := m.name
		if _, later := m.value.(*member); later || key == "@context" {
			continue
		}
		iri, _ := o.iri(o.active, key, asVocab)
		switch {
		case iri == "@nest":
			nests = append(nests, m)
		case isKeyword(iri):
			if err := o.keyword(iri, m.value); err != nil {
				return at(err, key)
			}
		case strings.Contains(iri, ":"):
			if err := o.member(key, iri, m.value); err != nil {
				return at(err, key)
			}
		case o.options.Strict && !o.active.hides(key):
			return at(errorf(dropped, "no context maps the member %q to an IRI", key), key)
		}
	}
	for _, m := range nests {
		for _, v := range list(m.value) {
			if err := o.nested(m.name, v); err != nil {
				return at(err, m.name)
			}
		}
	}
	return nil
}

// nested expands the members of an object under @nest as if they were the node's own.
func (o *opening) nested(key string, v any) error {
	m, ok := v.(*object)
	if !ok {
		return errorf("invalid @nest value", "%q must be an object", key)
	}
	outer := o.active
	defer func() { o.active = outer }()
	active, err := o.scope(outer, outer.term(key), false)
	if err != nil {
		return err
	}
	o.active = active
	if o.options.Strict && m.has("@context") {
		return errorf(dropped, "@context means nothing here")
	}
	for i := range m.entries {
		if iri, _ := o.iri(o.active, m.entries[i].name, asVocab); iri == "@value" {
			return errorf("invalid @nest value", "%q can't have a value", key)
		}
	}
	return o.members(m)
}

// add appends a value, or the items of an array, to a member of a node. An empty array makes an empty member.
func add(node *object, key string, value any) {
	slot := node.slot(key)
	a, _ := (*slot).([]any)
	if v, ok := value.([]any); !ok {
		a = append(a, value)
	} else if a = append(a, v...); a == nil {
		a = []any{}
	}
	*slot = a
}

// member expands a member that is a property, whose key is expanded to iri (steps 13.5 to 13.14).
func (o *opening) member(key, iri string, value any) error {
	t := o.active.term(key)
	m, isMap := value.(*object)
	var expanded any
	var err error
	indexed := t.has("@index") || t.has("@type") || t.has("@id")
	switch {
	case t != nil && t.typ == "@json":
		v := objectOf("@value", value)
		v.set("@type", "@json")
		expanded = v
	case t.has("@language") && isMap:
		expanded, err = o.languageMap(t, m)
	case isMap && indexed:
		expanded, err = o.indexMap(key, t, m)
	default:
		expanded, err = o.expand(o.active, key, value, o.base)
	}
	if err != nil || expanded == nil {
		return err
	}
	if t.has("@list") && !isList(expanded) {
		expanded = objectOf("@list", list(expanded))
	}
	isMapped := t.has("@id") || t.has("@index") // indexMap makes these graphs
	if t.has("@graph") && !isMapped {
		graphs := []any{}
		for _, v := range list(expanded) {
			graphs = append(graphs, objectOf("@graph", list(v)))
		}
		expanded = graphs
	}
	if t == nil || !t.reverse {
		add(o.result, iri, expanded)
		return nil
	}
	return o.addReverse(iri, list(expanded))
}

// addReverse adds nodes that have this node as a value of the property.
func (o *opening) addReverse(iri string, items []any) error {
	reverse := asObject(o.result.value("@reverse"))
	if reverse == nil {
		reverse = &object{}
		o.result.set("@reverse", reverse)
	}
	for _, v := range items {
		if isValue(v) || isList(v) {
			return errorf("invalid reverse property value", "a reverse property of %s must have nodes as values", iri)
		}
		add(reverse, iri, v)
	}
	return nil
}

func hasKey(v any, key string) bool { return asObject(v).has(key) }
func isList(v any) bool             { return hasKey(v, "@list") }
func isValue(v any) bool            { return hasKey(v, "@value") }
func isGraph(v any) bool            { return hasKey(v, "@graph") }
