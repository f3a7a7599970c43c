package jsonld

import (
	"cmp"
	"slices"
)

// dict is a map from names, in order of arrival or of the names. Most have few entries, and
// those take less time and memory than a map. The zero dict is empty.
type dict[V any] struct {
	entries []entry[V]
	index   map[string]int // where an entry is, of a dict that has more than few; built when needed
}

type entry[V any] struct {
	name  string
	value V
}

// few is how many entries are searched one by one.
const few = 8

// find returns the index of a name's entry, or -1. The dict may be nil.
func (d *dict[V]) find(name string) int {
	if d == nil {
		return -1
	}
	if len(d.entries) > few {
		if d.index == nil {
			d.index = make(map[string]int, 2*len(d.entries))
			for i, e := range d.entries {
				d.index[e.name] = i
			}
		}
		if i, ok := d.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range d.entries {
		if d.entries[i].name == name {
			return i
		}
	}
	return -1
}

func (d *dict[V]) has(name string) bool { return d.find(name) >= 0 }

// get returns the value with a name. ok is false, and the value zero, if there is none.
func (d *dict[V]) get(name string) (v V, ok bool) {
	if i := d.find(name); i >= 0 {
		return d.entries[i].value, true
	}
	return v, false
}

// value returns the value with a name, or the zero value.
func (d *dict[V]) value(name string) V {
	v, _ := d.get(name)
	return v
}

// set adds or replaces the value with a name.
func (d *dict[V]) set(name string, v V) { *d.slot(name) = v }

// slot returns a pointer to the value with a name, valid until the next entry is
// added. It adds an entry if the name is new.
func (d *dict[V]) slot(name string) *V {
	i := d.find(name)
	if i < 0 {
		i = len(d.entries)
		d.entries = append(d.entries, entry[V]{name: name})
		if d.index != nil {
			d.index[name] = i
		}
	}
	return &d.entries[i].value
}

// sort orders the entries by name, bytewise.
func (d *dict[V]) sort() {
	order := func(a, b entry[V]) int { return cmp.Compare(a.name, b.name) }
	if !slices.IsSortedFunc(d.entries, order) {
		slices.SortFunc(d.entries, order)
		d.index = nil
	}
}

// object is an object of JSON. The entries of a document's objects are sorted. A
// value is a *object, []any, string, json.Number, bool or nil, or a *member that is
// read later.
type object = dict[any]

// objectOf returns an object with one member.
func objectOf(name string, value any) *object {
	return &object{entries: []entry[any]{{name, value}}}
}

// asObject returns v as an object, or nil.
func asObject(v any) *object {
	m, _ := v.(*object)
	return m
}
