package plan

import (
	"reflect"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
)

// fill sets every field of a struct to a nonzero value, and fails for an unknown
// type. A test that uses it therefore covers fields added later.
func fill(t *testing.T, v reflect.Value, slot algebra.Slot) {
	t.Helper()
	special := []any{algebra.Variable(slot), rdf.NewIRI("http://ex/t"), []algebra.Expr{&algebra.Var{Slot: slot}}, []algebra.Bound{{Term: rdf.NewString("x")}}}
	for i := range v.NumField() {
		f := v.Field(i)
		set := false
		for _, x := range special {
			if f.Type() == reflect.TypeOf(x) {
				f.Set(reflect.ValueOf(x))
				set = true
			}
		}
		switch {
		case set:
		case f.Type() == reflect.TypeFor[algebra.Expr]():
			f.Set(reflect.ValueOf(&algebra.Var{Slot: slot}))
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		case f.Kind() == reflect.String:
			f.SetString("text")
		case f.CanInt():
			f.SetInt(int64(slot))
		case f.CanUint():
			f.SetUint(uint64(slot))
		default:
			t.Fatalf("%s.%s is of a type that this test can't fill: teach it", v.Type(), v.Type().Field(i).Name)
		}
	}
}

// TestRenamingKeepsAllElse checks that renaming changes only the names of variables.
func TestRenamingKeepsAllElse(t *testing.T) {
	const from, to = algebra.Slot(3), algebra.Slot(5)
	names := renaming{from: to}

	var triple, want algebra.Triple
	fill(t, reflect.ValueOf(&triple).Elem(), from)
	fill(t, reflect.ValueOf(&want).Elem(), from)
	want.S.Slot, want.P.Slot, want.O.Slot = to, to, to
	if got := renameTriples([]algebra.Op{&triple}, names)[0]; !reflect.DeepEqual(got, &want) {
		t.Errorf("a triple becomes\n%+v, want\n%+v", got, &want)
	}

	for _, x := range []struct{ from, want algebra.Expr }{
		{&algebra.Var{}, &algebra.Var{}},
		{&algebra.Call{}, &algebra.Call{}},
		{&algebra.In{}, &algebra.In{}},
	} {
		fill(t, reflect.ValueOf(x.from).Elem(), from)
		fill(t, reflect.ValueOf(x.want).Elem(), to)
		if call, ok := x.want.(*algebra.Call); ok {
			call.Op = x.from.(*algebra.Call).Op
		}
		if got := rename(x.from, names); !reflect.DeepEqual(got, x.want) {
			t.Errorf("%T becomes\n%+v, want\n%+v", x.from, got, x.want)
		}
	}
}
