package jsonld

import (
	"encoding/json"
	"slices"
)

// keyword expands a member whose name is a keyword (JSON-LD 1.1 API, section 5.1.2,
// step 13.4).
func (o *opening) keyword(name string, value any) error {
	if o.property == "@reverse" {
		return errorf("invalid reverse property map", "@reverse can't contain %s", name)
	}
	addsUp := name == "@included" || name == "@type" || name == "@reverse" // aliases may repeat these
	if o.result.has(name) && !addsUp {
		return errorf("colliding keywords", "%s occurs twice in an object", name)
	}
	switch name {
	case "@type":
		return o.types(value)
	case "@graph":
		return o.contents(name, "@graph", value)
	case "@included":
		return o.included(value)
	case "@value":
		return o.literal(value)
	case "@list":
		if o.property == "" || o.property == "@graph" {
			return o.droppedValue()
		}
		return o.contents(name, o.property, value)
	case "@set":
		v, err := o.expand(o.active, o.property, value, o.base)
		if err == nil {
			o.result.set("@set", v)
		}
		return err
	case "@reverse":
		return o.reverse(value)
	}
	return o.text(name, value)
}

// text expands a keyword whose value is a string. It drops a keyword that has no meaning in a node; with Options.Strict
// that is an error.
func (o *opening) text(name string, value any) error {
	s, isString := value.(string)
	var v any = s
	switch name {
	case "@id":
		if !isString {
			return errorf("invalid @id value", "@id must be a string")
		}
		v = nil
		if iri, ok := o.iri(o.active, s, asDocument); ok {
			v = iri
		}
	case "@language":
		if !isString {
			return errorf("invalid language-tagged string", "@language must be a string")
		}
	case "@direction":
		if s != "ltr" && s != "rtl" {
			return errorf("invalid base direction", "@direction must be ltr or rtl")
		}
	case "@index":
		if !isString {
			return errorf("invalid @index value", "@index must be a string")
		}
	default: // such as @none or @base
		if o.options.Strict {
			return errorf(dropped, "%s means nothing here", name)
		}
		return nil
	}
	o.result.set(name, v)
	return nil
}

// contents expands @graph or @list, whose items are expanded as values of property.
func (o *opening) contents(name, property string, value any) error {
	v, err := o.expand(o.active, property, value, o.base)
	if err == nil {
		o.result.set(name, flat(v))
	}
	return err
}

// included expands @included.
func (o *opening) included(value any) error {
	v, err := o.expand(o.active, "", value, o.base)
	if err != nil {
		return err
	}
	for _, item := range flat(v) {
		if m, ok := item.(*object); !ok || isValue(m) || isList(m) || hasKey(m, "@set") {
			return errorf("invalid @included value", "@included must contain nodes")
		}
		add(o.result, "@included", item)
	}
	// An object without content may be an item of an array, but not the only value. Values
	// and lists, which the standard drops, are an error here, so that no data is lost.
	if v == nil || slices.ContainsFunc(list(value), func(item any) bool {
		m := asObject(item)
		return m == nil || m.has("@value") || m.has("@list")
	}) {
		return errorf("invalid @included value", "@included must contain nodes")
	}
	return nil
}

// literal expands @value.
func (o *opening) literal(value any) error {
	switch value.(type) {
	case nil, string, json.Number, bool: // valid for any @type
	default:
		if o.inputType != "@json" {
			return errorf("invalid value object value", "@value must be a string, a number, true, false or null")
		}
	}
	o.result.set("@value", value)
	return nil
}

func isEmpty(v any) bool {
	a, ok := v.([]any)
	return ok && len(a) == 0
}

// flat returns what list does, but an empty array for nil.
func flat(v any) []any {
	if v == nil {
		return []any{}
	}
	return list(v)
}

// types expands @type.
func (o *opening) types(value any) error {
	for _, v := range list(value) {
		s, ok := v.(string)
		if !ok {
			return errorf("invalid type value", "@type must be a string or an array of strings")
		}
		iri, _ := o.iri(o.typeScoped, s, asVocab|asDocument)
		add(o.result, "@type", iri)
	}
	if isEmpty(value) {
		add(o.result, "@type", []any{})
	}
	return nil
}

// reverse expands @reverse. In it, a term that is itself a reverse property is a property of the node.
func (o *opening) reverse(value any) error {
	if _, ok := value.(*object); !ok {
		return errorf("invalid @reverse value", "@reverse must be an object")
	}
	v, err := o.expand(o.active, "@reverse", value, o.base)
	if err != nil {
		return err
	}
	m := asObject(v)
	if m == nil {
		return nil
	}
	if twice := asObject(m.value("@reverse")); twice != nil {
		twice.sort()
		for _, p := range twice.entries {
			add(o.result, p.name, p.value)
		}
	}
	m.sort()
	for _, p := range m.entries {
		if p.name != "@reverse" {
			if err := o.addReverse(p.name, list(p.value)); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish checks the expanded object and returns the result of the expansion (steps 15
// to 19): nil for what the standard drops.
func (o *opening) finish() (any, error) {
	r := o.result
	isList := r.has("@list")
	set, isSet := r.get("@set")
	switch {
	case isValue(r):
		if null, err := o.checkValue(); err != nil || null {
			return nil, err
		}
	case isList || isSet:
		if !onlyKeys(r, "@list", "@set", "@index") || isList && isSet {
			return nil, errorf("invalid set or list object", "@list and @set allow no other member than @index")
		}
		if isSet {
			if set == nil {
				return []any{}, nil
			}
			return set, nil
		}
	}
	if len(r.entries) == 1 && r.has("@language") && !o.options.Strict { // if Strict, the emitter refuses it
		return nil, nil
	}
	if o.property == "" || o.property == "@graph" {
		if isValue(r) || isList {
			return nil, o.droppedValue()
		}
		if onlyKeys(r, "@id") { // or none
			return nil, nil
		}
	}
	return r, nil
}

// checkValue checks a value object. null reports whether its value is null, and so dropped.
func (o *opening) checkValue() (null bool, err error) {
	r := o.result
	isText := r.has("@language") || r.has("@direction")
	if !onlyKeys(r, "@direction", "@index", "@language", "@type", "@value") || isText && r.has("@type") {
		return false, errorf("invalid value object", "a member is not allowed beside @value")
	}
	types, hasType := r.value("@type").([]any)
	if hasType && len(types) == 1 {
		r.set("@type", types[0])
	}
	typ, isString := r.value("@type").(string)
	if typ == "@json" {
		return false, nil
	}
	value := r.value("@value")
	_, hasText := value.(string)
	switch {
	case value == nil:
		return true, nil
	case r.has("@language") && !hasText:
		return false, errorf("invalid language-tagged value", "@value must be a string if there is a @language")
	case r.has("@type") && (!isString || !wellFormed(typ, o.options.Strict)):
		return false, errorf("invalid typed value", "@type of a value must be an IRI")
	}
	return false, nil
}
