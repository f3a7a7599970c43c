package resolver

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/log/journal"
)

// pastTheUnit returns the places in a source file that could read committed state
// although a unit of work is available. Functions with a unit may name committed only in
// unit.go and enter.go. Nothing may embed the committed state, the Resolver or a unit,
// because that would promote their methods.
func pastTheUnit(fset *token.FileSet, f *ast.File) (faults []string) {
	fault := func(at token.Pos, what string) {
		faults = append(faults, fmt.Sprintf("%s: %s", fset.Position(at), what))
	}
	switch filepath.Base(fset.Position(f.Pos()).Filename) {
	case "unit.go", "enter.go":
	default:
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && hasUnit(fn) && names(fn, "committed") {
				fault(fn.Pos(), fn.Name.Name+" has a unit of work and names the committed state: take it from the unit")
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		for _, field := range s.Fields.List {
			t := field.Type
			if star, ok := t.(*ast.StarExpr); ok {
				t = star.X
			}
			if name, ok := t.(*ast.Ident); ok && len(field.Names) == 0 && (name.Name == "Resolver" || name.Name == "committed" || name.Name == "unit") {
				fault(field.Pos(), name.Name+" is embedded: its methods would hide whose state is read")
			}
		}
		return true
	})
	return faults
}

// hasUnit reports whether a function takes or begins a unit of work.
func hasUnit(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "begin" {
			found = true
		}
		return !found
	})
	return found || names(fn, "unit")
}

// names reports whether a node contains an identifier.
func names(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if i, ok := n.(*ast.Ident); ok && i.Name == name {
			found = true
		}
		return !found
	})
	return found
}

// TestAUnitOfWorkCannotReadCommittedStateByAccident checks this package with pastTheUnit.
func TestAUnitOfWorkCannotReadCommittedStateByAccident(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	units := 0
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range pastTheUnit(fset, f) {
			t.Error(fault)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Name.Name != "unit" {
				return true
			}
			units++
			for _, field := range spec.Type.(*ast.StructType).Fields.List {
				if len(field.Names) == 0 {
					t.Errorf("%s: a unit of work embeds nothing", fset.Position(field.Pos()))
				}
			}
			return true
		})
	}
	if units != 1 {
		t.Errorf("%d types are named unit", units)
	}
}

// TestReadingPastTheUnitIsFound adds the mistakes that pastTheUnit must find to a file of
// the package.
func TestReadingPastTheUnitIsFound(t *testing.T) {
	source, err := os.ReadFile("merge.go")
	if err != nil {
		t.Fatal(err)
	}
	for what, mistake := range map[string]string{
		"":                       "",
		"a method of the unit":   "func (u *unit) wrong() (*shared, error) { return u.committed.context(1) }",
		"a function with a unit": "func wrong(r *Resolver, u *unit) (*shared, error) { return r.committed.context(u.began.Contexts) }",
		"a function literal":     "func (r *Resolver) wrong() error { return r.reading(func(u *unit) error { _, err := r.committed.context(1); return err }) }",
		"a unit that is begun":   "func (r *Resolver) wrong() { u := r.begin(); u.totals = r.committed.totals }",
		"another parameter":      "func (u *unit) wrong(from *committed) (*shared, error) { return from.context(1) }",
		"the Resolver embedded":  "type wrong struct { *Resolver; changed int }",
		"the state embedded":     "type wrong struct { committed; changed int }",
		"a unit embedded":        "type wrong struct { changed int; *unit }",
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "merge.go", string(source)+"\n"+mistake, 0)
		if err != nil {
			t.Fatal(err)
		}
		if faults := pastTheUnit(fset, f); (len(faults) == 0) != (what == "") {
			t.Errorf("%s: found %q", what, faults)
		}
	}
}

// TestAUnitOfWorkSeesItsOwnChanges changes each kind of state in a unit of work. The unit
// reads its own change. The next unit does not before enter, and does after it.
func TestAUnitOfWorkSeesItsOwnChanges(t *testing.T) {
	name, key := frequencyName{1, 2}, record.Hash{3}
	one := func(number uint64) record.Context {
		return record.Context{Number: number, Kind: "wave", Count: 1, Origins: []uint64{number}, Members: []record.Member{{Origin: number}}}
	}
	for _, c := range []struct {
		what   string
		change func(*unit) error
		reads  func(*unit) (bool, error) // reports whether the change is seen
	}{
		{"a context", func(u *unit) error {
			x := one(1)
			x.Count = 2
			_, err := u.setContext(x)
			return err
		}, func(u *unit) (bool, error) { x, err := u.context(1); return err == nil && x.Count == 2, err }},
		{"a merge", func(u *unit) error {
			x := one(2)
			x.Into = 1
			_, err := u.setContext(x)
			return err
		}, func(u *unit) (bool, error) { x, err := u.root(2); return err == nil && x.Number == 1, err }},
		{"a case", func(u *unit) error { return u.setCase(record.Case{Number: 1, Source: 1, Any: 0.5}) },
			func(u *unit) (bool, error) { x, err := u.caseOf(1); return err == nil && x.Any == 0.5, err }},
		{"a decision", func(u *unit) error {
			x := record.Decision{Number: 1, Case: 9}
			u.setDecision(x)
			return nil
		}, func(u *unit) (bool, error) { x, err := u.decision(1); return err == nil && x.Case == 9, err }},
		{"a clock", func(u *unit) error { u.setClock(record.Clock{Robot: "r", Anchors: 7}); return nil },
			func(u *unit) (bool, error) { x, err := u.clock("r"); return x.Anchors == 7, err }},
		{"a kind", func(u *unit) error { u.kindOf, u.kindHash = &record.Kind{Made: 4}, 1; return nil },
			func(u *unit) (bool, error) { x, err := u.kind(1); return x.Made == 4, err }},
		{"a frequency", func(u *unit) error { u.setFrequency(ofPlace, name, record.Frequency{Count: 6}); return nil },
			func(u *unit) (bool, error) { x, err := u.frequency(ofPlace, name); return x.Count == 6, err }},
		{"a repeat", func(u *unit) error { u.setRepeat(key, record.Repeat{Context: 8}); return nil },
			func(u *unit) (bool, error) { x, err := u.repeat(key); return x.Context == 8, err }},
		{"the scale", func(u *unit) error { u.newScale = &record.Scale{Anchors: 3}; return nil },
			func(u *unit) (bool, error) { return u.scale().Anchors == 3, nil }},
		{"the reviews", func(u *unit) error { u.newReviews = &record.Reviews{Total: 3}; return nil },
			func(u *unit) (bool, error) { return u.reviews().Total == 3, nil }},
		{"a subject", func(u *unit) error { u.changeSubject("s").State = record.Detected; return nil },
			func(u *unit) (bool, error) { x, ok := u.subject("s"); return ok && x.State == record.Detected, nil }},
		{"a pair", func(u *unit) error { u.changePair(pairOf("a", "b")).Similar = 5; return nil },
			func(u *unit) (bool, error) { return u.pair(pairOf("a", "b")).Similar == 5, nil }},
		{"a relay", func(u *unit) error { u.changeRelay("r").Reports = 5; return nil },
			func(u *unit) (bool, error) { return u.relay("r").Reports == 5, nil }},
		{"an observation", func(u *unit) error {
			u.put(record.ObservationKey(1, 1), record.Encode(&record.Observation{Number: 1, Kind: "wave"}))
			return nil
		}, func(u *unit) (bool, error) { x, err := u.observation(1, 1); return x != nil && x.Kind == "wave", err }},
		{"a reuse", func(u *unit) error { return u.countReuse("r") },
			func(u *unit) (bool, error) {
				x, err := recordOf[record.Reuse](u, u.hashes().ReuseKey("r"))
				return x != nil && x.Count == 1, err
			}},
		{"a total", func(u *unit) error { u.totals.Duplicates++; return nil },
			func(u *unit) (bool, error) { return u.totals.Duplicates == 1, nil }},
	} {
		r, err := Open(&few{}, Options{Settings: Defaults(), Now: func() time.Time { return time.UnixMicro(1) }})
		if err != nil {
			t.Fatal(err)
		}
		// Create what the changes refer to. Uncommitted numbers count as new.
		base := r.begin()
		if _, err := base.setContext(one(1)); err != nil {
			t.Fatal(err)
		}
		base.totals.Contexts = 1
		if _, err := r.enter(base); err != nil {
			t.Fatal(err)
		}
		sees := func(u *unit) bool {
			t.Helper()
			seen, err := c.reads(u)
			if err != nil && !errors.Is(err, errMissing) {
				t.Errorf("%s: %v", c.what, err)
			}
			return seen
		}
		u := r.begin()
		if sees(u) {
			t.Errorf("%s is seen before it is made", c.what)
		}
		if err := c.change(u); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if !sees(u) {
			t.Errorf("%s is not seen by the unit that makes it", c.what)
		}
		if sees(r.begin()) {
			t.Errorf("%s is seen by others before enter", c.what)
		}
		if _, err := r.enter(u); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if !sees(r.begin()) {
			t.Errorf("%s is not seen after enter", c.what)
		}
	}
}

// TestAUnitOfWorkScansOnlyBeforeItChangesRecords covers changes that scan can't return
// because they are not records yet.
func TestAUnitOfWorkScansOnlyBeforeItChangesRecords(t *testing.T) {
	for what, change := range map[string]func(*unit){
		"a record":    func(u *unit) { u.put([]byte{1}, nil) },
		"a context":   func(u *unit) { _, _ = u.setContext(record.Context{Number: 1}) },
		"a case":      func(u *unit) { _ = u.setCase(record.Case{Number: 1}) },
		"a clock":     func(u *unit) { u.setClock(record.Clock{}) },
		"a kind":      func(u *unit) { u.kindOf = &record.Kind{} },
		"a frequency": func(u *unit) { u.setFrequency(ofText, frequencyName{}, record.Frequency{}) },
		"a repeat":    func(u *unit) { u.setRepeat(record.Hash{}, record.Repeat{}) },
		"the scale":   func(u *unit) { u.newScale = &record.Scale{} },
		"the reviews": func(u *unit) { u.newReviews = &record.Reviews{} },
		"a subject":   func(u *unit) { u.changeSubject("s") },
		"a pair":      func(u *unit) { u.changePair(pairName{}) },
		"a relay":     func(u *unit) { u.changeRelay("r") },
	} {
		r, err := Open(&few{}, Options{Settings: Defaults()})
		if err != nil {
			t.Fatal(err)
		}
		u := r.begin()
		scan := func() error { return u.scan([]byte{0}, nil, func(_, _ []byte) bool { return true }) }
		if err := scan(); err != nil {
			t.Errorf("%s: scanning before it: %v", what, err)
		}
		if change(u); !errors.Is(scan(), errScanned) {
			t.Errorf("%s: a scan after it does not fail", what)
		}
	}
}

// TestFailedOperationsLeaveNoTrace fails in the middle of an operation.
func TestFailedOperationsLeaveNoTrace(t *testing.T) {
	r, err := Open(&few{}, Options{Settings: Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	_, err = write(context.Background(), r, func(u *unit) (int, error) {
		if _, err := u.setContext(record.Context{Number: 1}); err != nil {
			return 0, err
		}
		u.totals.Contexts, u.totals.Created = 1, 1
		u.changeRelay("r").State = record.Repeating
		u.decide(record.Decision{Kind: record.Creation, Source: 1})
		return 0, broken
	})
	if !errors.Is(err, broken) {
		t.Fatal(err)
	}
	if err := r.reading(func(u *unit) error {
		if u.totals != (record.Totals{Secret: u.totals.Secret}) || u.known.isRelay("r") {
			t.Errorf("of the operation that failed stayed %+v", u.totals)
		}
		if _, err := u.context(1); !errors.Is(err, errMissing) {
			t.Errorf("the context of the operation that failed: %v", err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestACaseWithoutTargetsStopsNoDecision has a case as earlier versions opened in crowds.
func TestACaseWithoutTargetsStopsNoDecision(t *testing.T) {
	r, err := Open(&few{}, Options{Settings: Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	u := r.begin()
	u.totals.Contexts, u.totals.Cases = 1, 1
	_, failed := u.setContext(record.Context{Number: 1, Count: 1, Origins: []uint64{1}, Members: []record.Member{{Origin: 1}}})
	if err := cmp.Or(failed, u.setCase(record.Case{Number: 1, Source: 1})); err != nil {
		t.Fatal(err)
	}
	if _, err := r.enter(u); err != nil {
		t.Fatal(err)
	}
	p, err := r.DecidePerson(t.Context(), PersonDecision{Subjects: []string{"https://ex/a", "https://ex/b"}, One: true}, journal.Entry{Actor: "judge"})
	if err != nil || p.PendingCases != 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

// few is a store of a few records, in order.
type few []Record

func (s *few) Get(key []byte) ([]byte, error) {
	for _, r := range *s {
		if bytes.Equal(r.Key, key) {
			return r.Value, nil
		}
	}
	return nil, nil
}

func (s *few) Scan(from, to []byte, yield func(key, value []byte) bool) error {
	for _, r := range *s {
		if bytes.Compare(r.Key, from) >= 0 && (len(to) == 0 || bytes.Compare(r.Key, to) < 0) && !yield(r.Key, r.Value) {
			return nil
		}
	}
	return nil
}

func (s *few) Submit(_ context.Context, c Change) (wait func() error, err error) {
	for _, r := range c.Records {
		*s = slices.DeleteFunc(*s, func(x Record) bool { return bytes.Equal(x.Key, r.Key) })
		if r.Value != nil {
			*s = append(*s, r)
		}
	}
	slices.SortFunc(*s, func(a, b Record) int { return bytes.Compare(a.Key, b.Key) })
	return func() error { return nil }, nil
}

func (s *few) Reset() {}
