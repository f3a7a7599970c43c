package jsonld

import (
	"slices"
	"strings"
)

// definitions creates the term definitions of one context object.
type definitions struct {
	processing
	expander  *expander
	context   *context
	local     *object
	states    []state // of the members of local
	protected bool
}

// state says whether a term is defined yet.
type state uint8

const (
	undefined state = iota
	defining
	defined
)

// create creates the definition of a term of d.local, unless it has one (JSON-LD 1.1 API, section 4.2.2). A definition
// that the standard ignores stays in the state defining, as in the standard, so another definition can't use the term.
func (d *definitions) create(name string) error {
	own := d.local.find(name)
	switch d.states[own] {
	case defined:
		return nil
	case defining:
		return errorf("cyclic IRI mapping", "the term %q is defined by itself", name)
	}
	if name == "" {
		return errorf("invalid term definition", "a term can't be empty")
	}
	d.states[own] = defining
	value := d.local.entries[own].value
	m, isMap := value.(*object)
	switch {
	case name == "@type":
		otherContainer := m.value("@container") != nil && !isSet(m.value("@container"))
		if !isMap || len(m.entries) == 0 || !onlyKeys(m, "@container", "@protected") || otherContainer {
			return errorf("keyword redefinition", "@type can only be defined with @container @set and @protected")
		}
	case isKeyword(name):
		return errorf("keyword redefinition", "the keyword %s can't be a term", name)
	case likeKeyword(name):
		return nil
	}
	previous := d.context.term(name)
	if previous != nil {
		d.context.define(name, nil)
	}
	simple := false
	switch v := value.(type) {
	case nil:
		m = objectOf("@id", nil)
	case string:
		m, simple = objectOf("@id", v), true
	case *object: // m is value
	default:
		return errorf("invalid term definition", "the definition of %q must be a string, an object or null", name)
	}
	t, err := d.term(name, m, simple)
	if err != nil || t == nil {
		return err
	}
	if !d.override && previous != nil && previous.protected {
		if !t.same(previous) {
			return errorf("protected term redefinition", "the term %q is protected", name)
		}
		t = previous
	}
	d.context.define(name, t)
	d.states[own] = defined
	return nil
}

// isSet reports whether the value of @container is @set or ["@set"].
func isSet(v any) bool {
	items := list(v)
	return len(items) == 1 && items[0] == "@set"
}

// onlyKeys reports whether an object has no members but keys.
func onlyKeys(m *object, keys ...string) bool {
	for i := range m.entries {
		if !slices.Contains(keys, m.entries[i].name) {
			return false
		}
	}
	return true
}

// term returns the definition that m describes, or nil if the standard ignores it.
// simple is set if the definition is written as a string.
func (d *definitions) term(name string, m *object, simple bool) (*term, error) {
	t := &term{protected: d.protected, builtIn: len(d.loaded) > 0}
	if v, ok := m.get("@protected"); ok {
		if t.protected, ok = v.(bool); !ok {
			return nil, errorf("invalid @protected value", "@protected of %q must be true or false", name)
		}
	}
	if err := d.setType(t, name, m); err != nil {
		return nil, err
	}
	if v, ok := m.get("@reverse"); ok {
		return d.setReverse(t, name, m, v)
	}
	if keep, err := d.setIRI(t, name, m, simple); err != nil || !keep {
		return nil, err
	}
	for _, step := range []func(*term, string, *object) error{d.setContainer, d.setIndex, d.setContext, d.setLanguage, d.setNest, d.setPrefix} {
		if err := step(t, name, m); err != nil {
			return nil, err
		}
	}
	if !onlyKeys(m, "@id", "@reverse", "@container", "@context", "@direction", "@index", "@language", "@nest", "@prefix", "@protected", "@type") {
		return nil, errorf("invalid term definition", "the definition of %q has an unknown member", name)
	}
	return t, nil
}

// expand expands an IRI. It first defines the terms that the IRI uses.
func (d *definitions) expand(value string) (string, error) {
	return d.expander.expandIRI(d.context, value, asVocab, d)
}

// setType sets what the values of a term are: IRIs, or literals of a datatype.
func (d *definitions) setType(t *term, name string, m *object) error {
	v, ok := m.get("@type")
	if !ok {
		return nil
	}
	s, ok := v.(string)
	if !ok {
		return errorf("invalid type mapping", "@type of %q must be a string", name)
	}
	iri, err := d.expand(s)
	if err != nil {
		return err
	}
	switch {
	case iri == "@id" || iri == "@json" || iri == "@none" || iri == "@vocab": // keywords that are types
	case isKeyword(iri) || !isIRI(iri):
		return errorf("invalid type mapping", "@type of %q is %q, which is not an IRI", name, s)
	}
	t.typ = iri
	return nil
}

// setReverse completes a term whose definition has @reverse. It returns nil if the term is not defined after all.
func (d *definitions) setReverse(t *term, name string, m *object, v any) (*term, error) {
	_, hasID := m.get("@id")
	if _, hasNest := m.get("@nest"); hasID || hasNest {
		return nil, errorf("invalid reverse property", "the definition of %q has @reverse beside @id or @nest", name)
	}
	s, ok := v.(string)
	if !ok {
		return nil, errorf("invalid IRI mapping", "@reverse of %q must be a string", name)
	}
	if likeKeyword(s) {
		return nil, nil
	}
	var err error
	if t.iri, err = d.expand(s); err != nil {
		return nil, err
	}
	if !isIRI(t.iri) && !isBlank(t.iri) {
		return nil, errorf("invalid IRI mapping", "@reverse of %q is %q, which is not an IRI", name, s)
	}
	if v, ok := m.get("@container"); ok && v != nil {
		if v != "@set" && v != "@index" {
			return nil, errorf("invalid reverse property", "the container of %q must be @set or @index", name)
		}
		t.container = []string{v.(string)}
	}
	t.reverse = true
	return t, nil
}

// setIRI sets the IRI of a term. simple means that the definition is a string. keep is false if the standard ignores the
// definition.
func (d *definitions) setIRI(t *term, name string, m *object, simple bool) (keep bool, err error) {
	switch v, ok := m.get("@id"); v := v.(type) {
	case string:
		if v != name {
			return d.setExplicitIRI(t, name, v, simple)
		}
	case nil:
		if ok { // null: t's IRI stays empty
			return true, nil
		}
	default:
		return false, errorf("invalid IRI mapping", "@id of %q must be a string", name)
	}
	if colon := strings.Index(name, ":"); colon > 0 {
		prefix, suffix := name[:colon], name[colon+1:]
		if d.local.has(prefix) {
			if err := d.create(prefix); err != nil {
				return false, err
			}
		}
		t.iri = name
		if p := d.context.term(prefix); p != nil {
			t.iri = d.expander.joined(p.iri, suffix)
		}
		return true, nil
	}
	switch {
	case strings.Contains(name, "/"):
		if t.iri, _ = d.expander.iri(d.context, name, asVocab); !isIRI(t.iri) {
			return false, errorf("invalid IRI mapping", "the term %q is not an IRI", name)
		}
	case name == "@type":
		t.iri = "@type"
	case d.context.vocab.set:
		t.iri = d.expander.joined(d.context.vocab.value, name)
	default:
		return false, errorf("invalid IRI mapping", "the term %q has no @id, and there is no @vocab", name)
	}
	return true, nil
}

// setExplicitIRI sets the IRI of a term whose definition has an @id other than the term: see setIRI. simple says that
// the definition is only that IRI, a string.
func (d *definitions) setExplicitIRI(t *term, name, id string, simple bool) (keep bool, err error) {
	if !isKeyword(id) && likeKeyword(id) {
		return false, nil
	}
	iri, err := d.expand(id)
	if err != nil {
		return false, err
	}
	if !isKeyword(iri) && !isIRI(iri) && !isBlank(iri) {
		return false, errorf("invalid IRI mapping", "@id of %q is %q, which is not an IRI", name, id)
	}
	if iri == "@context" {
		return false, errorf("invalid keyword alias", "%q can't be an alias of @context", name)
	}
	t.iri = iri
	colonInside := len(name) > 1 && strings.Contains(name[1:len(name)-1], ":")
	if colonInside || strings.Contains(name, "/") {
		d.states[d.local.find(name)] = defined // so that expand does not define it again
		if own, err := d.expand(name); err != nil || own != iri {
			return false, errorf("invalid IRI mapping", "the term %q looks like an IRI and is defined as another IRI", name)
		}
		return true, nil
	}
	isNamespace := isBlank(iri) || iri != "" && strings.ContainsAny(iri[len(iri)-1:], ":/?#[]@") // a gen-delim of RFC 3986
	if simple && !strings.Contains(name, ":") && isNamespace {
		t.prefix = true
	}
	return true, nil
}

// setContainer sets how the values of a term are arranged, such as @list.
func (d *definitions) setContainer(t *term, name string, m *object) error {
	v, ok := m.get("@container")
	if !ok {
		return nil
	}
	for _, item := range list(v) {
		s, _ := item.(string)
		switch s {
		case "@graph", "@id", "@index", "@language", "@list", "@set", "@type":
			t.container = append(t.container, s)
		default:
			return errorf("invalid container mapping", "the container of %q is not valid", name)
		}
	}
	slices.Sort(t.container)
	t.container = slices.Compact(t.container)
	if !validContainer(t.container) {
		return errorf("invalid container mapping", "the containers of %q can't be combined", name)
	}
	if t.has("@type") {
		if t.typ == "" {
			t.typ = "@id"
		}
		if t.typ != "@id" && t.typ != "@vocab" {
			return errorf("invalid type mapping", "%q has the container @type, so its @type must be @id or @vocab", name)
		}
	}
	return nil
}

// validContainer reports whether sorted containers can be combined.
func validContainer(c []string) bool {
	if len(c) < 2 {
		return len(c) == 1
	}
	rest := slices.DeleteFunc(slices.Clone(c), func(s string) bool { return s == "@set" })
	hasSet := len(rest) < len(c)
	graphs := len(rest) == 2 && rest[0] == "@graph" && (rest[1] == "@id" || rest[1] == "@index")
	return graphs || hasSet && len(rest) == 1 && rest[0] != "@list"
}

// setIndex sets the property that takes the keys of the container @index.
func (d *definitions) setIndex(t *term, name string, m *object) error {
	v, ok := m.get("@index")
	if !ok {
		return nil
	}
	s, isString := v.(string)
	if !isString || !t.has("@index") {
		return errorf("invalid term definition", "@index of %q must be a string, beside the container @index", name)
	}
	iri, err := d.expand(s)
	if err != nil {
		return err
	}
	if !isIRI(iri) {
		return errorf("invalid term definition", "@index of %q is %q, which is not an IRI", name, s)
	}
	t.index = s
	return nil
}

// setContext sets the context that a term brings along. It is applied where the term is used; here it is only checked.
func (d *definitions) setContext(t *term, name string, m *object) error {
	v, ok := m.get("@context")
	if !ok {
		return nil
	}
	p := processing{base: d.base, loaded: d.loaded, override: true, scoped: true}
	if d.expander.scoping++; d.expander.scoping > maxLayers {
		return errorf("context overflow", "more than %d contexts are nested", maxLayers)
	}
	defer func() { d.expander.scoping-- }()
	if _, err := d.expander.process(d.context, v, p); err != nil {
		return errorf("invalid scoped context", "the context of %q: %v", name, err)
	}
	t.context, t.hasContext, t.base = v, true, d.base
	return nil
}

// setLanguage sets the language and the direction of texts. A term with a @type has neither.
func (d *definitions) setLanguage(t *term, name string, m *object) error {
	if _, ok := m.get("@type"); ok {
		return nil
	}
	if v, ok := m.get("@language"); ok {
		s, isString := v.(string)
		if v != nil && !isString {
			return errorf("invalid language mapping", "@language of %q must be a string or null", name)
		}
		t.language = mapping{true, s}
	}
	if v, ok := m.get("@direction"); ok {
		s, isString := v.(string)
		if v != nil && (!isString || s != "ltr" && s != "rtl") {
			return errorf("invalid base direction", "@direction of %q must be ltr, rtl or null", name)
		}
		t.direction = mapping{true, s}
	}
	return nil
}

// setNest sets the term under which the values may be nested.
func (d *definitions) setNest(t *term, name string, m *object) error {
	v, ok := m.get("@nest")
	if !ok {
		return nil
	}
	s, isString := v.(string)
	if !isString || isKeyword(s) && s != "@nest" {
		return errorf("invalid @nest value", "@nest of %q must be a term", name)
	}
	t.nest = s
	return nil
}

// setPrefix sets whether a term can be a prefix.
func (d *definitions) setPrefix(t *term, name string, m *object) error {
	v, ok := m.get("@prefix")
	if !ok {
		return nil
	}
	if strings.ContainsAny(name, ":/") {
		return errorf("invalid term definition", "%q can't be a prefix", name)
	}
	prefix, isBool := v.(bool)
	if !isBool {
		return errorf("invalid @prefix value", "@prefix of %q must be true or false", name)
	}
	if prefix && isKeyword(t.iri) {
		return errorf("invalid term definition", "%q is an alias of a keyword, so it can't be a prefix", name)
	}
	t.prefix = prefix
	return nil
}
