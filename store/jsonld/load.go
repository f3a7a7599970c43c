package jsonld

import (
	"slices"

	"github.com/segraph/segraph/store/rdf"
)

// load loads the context with an IRI, and applies it to active.
func (e *expander) load(active *context, iri string, p processing) (*context, error) {
	iri, err := resolve(p.base, iri)
	if err != nil {
		return nil, err
	}
	if p.scoped && slices.Contains(p.loaded, iri) {
		return active, nil
	}
	if len(p.loaded) >= maxLoaded || slices.Contains(p.loaded, iri) {
		return nil, errorf("context overflow", "the context %s loads itself, or too many others", iri)
	}
	key := loading{iri, active.outer, active.previous, active.base, active.vocab, active.language, active.direction, p.scoped}
	cacheable := len(active.terms.entries) == 0 && len(p.loaded) == 0 // else the result depends on more than key
	if c := e.loaded.results[key]; c != nil && cacheable {
		return c.layer()
	}
	loaded, err := e.remote(iri)
	if err != nil {
		return nil, err
	}
	c, ok := loaded.get("@context")
	if !ok {
		return nil, errorf("invalid remote context", "%s has no @context", iri)
	}
	result, err := e.process(active, c, processing{base: iri, loaded: append(slices.Clip(p.loaded), iri), scoped: p.scoped})
	if err != nil {
		return nil, withoutPath(err)
	}
	if result.previous == nil {
		result.previous = active.previous
	}
	if cacheable {
		if e.loaded.results == nil || len(e.loaded.results) == maxKnownValues {
			e.loaded.results = make(map[loading]*context)
		}
		e.loaded.results[key] = result
	}
	return result.layer()
}

// Loaded remembers contexts that were loaded by their IRIs, for further Readers with the same
// Options. Its zero value remembers none. It must be used by one goroutine at a time.
type Loaded struct {
	texts   map[string]*object
	results map[loading]*context // of load
}

// loading is the key of a cached result of load, for an active context whose own layer
// has no terms. It holds everything that the result depends on.
type loading struct {
	iri             string
	outer, previous *context
	base            string
	vocab           mapping
	language        string
	direction       string
	scoped          bool
}

// resolve resolves a reference to a context against a base IRI. Without a base, it returns the reference.
func resolve(base, reference string) (string, error) {
	if isIRI(reference) || base == "" {
		return reference, nil
	}
	iri, err := rdf.ResolveIRI(base, reference)
	if err != nil {
		return "", errorf("loading remote context failed", "the context %q: %v", reference, err)
	}
	return iri, nil
}

// remote returns the document at the IRI of a context, a JSON object, and remembers it.
func (e *expander) remote(iri string) (*object, error) {
	if o, ok := e.loaded.texts[iri]; ok {
		return o, nil
	}
	if e.options.Context == nil {
		return nil, errorf("loading remote context failed", "the context %s is not built in, and contexts are not loaded from elsewhere: put it inline", iri)
	}
	text, err := e.options.Context(iri)
	if err != nil {
		return nil, errorf("loading remote context failed", "%v", err)
	}
	v, err := parse(text)
	o, ok := v.(*object)
	if err != nil || !ok {
		return nil, errorf("invalid remote context", "%s is not a JSON object", iri)
	}
	if e.loaded.texts == nil {
		e.loaded.texts = make(map[string]*object)
	}
	e.loaded.texts[iri] = o
	return o, nil
}

// size returns left minus the size of a value: the bytes of its strings and names, and 1 for each member and item. If the
// size is more than left, it returns some negative number.
func size(v any, left int) int {
	switch v := v.(type) {
	case string:
		return left - len(v)
	case []any:
		for i := 0; i < len(v) && left >= 0; i++ {
			left = size(v[i], left-1)
		}
	case *object:
		for i := 0; i < len(v.entries) && left >= 0; i++ {
			left = size(v.entries[i].value, left-len(v.entries[i].name)-1)
		}
	}
	return left
}
