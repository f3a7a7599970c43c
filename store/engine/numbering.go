package engine

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Limits on the terms that are numbered together, and on the cache between transactions.
const (
	fewTerms     = 256 // in one transaction
	manyTerms    = 8192
	maxTerms     = 1 << 14 // that wait for an id
	maxTermBytes = 1 << 20
	maxQuads     = 1 << 15
	blanksAtOnce = 1 << 16
)

// numbering reads a text and looks up or assigns the ids of its terms.
type numbering struct {
	*staged
	ids          map[rdf.Term]dict.ID // of recent terms
	bytes        int                  // of the texts in ids
	place        map[rdf.Term]int     // indexes into waiting
	waiting      []rdf.Term           // terms without an id
	triples      []waitingTriple      // the triple terms of waiting
	waitingBytes int                  // bytes of their texts
	quads        [][3]dict.ID         // ids without a tag are indexes into waiting
	limit        int                  // number of terms to number in one transaction
	last         [3]rdf.Term          // of the triple before, with lastIDs: a map would hash a long predicate for each of its objects
	lastIDs      [3]dict.ID

	labels    map[string]dict.ID // ids of blank nodes by label
	next, end dict.ID            // reserved ids for them
	anonymous []dict.ID          // first ids of blocks of blanksAtOnce unlabelled nodes
}

// number reads the text, gives its terms ids, and sorts its triples of ids. It numbers many terms at once, since one
// transaction for each would be slow.
func (d *staged) number() error {
	numbers := &numbering{staged: d, ids: map[rdf.Term]dict.ID{}, place: map[rdf.Term]int{}, limit: fewTerms, labels: map[string]dict.ID{}}
	r := d.text.Reader()
	for i := 0; ; i++ {
		if i%4096 == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		q, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		var ids [3]dict.ID
		for i, t := range [3]rdf.Term{q.S, q.P, q.O} {
			if ids[i] = numbers.lastIDs[i]; t == numbers.last[i] {
				continue
			}
			if ids[i], err = numbers.id(t); err != nil {
				return err
			}
			numbers.last[i] = t
		}
		numbers.lastIDs = ids
		numbers.quads = append(numbers.quads, ids)
		if len(numbers.waiting) >= maxTerms || numbers.waitingBytes >= maxTermBytes || len(numbers.quads) >= maxQuads {
			if err := numbers.flush(); err != nil {
				return err
			}
		}
	}
	d.prefixes = r.Prefixes()
	d.prefixes = slices.DeleteFunc(d.prefixes[:min(len(d.prefixes), maxDeclared)], func(p turtle.Prefix) bool {
		return d.text.Refuse != nil && d.text.Refuse(rdf.NewIRI(p.Namespace)) != ""
	})
	return numbers.flush()
}

// id returns the id of a term, or its index in waiting.
func (n *numbering) id(t rdf.Term) (dict.ID, error) {
	if t.IsBlank() {
		return n.blank(t.Value())
	}
	if id, ok := ids.Inline(t); ok {
		return id, nil
	}
	if id, ok := n.ids[t]; ok {
		return id, nil
	}
	at, ok := n.place[t]
	if !ok {
		var parts [3]dict.ID
		if t.IsTriple() {
			var err error
			if parts, err = n.parts(t); err != nil {
				return 0, err
			}
		}
		if n.text.Refuse != nil {
			if why := n.text.Refuse(t); why != "" {
				return 0, &store.RefusedError{Detail: why}
			}
		}
		at = len(n.waiting)
		n.place[t] = at
		if t.IsTriple() {
			n.triples = append(n.triples, waitingTriple{at, parts})
		}
		n.waiting = append(n.waiting, t)
		n.waitingBytes += textsOf(t)
	}
	return dict.ID(at), nil
}

// parts returns the ids of a triple term's parts, or their indexes in waiting.
func (n *numbering) parts(t rdf.Term) (parts [3]dict.ID, err error) {
	triple := t.Triple()
	for i, part := range [3]rdf.Term{triple.S, triple.P, triple.O} {
		if parts[i], err = n.id(part); err != nil {
			break
		}
	}
	return parts, err
}

func textsOf(t rdf.Term) int { return len(t.Value()) + len(t.Datatype()) + len(t.Tag()) }

// blank returns the id of a blank node. Unlabelled nodes are identified by their numbers.
func (n *numbering) blank(label string) (dict.ID, error) {
	if number, ok := turtle.Anonymous(label); ok {
		block := int(number / blanksAtOnce)
		for len(n.anonymous) <= block {
			first, err := n.reserve()
			if err != nil {
				return 0, err
			}
			n.anonymous = append(n.anonymous, first)
		}
		return n.anonymous[block] + dict.ID(number%blanksAtOnce), nil
	}
	id, ok := n.labels[label]
	if ok {
		return id, nil
	}
	if n.next == n.end {
		first, err := n.reserve()
		if err != nil {
			return 0, err
		}
		n.next, n.end = first, first+blanksAtOnce
	}
	id = n.next
	n.labels[label] = id
	n.next++
	return id, nil
}

// reserve reserves blanksAtOnce new blank nodes, and returns the first.
func (n *numbering) reserve() (first dict.ID, err error) {
	err = n.step(func(tx *Tx) error {
		first, err = tx.dict.NewBlanks(blanksAtOnce)
		return err
	})
	return first, err
}

// flush assigns ids to the waiting terms, and sorts the triples.
func (n *numbering) flush() error {
	n.numbered = true
	found, err := n.numbers()
	if err != nil {
		return fmt.Errorf("numbering terms: %w", err)
	}
	for _, q := range n.quads {
		for i, id := range q {
			if id.Tag() == ids.TagNone { // an index in waiting
				q[i] = found[id]
			}
		}
		n.sorter.Add(SPO.Tuple(q[0], q[1], q[2]))
	}
	if len(n.ids) >= maxTerms || n.bytes >= maxTermBytes {
		clear(n.ids)
		n.bytes = 0
	}
	for i, t := range n.waiting {
		n.ids[t] = found[i]
		n.bytes += textsOf(t)
	}
	n.last = [3]rdf.Term{}
	clear(n.waiting)
	clear(n.place)
	n.waiting, n.waitingBytes, n.quads, n.triples = n.waiting[:0], 0, n.quads[:0], n.triples[:0]
	return nil
}

// numbers returns the ids of the waiting terms. It assigns them in the order of their
// texts, so that it writes each page of the dictionary once. It uses transactions as
// large as stepTime allows.
func (n *numbering) numbers() ([]dict.ID, error) {
	order := make([]int, 0, len(n.waiting))
	for i, t := range n.waiting {
		if !t.IsTriple() {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		s, t := n.waiting[a], n.waiting[b]
		return cmp.Or(cmp.Compare(s.Kind(), t.Kind()), cmp.Compare(s.Value(), t.Value()))
	})
	ids := make([]dict.ID, len(n.waiting))
	for len(order) > 0 {
		some := order[:min(len(order), n.limit)]
		order = order[len(some):]
		terms, numbers := make([]rdf.Term, len(some)), make([]dict.ID, len(some))
		for i, at := range some {
			terms[i] = n.waiting[at]
		}
		if err := n.timed(func(tx *Tx) error { return tx.dict.IDs(terms, numbers) }); err != nil {
			return nil, err
		}
		for i, at := range some {
			ids[at] = numbers[i]
		}
	}
	return ids, numberTriples(n.triples, ids, func(parts [][3]dict.ID, ids []dict.ID) error {
		for len(ids) > 0 {
			some := min(len(ids), n.limit)
			if err := n.timed(func(tx *Tx) error { return tx.dict.TripleIDs(parts[:some], ids[:some]) }); err != nil {
				return err
			}
			parts, ids = parts[some:], ids[some:]
		}
		return nil
	})
}

// timed numbers terms in a step, and adapts the number for the next step to the time that
// it took.
func (n *numbering) timed(number func(tx *Tx) error) error {
	return n.step(func(tx *Tx) error {
		begin := time.Now()
		err := number(tx)
		switch took := time.Since(begin); {
		case took > stepTime:
			n.limit = max(n.limit/2, fewTerms)
		case took < stepTime/2:
			n.limit = min(n.limit*2, manyTerms)
		}
		return err
	})
}
