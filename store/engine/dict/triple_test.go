package dict

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
)

func triple(s, p, o rdf.Term) rdf.Term { return rdf.NewTripleTerm(rdf.Triple{S: s, P: p, O: o}) }

// partTerms returns terms of every kind that a part of a triple term can have.
func partTerms() (subjects, predicates, objects []rdf.Term) {
	for i := range 4 {
		subjects = append(subjects, rdf.NewIRI(fmt.Sprint("s", i)), rdf.NewBlank(fmt.Sprint("b", i)))
		predicates = append(predicates, rdf.NewIRI(fmt.Sprint("p", i)))
	}
	objects = append(slices.Clone(subjects), rdf.NewString("x"), rdf.NewLang("x", "en-GB"), rdf.NewDirLang("x", "ar", "rtl"),
		rdf.NewLiteral("-17", rdf.XSDInteger), rdf.NewLiteral("2026-11-23T09:30:00Z", rdf.XSDDateTime), rdf.NewLiteral("x", "http://e/d"),
		triple(subjects[0], predicates[0], rdf.NewString("inner")), triple(subjects[1], predicates[0], triple(subjects[0], predicates[1], rdf.NewString("y"))))
	return subjects, predicates, objects
}

// Triple terms are found by any of their parts. Each is found once, and no other is.
func TestTripleTermsAreFoundByTheirParts(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 1))
	subjects, predicates, objects := partTerms()
	var terms []rdf.Term
	for _, s := range subjects {
		for _, p := range predicates {
			for _, o := range objects {
				terms = append(terms, triple(s, p, o))
			}
		}
	}
	random.Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
	stored, deferred := terms[:len(terms)/2], terms[len(terms)/2:]
	db := open(t)
	first := assign(t, db, &Known{}, stored...)
	if again := assign(t, db, nil, stored...); !slices.Equal(first, again) {
		t.Error("the second time, terms get other ids")
	}
	err := db.View(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketName)
		level := &sliceLevel{}
		next, err := Counters(b)
		if err != nil {
			return err
		}
		r := NewReader(b, &Cache{}, level)
		ids := make([]ID, len(deferred))
		if err := NewAssigner(r, next, nil, level.add).IDs(deferred, ids); err != nil {
			return err
		}
		all := map[ID]rdf.Triple{}
		err = r.Triples(0, 0, 0, func(id ID, _ [3]ID) (bool, error) {
			term, err := r.Term(id)
			if _, twice := all[id]; twice || !id.IsTriple() || id.IsLiteral() || id.Inline() || id.Kind() != rdf.KindTriple {
				t.Errorf("%#x is wrong", uint64(id))
			}
			all[id] = term.Triple()
			return true, err
		})
		if want := len(terms) + 3; len(all) != want || err != nil { // three more are parts of others only
			t.Errorf("%d triple terms, %v, want %d", len(all), err, want)
		}
		idOf := func(term rdf.Term) ID {
			id, ok, err := r.ID(term)
			if !ok || err != nil {
				t.Errorf("%v: %v, %v", term, ok, err)
			}
			return id
		}
		for range 200 {
			var part [3]ID
			choice := rdf.Triple{S: subjects[random.IntN(len(subjects))], P: predicates[random.IntN(len(predicates))], O: objects[random.IntN(len(objects))]}
			for i, term := range []rdf.Term{choice.S, choice.P, choice.O} {
				if random.IntN(2) == 0 {
					part[i] = idOf(term)
				}
			}
			var want, got []ID
			for id, x := range all {
				if (part[0] == 0 || x.S == choice.S) && (part[1] == 0 || x.P == choice.P) && (part[2] == 0 || x.O == choice.O) {
					want = append(want, id)
				}
			}
			err := r.Triples(part[0], part[1], part[2], func(id ID, spo [3]ID) (bool, error) {
				if parts, err := r.Parts(id); parts != spo || err != nil {
					t.Errorf("%#x is found with the parts %x, and has %x, %v", uint64(id), spo, parts, err)
				}
				got = append(got, id)
				return true, nil
			})
			if err != nil {
				return err
			}
			var each []ID
			if err := r.EachTriple(part[0], part[1], part[2], func(ids []ID) error { each = append(each, ids...); return nil }); err != nil {
				return err
			}
			slices.Sort(got)
			slices.Sort(want)
			slices.Sort(each)
			if !slices.Equal(got, want) || !slices.Equal(each, want) {
				t.Fatalf("%v with %x: %x and %x, want %x", choice, part, got, each, want)
			}
			one := 0
			if err := r.Triples(part[0], 0, 0, func(ID, [3]ID) (bool, error) { one++; return false, nil }); err != nil || one != 1 {
				t.Errorf("stopped after %d, %v", one, err)
			}
		}
		for i, id := range append(first, ids...) {
			parts, err := r.Parts(id)
			if err != nil {
				return err
			}
			x := terms[i].Triple()
			if want := [3]ID{idOf(x.S), idOf(x.P), idOf(x.O)}; parts != want || idOf(terms[i]) != id {
				t.Errorf("%v has the parts %x, want %x", terms[i], parts, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The texts of triple terms sort like the ids of their parts.
func TestTextsOfTripleTermsSortLikeTheirParts(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 2))
	part := func() ID { return ID(random.Uint64() >> random.IntN(60)) }
	var all [][3]ID
	for range 2000 {
		all = append(all, [3]ID{part() | 1<<ids.TagShift, part() | 1<<ids.TagShift, part() | 1<<ids.TagShift})
	}
	for _, a := range all {
		text := appendTripleText(nil, orders.SPO, a)
		if back, ok := cutParts(text[1:]); !ok || back != a {
			t.Fatalf("%x is read as %x", a, back)
		}
		for _, n := range []int{1, len(text) / 2, len(text) - 1} {
			if _, ok := cutParts(text[1:n]); ok {
				t.Fatalf("%x cut to %d bytes is read", a, n)
			}
		}
		b := all[random.IntN(len(all))]
		if got, want := slices.Compare(text, appendTripleText(nil, orders.SPO, b)), slices.Compare(a[:], b[:]); got != want {
			t.Fatalf("%x and %x compare as %d, want %d", a, b, got, want)
		}
	}
}

// A triple term that lacks a part, or has itself as a part, is reported as damage.
func TestDamagedTripleTermsAreErrors(t *testing.T) {
	iri, _ := ids.Range(ids.TagIRI)
	id, last := ids.Range(ids.TagTriple)
	id += 5
	for name, parts := range map[string][3]ID{
		"no part": {iri, 0, iri}, "itself": {iri, iri, id}, "a later one": {iri, iri, id + 1}, "none": {},
	} {
		content := appendTripleText(nil, orders.SPO, [3]ID{iri, iri, iri})[1:]
		if content = content[:0]; parts != [3]ID{} {
			for _, p := range parts {
				content = appendPart(content, p)
			}
		}
		var damaged *DamagedError
		if e, err := NewHasher(nil).NewEntry(id, content); !errors.As(err, &damaged) {
			t.Errorf("%s: %v, %v", name, e, err)
		}
	}
	db := open(t)
	assign(t, db, nil, rdf.NewIRI("a"))
	view(t, db, func(r *Reader) {
		for _, id := range []ID{id, last} {
			var damaged *DamagedError
			if _, err := r.Parts(id); !errors.As(err, &damaged) {
				t.Errorf("unknown %#x: %v", uint64(id), err)
			}
			if term, err := r.Term(id); !errors.As(err, &damaged) {
				t.Errorf("unknown %#x is %v, %v", uint64(id), term, err)
			}
		}
	})
}

// In a forged file, triple terms that are nested as no document's can be are damage: their texts could fill the memory.
func TestForgedNestingOfTripleTermsIsDamage(t *testing.T) {
	p := rdf.NewIRI("http://ex/p")
	for name, next := range map[string]func(rdf.Term) rdf.Triple{
		"as subjects": func(t rdf.Term) rdf.Triple { return rdf.Triple{S: t, P: p, O: p} },
		"as objects":  func(t rdf.Term) rdf.Triple { return rdf.Triple{S: p, P: p, O: t} },
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			term, levels := rdf.NewTripleTerm(rdf.Triple{S: p, P: p, O: p}), 1
			read := func() (err error) {
				id := assign(t, db, nil, term)[0]
				view(t, db, func(r *Reader) { _, err = r.Term(id) })
				return err
			}
			for ; read() == nil && levels < 2*rdf.MaxTripleDepth; levels++ {
				term = rdf.NewTripleTerm(next(term))
			}
			want := map[string]int{"as subjects": 2, "as objects": rdf.MaxTripleDepth + 1}[name]
			if err := read(); !errors.As(err, new(*DamagedError)) || levels != want {
				t.Errorf("after %d levels: %v", levels, err)
			}
		})
	}
}

// A set of ids takes little memory for a great number, which a forged file may have.
func TestAnIDSetHasGreatNumbers(t *testing.T) {
	var s IDSet
	numbers := []uint64{0, 63, 64, 64*denseWords - 1, 64 * denseWords, 1 << 43}
	for i, n := range numbers {
		s.Add(newIRI(n))
		if got := s.End(ids.TagIRI); got != n+1 {
			t.Errorf("after %d the end is %d", n, got)
		}
		for _, other := range numbers[i+1:] {
			if !s.Has(newIRI(n)) || s.Has(newIRI(other)) || s.Has(newIRI(n^1)) && !slices.Contains(numbers[:i], n^1) {
				t.Errorf("with %d it is wrong", n)
			}
		}
	}
}
