package jsonld

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/jsonscan"
	"github.com/segraph/segraph/store/rdf"
)

// openValue is an array whose items are read one by one, or an object with members that are
// read one by one.
type openValue struct {
	scope   scope // of its values
	isArray bool
	step    any       // of the path: the index of the current item, or the name of the current member
	next    int64     // where the next item of an array begins
	checked bool      // the items were checked; else the array is the document
	members []*member // of an object: those that must still be read
	ends    *cells    // the list that ends with this array, or nil
}

// scope is what a value depends on: the context in which it is read, and the quad whose
// object it is.
type scope struct {
	active             *context
	property           string
	subject, predicate rdf.Term // zero if the value is the object of no quad
	graph              rdf.Term
	list               *cells // the list that the value is an item of, or nil
	root               bool   // the value is the document
	small              int    // number of objects and arrays around it that are shorter than jsonscan.Large
}

// isList reports whether the values of the property are a list if they are an array.
func (s scope) isList() bool { return s.active.term(s.property).has("@list") }

// maxSmall limits the nesting of objects and arrays shorter than jsonscan.Large that are read value by value. A Reader
// scans such a value once for each that contains it, because the text does not record where it ends.
const maxSmall = 6

// begin checks the document and begins to read it. If the document can be read only once and is an array, its items are
// checked as they are read.
func (r *Reader) begin() error {
	s := scope{active: &context{base: r.expander.options.Base}, root: true}
	i := r.text.Begin()
	if !r.text.Rereads() && r.text.At(i) == '[' {
		s.root = false
		r.opened = append(r.opened, openValue{scope: s, isArray: true, next: i + 1})
		return nil
	}
	end, err := r.text.Check(i)
	if err == nil {
		err = r.text.CheckEnd(end)
	}
	if err != nil {
		return syntax(err)
	}
	return r.value(i, s)
}

// step reads the next value of the innermost open value, or leaves it. Without one, it returns io.EOF.
func (r *Reader) step() error {
	if len(r.opened) == 0 {
		return io.EOF
	}
	f := &r.opened[len(r.opened)-1]
	next := r.member
	if f.isArray {
		next = r.item
	}
	i, s, err := next(f)
	if err != nil || i < 0 {
		return err
	}
	return r.value(i, s) // may move r.opened
}

// member returns the offset and scope of the next member of an object. Without one, it
// leaves the object and returns -1.
func (r *Reader) member(f *openValue) (i int64, s scope, err error) {
	if len(f.members) == 0 {
		r.leave()
		return -1, s, nil
	}
	m := f.members[0]
	f.members, f.step, f.scope.property = f.members[1:], m.name, m.name
	s = f.scope
	if iri, _ := r.expander.iri(s.active, m.name, asVocab); iri == "@graph" {
		s.property = iri
	} else {
		s.predicate = r.emitter.predicate(iri)
	}
	return m.value, s, nil
}

func (r *Reader) leave() { r.opened = r.opened[:len(r.opened)-1] }

// item moves to the next item of an array, and returns where it begins and its scope, or -1 at the end. It checks the
// item, and what follows the array, if begin has not.
func (r *Reader) item(f *openValue) (i int64, s scope, err error) {
	i, s = r.text.Space(f.next), f.scope
	first := f.step == nil
	if !first && r.text.At(i) == ',' {
		i = r.text.Space(i + 1)
	} else if r.text.At(i) == ']' {
		if !f.checked {
			if err := r.text.CheckEnd(i + 1); err != nil {
				return -1, s, syntax(err)
			}
		}
		if f.ends != nil {
			r.chain(f.ends, rdf.NewIRI(rdf.RDFNil))
		}
		r.leave()
		return -1, s, nil
	} else if !f.checked && !first {
		return -1, s, syntax(r.text.Expected(i, `"," or "]"`))
	}
	n := 0
	if !first {
		n = f.step.(int) + 1
	}
	f.step = n
	if f.checked {
		f.next = r.text.Skip(i)
		return i, s, nil
	}
	r.text.DropBefore(i)
	if f.next, err = r.text.CheckItem(i, n); err != nil {
		return i, s, syntax(err)
	}
	return i, s, nil
}

// value reads the value at an offset. For an array, or an object with values that can be read later, it only begins an
// open value.
func (r *Reader) value(i int64, s scope) error {
	r.text.values = 0
	switch r.text.At(i) {
	case '[':
		if r.text.Skip(i)-i < jsonscan.Large {
			s.small++
		}
		if s.small <= maxSmall {
			r.array(i, s, s.isList())
			return nil
		}
	case '{':
		return r.object(i, s)
	}
	r.place = r.text.Position(i)
	v, _, err := r.text.tree(i)
	if err != nil {
		return err
	}
	if v, err = r.expander.expand(s.active, s.property, v, r.expander.options.Base); err == nil {
		r.emit(v, s)
	}
	return err
}

// emit emits the quads of an expanded value.
func (r *Reader) emit(v any, s scope) {
	if a, ok := v.([]any); ok && s.isList() {
		v = objectOf("@list", a)
	}
	if m := asObject(v); s.root && m != nil && len(m.entries) == 1 && isGraph(m) {
		v = m.value("@graph") // which is the default graph
	}
	for _, item := range flat(v) {
		if !s.predicate.IsZero() {
			r.link(r.emitter.object(item, s.graph), s)
		} else if m, ok := item.(*object); ok {
			r.emitter.object(m, s.graph)
		}
	}
}

// object reads an object, except for the values that can be read later.
func (r *Reader) object(i int64, s scope) error {
	r.place = r.text.Position(i)
	end := r.text.Skip(i)
	if end-i < jsonscan.Large {
		s.small++
	}
	r.expander.length = max(r.expander.length, end)
	element, err := r.open(i, s.small > maxSmall)
	if err != nil {
		return err
	}
	e, base := r.expander, r.expander.options.Base
	if err := r.load(element, "@context"); err != nil {
		return err
	}
	active, err := e.enter(s.active, s.property, element, base, false)
	if err != nil {
		return err
	}
	o, err := r.types(active, s.property, element)
	if err != nil {
		return err
	}
	if m, isList := o.array(element); m != nil { // the object means the same as its array
		isList = isList || s.isList() // by the term in the context around, not by that of the object
		s.active = o.active
		r.opened = append(r.opened, openValue{scope: s, step: m.name})
		r.array(m.value, s, isList)
		return nil
	}
	streamed := o.streamed(element)
	for _, m := range element.entries {
		if later, ok := m.value.(*member); ok && !later.streamed {
			if err := r.load(element, m.name); err != nil {
				return err
			}
		}
	}
	if err := o.members(element); err != nil {
		return err
	}
	if len(streamed) == 0 {
		v, err := o.finish()
		if err == nil {
			r.emit(v, s)
		}
		return err
	}
	return r.enter(o, s, streamed)
}

// types opens an object after loading its types. It repeats that if the context of a type defines another name for @type.
func (r *Reader) types(active *context, property string, element *object) (o *opening, err error) {
	for c := active; ; c = o.active {
		again := o == nil // at first, and after each load
		for _, m := range element.entries {
			if _, later := m.value.(*member); !later {
				continue
			}
			if iri, _ := r.expander.iri(c, m.name, asVocab); iri == "@type" {
				again = true
				if err := r.load(element, m.name); err != nil {
					return nil, err
				}
			}
		}
		if !again {
			return o, nil
		}
		if o != nil {
			if err := r.expander.spend(memberWork * len(element.entries)); err != nil {
				return nil, err
			}
		}
		if o, err = r.expander.open(active, property, element, r.expander.options.Base); err != nil {
			return nil, err
		}
	}
}

// enter emits what was read of a node, and begins an open value for streamed, its members that are
// read later: some properties or, alone, @graph.
func (r *Reader) enter(o *opening, s scope, streamed []*member) error {
	inner := scope{active: o.active, graph: s.graph, small: s.small}
	iri, _ := r.expander.iri(o.active, streamed[0].name, asVocab)
	named := iri == "@graph"
	isDefault := named && s.root && len(o.result.entries) == 0 // the document is only a @graph, and no node
	if !isDefault {
		node := r.emitter.node(o.result, s.graph)
		r.link(node, s)
		switch {
		case !named:
			inner.subject = node
		case node.IsZero():
			return nil // the graph's name is not valid, so its content is left out
		default:
			inner.graph = node
		}
	}
	r.opened = append(r.opened, openValue{scope: inner, members: streamed})
	return nil
}

// open reads the members of an object. Unless whole is set, values that are arrays or objects become *members, to be
// read later.
func (r *Reader) open(i int64, whole bool) (element *object, err error) {
	element = &object{entries: make([]entry[any], 0, few)}
	r.text.members(i, func(m member) bool {
		b := r.text.At(m.value)
		m.isArray = b == '['
		if !whole && (m.isArray || b == '{') {
			element.append(m.name, &m)
			return true
		}
		var v any
		if v, _, err = r.text.tree(m.value); err != nil {
			err = at(err, m.name)
		}
		element.append(m.name, v)
		return err == nil
	})
	if err == nil {
		err = ordered(element)
	}
	return element, err
}

// load reads the value of a member now, if it was to be read later.
func (r *Reader) load(element *object, key string) (err error) {
	m, ok := element.value(key).(*member)
	if !ok {
		return nil
	}
	if key == "@context" && m.end-m.value > maxContext {
		return at(errorf("context overflow", "a context is longer than %d bytes", maxContext), key)
	}
	v, _, err := r.text.valueOf(key, m.value)
	element.set(key, v)
	return at(err, key)
}

// array returns the member @list or @set of an object if its value is an array and the object has no other member but an
// @index, which means nothing in RDF. Otherwise only is nil.
func (o *opening) array(element *object) (only *member, isList bool) {
	index := false
	for _, m := range element.entries {
		later, _ := m.value.(*member)
		iri, _ := o.iri(o.active, m.name, asVocab)
		if _, isText := m.value.(string); m.name == "@context" || iri == "@index" && isText && !index {
			index = index || iri == "@index"
			continue
		}
		isList = iri == "@list" && o.property != "" && o.property != "@graph"
		isItems := (isList || iri == "@set") && later != nil && later.isArray
		if only != nil || !isItems {
			return nil, false
		}
		only = later
	}
	return only, isList
}

// streamed marks and returns the members that can be read item by item, in the order of the text. This is @graph alone
// or, without a @graph, the properties whose values are plain. It is none if @graph occurs twice by its aliases.
func (o *opening) streamed(element *object) (out []*member) {
	graphs := 0
	var graph *member
	for _, m := range element.entries {
		later, ok := m.value.(*member)
		iri, _ := o.iri(o.active, m.name, asVocab)
		switch {
		case iri == "@value" || iri == "@list" || iri == "@set":
			return nil
		case iri == "@graph":
			graphs, graph = graphs+1, later
		case ok && !isKeyword(iri) && strings.Contains(iri, ":") && o.active.term(m.name).plain(later.isArray):
			out = append(out, later)
		}
	}
	switch {
	case graphs == 1 && graph != nil:
		out = []*member{graph}
	case graphs > 0:
		return nil
	}
	for _, m := range out {
		m.streamed = true
	}
	slices.SortFunc(out, func(a, b *member) int { return cmp.Compare(a.at, b.at) })
	return out
}
