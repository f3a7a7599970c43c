package algebra

import (
	"encoding/binary"
	"reflect"
)

// Repetition is an operator that equals another one of its tree, except for its variables.
type Repetition struct {
	Class int    // a number that only equal operators share
	Vars  []Slot // all its variables; those at the same index in equal operators correspond
}

// Repeated returns the operators of a tree that are always evaluated by themselves
// (grouping, DISTINCT, ORDER BY and LIMIT), and that equal another such operator except
// for the names of variables. Equal operators have the same solutions, unless they call
// volatile functions or read the graph of a GRAPH around them. Repeated calls tick with
// the amount of work done. It ends with the first error of tick.
func Repeated(root Op, tick func(n int) error) (map[Op]Repetition, error) {
	c := candidates{bySize: map[candidateKey][]Op{}}
	c.size(root)
	var out map[Op]Repetition
	classes := 0
	for _, ops := range c.bySize {
		if len(ops) < 2 {
			continue
		}
		alike := map[string][]Op{}
		vars := map[Op][]Slot{}
		for _, op := range ops {
			e := encoder{numbers: map[Slot]int{}}
			e.any(reflect.ValueOf(&op).Elem())
			if err := tick(1 + len(e.text)/16); err != nil {
				return nil, err
			}
			alike[string(e.text)] = append(alike[string(e.text)], op)
			vars[op] = e.vars
		}
		for _, equal := range alike {
			if len(equal) < 2 {
				continue
			}
			if out == nil {
				out = map[Op]Repetition{}
			}
			for _, op := range equal {
				out[op] = Repetition{classes, vars[op]}
			}
			classes++
		}
	}
	return out, nil
}

// candidates holds the operators that are evaluated by themselves. Equal operators
// have the same key. An operator's key differs from that of any operator inside it.
type candidates struct{ bySize map[candidateKey][]Op }

type candidateKey struct {
	of   reflect.Type
	size int // in operators
}

// size returns the number of operators of a tree, including those of EXISTS.
func (c *candidates) size(op Op) int {
	n := 1
	for _, child := range Children(op) {
		n += c.size(child)
	}
	for _, x := range ExistsIn(Expressions(op)...) {
		n += c.size(x.Op)
	}
	if _, ok := op.(*Materialize); !ok && isolated(op) {
		key := candidateKey{reflect.TypeOf(op), n}
		c.bySize[key] = append(c.bySize[key], op)
	}
	return n
}

// encoder writes all fields of a tree as text. It numbers variables in the order in
// which they occur, so two trees have the same text if and only if they are equal
// except for the names of their variables.
type encoder struct {
	text    []byte
	numbers map[Slot]int
	vars    []Slot // by number
}

var slotType = reflect.TypeFor[Slot]()

func (e *encoder) any(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			e.number(0)
			return
		}
		e.string(v.Elem().Type().String())
		e.any(v.Elem())
	case reflect.Pointer:
		if v.IsNil() {
			e.number(0)
			return
		}
		e.number(1)
		e.any(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			e.any(v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		e.number(int64(v.Len()))
		for i := range v.Len() {
			e.any(v.Index(i))
		}
	case reflect.String:
		e.string(v.String())
	case reflect.Bool:
		e.number(map[bool]int64{true: 1}[v.Bool()])
	default:
		switch {
		case v.Type() == slotType:
			e.variable(Slot(v.Int()))
		case v.CanInt():
			e.number(v.Int())
		default:
			e.number(int64(v.Uint()))
		}
	}
}

func (e *encoder) variable(s Slot) {
	if s == NoSlot {
		e.number(-1)
		return
	}
	n, ok := e.numbers[s]
	if !ok {
		n = len(e.vars)
		e.numbers[s] = n
		e.vars = append(e.vars, s)
	}
	e.number(int64(n))
}

func (e *encoder) number(n int64) { e.text = binary.AppendVarint(e.text, n) }

func (e *encoder) string(s string) {
	e.number(int64(len(s)))
	e.text = append(e.text, s...)
}
