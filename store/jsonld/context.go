package jsonld

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// term is a term definition (JSON-LD 1.1 API, section 4.2.1).
type term struct {
	iri        string // "" if the term is defined as null
	prefix     bool
	protected  bool
	reverse    bool
	typ        string
	language   mapping
	direction  mapping
	index      string
	nest       string
	container  []string
	context    any
	hasContext bool
	base       string // base IRI of context
	builtIn    bool   // a loaded context defines it
}

func (t *term) has(container string) bool { return t != nil && slices.Contains(t.container, container) }

// plain reports whether the values of a term are expanded independently of each other. isArray says that they are an
// array, as those of a list must be.
func (t *term) plain(isArray bool) bool {
	return t == nil || !t.reverse && t.typ != "@json" &&
		!slices.ContainsFunc(t.container, func(c string) bool { return c != "@set" && (c != "@list" || !isArray) })
}

// same reports whether two definitions are equal, apart from protected and from where they come.
func (t *term) same(u *term) bool {
	if t.iri != u.iri || t.prefix != u.prefix || t.reverse != u.reverse || t.typ != u.typ || t.language != u.language ||
		t.direction != u.direction || t.index != u.index || t.nest != u.nest || t.hasContext != u.hasContext {
		return false
	}
	return bytes.Equal(appendJSON(nil, t.context), appendJSON(nil, u.context)) && slices.Equal(t.container, u.container)
}

// mapping is a language or direction, which a context may set to null.
type mapping struct {
	set   bool
	value string // "" for null
}

// context is an active context (JSON-LD 1.1 API, section 4.1). Its terms are in layers,
// so that a new context takes no more time and memory than what it defines.
type context struct {
	terms     dict[*term] // nil hides a term of an outer layer
	outer     *context    // the layer below, or nil
	layers    int
	protects  bool   // some term of this layer or one below is protected
	base      string // "" if there is none, or if @base is null
	vocab     mapping
	language  string
	direction string
	previous  *context // the active context before one that does not propagate
	memory
}

// memory caches what was computed from a context.
type memory struct {
	found  map[string]*term        // terms found in layers below
	scoped map[scopedTerm]*context // scoped contexts on top of this one
	local  any                     // the last @context on top of this one
	inner  *context                // the active context after local
}

// scopedTerm is a term with a context, as a type or as a property.
type scopedTerm struct {
	term   *term
	asType bool
}

// maxFound limits the entries of each map in memory.
const maxFound = 1000

// term returns the definition of a term, or nil.
func (c *context) term(name string) *term {
	if t, ok := c.terms.get(name); ok || c.outer == nil {
		return t
	}
	remember := c.layers > few // to search fewer takes no longer than a map
	if t, ok := c.found[name]; ok && remember {
		return t
	}
	var t *term
	for below, ok := c.outer, false; below != nil && !ok; below = below.outer {
		t, ok = below.terms.get(name)
	}
	if !remember {
		return t
	}
	if c.found == nil || len(c.found) == maxFound {
		c.found = make(map[string]*term)
	}
	c.found[name] = t
	return t
}

// layer returns a context on top of c that can be changed.
func (c *context) layer() (*context, error) {
	out := *c
	out.terms, out.outer, out.layers, out.memory = dict[*term]{}, c, c.layers+1, memory{}
	if len(c.terms.entries) == 0 { // leave out an empty layer
		out.outer, out.layers = c.outer, c.layers
	}
	if out.layers > maxLayers {
		return nil, errorf("context overflow", "more than %d contexts are nested", maxLayers)
	}
	return &out, nil
}

func (c *context) define(name string, t *term) {
	c.terms.set(name, t)
	c.protects = c.protects || t != nil && t.protected
}

// processing holds the parameters of process other than the contexts.
type processing struct {
	base     string   // base IRI of the context
	loaded   []string // IRIs of the enclosing contexts that are being loaded
	override bool     // protected terms may be redefined
	stays    bool     // the context does not propagate to other nodes
	scoped   bool     // a scoped context is only validated, so a cycle is no error
}

// process applies a local context to active and returns the new active context (section
// 4.1.2). A @propagate counts only outside an array.
func (e *expander) process(active *context, local any, p processing) (*context, error) {
	if m, ok := local.(*object); ok {
		if v, ok := m.get("@propagate"); ok {
			b, ok := v.(bool)
			if !ok {
				return nil, errorf("invalid @propagate value", "@propagate must be true or false")
			}
			p.stays = !b
		}
	}
	result, err := active.layer()
	if err != nil {
		return nil, err
	}
	if p.stays && result.previous == nil {
		result.previous = active
	}
	items, isArray := local.([]any)
	if !isArray {
		return e.next(result, local, p)
	}
	for i, item := range items {
		if result, err = e.next(result, item, p); err != nil {
			return nil, at(err, i)
		}
	}
	return result, nil
}

// inline returns the active context inside an object with an @context. It caches the last result, because
// neighbouring objects often have the same @context. base is the same in all of a document.
func (e *expander) inline(active *context, local any, base string) (*context, error) {
	if active.inner != nil && identical(active.local, local) {
		return active.inner, nil
	}
	c, err := e.process(active, local, processing{base: base})
	if err == nil {
		active.local, active.inner = local, c
	}
	return c, err
}

// identical reports whether two local contexts are equal strings, or the same object or
// array in memory.
func identical(a, b any) bool {
	x, isArray := a.([]any)
	y, both := b.([]any)
	if isArray && both {
		return len(x) == len(y) && len(x) > 0 && &x[0] == &y[0]
	}
	return !isArray && !both && a == b
}

// next applies one item of a local context to c and returns the new active context. It
// may change c.
func (e *expander) next(c *context, item any, p processing) (*context, error) {
	if err := e.spend(itemWork); err != nil {
		return nil, err
	}
	switch item := item.(type) {
	case nil:
		if !p.override && c.protects {
			return nil, errorf("invalid context nullification", "a context of null would remove protected terms")
		}
		out := &context{base: e.options.Base, layers: c.layers}
		if p.stays {
			out.previous = c
		}
		return out, nil
	case string:
		return e.load(c, item, p)
	case *object:
		return c, e.apply(c, item, p)
	}
	return nil, errorf("invalid local context", "a context must be an object, a string or null")
}

// scope applies the scoped context of a term to active. It returns active if the term
// has none. asType is set if the term is a type; its context then does not propagate to
// other nodes.
func (e *expander) scope(active *context, t *term, asType bool) (*context, error) {
	if t == nil || !t.hasContext {
		return active, nil
	}
	key := scopedTerm{t, asType}
	if c, ok := active.scoped[key]; ok {
		return c, nil
	}
	c, err := e.process(active, t.context, processing{base: t.base, override: !asType, stays: asType})
	if err != nil {
		return nil, withoutPath(err)
	}
	if active.scoped == nil || len(active.scoped) == maxFound {
		active.scoped = make(map[scopedTerm]*context)
	}
	active.scoped[key] = c
	return c, nil
}

// apply adds the definitions of a context object to c.
func (e *expander) apply(c *context, local *object, p processing) error {
	if v, ok := local.get("@version"); ok && v != json.Number("1.1") {
		return errorf("invalid @version value", "@version must be 1.1")
	}
	if v, ok := local.get("@import"); ok {
		var err error
		if local, err = e.imported(local, v, p); err != nil {
			return err
		}
	}
	if err := e.defaults(c, local, p); err != nil {
		return err
	}
	if v, ok := local.get("@propagate"); ok {
		if _, ok := v.(bool); !ok {
			return errorf("invalid @propagate value", "@propagate must be true or false")
		}
	}
	if len(local.entries) > maxDefinitions {
		return errorf("context overflow", "a context defines more than %d terms", maxDefinitions)
	}
	left := size(local, maxContext)
	if left < 0 {
		return errorf("context overflow", "a context is longer than %d bytes", maxContext)
	}
	if err := e.spend(maxContext - left + memberWork*len(local.entries)); err != nil {
		return err
	}
	protected := false
	if v, ok := local.get("@protected"); ok {
		if protected, ok = v.(bool); !ok {
			return errorf("invalid @protected value", "@protected must be true or false")
		}
	}
	d := &definitions{processing: p, expander: e, context: c, local: local, states: make([]state, len(local.entries)), protected: protected}
	for i := range local.entries {
		switch name := local.entries[i].name; name {
		case "@base", "@direction", "@import", "@language", "@propagate", "@protected", "@version", "@vocab":
		default:
			if err := d.create(name); err != nil {
				return at(err, name)
			}
		}
	}
	return nil
}

// spend adds to the work of applying contexts. It returns an error if that is too much for the document.
func (e *expander) spend(work int) error {
	if e.work += int64(work); e.work > maxWork+workPerByte*e.length {
		return errorf("context overflow", "applying the contexts takes too much work: large contexts are applied many times, each time on top of another one")
	}
	return nil
}

// imported returns the members of local on top of those of the context that it imports
// (@import).
func (e *expander) imported(local *object, v any, p processing) (*object, error) {
	name, ok := v.(string)
	if !ok {
		return nil, errorf("invalid @import value", "@import must be a string")
	}
	iri, err := resolve(p.base, name)
	if err != nil {
		return nil, err
	}
	loaded, err := e.remote(iri)
	if err != nil {
		return nil, err
	}
	imported := asObject(loaded.value("@context"))
	if imported == nil {
		return nil, errorf("invalid remote context", "the @context of %s is not an object", iri)
	}
	if imported.has("@import") {
		return nil, errorf("invalid context entry", "%s is imported and has an @import", iri)
	}
	out := &object{entries: slices.Clone(imported.entries)}
	for _, m := range local.entries {
		out.set(m.name, m.value)
	}
	out.sort()
	return out, nil
}

// defaults applies @base, @vocab, @language and @direction of a context, local, to the active context, c. The @base of a
// loaded context is ignored.
func (e *expander) defaults(c *context, local *object, p processing) error {
	if v, ok := local.get("@base"); ok && len(p.loaded) == 0 {
		switch v := v.(type) {
		case nil:
			c.base = ""
		case string:
			base := v // an absolute one needs no base
			if !isIRI(v) {
				var err error
				if err = e.spend(len(c.base)); err != nil {
					return err
				}
				if base, err = rdf.ResolveIRI(c.base, v); err != nil {
					return errorf("invalid base IRI", "@base %q is relative: %v", v, err)
				}
			}
			c.base = base
		default:
			return errorf("invalid base IRI", "@base must be a string or null")
		}
	}
	if v, ok := local.get("@vocab"); ok {
		switch v := v.(type) {
		case nil:
			c.vocab = mapping{}
		case string:
			iri, _ := e.iri(c, v, asVocab|asDocument)
			isRelative := iri != "" && !strings.Contains(iri, ":")
			if isRelative && c.base != "" { // without a base it stays relative
				return errorf("invalid vocab mapping", "@vocab %q is not an IRI", v)
			}
			c.vocab = mapping{true, iri}
		default:
			return errorf("invalid vocab mapping", "@vocab must be a string or null")
		}
	}
	if v, ok := local.get("@language"); ok {
		s, ok := v.(string)
		if !ok && v != nil {
			return errorf("invalid default language", "@language must be a string or null")
		}
		c.language = s
	}
	if v, ok := local.get("@direction"); ok {
		if v != nil && v != "ltr" && v != "rtl" {
			return errorf("invalid base direction", "@direction must be ltr, rtl or null")
		}
		c.direction, _ = v.(string)
	}
	return nil
}
