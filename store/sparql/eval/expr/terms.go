package expr

import (
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/value"
)

// Terms maps terms that a query computes to ids, and all ids to terms.
type Terms struct {
	ds     source.Reader
	budget *budget.Budget
	first  source.ID  // local id: LocalFirst, or ForkFirst in a fork
	local  []rdf.Term // by id - first
	values []value.Value
	ids    map[rdf.Term]source.ID // by rdf.Term.Fold, of all terms looked up, including the dataset's

	cells []cellID

	isPassing  bool       // pass is running
	passing    []rdf.Term // looked up since pass began
	last       source.ID  // the last local id that idOfPassing returned; 0 for none
	generation int        // counts how often terms were forgotten

	blanks   int // blank nodes made
	solution map[string]rdf.Term
}

// ForkFirst is the first local id of the terms of a fork. Those of the query's own are below.
const ForkFirst = source.LocalFirst + 1<<58

// Local returns the terms with local ids, in the order of these. They do not change.
func (t *Terms) Local() []rdf.Term { return t.local }

func newTerms(ds source.Reader, b *budget.Budget) *Terms {
	return &Terms{first: source.LocalFirst, ds: ds, budget: b, ids: map[rdf.Term]source.ID{}, solution: map[string]rdf.Term{}}
}

// ID returns the id of a term: the dataset's if it has the term, otherwise a local one.
// It returns 0 for the zero Term.
func (t *Terms) ID(term rdf.Term) (source.ID, error) {
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
		id = t.add(term)
	}
	t.ids[key] = id
	if t.isPassing {
		t.passing = append(t.passing, key)
	}
	return id, t.budget.Grow(sizeOf(term))
}

// add returns a new local id of a term, which may have others.
func (t *Terms) add(term rdf.Term) source.ID {
	t.local, t.values = append(t.local, term), append(t.values, value.FromTerm(term))
	return t.first + source.ID(len(t.local)-1)
}

// idOfPassing returns the id of a term whose text the caller will overwrite.
func (t *Terms) idOfPassing(term rdf.Term) (source.ID, error) {
	if t.last != 0 && t.local[t.last-t.first] == term { // adjacent rows often have the same text
		return t.last, nil
	}
	id, ok := t.ids[term.Fold()]
	if !ok {
		var err error
		if id, err = t.ID(term.Clone()); err != nil {
			return 0, err
		}
	}
	if id >= source.LocalFirst {
		t.last = id
	}
	return id, nil
}

// sizeOf returns roughly how many bytes keeping a term takes.
func sizeOf(term rdf.Term) int64 { return int64(term.Size()) + 256 }

// fewTerms is the number of kept terms below which Pass forgets none.
const fewTerms = 8192

// Pass runs f and then forgets the terms looked up in it. f must not let anything keep
// their ids. Without Pass, an answer of millions of computed texts would keep all of
// them until its end.
func (t *Terms) Pass(f func() error) error {
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
		clear(t.cells)
		t.last = 0
		t.generation++
		_ = t.budget.Grow(-size) // shrinking never fails
	}()
	return f()
}

// cellID caches the id of the term of a computed value.
type cellID struct {
	cell value.Cell
	id   source.ID
}

// cellBits is the number of bits of a cell's hash that select its slot in the cache.
const cellBits = 10

// ofCell returns the id of a value that is a cell.
func (t *Terms) ofCell(c value.Cell) (source.ID, error) {
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
	id, err := t.ID(value.Of(c, rdf.Term{}).Term())
	*known = cellID{c, id}
	return id, err
}

func (t *Terms) ofValue(v value.Value) (source.ID, error) {
	if c, ok := v.Whole(); ok {
		return t.ofCell(c)
	}
	return t.ID(v.Term())
}

// Term returns the term of an id, or the zero Term for 0.
func (t *Terms) Term(id source.ID) (rdf.Term, error) {
	switch {
	case id == 0:
		return rdf.Term{}, nil
	case id >= source.LocalFirst:
		return t.local[id-t.first], nil
	}
	return t.ds.Term(id)
}

// Kind returns the kind of the term of an id, and rdf.KindNone for 0.
func (t *Terms) Kind(id source.ID) rdf.Kind {
	switch {
	case id == 0:
		return rdf.KindNone
	case id >= source.LocalFirst:
		return t.local[id-t.first].Kind()
	}
	return t.ds.Kind(id)
}

// Value returns the value of a term. The value may lose the lexical form if reading
// that would cost a look-up. An error of the dataset ends the query.
func (t *Terms) Value(id source.ID) value.Value {
	switch {
	case id == 0:
		return value.Value{}
	case id >= source.LocalFirst:
		return t.values[id-t.first]
	}
	v, err := t.ds.Value(id)
	if err != nil {
		t.budget.Fail(err)
	}
	return v
}

// exact returns the value of a term with its lexical form.
func (t *Terms) exact(id source.ID) value.Value {
	if id >= source.LocalFirst {
		return t.values[id-t.first]
	}
	term, err := t.Term(id)
	if err != nil {
		t.budget.Fail(err)
	}
	return value.FromTerm(term)
}

// New returns a new blank node. It implements value.BlankNodes.
func (t *Terms) New() rdf.Term {
	for {
		t.blanks++
		node := rdf.NewBlank("new" + strconv.Itoa(t.blanks))
		if _, taken := t.ids[node]; taken {
			continue
		}
		id, err := t.ds.ID(node)
		if err != nil {
			t.budget.Fail(err)
		}
		if id == 0 {
			return node
		}
	}
}

// Labelled returns the same blank node for the same label within a solution. It
// implements value.BlankNodes.
func (t *Terms) Labelled(label string) rdf.Term {
	node, ok := t.solution[label]
	if !ok {
		node = t.New()
		t.solution[strings.Clone(label)] = node
	}
	return node
}

// NextSolution begins another solution for Labelled.
func (t *Terms) NextSolution() { clear(t.solution) }
