package dict

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
)

// A triple term is stored as the ids of its three parts. The index by text has it three
// times, once in each order, so that any known parts are the beginning of a text. These
// texts consist of a byte for the order and the ids.

// tripleKind is the first byte of the texts of triple terms in the order SPO. Those of the
// other orders follow it.
const tripleKind = byte(rdf.KindTriple)

// appendTripleText appends the beginning of a triple term's text in an order: the ids of
// its parts up to the first that is zero. spo has subject, predicate and object.
func appendTripleText(dst []byte, o orders.Order, spo [3]ID) []byte {
	dst = append(dst, tripleKind+byte(o))
	for _, place := range o.Places() {
		if spo[place] == 0 {
			break
		}
		dst = appendPart(dst, spo[place])
	}
	return dst
}

// appendPart appends an id in at most nine bytes: its tag and the number of bytes that
// follow, and its payload without leading zeros. Parts sort like ids, and none is the
// beginning of another.
func appendPart(dst []byte, id ID) []byte {
	payload := uint64(id) & ids.PayloadMask
	n := (bits.Len64(payload) + 7) / 8
	dst = append(dst, byte(id>>ids.TagShift)<<4|byte(n))
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], payload)
	return append(dst, b[8-n:]...)
}

// cutParts returns the three ids of b, as appendPart wrote them, or false if b is anything else.
func cutParts(b []byte) (parts [3]ID, ok bool) {
	for i := range parts {
		if len(b) == 0 {
			return parts, false
		}
		n, payload := int(b[0]&15), ID(0)
		if n > 8 || len(b) <= n {
			return parts, false
		}
		for _, c := range b[1 : 1+n] {
			payload = payload<<8 | ID(c)
		}
		parts[i] = ID(b[0]>>4)<<ids.TagShift | payload&ids.PayloadMask
		b = b[1+n:]
	}
	return parts, len(b) == 0
}

// partsOf returns the parts of the triple term id, which has the given content. A part
// that is a triple term has a smaller id than the whole, so reading parts of parts ends.
func partsOf(id ID, content []byte) ([3]ID, error) {
	parts, ok := cutParts(content)
	for _, part := range parts {
		ok = ok && part.Tag() != ids.TagNone && (!part.IsTriple() || part < id)
	}
	if !ok {
		return parts, &DamagedError{Detail: fmt.Sprintf("the parts of triple term %#x can't be read", uint64(id))}
	}
	return parts, nil
}

// Parts returns the ids of the subject, predicate and object of a triple term.
func (r *Reader) Parts(id ID) ([3]ID, error) {
	for _, l := range r.levels {
		if e, ok := l.Entry(id); ok {
			return partsOf(id, e.Text[1:])
		}
	}
	content, err := r.content(id)
	if err != nil {
		return [3]ID{}, err
	}
	return partsOf(id, content)
}

// HasBlank reports whether a term is a blank node, or a triple term that has one.
func (r *Reader) HasBlank(id ID) (has bool, err error) {
	if !id.IsTriple() {
		return id.IsBlank(), nil
	}
	parts, err := r.Parts(id)
	for i := 0; i < len(parts) && !has && err == nil; i++ {
		has, err = r.HasBlank(parts[i])
	}
	return has, err
}

// HasBlank is like Reader.HasBlank, but also knows newly assigned terms.
func (g *Assigner) HasBlank(id ID) (bool, error) { return g.reader.HasBlank(id) }

// triple returns the triple term of the given parts. The error is a *DamagedError if a subject or predicate is a triple
// term (RDF 1.2 Concepts, section 3.1), or if triple terms are nested deeper than a document's can be. Only a forged file
// has such terms, and their texts could fill the memory.
func (r *Reader) triple(parts [3]ID) (rdf.Term, error) {
	for depth, inner := 1, parts; ; depth++ {
		if inner[0].IsTriple() || inner[1].IsTriple() || depth > rdf.MaxTripleDepth {
			return rdf.Term{}, &DamagedError{Detail: fmt.Sprintf("a triple term with the parts %#x is nested as none can be", parts)}
		}
		if !inner[2].IsTriple() {
			break
		}
		var err error
		if inner, err = r.Parts(inner[2]); err != nil {
			return rdf.Term{}, err
		}
	}
	var terms [3]rdf.Term
	for i, part := range parts {
		var err error
		if terms[i], err = r.Term(part); err != nil {
			return rdf.Term{}, err
		}
	}
	return rdf.NewTripleTerm(rdf.Triple{S: terms[0], P: terms[1], O: terms[2]}), nil
}

// tripleID returns the id of a triple term. It reports false if the term has none.
func (r *Reader) tripleID(t rdf.Term) (found ID, ok bool, err error) {
	triple := t.Triple()
	var parts [3]ID
	for i, part := range [...]rdf.Term{triple.S, triple.P, triple.O} {
		if parts[i], ok, err = r.ID(part); !ok || err != nil {
			return 0, false, err
		}
	}
	err = r.each(appendTripleText(nil, orders.SPO, parts), func(id ID) (bool, error) { found = id; return false, nil })
	return found, found != 0, err
}

// Triples calls f with all triple terms that have the given parts until f returns false. A
// zero id matches any part. The terms are sorted by the ids of their parts.
func (r *Reader) Triples(s, p, o ID, f func(id ID, spo [3]ID) (more bool, err error)) error {
	return r.triples(orderOf(s, p, o), [3]ID{s, p, o}, f)
}

// EachTriple is like Triples, but faster: it calls f with some ids at a time, in any
// order, without their parts. f must not use the reader, nor keep the slice.
func (r *Reader) EachTriple(s, p, o ID, f func(ids []ID) error) error {
	return r.beginIDs(appendTripleText(nil, orderOf(s, p, o), [3]ID{s, p, o}), f)
}

// orderOf returns an order that begins with the parts that are not zero.
func orderOf(parts ...ID) orders.Order {
	known := 0
	for i, part := range parts {
		if part != 0 {
			known |= 1 << i
		}
	}
	return orders.For(known).Order
}

// TripleOrder calls f with all triple terms in an order until f returns false.
func (r *Reader) TripleOrder(o orders.Order, f func(id ID, spo [3]ID) (more bool, err error)) error {
	return r.triples(o, [3]ID{}, f)
}

// triples calls f with the triple terms that begin with the given parts in an order, until f returns false. Zero
// ids follow the known parts. It reads no terms: the keys contain the ids of the parts.
func (r *Reader) triples(order orders.Order, parts [3]ID, f func(id ID, spo [3]ID) (more bool, err error)) error {
	places := order.Places()
	return r.begin(appendTripleText(nil, order, parts), func(text []byte, id ID) (bool, error) {
		sorted, err := partsOf(id, text[1:])
		if err != nil {
			return false, err
		}
		var spo [3]ID
		for k, place := range places {
			spo[place] = sorted[k]
		}
		return f(id, spo)
	})
}

// tripleTexts appends the texts of a triple term's entry in the other orders. It appends
// nothing for other terms.
func tripleTexts(dst []textEntry, e Entry) []textEntry {
	if !e.ID.IsTriple() {
		return dst
	}
	parts, _ := cutParts(e.Text[1:])
	for _, o := range orders.Others {
		dst = append(dst, textEntry{appendTripleText(nil, o, parts), e.ID})
	}
	return dst
}

// OtherTexts calls f with the texts of a triple term's entry in orders other than SPO.
func (e Entry) OtherTexts(f func(text []byte)) {
	for _, t := range tripleTexts(nil, e) {
		f(t.text)
	}
}

// TripleIDs sets each found[i] that is zero to the id of the triple term with the parts
// parts[i]. It assigns ids to new terms, in their order.
func (g *Assigner) TripleIDs(parts [][3]ID, found []ID) error {
	var requests []request
	var arena []byte
	for i, spo := range parts {
		if found[i] == 0 {
			at := len(arena)
			arena = appendTripleText(arena, orders.SPO, spo)
			requests = append(requests, request{text: arena[at:len(arena):len(arena)], term: i})
		}
	}
	sortRequests(requests)
	if err := g.find(nil, requests); err != nil {
		return err
	}
	if err := g.assign(requests, func(int) (int, rdf.Term) { return ids.TagTriple, rdf.Term{} }); err != nil {
		return err
	}
	for _, a := range requests {
		found[a.term] = requests[a.first].id
	}
	return g.used(found)
}

// tripleTerms sets all[i] to the id of terms[i], a triple term, for each i in at. Their parts get ids before them.
func (g *Assigner) tripleTerms(terms []rdf.Term, all []ID, at []int) error {
	parts := make([]rdf.Term, 0, 3*len(at))
	for _, i := range at {
		t := terms[i].Triple()
		parts = append(parts, t.S, t.P, t.O)
	}
	of := make([]ID, len(parts))
	if err := g.IDs(parts, of); err != nil {
		return err
	}
	triples, found := make([][3]ID, len(at)), make([]ID, len(at))
	for i := range triples {
		triples[i] = [3]ID(of[3*i:])
	}
	next := g.numbers[ids.TagTriple]
	if err := g.TripleIDs(triples, found); err != nil {
		return err
	}
	for i, id := range found {
		all[at[i]] = id
		isNew := uint64(id&ids.PayloadMask) >= next
		g.known.put(terms[at[i]], id, isNew)
	}
	return nil
}
