package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// comparable returns numbers and times that are close together, in many forms. Some are
// too large, too fine or too odd to be encoded in their ids.
func comparable() (out []rdf.Term) {
	for _, lexical := range []string{"0", "1", "-1", "2", "7", "16777216", "16777217", "9007199254740992", "9007199254740993", "576460752303423487", "-576460752303423487",
		"9223372036854775807", "99999999999999999999", "01", "+2"} {
		for _, datatype := range []string{"integer", "decimal", "double", "float", "long"} {
			out = append(out, rdf.NewLiteral(lexical, rdf.XSD+datatype))
		}
	}
	for _, lexical := range []string{"0.1", "0.10", "-0.1", "1.0", "1.5", "-1.5", "1.4999999", "1.000001", "72057594037.1", "0.123456789012", "16777216.5", "9007199254740992.5"} {
		for _, datatype := range []string{"decimal", "double", "float"} {
			out = append(out, rdf.NewLiteral(lexical, rdf.XSD+datatype))
		}
	}
	for _, lexical := range []string{"NaN", "INF", "-INF", "1e0", "-0.0", "1.5E300"} {
		out = append(out, rdf.NewLiteral(lexical, rdf.XSDDouble), rdf.NewLiteral(lexical, rdf.XSDFloat))
	}
	for _, day := range []string{"2025-01-05", "2025-01-06", "2025-01-07", "1960-02-29", "1401-01-01", "9999-12-31", "-0001-01-01"} {
		for _, zone := range []string{"", "Z", "+00:00", "+02:00", "-14:00"} {
			out = append(out, rdf.NewLiteral(day+zone, rdf.XSDDate))
			for _, time := range []string{"T00:00:00", "T08:00:00", "T08:00:00.5", "T08:00:00.50", "T07:59:59.999999", "T07:59:59.9999995", "T22:00:00"} {
				out = append(out, rdf.NewLiteral(day+time+zone, rdf.XSDDateTime))
			}
		}
	}
	return append(out, rdf.NewLiteral("08:00:00", rdf.XSD+"time"), rdf.NewLiteral("2025", rdf.XSD+"gYear"), rdf.NewLiteral("x", rdf.XSDInteger),
		rdf.NewString("1"), rdf.NewLang("1", "en"), rdf.NewLiteral("true", rdf.XSDBoolean), rdf.NewLiteral("P1D", rdf.XSD+"duration"))
}

// The comparison is true for all ids in an exact range, and false for all ids outside
// every range.
func TestRangesHoldWhatCompares(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	s, err := Open(filepath.Join(t.TempDir(), "test.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	terms := comparable()
	d := &store.Document{}
	for _, term := range terms {
		d.Add(rdf.Quad{S: rdf.NewIRI("x:s"), P: rdf.NewIRI("x:p"), O: term})
	}
	if _, err := s.Add(context.Background(), d, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	ds := snap.Dataset()
	ids := make([]source.ID, len(terms))
	for i, term := range terms {
		if ids[i], err = ds.ID(term); err != nil || ids[i] == 0 {
			t.Fatalf("%s: %v", term, err)
		}
	}
	known, exact := 0, 0
	for _, term := range terms {
		v := value.FromTerm(term)
		for op, relation := range value.Relations {
			if op == syntax.OpNotEqual {
				continue // no ranges of ids
			}
			ranges, ok := ds.Ranges(op, v)
			if !ok {
				continue
			}
			known++
			if !slices.IsSortedFunc(ranges, func(a, b source.IDRange) int {
				if a.First <= a.Last && a.Last < b.First {
					return -1
				}
				return 1
			}) {
				t.Errorf("%s %s: the ranges %v are not in order", op, term, ranges)
			}
			for i, id := range ids {
				want := relation.Of(value.FromTerm(terms[i]), v) == value.True
				at := slices.IndexFunc(ranges, func(r source.IDRange) bool { return r.First <= id && id <= r.Last })
				switch {
				case at < 0 && want:
					t.Errorf("%s %s %s is true, but the id is in no range", terms[i], op, term)
				case at >= 0 && ranges[at].Exact:
					if exact++; !want {
						t.Errorf("%s %s %s is not true, but the id is in an exact range", terms[i], op, term)
					}
				}
			}
		}
	}
	if known < 5*200 || exact < 10_000 {
		t.Errorf("%d comparisons have ranges, with %d ids in exact ones: too few for a test", known, exact)
	}

	for _, r := range ds.Ordered() {
		for i, id := range ids {
			for j, other := range ids {
				if id < r.First || id >= other || other > r.Last {
					continue
				}
				if value.Precedes(value.FromTerm(terms[j]), value.FromTerm(terms[i])) {
					t.Errorf("%s precedes %s, and has the greater id", terms[j], terms[i])
				}
				if apart := other-id >= r.Apart; apart && !value.Precedes(value.FromTerm(terms[i]), value.FromTerm(terms[j])) {
					t.Errorf("%s does not precede %s, and their ids are %d apart", terms[i], terms[j], other-id)
				}
			}
		}
	}
}

// Reading backwards returns the reverse of reading forwards. The estimate of a few
// triples is exact.
func TestWalksAndEstimatesOfASnapshot(t *testing.T) {
	t.Parallel()
	s, err := Open(filepath.Join(t.TempDir(), "test.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := &store.Document{}
	for i := range 3000 {
		d.Add(rdf.Quad{S: rdf.NewIRI(fmt.Sprint("x:", i%7)), P: rdf.NewIRI("x:p"), O: rdf.NewLiteral(fmt.Sprint(i), rdf.XSDInteger)})
	}
	if _, err := s.Add(context.Background(), d, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	flushed(t, s)
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	ds := snap.Dataset()
	p, err := ds.ID(rdf.NewIRI("x:p"))
	if err != nil {
		t.Fatal(err)
	}
	ranges, _ := ds.Ranges(syntax.OpLess, value.Integer(1234))
	lo, hi := [3]uint64{uint64(p), uint64(ranges[1].First)}, [3]uint64{uint64(p), uint64(ranges[1].Last), ^uint64(0)}
	read := func(scan source.Scan) (out []source.Tuple) {
		scan.Seek(lo, hi)
		for tuples := scan.Next(); tuples != nil; tuples = scan.Next() {
			out = append(out, tuples...)
		}
		if scan.Err() != nil {
			t.Fatal(scan.Err())
		}
		return out
	}
	forwards, backwards := read(ds.Scan(0, source.POS)), read(ds.Backwards(0, source.POS))
	slices.Reverse(backwards)
	if len(forwards) != 1234 || !slices.Equal(forwards, backwards) {
		t.Errorf("%d tuples forwards, and %d backwards", len(forwards), len(backwards))
	}
	if n, err := ds.Estimate(0, source.POS, lo, hi); n != 1234 || err != nil {
		t.Errorf("the estimate is %d, %v", n, err)
	}
}
