package value

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/segraph/segraph/store/rdf"
)

func TestArithmeticWithTime(t *testing.T) {
	operators := map[string]func(a, b Value) Value{"+": Add, "-": Subtract}
	for _, c := range []struct{ a, op, b, want string }{
		// XPath Functions and Operators 3.1, sections 8.4 and 9.7.
		{`"P2Y11M"^^xsd:yearMonthDuration`, "+", `"P3Y3M"^^xsd:yearMonthDuration`, `"P6Y2M"^^xsd:yearMonthDuration`},
		{`"P2Y11M"^^xsd:yearMonthDuration`, "-", `"P3Y3M"^^xsd:yearMonthDuration`, `"-P4M"^^xsd:yearMonthDuration`},
		{`"P2DT12H5M"^^xsd:dayTimeDuration`, "+", `"P5DT12H"^^xsd:dayTimeDuration`, `"P8DT5M"^^xsd:dayTimeDuration`},
		{`"P2DT12H"^^xsd:dayTimeDuration`, "-", `"P1DT10H30M"^^xsd:dayTimeDuration`, `"P1DT1H30M"^^xsd:dayTimeDuration`},
		{`"2000-10-30T06:12:00-05:00"^^xsd:dateTime`, "-", `"1999-11-28T09:00:00Z"^^xsd:dateTime`, `"P337DT2H12M"^^xsd:dayTimeDuration`},
		{`"2000-10-30"^^xsd:date`, "-", `"1999-11-28"^^xsd:date`, `"P337D"^^xsd:dayTimeDuration`},
		{`"2000-10-30"^^xsd:date`, "-", `"1999-11-28Z"^^xsd:date`, "err"},
		{`"11:12:00Z"^^xsd:time`, "-", `"04:00:00Z"^^xsd:time`, `"PT7H12M"^^xsd:dayTimeDuration`},
		{`"2000-10-30T11:12:00"^^xsd:dateTime`, "+", `"P1Y2M"^^xsd:yearMonthDuration`, `"2001-12-30T11:12:00"^^xsd:dateTime`},
		{`"2000-10-30T11:12:00Z"^^xsd:dateTime`, "+", `"P3DT1H15M"^^xsd:dayTimeDuration`, `"2000-11-02T12:27:00Z"^^xsd:dateTime`},
		{`"2000-10-30T11:12:00"^^xsd:dateTime`, "-", `"P1Y2M"^^xsd:yearMonthDuration`, `"1999-08-30T11:12:00"^^xsd:dateTime`},
		{`"2000-10-30T11:12:00"^^xsd:dateTime`, "-", `"P3DT1H15M"^^xsd:dayTimeDuration`, `"2000-10-27T09:57:00"^^xsd:dateTime`},
		{`"2000-10-30"^^xsd:date`, "+", `"P1Y2M"^^xsd:yearMonthDuration`, `"2001-12-30"^^xsd:date`},
		{`"2004-10-30Z"^^xsd:date`, "+", `"P2DT2H30M0S"^^xsd:dayTimeDuration`, `"2004-11-01Z"^^xsd:date`},
		{`"2000-02-29Z"^^xsd:date`, "-", `"P1Y"^^xsd:yearMonthDuration`, `"1999-02-28Z"^^xsd:date`},
		{`"2000-10-31-05:00"^^xsd:date`, "-", `"P1Y1M"^^xsd:yearMonthDuration`, `"1999-09-30-05:00"^^xsd:date`},
		{`"2000-10-30"^^xsd:date`, "-", `"P3DT1H15M"^^xsd:dayTimeDuration`, `"2000-10-26"^^xsd:date`},
		// XSD 1.1 part 2, appendix E.3.3, and edges.
		{`"2000-01-12T12:13:14Z"^^xsd:dateTime`, "+", `"P1Y3M5DT7H10M3.3S"^^xsd:duration`, `"2001-04-17T19:23:17.3Z"^^xsd:dateTime`},
		{`"2000-01-31T00:00:00"^^xsd:dateTime`, "+", `"P1M"^^xsd:duration`, `"2000-02-29T00:00:00"^^xsd:dateTime`},
		{`"PT1S"^^xsd:duration`, "+", `"1969-12-31T23:59:59.7+02:00"^^xsd:dateTime`, `"1970-01-01T00:00:00.7+02:00"^^xsd:dateTime`},
		{`"0001-01-01T00:00:00Z"^^xsd:dateTime`, "-", `"PT0.000000001S"^^xsd:duration`, `"0000-12-31T23:59:59.999999999Z"^^xsd:dateTime`},
		{`"2000-01-01T00:00:00.5Z"^^xsd:dateTime`, "-", `"2000-01-01T00:00:00.75Z"^^xsd:dateTime`, `"-PT0.25S"^^xsd:dayTimeDuration`},
		{`"PT1S"^^xsd:dayTimeDuration`, "+", `"P1M"^^xsd:yearMonthDuration`, `"P1MT1S"^^xsd:duration`},
		{`"PT1S"^^xsd:dayTimeDuration`, "-", `"P1M"^^xsd:yearMonthDuration`, "err"},
		{`"2000-01-01T00:00:00Z"^^xsd:dateTime`, "+", `"PT0.0000000001S"^^xsd:duration`, "err"},
		{`"99999999999-12-31T00:00:00Z"^^xsd:dateTime`, "+", `"P1D"^^xsd:duration`, "err"},
		{`"2000-01-01T00:00:00Z"^^xsd:dateTime`, "+", `"P999999999999M"^^xsd:duration`, `"83333335333-04-01T00:00:00Z"^^xsd:dateTime`},
		{`"99999999999-01-01"^^xsd:date`, "+", `"P1Y"^^xsd:duration`, "err"},
		{`"2000-01-01T00:00:00Z"^^xsd:dateTime`, "+", "1", "err"},
		{"1", "-", `"PT1S"^^xsd:duration`, "err"},
		// As Oxigraph 0.5 answers, without its overflows.
		{`"10:00:00"^^xsd:time`, "+", `"PT1S"^^xsd:duration`, `"10:00:01"^^xsd:time`},
		{`"23:30:00Z"^^xsd:time`, "+", `"PT45M"^^xsd:dayTimeDuration`, `"00:15:00Z"^^xsd:time`},
		{`"PT45M"^^xsd:dayTimeDuration`, "+", `"10:00:00"^^xsd:time`, `"10:45:00"^^xsd:time`},
		{`"00:10:00.5+02:00"^^xsd:time`, "-", `"PT45M"^^xsd:dayTimeDuration`, `"23:25:00.5+02:00"^^xsd:time`},
		{`"00:10:00.5+02:00"^^xsd:time`, "+", `"-PT45M"^^xsd:dayTimeDuration`, `"23:25:00.5+02:00"^^xsd:time`},
		{`"24:00:00"^^xsd:time`, "-", `"PT0.000000001S"^^xsd:dayTimeDuration`, `"23:59:59.999999999"^^xsd:time`},
		{`"23:00:00-14:00"^^xsd:time`, "+", `"P3DT2H"^^xsd:dayTimeDuration`, `"01:00:00-14:00"^^xsd:time`},
		{`"10:00:00"^^xsd:time`, "-", `"P9999999999DT1H"^^xsd:dayTimeDuration`, `"09:00:00"^^xsd:time`},
		{`"10:00:00"^^xsd:time`, "-", `"P1MT1H"^^xsd:duration`, `"09:00:00"^^xsd:time`},
		{`"10:00:00"^^xsd:time`, "+", `"P1M"^^xsd:yearMonthDuration`, "err"},
		{`"10:00:00.0000000001"^^xsd:time`, "+", `"PT1S"^^xsd:dayTimeDuration`, "err"},
		{`"10:00:00"^^xsd:time`, "+", `"10:00:00"^^xsd:time`, "err"},
		{`"2000-01-01"^^xsd:date`, "-", `"2000-01-01T00:00:00"^^xsd:dateTime`, "err"},
		{"err", "-", `"PT1S"^^xsd:duration`, "err"},
	} {
		if got := show(operators[c.op](val(t, c.a), val(t, c.b))); got != c.want {
			t.Errorf("%s %s %s = %s, want %s", c.a, c.op, c.b, got, c.want)
		}
	}
}

// TestSignsOfDurations has the values of Oxigraph 0.5.
func TestSignsOfDurations(t *testing.T) {
	for _, c := range []struct{ v, negated, plus string }{
		{`"PT90M"^^xsd:dayTimeDuration`, `"-PT1H30M"^^xsd:dayTimeDuration`, `"PT1H30M"^^xsd:dayTimeDuration`},
		{`"-P14M"^^xsd:yearMonthDuration`, `"P1Y2M"^^xsd:yearMonthDuration`, `"-P1Y2M"^^xsd:yearMonthDuration`},
		{`"P1YT3S"^^xsd:duration`, `"-P1YT3S"^^xsd:duration`, `"P1YT3S"^^xsd:duration`},
		{`"P0D"^^xsd:duration`, `"PT0S"^^xsd:duration`, `"PT0S"^^xsd:duration`},
		{`"P0M"^^xsd:yearMonthDuration`, `"P0M"^^xsd:yearMonthDuration`, `"P0M"^^xsd:yearMonthDuration`},
		{`"PT0.0000000001S"^^xsd:duration`, `"-PT0.0000000001S"^^xsd:duration`, `"PT0.0000000001S"^^xsd:duration`},
		{`"x"^^xsd:duration`, "err", "err"},
		{`"10:00:00"^^xsd:time`, "err", "err"},
		{`"2020-01-01"^^xsd:date`, "err", "err"},
	} {
		if got := show(Negate(val(t, c.v))); got != c.negated {
			t.Errorf("-%s = %s, want %s", c.v, got, c.negated)
		}
		if got := show(Plus(val(t, c.v))); got != c.plus {
			t.Errorf("+%s = %s, want %s", c.v, got, c.plus)
		}
		if got := show(absLarge(val(t, c.v))); got != "err" {
			t.Errorf("ABS(%s) = %s, want an error", c.v, got)
		}
	}
}

// A difference in a cell is the same value as the duration that its term is parsed
// to, and as the duration computed with decimals, in every operation.
func TestDifferencesOfTimesAreDurations(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	others := []Value{val(t, `"PT0S"^^xsd:duration`), val(t, `"P1M"^^xsd:duration`), val(t, `"P30D"^^xsd:dayTimeDuration`), val(t, `"P300Y"^^xsd:yearMonthDuration`),
		val(t, `"-PT0.0000000001S"^^xsd:duration`), val(t, `"PT99999999999S"^^xsd:dayTimeDuration`), val(t, `"x"^^xsd:duration`), Integer(1)}
	var cells []Value
	for i := range 300 {
		reach := []int64{2, 1e5, maxCellSeconds, 1 << 40}[i%4]
		a, b := DateTime(rng.Int64N(reach), rng.IntN(1e9), 0, true), DateTime(-rng.Int64N(reach), rng.IntN(2)*5e8, 60, true)
		if i%3 == 0 {
			a, b = b, a
		}
		got := Subtract(a, b)
		nanos := Decimal(int64(a.nanos)-int64(b.nanos), 9)
		slow := durationOf(0, rdf.DecimalOf(a.num).Sub(rdf.DecimalOf(b.num)).Add(nanos.decimal()), rdf.XSDDayTimeDuration)
		parsed := FromTerm(got.Term())
		if got.Term() != slow.Term() || got.datatype() != parsed.datatype() || Equal(got, slow) != True || Order(got, parsed) != 0 ||
			show(str(got)) != show(str(parsed)) || show(castString(got)) != show(castString(parsed)) || show(castDuration(got, rdf.XSDDuration)) != show(castDuration(parsed, rdf.XSDDuration)) {
			t.Fatalf("%s - %s = %s, want %s", show(a), show(b), show(got), show(slow))
		}
		for _, f := range []func(Value) Value{func(v Value) Value { return Add(v, a) }, func(v Value) Value { return Subtract(a, v) }, func(v Value) Value { return Add(v, v) }, func(v Value) Value { return Negate(v) }} {
			if show(f(got)) != show(f(parsed)) {
				t.Fatalf("from %s comes %s, from its term %s", show(got), show(f(got)), show(f(parsed)))
			}
		}
		cells = append(cells, got)
	}
	if n := len(slices.DeleteFunc(slices.Clone(cells), func(v Value) bool { return !v.IsComputed() })); n < 150 || n == len(cells) {
		t.Errorf("%d of %d are cells", n, len(cells))
	}
	for i, v := range cells {
		for _, w := range append(others, cells[:min(i, 20)]...) {
			long := v
			long.flags &^= flagShort
			long.term = v.Term()
			if Equal(v, w) != Equal(long, w) || Less(v, w) != Less(long, w) || Less(w, v) != Less(w, long) || cmp.Compare(Order(v, w), 0) != cmp.Compare(Order(long, w), 0) {
				t.Fatalf("%s compares otherwise with %s as a cell", show(v), show(w))
			}
			j, _, ok := KeyOf(v, false)
			k, _, also := KeyOf(w, false)
			if ok && also && Equal(v, w) == True && j != k {
				t.Fatalf("%s and %s are equal and have different keys", show(v), show(w))
			}
		}
	}
}

func TestCalendarAgreesWithItself(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		days := r.Int64N(80_000_000_000_000) - 40_000_000_000_000
		if r.IntN(2) == 0 {
			days = r.Int64N(400_000) - 200_000
		}
		year, month, day := civil(days)
		number := rdf.DayNumber(year, uint8(month), uint8(day))
		if number != days || month < 1 || month > 12 || day < 1 || day > 31 {
			t.Fatalf("%d is %d-%d-%d, which is %d", days, year, month, day, number)
		}
	}
	d, _ := rdf.ParseDateTime("2024-02-29T00:00:00Z", rdf.XSDDateTime)
	if seconds, _ := d.Unix(); rdf.DayNumber(2024, 2, 29)*86400 != seconds {
		t.Error("2024-02-29")
	}
}

// FLOOR, CEIL and ROUND of a quotient are exact, however close it is to a number
// where they change.
func TestRoundedQuotients(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	number := func() Value {
		n := rng.Int64() >> rng.IntN(64)
		switch rng.IntN(8) {
		case 0:
			n = math.MaxInt64 - rng.Int64N(3)
		case 1:
			n = math.MinInt64 + rng.Int64N(3)
		case 2:
			return Double(float64(n) / 8)
		}
		if rng.IntN(2) == 0 {
			n = -n
		}
		if rng.IntN(2) == 0 {
			return Integer(n)
		}
		return Decimal(n, rng.IntN(19))
	}
	inCells := 0
	for range 20_000 {
		a, b := number(), number()
		if rng.IntN(3) == 0 { // a quotient near a whole number, or a half
			if n, ok := times(b.num, rng.Int64N(1000)-500); ok && n < math.MaxInt64/4 && b.isExact() {
				a.Cell = Cell{kind: b.kind, num: n + b.num/2*rng.Int64N(2) + rng.Int64N(3) - 1, minor: b.minor}
			}
		}
		for _, name := range []string{"FLOOR", "CEIL", "ROUND"} {
			whole, _ := Lookup(name)
			want, err := whole.Call(&Context{}, []Value{Divide(a, b)})
			if err != nil {
				t.Fatal(err)
			}
			var left, right, out Column
			left.Fill(1, a, false)
			right.Fill(1, b, false)
			out.Reset(1)
			whole.Unary.Quotient().Column(&out, &left, &right, []int32{0}, func(row int32, v Value) bool { out.Hold(row, v); return true })
			if got := out.At(0); got.Term() != want.Term() || got.Kind() != want.Kind() {
				t.Fatalf("%s(%v / %v) = %v, want %v", name, a.Term(), b.Term(), got.Term(), want.Term())
			}
			if _, ok := out.Computed(0); ok {
				inCells++
			}
		}
	}
	if inCells < 30_000 {
		t.Errorf("%d of 60,000 are cells", inCells)
	}
}
