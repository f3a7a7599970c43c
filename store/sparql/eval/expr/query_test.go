package expr

import (
	"reflect"
	"testing"

	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/value"
)

// Functions keep compiled patterns and the state of case mappings. Two goroutines must not
// share them.
func TestAForkSharesNoCaches(t *testing.T) {
	b := budget.New(t.Context(), budget.Limits{})
	q, err := NewQuery(b, nil, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]value.Value{"REGEX": {value.String("é"), value.String("É")}, "UCASE": {value.String("é")}, "LCASE": {value.String("É")}} {
		f, _ := value.Lookup(name)
		if _, err := f.Call(q.functions, args); err != nil {
			t.Fatal(err)
		}
	}
	mine, forked := reflect.ValueOf(*q.functions), reflect.ValueOf(*q.Fork(b, nil).functions)
	used := 0
	for i := range mine.NumField() {
		field := mine.Type().Field(i)
		if kind := field.Type.Kind(); field.IsExported() || kind != reflect.Map && kind != reflect.Pointer || mine.Field(i).IsNil() {
			continue
		}
		if used++; !forked.Field(i).IsNil() {
			t.Errorf("a fork begins with the %s of its parent", field.Name)
		}
	}
	if used != 3 {
		t.Errorf("%d caches are in use, want patterns, upper and lower", used)
	}
}
