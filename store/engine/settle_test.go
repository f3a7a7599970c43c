package engine

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// decided is what decisions on few things, which change their mind often, have come to.
type decided struct {
	rand    *rand.Rand
	quads   map[rdf.Quad]bool
	records map[string]string
}

// next gives a change, and what there is after it.
func (d *decided) next() (change, *decided) {
	after := &decided{d.rand, maps.Clone(d.quads), maps.Clone(d.records)}
	var c change
	for range 12 {
		q := inContexts(fmt.Sprint("s", d.rand.IntN(12)), fmt.Sprint("p", d.rand.IntN(3)), fmt.Sprint("o", d.rand.IntN(6)))
		if after.quads[q] {
			c.Remove = append(c.Remove, q)
			delete(after.quads, q)
		} else if !slices.Contains(c.Remove, q) {
			c.Add = append(c.Add, q)
			after.quads[q] = true
		}
	}
	c.Add = slices.DeleteFunc(c.Add, func(q rdf.Quad) bool { return !after.quads[q] })
	c.Remove = slices.DeleteFunc(c.Remove, func(q rdf.Quad) bool { return !d.quads[q] })
	for range 4 {
		key := fmt.Sprint("k", d.rand.IntN(20))
		if _, ok := after.records[key]; ok && d.rand.IntN(2) == 0 {
			c.Records = append(c.Records, Record{Key: []byte(key)})
			delete(after.records, key)
			continue
		}
		value := fmt.Sprint(d.rand.IntN(1000))
		c.Records = append(c.Records, Record{Key: []byte(key), Value: []byte(value)})
		after.records[key] = value
	}
	return c, after
}

// remember fails where a store's records are not what was decided. Reading them settles nothing.
func (d *decided) remember(t *testing.T, s *Store, when string) {
	t.Helper()
	read := map[string]string{}
	err := s.ScanRecords(nil, nil, func(key, value []byte) bool {
		read[string(key)] = string(value)
		return true
	})
	if err != nil || !maps.Equal(read, d.records) {
		t.Errorf("%s: the records are %v, %v, want %v", when, read, err, d.records)
	}
	for key, want := range d.records {
		if got, err := s.GetRecord([]byte(key)); err != nil || string(got) != want {
			t.Errorf("%s: %s is %q, %v, want %q", when, key, got, err, want)
		}
	}
}

// hold fails where a store does not hold exactly what was decided.
func (d *decided) hold(t *testing.T, s *Store, when string) {
	t.Helper()
	d.remember(t, s, when)
	want := written(t, slices.Collect(maps.Keys(d.quads)))
	if got := allQuads(t, s); !slices.Equal(got, want) {
		t.Errorf("%s: there are %d quads, want %d", when, len(got), len(want))
	}
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("%s: %v", when, err)
	}
}

// However far settling came when a kill or an error ended it, nothing is lost and nothing is there twice: also not where
// what was decided meanwhile takes back what is being settled.
func TestSettlingMayEndAnywhere(t *testing.T) {
	amid, failed := 0, 0
	seeds := suite.Times(4, 2)
	for seed := range uint64(seeds) {
		s := openStore(t)
		s.enough, s.due = 250, 250
		now := &decided{rand: rand.New(rand.NewPCG(seed, 1)), quads: map[rdf.Quad]bool{}, records: map[string]string{}}
		for i := range 80 {
			c, after := now.next()
			when := fmt.Sprintf("seed %d, decision %d", seed, i)
			if now.rand.IntN(8) == 0 {
				failed++
				w := &write{doc: document(t, turtle.Turtle, "<http://ex/a> <http://ex/p> 1 ."), delta: deltaOf(c),
					do: func(*Tx, int) error { return errors.New("not today") }}
				if err := s.update(t.Context(), w); err == nil {
					t.Fatal("no error")
				}
			} else if err := s.Defer(t.Context(), deltaOf(c)); err != nil {
				t.Fatal(err)
			} else {
				now = after
			}
			now.remember(t, s, when)
			if s.settling == nil && now.rand.IntN(10) > 0 {
				continue
			}
			amid++
			path := leftBy(t, s)
			asItIs, err := Open(path, Options{ReadOnly: true, AsIs: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := asItIs.Check(t.Context()); err != nil {
				t.Errorf("%s, as it is: %v", when, err)
			}
			if err := asItIs.Close(); err != nil {
				t.Fatal(err)
			}
			again := reopen(t, path)
			now.hold(t, again, when)
			if err := again.Close(); err != nil {
				t.Fatal(err)
			}
		}
		now.hold(t, s, "in the end")
	}
	t.Logf("%d files were left, %d writes failed", amid, failed)
	if amid < 10*seeds || failed < 2*seeds {
		t.Errorf("%d files were left and %d writes failed: too few to tell", amid, failed)
	}
}

// TestWhatOthersFailAtDoesNotDelaySettling: it goes on where it was, and comes to the same.
func TestWhatOthersFailAtDoesNotDelaySettling(t *testing.T) {
	s := openStore(t)
	s.enough, s.due = 250, 250
	now := &decided{rand: rand.New(rand.NewPCG(1, 2)), quads: map[rdf.Quad]bool{}, records: map[string]string{}}
	not := func(*Tx, int) error { return errors.New("not today") }
	failing := []*write{{do: not}, {doc: document(t, turtle.Turtle, "<http://ex/a> <http://ex/p> 1 ."), do: not}}
	amid, ended := 0, 0
	for range 80 {
		before := s.settling
		c, after := now.next()
		if err := s.Defer(t.Context(), deltaOf(c)); err != nil {
			t.Fatal(err)
		}
		now = after
		was, due := s.settling, s.due
		for _, w := range failing {
			if err := s.update(t.Context(), w); err == nil {
				t.Fatal("no error")
			}
		}
		if s.settling != was || s.due != due {
			t.Fatal("settling has to begin again")
		}
		if was != nil {
			amid++
		}
		if before != nil && was != before {
			ended++
		}
	}
	if amid < 20 || ended < 3 {
		t.Errorf("others failed %d times amid settling, which came to an end %d times: too few to tell", amid, ended)
	}
	now.hold(t, s, "in the end")
}

// leftBy gives a copy of the file of a store, as a kill would leave it now.
func leftBy(t *testing.T, s *Store) string {
	t.Helper()
	left, err := os.ReadFile(s.file.Path())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "left.db")
	if err := os.WriteFile(path, left, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
