package dict

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
)

// Numbers holds, for each tag, the number of the next new id. The counter of labelled
// blank nodes is at TagNone.
type Numbers [1 << 4]uint64

// Assigned reports whether an id was assigned before, that is, has a smaller number than
// the next of its kind. Inline values count as assigned.
func (n *Numbers) Assigned(id ID) bool {
	switch tag := id.Tag(); {
	case tag >= ids.TagBoolean && tag != ids.TagTriple:
		return true
	case tag == ids.TagBlank && id&ids.LabelBit != 0:
		return uint64(id&ids.PayloadMask&^ids.LabelBit) < n[ids.TagNone]
	default:
		return uint64(id&ids.PayloadMask) < n[tag]
	}
}

// Entry is a term of the dictionary.
type Entry struct {
	ID   ID
	Term rdf.Term // zero for a triple term, which Text has
	Text []byte   // key of the term in the index by text; see Hasher.AppendText
}

// IsDirected reports whether the term is a string with a base direction.
func (e *Entry) IsDirected() bool { return e.ID.Tag() == ids.TagLang && e.Term.Direction() != "" }

// Assigner looks up the ids of terms and assigns ids to new terms. It may be used by one
// goroutine only.
type Assigner struct {
	reader  *Reader
	numbers Numbers
	changed bool
	known   *Known
	store   func(fresh []Entry) error
	// Used, unless nil, is called with the ids that IDs and TripleIDs return.
	Used func(ID)
}

// NewAssigner returns an Assigner for the dictionary that r reads. It numbers new terms
// from next on and passes them to store, sorted by their texts. From then on r must find
// them. If the ids are rolled back, the caller must call known.Undo.
func NewAssigner(r *Reader, next Numbers, known *Known, store func(fresh []Entry) error) *Assigner {
	known.begin()
	return &Assigner{reader: r, numbers: next, known: known, store: store}
}

// Numbers returns the numbers of the next ids.
func (g *Assigner) Numbers() Numbers { return g.numbers }

// NewBlank returns a new blank node.
func (g *Assigner) NewBlank() (ID, error) {
	n, err := g.nextNumber(ids.TagBlank)
	return ids.New(ids.TagBlank, n), err
}

// NewBlanks reserves n new blank nodes with consecutive numbers, and returns the first.
func (g *Assigner) NewBlanks(n uint64) (ID, error) {
	first := g.numbers[ids.TagBlank]
	if first+n > ids.MaxNumber {
		return 0, fmt.Errorf("no more than %d ids of blank nodes can be assigned", uint64(ids.MaxNumber))
	}
	g.numbers[ids.TagBlank], g.changed = first+n, true
	return ids.New(ids.TagBlank, first), nil
}

// maxSkip limits how far the number of a labelled blank node may be above the numbers in
// use.
const maxSkip = 1 << 20

// reserve ensures that NewBlank never returns id.
func (g *Assigner) reserve(id ID) error {
	n, next := uint64(id&ids.PayloadMask), &g.numbers[ids.TagBlank]
	if n >= *next+maxSkip {
		return fmt.Errorf("blank node _:b%d is too far ahead of those in use (%d)", n, *next)
	}
	if n >= *next {
		*next, g.changed = n+1, true
	}
	return nil
}

// nextNumber counts up one of the counters and returns the number before.
func (g *Assigner) nextNumber(counter int) (uint64, error) {
	n := g.numbers[counter]
	if n > ids.MaxNumber {
		return 0, fmt.Errorf("no more ids of kind %d can be assigned", counter)
	}
	g.numbers[counter]++
	g.changed = true
	return n, nil
}

// request is a term that needs an id.
type request struct {
	text  []byte
	hash  termHash
	term  int // index into the terms
	id    ID  // 0 until found or assigned
	first int // index of the first request for the same term, possibly its own
	fresh bool
}

// fewRequests is the largest number of new terms in a small document.
const fewRequests = 16

// errZero is the error for a zero term.
var errZero = errors.New("a subject, predicate or object is missing: the zero term can't be stored")

// IDs sets each found[i] that is zero to the id of terms[i]. New terms get new ids, which count up in the order of
// terms. Terms that are neither inline nor known are looked up together, in the order of their texts.
func (g *Assigner) IDs(terms []rdf.Term, found []ID) error {
	var requests []request
	var tripleTerms []int // indexes of triple terms
	var texts []byte
	for i, t := range terms {
		if found[i] != 0 {
			continue
		}
		if id, ok := ids.Inline(t); ok {
			found[i] = id
			continue
		}
		hash := g.known.hash(t)
		if id, ok := g.known.find(hash); ok {
			found[i] = id
		} else if id, ok := blankNumber(t); ok {
			if err := g.reserve(id); err != nil {
				return err
			}
			found[i] = id
		} else if t.IsTriple() {
			tripleTerms = append(tripleTerms, i)
		} else if t.IsZero() {
			return errZero
		} else {
			if requests == nil {
				requests = make([]request, 0, min(len(terms)-i, fewRequests))
			}
			at := len(texts)
			texts = g.reader.hasher.AppendText(texts, t)
			requests = append(requests, request{text: texts[at:len(texts):len(texts)], hash: hash, term: i})
		}
	}
	if len(tripleTerms) > 0 {
		if err := g.tripleTerms(terms, found, tripleTerms); err != nil {
			return err
		}
	}
	if err := g.request(terms, requests); err != nil {
		return err
	}
	for _, a := range requests {
		first := requests[a.first]
		found[a.term] = first.id
		if !first.fresh || len(requests) <= maxKnown { // most of many new terms are not needed again
			g.known.add(a.hash, first.id, first.fresh)
		}
	}
	return g.used(found)
}

// request finds or assigns the ids of requests.
func (g *Assigner) request(terms []rdf.Term, requests []request) error {
	if len(requests) == 0 {
		return nil
	}
	sortRequests(requests)
	if err := g.find(terms, requests); err != nil {
		return err
	}
	return g.assign(requests, func(i int) (int, rdf.Term) { return tagOf(terms[i]), terms[i] })
}

// used calls Used with ids and, for triple terms, with those of their parts.
func (g *Assigner) used(all []ID) error {
	if g.Used == nil {
		return nil
	}
	for _, id := range all {
		g.Used(id)
		if !id.IsTriple() {
			continue
		}
		parts, err := g.reader.Parts(id)
		if err == nil {
			err = g.used(parts[:])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sortRequests sorts requests by text, and equal ones by the order of the terms.
func sortRequests(requests []request) {
	slices.SortFunc(requests, func(a, b request) int {
		if c := bytes.Compare(a.text, b.text); c != 0 {
			return c
		}
		return cmp.Compare(a.term, b.term)
	})
}

// Find sets ids[i] to the id of terms[i], or 0 if it has none. It assigns no ids.
func (g *Assigner) Find(terms []rdf.Term, ids []ID) error {
	for i, t := range terms {
		id, ok := g.known.get(t)
		if !ok {
			var err error
			if id, ok, err = g.reader.ID(t); err != nil {
				return err
			}
		}
		if !ok {
			id = 0
		}
		ids[i] = id
	}
	return nil
}

// find sets the ids of stored terms, and links requests for the same term.
func (g *Assigner) find(terms []rdf.Term, requests []request) error {
	for at := 0; at < len(requests); {
		end := at + 1
		for end < len(requests) && bytes.Equal(requests[end].text, requests[at].text) {
			end++
		}
		if err := g.findText(terms, requests, at, end); err != nil {
			return err
		}
		at = end
	}
	return nil
}

// findText finds the ids of requests[at:end], which have the same text. Requests for one term share the first of
// them, which alone gets a new id if there is none.
func (g *Assigner) findText(terms []rdf.Term, requests []request, at, end int) error {
	text := requests[at].text
	if exactText(text) {
		for i := at; i < end; i++ {
			requests[i].first = at
		}
		var err error
		requests[at].id, err = g.reader.exact(text)
		return err
	}
	firsts := map[rdf.Term]int{} // the first request for each term
	for i := at; i < end; i++ {
		key := terms[requests[i].term].Fold()
		if _, ok := firsts[key]; !ok {
			firsts[key] = i
		}
		requests[i].first = firsts[key]
	}
	return g.reader.each(text, func(id ID) (bool, error) {
		t, err := g.reader.Term(id)
		if i, ok := firsts[t.Fold()]; ok && err == nil && requests[i].id == 0 {
			requests[i].id = id
		}
		return true, err
	})
}

// assign assigns ids to the requests without one, in the order of the terms, and stores
// the terms. term returns the tag of term i, and what its Entry has as Term.
func (g *Assigner) assign(requests []request, term func(i int) (tag int, t rdf.Term)) error {
	var missing [][2]uint64 // index of the term and of the request
	for i := range requests {
		if requests[i].id == 0 && requests[i].first == i {
			requests[i].fresh = true
			missing = append(missing, [2]uint64{uint64(requests[i].term), uint64(i)})
		}
	}
	if len(missing) == 0 {
		return nil
	}
	orders.Sort(missing, 1) // by the term; no two have the same
	for _, m := range missing {
		i := m[1]
		tag, _ := term(requests[i].term)
		counter, bit := tag, uint64(0)
		if tag == ids.TagBlank {
			counter, bit = ids.TagNone, ids.LabelBit
		}
		n, err := g.nextNumber(counter)
		if err != nil {
			return err
		}
		requests[i].id = ids.New(tag, n|bit)
	}
	fresh := make([]Entry, 0, len(missing))
	for _, a := range requests {
		if a.fresh {
			_, t := term(a.term)
			fresh = append(fresh, Entry{ID: a.id, Term: t, Text: a.text})
		}
	}
	return g.store(fresh)
}
