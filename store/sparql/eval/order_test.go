package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/eval/expr"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// sorting is an ORDER BY over rows of four variables that a test adds.
type sorting struct {
	run  *Run
	op   *algebra.OrderBy
	rows []source.ID // of width run.width
}

const sortedNames = "?a ?b ?c ?d"

func newSorting(t *testing.T, b *budget.Budget, keys string) *sorting {
	t.Helper()
	parsed, err := syntax.ParseQuery("SELECT "+sortedNames+" { VALUES ("+sortedNames+") { (1 2 3 4) } } ORDER BY "+keys, syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := algebra.Translate(parsed, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &sorting{}
	var find func(op algebra.Op)
	find = func(op algebra.Op) {
		if x, ok := op.(*algebra.OrderBy); ok {
			s.op = &algebra.OrderBy{Op: &algebra.Unit{}, Keys: x.Keys, Top: algebra.NoLimit}
		}
		for _, child := range algebra.Children(op) {
			find(child)
		}
	}
	find(q.Root)
	if s.run, err = New(b, q, newMemory()); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *sorting) add(t *testing.T, terms ...rdf.Term) {
	t.Helper()
	for _, term := range terms {
		id, err := s.run.terms.ID(term)
		if err != nil {
			t.Fatal(err)
		}
		s.rows = append(s.rows, id)
	}
}

func (s *sorting) row(i int) []source.ID { return s.rows[i*s.run.width : (i+1)*s.run.width] }
func (s *sorting) n() int                { return len(s.rows) / s.run.width }

// sorted returns the rows that the operator passes on when it receives batches of
// size rows.
func (s *sorting) sorted(t *testing.T, top, skip int64, size int) [][]source.ID {
	t.Helper()
	op := *s.op
	op.Top, op.Skip = top, skip
	out := &collector{r: s.run}
	for slot := range s.run.width {
		out.keep = append(out.keep, algebra.Slot(slot))
	}
	head, err := s.run.buildOrder(&op, env{unit: &unit{}}, out)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < s.n(); i += size {
		n := min(size, s.n()-i)
		b := &table.Batch{Width: s.run.width, N: n, IDs: slices.Clone(s.rows[i*s.run.width : (i+n)*s.run.width])}
		if err := head.push(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := head.end(); err != nil {
		t.Fatal(err)
	}
	rows := make([][]source.ID, out.N)
	for i := range rows {
		rows[i] = slices.Clone(out.Row(i))
	}
	if err := out.forget(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// want returns the rows in the order of the standard, by comparing the values of all
// keys of all rows.
func (s *sorting) want(t *testing.T) [][]source.ID {
	t.Helper()
	rows, values := make([][]source.ID, s.n()), make([][]value.Value, s.n())
	at := make([]int, s.n())
	for i := range rows {
		rows[i], at[i] = s.row(i), i
		for _, k := range s.op.Keys {
			v, err := s.run.exprs.NewOneRow(k.Expr, func(c *expr.Columns) (expr.Values, error) { return c.Value(k.Expr, true) })
			if err != nil {
				t.Fatal(err)
			}
			values[i] = append(values[i], v.Of(rows[i]).Clone())
		}
	}
	slices.SortStableFunc(at, func(i, j int) int {
		for k, key := range s.op.Keys {
			if c := value.Order(values[i][k], values[j][k]); c != 0 {
				if key.Descending {
					return -c
				}
				return c
			}
		}
		return 0
	})
	out := make([][]source.ID, len(at))
	for i, j := range at {
		out[i] = rows[j]
	}
	return out
}

// mixed returns terms of all kinds, some close to each other, some equal in value,
// and the zero Term.
func mixed() (out []rdf.Term) {
	out = append(out, rdf.Term{}, rdf.NewBlank("a"), rdf.NewBlank("b"), rdf.NewIRI("x:"), rdf.NewIRI("x:a"), rdf.NewIRI("y:a"),
		rdf.NewString(""), rdf.NewString("a"), rdf.NewString("A"), rdf.NewString("é"), rdf.NewLang("a", "en"), rdf.NewLang("a", "EN"), rdf.NewLang("a", "de"),
		rdf.NewLiteral("a", "x:t"), rdf.NewLiteral("b", "x:t"), rdf.NewLiteral("x", rdf.XSDInteger), rdf.NewLiteral("a", "x:u"))
	for _, datatype := range []string{rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDFloat, rdf.XSDDateTime, rdf.XSDDate, rdf.XSDBoolean, rdf.XSD + "duration", rdf.XSD + "gYear"} {
		for _, lexical := range []string{"1", "01", "1.0", "1.10", "1.1", "-1", "NaN", "INF", "9007199254740993", "9007199254740992", "0.0000001", "1e0", "1.1e0",
			"2025-01-06T08:00:00Z", "2025-01-06T08:00:00", "2025-01-06T10:00:00+02:00", "2025-01-06T08:00:00.1234567Z", "2025-01-06", "2025-01-06Z", "true", "0", "P1M", "P30D", "2025"} {
			out = append(out, rdf.NewLiteral(lexical, datatype)) // in its lexical space or not
		}
	}
	for i := range 30 {
		out = append(out, rdf.NewIRI(fmt.Sprintf("http://example.org/id/%d", i*i)), rdf.NewLang(fmt.Sprintf("the same beginning %d", i), "en"))
	}
	return out
}

// Whatever the values, the keys and the page, sorting returns the order that
// comparing all values gives. Rows with equal keys keep the order in which they
// arrived.
func TestSortsAreTheStandardsOrder(t *testing.T) {
	suite.NotShort(t)
	keys := []string{"?a", "DESC(?a)", "?b", "DESC(?b)", "?c", "DESC(?c)", "(?a + ?b)", "DESC(STR(?a))", "(LANG(?b))", "DESC(?b < ?c)", "(COALESCE(?c, ?a))", "(1)", "(STRLEN(?b) / 7)", "(BOUND(?a))"}
	terms := mixed()
	for seed := range uint64(suite.Size(suite.Times(400, 60), 30)) {
		rng := rand.New(rand.NewPCG(seed, 11))
		var by []string
		for range 1 + rng.IntN(4) {
			by = append(by, keys[rng.IntN(len(keys))])
		}
		b := budget.New(context.Background(), budget.Limits{})
		s := newSorting(t, b, strings.Join(by, " "))
		kinds := make([][]rdf.Term, 3) // few values lead to ties
		for i := range kinds {
			for range 1 + rng.IntN(40) {
				kinds[i] = append(kinds[i], terms[rng.IntN(len(terms))])
			}
		}
		n := rng.IntN(40)
		if seed%4 == 0 {
			n = rng.IntN(12000)
		}
		for i := range n {
			s.add(t, kinds[0][rng.IntN(len(kinds[0]))], kinds[1][rng.IntN(len(kinds[1]))], kinds[2][rng.IntN(len(kinds[2]))], rdf.NewLiteral(fmt.Sprint(i), rdf.XSDInteger))
		}
		want := s.want(t)
		s.sorted(t, 0, 0, 1) // warm up: what operators cache, and their columns, stay
		left := func() int64 { return b.Memory() - s.run.exprs.Size() }
		kept := left()
		top, skip := int64(algebra.NoLimit), int64(0)
		for range 3 {
			got := s.sorted(t, top, skip, 1+rng.IntN(3000))
			if left() != kept {
				t.Fatalf("seed %d, %v of %d rows, top %d, skip %d: %d bytes are not given back", seed, by, n, top, skip, left()-kept)
			}
			checkPage(t, fmt.Sprintf("seed %d, %v of %d rows, top %d, skip %d", seed, by, n, top, skip), got, want, top, skip)
			skip = rng.Int64N(int64(n) + 2)
			top = skip + rng.Int64N(50)
		}
	}
}

// checkPage checks the rows from skip up to top, and that the skipped rows are the
// right ones.
func checkPage(t *testing.T, name string, got, want [][]source.ID, top, skip int64) {
	t.Helper()
	if top >= 0 {
		want = want[:min(top, int64(len(want)))]
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", name, len(got), len(want))
	}
	skip = min(skip, int64(len(want)))
	for i := range want[skip:] {
		if !slices.Equal(got[int(skip)+i], want[int(skip)+i]) {
			t.Fatalf("%s: row %d is %v, want %v", name, int(skip)+i, got[int(skip)+i], want[int(skip)+i])
		}
	}
	before := func(rows [][]source.ID) (out []string) {
		for _, row := range rows[:skip] {
			out = append(out, fmt.Sprint(row))
		}
		slices.Sort(out)
		return out
	}
	if !slices.Equal(before(got), before(want)) {
		t.Fatalf("%s: other rows are skipped", name)
	}
}

// Many rows are sorted right: by keys of few bytes and of many, by texts that begin alike,
// and if most rows have the same keys.
func TestManyRowsAreSorted(t *testing.T) {
	suite.NotShort(t)
	n := suite.Size(suite.Times(40_000, 18_000), 17_000)
	for name, term := range map[string]func(rng *rand.Rand, column int) rdf.Term{
		"few numbers": func(rng *rand.Rand, _ int) rdf.Term { return rdf.NewLiteral(fmt.Sprint(rng.IntN(30)), rdf.XSDInteger) },
		"unique texts, some twice": func(rng *rand.Rand, column int) rdf.Term {
			return rdf.NewIRI(fmt.Sprintf("http://example.org/id/%d", rng.IntN([]int{3, 12000, 1 << 40}[column])))
		},
		"large numbers": func(rng *rand.Rand, _ int) rdf.Term {
			return rdf.NewLiteral(fmt.Sprint(rng.Int64N(1<<48)), rdf.XSDInteger)
		},
		"two numbers far apart": func(rng *rand.Rand, column int) rdf.Term {
			return rdf.NewLiteral([]string{"0", "281474976710655"}[min(column, rng.IntN(2))], rdf.XSDInteger)
		},
		"texts": func(rng *rand.Rand, _ int) rdf.Term {
			return rdf.NewString(fmt.Sprintf("a text that begins as others do, %d", rng.IntN(20000)))
		},
		"floats": func(rng *rand.Rand, _ int) rdf.Term { return rdf.NewLiteral(fmt.Sprint(rng.Float32()), rdf.XSDDouble) },
		"mixed": func() func(rng *rand.Rand, _ int) rdf.Term {
			terms := mixed()
			return func(rng *rand.Rand, _ int) rdf.Term { return terms[rng.IntN(len(terms))] }
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSorting(t, budget.New(context.Background(), budget.Limits{}), "?a DESC(?b) ?c")
			rng := rand.New(rand.NewPCG(uint64(n), 3))
			for i := range n {
				s.add(t, term(rng, 0), term(rng, 1), term(rng, 2), rdf.NewLiteral(fmt.Sprint(i), rdf.XSDInteger))
			}
			want := s.want(t)
			for _, page := range [][2]int64{{algebra.NoLimit, 0}, {20, 0}, {int64(n)/2 + 50, int64(n) / 2}, {int64(n) + 50, int64(n) - 50}, {int64(n)/3 + 1, 0}} {
				got := s.sorted(t, page[0], page[1], 2048)
				checkPage(t, fmt.Sprintf("page %v", page), got, want, page[0], page[1])
			}
		})
	}
}

// past is right after any number of rows.
func TestPastIsRight(t *testing.T) {
	suite.NotShort(t)
	terms := mixed()
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		for _, keys := range []string{"?a ?b", "DESC(?a) ?b"} {
			s := newSorting(t, budget.New(context.Background(), budget.Limits{}), keys)
			op := *s.op
			op.Top = 1 + rng.Int64N(40)
			head, err := s.run.buildOrder(&op, env{unit: &unit{}}, &collector{r: s.run})
			if err != nil {
				t.Fatal(err)
			}
			o := head.(*order)
			var first []value.Value
			for range 8 {
				n := len(s.rows)
				for range 1 + rng.IntN(900) {
					s.add(t, terms[rng.IntN(len(terms))], terms[rng.IntN(len(terms))], rdf.Term{}, rdf.Term{})
				}
				for i := n / s.run.width; i < s.n(); i++ {
					first = append(first, s.run.terms.Value(s.row(i)[0]))
				}
				if err := o.push(&table.Batch{Width: s.run.width, N: (len(s.rows) - n) / s.run.width, IDs: slices.Clone(s.rows[n:])}); err != nil {
					t.Fatal(err)
				}
				v := value.FromTerm(terms[rng.IntN(len(terms))])
				slices.SortFunc(first, func(a, b value.Value) int {
					if o.keys[0].descending {
						a, b = b, a
					}
					return value.Order(a, b)
				})
				want := false
				if int64(len(first)) >= op.Top {
					last := first[op.Top-1]
					want = value.Precedes(last, v)
					if o.keys[0].descending {
						want = value.Precedes(v, last)
					}
				}
				if got, err := o.past(v); got != want || err != nil {
					t.Fatalf("seed %d, %s, top %d of %d: past(%v) is %v, %v; want %v", seed, keys, op.Top, len(first), v.Term(), got, err, want)
				}
			}
		}
	}
}

// A first page of many rows keeps few of them. A deep page keeps not many more rows
// than it shows.
func TestSortsKeepWhatAPageNeeds(t *testing.T) {
	b := budget.New(context.Background(), budget.Limits{})
	s := newSorting(t, b, "DESC(?a) STR(?b) ?b")
	for i := range 30_000 {
		s.add(t, rdf.NewLiteral(fmt.Sprint(i), rdf.XSDInteger), rdf.NewString(fmt.Sprintf("text %d", i)), rdf.Term{}, rdf.Term{})
	}
	for _, top := range []int64{1, 1000, 10_000} {
		op := *s.op
		op.Top = top
		head, err := s.run.buildOrder(&op, env{unit: &unit{}}, &collector{r: s.run})
		if err != nil {
			t.Fatal(err)
		}
		if err := head.push(&table.Batch{Width: s.run.width, N: s.n(), IDs: slices.Clone(s.rows)}); err != nil {
			t.Fatal(err)
		}
		o := head.(*order)
		if most := top + max(top/4, minSpare); int64(o.rows.N) > most || int64(o.keys[1].values.N) > most || int64(cap(o.keys[0].keys)) > 2*most {
			t.Errorf("of the first %d, %d rows and %d values are kept; want at most %d", top, o.rows.N, o.keys[1].values.N, most)
		}
	}
}
