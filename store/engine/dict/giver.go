package dict

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/segraph/segraph/store/rdf"
)

// Numbers holds, for each tag, the number of the next new id. The counter of labelled
// blank nodes is at TagNone.
type Numbers [1 << 4]uint64

// Given reports whether an id was assigned before, that is, has a smaller number than the
// next of its kind. Inline values count as assigned.
func (n *Numbers) Given(id ID) bool {
	switch tag := id.Tag(); {
	case tag >= TagBoolean:
		return true
	case tag == TagBlank && id&labelBit != 0:
		return uint64(id&payloadMask&^labelBit) < n[TagNone]
	default:
		return uint64(id&payloadMask) < n[tag]
	}
}

// Entry is a term of the dictionary.
type Entry struct {
	ID   ID
	Term rdf.Term
	Text []byte // key of the term in the index by text; see AppendText
}

// Giver looks up the ids of terms and assigns ids to new terms. It may be used by one
// goroutine only.
type Giver struct {
	reader  *Reader
	numbers Numbers
	changed bool
	known   *Known
	store   func(fresh []Entry) error
}

// NewGiver returns a Giver for the dictionary that r reads. It numbers new terms from
// next on and passes them to store, sorted by their texts. From then on r must find them.
// If the ids are rolled back, the caller must call known.Undo.
func NewGiver(r *Reader, next Numbers, known *Known, store func(fresh []Entry) error) *Giver {
	known.begin()
	return &Giver{reader: r, numbers: next, known: known, store: store}
}

// Numbers returns the numbers of the next ids.
func (g *Giver) Numbers() Numbers { return g.numbers }

// NewBlank returns a new blank node.
func (g *Giver) NewBlank() (ID, error) {
	n, err := g.number(TagBlank)
	return newID(TagBlank, n), err
}

// NewBlanks reserves n new blank nodes with consecutive numbers, and returns the first.
func (g *Giver) NewBlanks(n uint64) (ID, error) {
	first := g.numbers[TagBlank]
	if first+n > MaxNumber {
		return 0, fmt.Errorf("no more than %d ids of blank nodes can be assigned", uint64(MaxNumber))
	}
	g.numbers[TagBlank], g.changed = first+n, true
	return newID(TagBlank, first), nil
}

// maxSkip limits how far the number of a blank node from outside may be above the numbers
// in use.
const maxSkip = 1 << 20

// reserve ensures that NewBlank never returns id.
func (g *Giver) reserve(id ID) error {
	n, next := uint64(id&payloadMask), &g.numbers[TagBlank]
	if n >= *next+maxSkip {
		return fmt.Errorf("blank node _:b%d is too far ahead of those in use (%d)", n, *next)
	}
	if n >= *next {
		*next, g.changed = n+1, true
	}
	return nil
}

func (g *Giver) number(counter int) (uint64, error) {
	n := g.numbers[counter]
	if n > MaxNumber {
		return 0, fmt.Errorf("no more ids of kind %d can be assigned", counter)
	}
	g.numbers[counter]++
	g.changed = true
	return n, nil
}

// request is a term whose id is wanted.
type request struct {
	text  []byte
	term  int // index into the terms
	id    ID  // 0 until found or assigned
	first int // index of the first request for the same term, possibly its own
	fresh bool
}

// IDs sets each ids[i] that is zero to the id of terms[i]. It assigns ids to new terms,
// in the order of terms.
func (g *Giver) IDs(terms []rdf.Term, ids []ID) error {
	var asks []request
	var arena []byte
	for i, t := range terms {
		if ids[i] != 0 {
			continue
		}
		if id, ok := Inline(t); ok {
			ids[i] = id
		} else if id, ok := g.known.get(t); ok {
			ids[i] = id
		} else if id, ok := blankNumber(t); ok {
			if err := g.reserve(id); err != nil {
				return err
			}
			ids[i] = id
		} else {
			at := len(arena)
			arena = AppendText(arena, t)
			asks = append(asks, request{text: arena[at:len(arena):len(arena)], term: i})
		}
	}
	if len(asks) == 0 {
		return nil
	}
	slices.SortFunc(asks, func(a, b request) int {
		if c := bytes.Compare(a.text, b.text); c != 0 {
			return c
		}
		return cmp.Compare(a.term, b.term)
	})
	if err := g.find(terms, asks); err != nil {
		return err
	}
	if err := g.assign(terms, asks); err != nil {
		return err
	}
	for _, a := range asks {
		first := asks[a.first]
		ids[a.term] = first.id
		g.known.put(terms[a.term], first.id, first.fresh)
	}
	return nil
}

// Find sets ids[i] to the id of terms[i], or 0 if it has none. It assigns no ids.
func (g *Giver) Find(terms []rdf.Term, ids []ID) error {
	for i, t := range terms {
		id, ok := g.known.get(t)
		if !ok {
			var err error
			if id, ok, err = g.reader.ID(t); err != nil {
				return err
			}
		}
		if ids[i] = 0; ok {
			ids[i] = id
		}
	}
	return nil
}

// find sets the ids of stored terms, and links requests for the same term.
func (g *Giver) find(terms []rdf.Term, asks []request) error {
	for at := 0; at < len(asks); {
		end := at + 1
		for end < len(asks) && bytes.Equal(asks[end].text, asks[at].text) {
			end++
		}
		if err := g.findText(terms, asks, at, end); err != nil {
			return err
		}
		at = end
	}
	return nil
}

// findText is find for asks[at:end], which have the same text.
func (g *Giver) findText(terms []rdf.Term, asks []request, at, end int) error {
	text := asks[at].text
	if exactText(text) {
		for i := at; i < end; i++ {
			asks[i].first = at
		}
		return g.reader.each(text, func(id ID) (bool, error) {
			asks[at].id = id
			return false, nil
		})
	}
	firsts := map[rdf.Term]int{} // the first request for each term
	for i := at; i < end; i++ {
		key := terms[asks[i].term].Fold()
		if _, ok := firsts[key]; !ok {
			firsts[key] = i
		}
		asks[i].first = firsts[key]
	}
	return g.reader.each(text, func(id ID) (bool, error) {
		t, err := g.reader.Term(id)
		if i, ok := firsts[t.Fold()]; ok && err == nil && asks[i].id == 0 {
			asks[i].id = id
		}
		return true, err
	})
}

// assign assigns ids to the requests without one, in the order of the terms, and stores
// the terms.
func (g *Giver) assign(terms []rdf.Term, asks []request) error {
	var missing []int
	for i := range asks {
		if asks[i].id == 0 && asks[i].first == i {
			asks[i].fresh = true
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.SortFunc(missing, func(a, b int) int { return cmp.Compare(asks[a].term, asks[b].term) })
	for _, i := range missing {
		t := terms[asks[i].term]
		tag := tagOf(t)
		counter, bit := tag, uint64(0)
		if tag == TagBlank {
			counter, bit = TagNone, labelBit
		}
		n, err := g.number(counter)
		if err != nil {
			return err
		}
		asks[i].id = newID(tag, n|bit)
	}
	fresh := make([]Entry, 0, len(missing))
	for _, a := range asks {
		if a.fresh {
			fresh = append(fresh, Entry{ID: a.id, Term: terms[a.term], Text: a.text})
		}
	}
	return g.store(fresh)
}
