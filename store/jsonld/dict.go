package jsonld

import (
	"cmp"
	"slices"
)

// dict maps names to values. Its entries are in order of arrival or of their names. It
// takes less time and memory than a map if it has few entries, as most do, or very many
// entries in order. The zero dict is empty.
type dict[V any] struct {
	entries   []entry[V]
	unordered bool           // the entries are not in order of their names
	index     map[string]int // the index of each name's entry; nil until needed
}

type entry[V any] struct {
	name  string
	value V
}

const (
	few = 8 // up to this many entries are searched one by one
	// many is the largest number of entries in order that get an index. Contexts have
	// no more. Objects with more are searched too rarely for an index to pay.
	many = maxDefinitions
)

// find returns the index of a name's entry, or -1. The dict may be nil.
func (d *dict[V]) find(name string) int {
	if d == nil {
		return -1
	}
	if len(d.entries) > few {
		if len(d.entries) > many && !d.unordered {
			return d.search(name)
		}
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

// search returns what find does, in entries that are in order. It is fastest for a name
// after the last one.
func (d *dict[V]) search(name string) int {
	if d.entries[len(d.entries)-1].name < name {
		return -1
	}
	i, ok := slices.BinarySearchFunc(d.entries, name, func(e entry[V], name string) int { return cmp.Compare(e.name, name) })
	if !ok {
		return -1
	}
	return i
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
		d.append(name, *new(V))
		if i == many && !d.unordered {
			d.index = nil // from here on, find searches
		}
		if d.index != nil {
			d.index[name] = i
		}
	}
	return &d.entries[i].value
}

// append adds an entry without checking that its name is new. No name may have been
// looked up in the dict before.
func (d *dict[V]) append(name string, v V) {
	n := len(d.entries)
	d.unordered = d.unordered || n > 0 && name < d.entries[n-1].name
	d.entries = append(d.entries, entry[V]{name, v})
}

// sort orders the entries by name, bytewise.
func (d *dict[V]) sort() {
	if d.unordered {
		slices.SortFunc(d.entries, func(a, b entry[V]) int { return cmp.Compare(a.name, b.name) })
		d.unordered, d.index = false, nil
	}
}

// repeated returns the first name that two entries of a sorted dict share. Only append
// can add such entries.
func (d *dict[V]) repeated() (name string, ok bool) {
	for i := 1; i < len(d.entries); i++ {
		if name := d.entries[i].name; name == d.entries[i-1].name {
			return name, true
		}
	}
	return "", false
}

// object is a JSON object. The entries of a document's objects are sorted. A value is a
// *object, []any, string, json.Number, bool or nil, or a *member that is read later.
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
