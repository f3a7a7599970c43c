package jsonld

// languageMap expands a language map (step 13.7).
func (o *opening) languageMap(t *term, m *object) (any, error) {
	direction := o.active.direction
	if t.direction.set {
		direction = t.direction.value
	}
	out := []any{}
	for _, member := range m.entries {
		language := member.name
		for _, item := range list(member.value) {
			if item == nil {
				continue
			}
			s, ok := item.(string)
			if !ok {
				return nil, at(errorf("invalid language map value", "the value for language %q must be a string", language), language)
			}
			v := objectOf("@value", s)
			if iri, _ := o.iri(o.active, language, asVocab); iri != "@none" {
				v.set("@language", language)
			}
			if direction != "" {
				v.set("@direction", direction)
			}
			out = append(out, v)
		}
	}
	return out, nil
}

// indexMap expands a map by index, type or id (step 13.8).
func (o *opening) indexMap(key string, t *term, m *object) (any, error) {
	out := []any{}
	for _, member := range m.entries {
		index := member.name
		active := o.active
		if t.has("@type") { // index is a type: its context applies to the node instead of those of the types around it
			if active.previous != nil {
				active = active.previous
			}
			if u := active.term(index); u != nil && u.hasContext {
				var err error
				if active, err = o.process(active, u.context, processing{base: u.base}); err != nil {
					return nil, err
				}
			}
		}
		expandedIndex, _ := o.iri(o.active, index, asVocab)
		items, err := o.element(active, key, list(member.value), o.base, true)
		if err != nil {
			return nil, at(err, index)
		}
		for _, item := range list(items) {
			if t.has("@graph") && !isGraph(item) {
				item = objectOf("@graph", list(item))
			}
			node, ok := item.(*object)
			if !ok {
				continue
			}
			if err := o.index(t, node, index, expandedIndex); err != nil {
				return nil, err
			}
			out = append(out, node)
		}
	}
	return out, nil
}

// index adds to a node its key, index, in a map by index, type or id, the container of t. expanded is the key as an IRI;
// @none adds nothing.
func (o *opening) index(t *term, node *object, index, expanded string) error {
	noNode, byNode := isValue(node) || isList(node), t.has("@id") || t.has("@type")
	switch {
	case expanded == "@none": // the node has no key
	case o.options.Strict && noNode && byNode:
		return errorf(dropped, "the key %q belongs to no node, because its value is not a node", index)
	case t.has("@index") && t.index != "" && t.index != "@index":
		iri, _ := o.iri(o.active, t.index, asVocab)
		values := []any{o.value(o.active, t.index, index)}
		if old, ok := node.get(iri); ok {
			values = append(values, list(old)...)
		}
		node.set(iri, values)
		if isValue(node) {
			return errorf("invalid value object", "a value in an index map by %s must be a node", iri)
		}
	case t.has("@index"):
		if !node.has("@index") {
			node.set("@index", index)
		}
	case t.has("@id"):
		if !node.has("@id") {
			iri, _ := o.iri(o.active, index, asDocument)
			node.set("@id", iri)
		}
	case t.has("@type"):
		types := []any{expanded}
		if old, ok := node.get("@type"); ok {
			types = append(types, list(old)...)
		}
		node.set("@type", types)
	}
	return nil
}
