package eval

import (
	"strconv"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/value"
)

// terms maps terms that a query computes to ids, and all ids to terms.
type terms struct {
	ds       Dataset
	columnar Columnar    // ds as a Columnar, or nil
	triples  tripleParts // ds as a tripleParts, or nil
	budget   *budget.Budget
	local    []rdf.Term // by id - LocalFirst
	values   []value.Value
	ids      map[rdf.Term]ID // by rdf.Term.Fold, of all terms looked up, including the dataset's

	integers []ID // ids of the terms of 0, 1, …; 0 until looked up
	cells    []cellID

	isPassing  bool       // pass is running
	passing    []rdf.Term // looked up since pass began
	last       ID         // the last local id that idOfPassing returned; 0 for none
	generation int        // counts how often terms were forgotten

	prefix   string // of the labels of new blank nodes
	blanks   int    // blank nodes made
	solution map[string]rdf.Term
}

func newTerms(ds Dataset, b *budget.Budget) *terms {
	triples, _ := base(ds).(tripleParts)
	return &terms{ds: ds, columnar: columnar(ds), triples: triples, budget: b, ids: map[rdf.Term]ID{}, prefix: blankPrefix(ds)}
}

// id returns the id of a term: the dataset's if it has the term, otherwise a local one.
// It returns 0 for the zero Term.
func (t *terms) id(term rdf.Term) (ID, error) {
	if term.IsZero() {
		return 0, nil
	}
	key := term.Fold()
	if id, ok := t.ids[key]; ok {
		return id, nil
	}
	id, err := t.ds.ID(term)
	if err != nil {
		return 0, err
	}
	if id == 0 {
		id = LocalFirst + ID(len(t.local))
		t.local = append(t.local, term)
		t.values = append(t.values, value.FromTerm(term))
	}
	t.ids[key] = id
	if t.isPassing {
		t.passing = append(t.passing, key)
	}
	return id, t.budget.Grow(sizeOf(term))
}

// idOfPassing is id for a term whose text is only valid for now.
func (t *terms) idOfPassing(term rdf.Term) (ID, error) {
	if t.last != 0 && t.local[t.last-LocalFirst] == term { // adjacent rows often have the same text
		return t.last, nil
	}
	id, ok := t.ids[term.Fold()]
	if !ok {
		var err error
		if id, err = t.id(term.Clone()); err != nil {
			return 0, err
		}
	}
	if id >= LocalFirst {
		t.last = id
	}
	return id, nil
}

// sizeOf returns roughly how many bytes keeping a term takes.
func sizeOf(term rdf.Term) int64 { return int64(len(term.Value())) + 256 }

// fewTerms is the number of kept terms below which pass forgets none.
const fewTerms = 8192

// pass runs f and then forgets the terms looked up in it. f must not let anything keep
// their ids. Without pass, an answer of millions of computed texts would keep all of
// them until its end.
func (t *terms) pass(f func() error) error {
	if t.isPassing || len(t.ids) < fewTerms {
		return f()
	}
	before := len(t.local)
	t.isPassing = true
	defer func() {
		size := int64(0)
		for _, term := range t.passing {
			delete(t.ids, term)
			size += sizeOf(term)
		}
		clear(t.passing)
		clear(t.local[before:])
		clear(t.values[before:])
		t.isPassing, t.passing, t.local, t.values = false, t.passing[:0], t.local[:before], t.values[:before]
		for i, id := range t.integers {
			if id >= LocalFirst+ID(before) {
				t.integers[i] = 0
			}
		}
		clear(t.cells)
		t.last = 0
		t.generation++
		_ = t.budget.Grow(-size) // shrinking never fails
	}()
	return f()
}

// smallIntegers is the number of integers, from 0 on, whose ids are kept. Counts and
// parts of times are often that small.
const smallIntegers = 1024

// integer returns the id of the canonical term of an integer.
func (t *terms) integer(n int64) (ID, error) {
	small := 0 <= n && n < smallIntegers
	if small && t.integers == nil {
		t.integers = make([]ID, smallIntegers)
	}
	if small && t.integers[n] != 0 {
		return t.integers[n], nil
	}
	id, err := t.id(rdf.NewLiteral(strconv.FormatInt(n, 10), rdf.XSDInteger))
	if small {
		t.integers[n] = id
	}
	return id, err
}

// cellID caches the id of the term of a computed value.
type cellID struct {
	cell value.Cell
	id   ID
}

// cellBits is the number of bits of a cell's hash that select its slot in the cache.
const cellBits = 8

// ofCell is ofValue for a value that is a cell.
func (t *terms) ofCell(c value.Cell) (ID, error) {
	if c.IsError() {
		return 0, nil
	}
	if t.cells == nil {
		t.cells = make([]cellID, 1<<cellBits)
	}
	known := &t.cells[c.Hash()>>(64-cellBits)]
	if known.cell == c && known.id != 0 {
		return known.id, nil
	}
	id, err := t.ofValue(value.Of(c, rdf.Term{}))
	*known = cellID{c, id}
	return id, err
}

// ofValue returns the id of a value's term.
func (t *terms) ofValue(v value.Value) (ID, error) {
	if n, ok := v.Canonical(); ok {
		return t.integer(n)
	}
	return t.id(v.Term())
}

// term returns the term of an id, or the zero Term for 0.
func (t *terms) term(id ID) (rdf.Term, error) {
	switch {
	case id == 0:
		return rdf.Term{}, nil
	case id >= LocalFirst:
		return t.local[id-LocalFirst], nil
	}
	return t.ds.Term(id)
}

func (t *terms) kind(id ID) rdf.Kind {
	switch {
	case id == 0:
		return rdf.KindNone
	case id >= LocalFirst:
		return t.local[id-LocalFirst].Kind()
	}
	return t.ds.Kind(id)
}

// value returns the value of a term. The value may lose the lexical form if reading
// that would cost a look-up. An error of the dataset ends the query.
func (t *terms) value(id ID) value.Value {
	switch {
	case id == 0:
		return value.Value{}
	case id >= LocalFirst:
		return t.values[id-LocalFirst]
	}
	v, err := t.ds.Value(id)
	if err != nil {
		t.budget.Fail(err)
	}
	return v
}

// exact is value, but keeps the term's lexical form.
func (t *terms) exact(id ID) value.Value {
	if id >= LocalFirst {
		return t.values[id-LocalFirst]
	}
	term, err := t.term(id)
	if err != nil {
		t.budget.Fail(err)
	}
	return value.FromTerm(term)
}

// New returns a new blank node. It implements value.BlankNodes.
func (t *terms) New() rdf.Term {
	for {
		t.blanks++
		node := rdf.NewBlank(t.prefix + strconv.Itoa(t.blanks))
		if _, taken := t.ids[node]; taken {
			continue
		}
		if id, err := t.ds.ID(node); err != nil || id == 0 {
			return node
		}
	}
}

// Labelled returns the same blank node for the same label within a solution. It
// implements value.BlankNodes.
func (t *terms) Labelled(label string) rdf.Term {
	node, ok := t.solution[label]
	if !ok {
		if t.solution == nil {
			t.solution = map[string]rdf.Term{}
		}
		node = t.New()
		t.solution[label] = node
	}
	return node
}

// nextSolution begins another solution for Labelled.
func (t *terms) nextSolution() { clear(t.solution) }
