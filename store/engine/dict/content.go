package dict

import "encoding/binary"

// openedBlock is a verified block of terms that is decoded entry by entry.
type openedBlock struct {
	first   uint64 // id of the first entry
	n       uint64
	entries []byte
	at      uint64 // number of decoded entries
	rest    []byte // encoded entries from at on
	text    []byte // content of the last decoded entry
	likes   []uint64
}

// content returns the stored content of an id, valid until the next call. Ids of the same
// block often follow each other, so it continues from the last entry if it can.
func (r *Reader) content(id ID) ([]byte, error) {
	if r.terms == nil {
		return nil, unknownID(id)
	}
	if !r.inBlock(id) {
		if err := r.open(id); err != nil {
			r.block = nil
			return nil, err
		}
	}
	b := r.block
	if err := b.read(uint64(id) - b.first); err != nil {
		r.block = nil
		return nil, err
	}
	return b.text, nil
}

// blocksAhead is the number of blocks that take about as long to step over as to seek one.
const blocksAhead = 8

// open opens the block that has an id. It first tries the blocks that follow the last
// one.
func (r *Reader) open(id ID) error {
	if b := r.block; b != nil && !r.changes && uint64(id)-b.first-b.n < blocksAhead*maxTerms { // false if id is less, as in near
		for range blocksAhead {
			k, v := r.terms.Next()
			if endsBefore(k, v, id) {
				continue
			}
			if has, err := r.openAt(k, v, id); has || err != nil {
				return err
			}
			break
		}
	}
	r.key = binary.BigEndian.AppendUint64(r.key[:0], uint64(id))
	k, v, _ := floor(r.terms, r.key)
	has, err := r.openAt(k, v, id)
	if !has && err == nil {
		err = unknownID(id)
	}
	return err
}

// readLikes fills likes, one for each entry. An entry that shares everything before its
// value with the previous entry has the same number.
func (b *openedBlock) readLikes(p *recent) error {
	head, last := p.head, uint64(0)
	for rest := b.entries; uint64(len(b.likes)) < b.n; b.likes = append(b.likes, last) {
		shared, suffix, after, err := cutEntry(rest)
		if err != nil {
			return err
		}
		rest = after
		if last != 0 && shared >= len(head) {
			continue
		}
		if shared > len(head) {
			return errEntry
		}
		head = append(head[:shared], suffix...)
		tag, value, err := cutTag(head)
		if err != nil {
			return err
		}
		last, head = p.known(tag).number, head[:len(head)-len(value)]
	}
	p.head = head[:0]
	return nil
}

// endsBefore reports whether all ids of the block at k are less than id.
func endsBefore(k, v []byte, id ID) bool {
	return len(k) == 8 && len(v) >= trailerSize && binary.BigEndian.Uint64(k)+uint64(entriesOf(v)) <= uint64(id)
}

// openAt opens the block at k if it has the id.
func (r *Reader) openAt(k, v []byte, id ID) (has bool, err error) {
	if len(k) != 8 {
		return false, nil
	}
	first := binary.BigEndian.Uint64(k)
	if first > uint64(id) {
		return false, nil
	}
	entries, n, err := openBlock(k, v)
	if err != nil || uint64(id)-first >= uint64(n) {
		return false, err
	}
	if r.block == nil {
		r.block = &openedBlock{}
	}
	*r.block = openedBlock{first: first, n: uint64(n), entries: entries, rest: entries, text: r.block.text[:0], likes: r.block.likes[:0]}
	return true, nil
}

// read decodes the block up to an entry, and leaves the entry's content in b.text.
func (b *openedBlock) read(entry uint64) error {
	if entry+1 < b.at { // it was passed
		b.at, b.rest, b.text = 0, b.entries, b.text[:0]
	}
	for ; b.at <= entry; b.at++ {
		shared, suffix, rest, err := cutEntry(b.rest)
		if err != nil {
			return err
		}
		if shared > len(b.text) {
			return errEntry
		}
		b.text, b.rest = append(b.text[:shared], suffix...), rest
	}
	return nil
}
