package file

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
)

// Layout of bbolt's pages (v1.5.0). Numbers have the machine's byte order.
//
// A page begins with its number (8 bytes), its type (2), the number of its elements (2)
// and the number of pages that continue it (4). A table of elements follows, 16 bytes
// each, then keys and values in the order of the elements and without gaps. In a branch
// an element has the offset of its key from the element (4), the key's length (4) and the
// page below (8). In a leaf it has flags (4), the offset (4), the key's length (4) and
// the value's (4).
const (
	pageHeader  = 16
	elementSize = 16
	bucketSize  = 16 // value of a bucket: its root page, 0 if the page follows, and a sequence
	maxKey      = 1 << 15

	atKind = 8

	branchPage   = 0x01
	leafPage     = 0x02
	metaPage     = 0x04
	freelistPage = 0x10
	bucketFlag   = 1

	manyFree   = 0xFFFF // as the number of elements of a free list: the real number follows
	noFreelist = ^uint64(0)

	boltMagic   = 0xED0CDAED
	boltVersion = 2
	metaSize    = 64
	atVersion   = 4
	atPageSize  = 8
	atRoot      = 16
	atFreelist  = 32
	atHighWater = 40
	atTxid      = 48
	atSum       = 56

	smallestPage = 1 << 9
	largestPage  = 1 << 16
)

var native = binary.NativeEndian

// meta is one of the two pages from which everything else is reached.
type meta struct {
	page      uint64 // its page number, 0 or 1
	pageSize  int64
	root      uint64
	freelist  uint64
	highWater uint64 // the first page that was never used
	txid      uint64
	bytes     [metaSize]byte // the bytes in the file
}

// readMetas returns the valid meta pages of a file, newer first: none if both are damaged or
// can't be read.
func readMetas(r io.ReaderAt) []meta {
	var out []meta
	// The second is one page after the first. If the first is damaged, try the usual page
	// sizes.
	sizes := []int64{1 << 12, 1 << 14, 1 << 16, 1 << 13}
	if m, ok := readMeta(r, 0); ok {
		out, sizes = append(out, m), []int64{m.pageSize}
	}
	for _, size := range sizes {
		if m, ok := readMeta(r, size); ok && m.pageSize == size {
			m.page = 1
			if len(out) > 0 && m.txid > out[0].txid {
				return []meta{m, out[0]}
			}
			return append(out, m)
		}
	}
	return out
}

// readMeta reads the meta page at an offset. ok reports whether it is whole.
func readMeta(r io.ReaderAt, at int64) (m meta, ok bool) {
	b := make([]byte, metaSize)
	if _, err := r.ReadAt(b, at+pageHeader); err != nil {
		return meta{}, false
	}
	sum := fnv.New64a()
	sum.Write(b[:atSum])
	m = meta{
		pageSize:  int64(native.Uint32(b[atPageSize:])),
		root:      native.Uint64(b[atRoot:]),
		freelist:  native.Uint64(b[atFreelist:]),
		highWater: native.Uint64(b[atHighWater:]),
		txid:      native.Uint64(b[atTxid:]),
		bytes:     [metaSize]byte(b),
	}
	ok = native.Uint32(b) == boltMagic && native.Uint32(b[atVersion:]) == boltVersion &&
		native.Uint64(b[atSum:]) == sum.Sum64() && m.pageSize >= smallestPage && m.pageSize <= largestPage
	return m, ok
}

// page is a page with the pages that continue it, or the page in the value of a small
// bucket.
type page struct {
	id, overflow uint64
	kind         uint16
	count        int

	data []byte      // its beginning: at least the header and the table
	size int64       // total size
	file io.ReaderAt // for the rest; nil if data is complete
	at   int64       // offset of the page in file
}

func parseHeader(b []byte) page {
	return page{id: native.Uint64(b), kind: native.Uint16(b[atKind:]), count: int(native.Uint16(b[10:])), overflow: uint64(native.Uint32(b[12:]))}
}

// tableEnd returns the offset of the first key.
func (p *page) tableEnd() int64 { return pageHeader + int64(p.count)*elementSize }

// element is an element of a page.
type element struct {
	key, value, end int64 // start of key and value, and end, as offsets in the page
	bucket          bool
	child           uint64 // in a branch
}

// element returns element i. Its key must begin at want, or the page is damaged.
func (p *page) element(i int, want int64) (e element, err error) {
	at := pageHeader + int64(i)*elementSize
	b := p.data[at : at+elementSize]
	var place, keySize, valueSize int64
	if p.kind == branchPage {
		place, keySize, e.child = int64(native.Uint32(b)), int64(native.Uint32(b[4:])), native.Uint64(b[8:])
	} else {
		flags := native.Uint32(b)
		if flags&^bucketFlag != 0 {
			return e, fmt.Errorf("page %d: element %d has unknown flags %#x", p.id, i, flags)
		}
		e.bucket = flags != 0
		place, keySize, valueSize = int64(native.Uint32(b[4:])), int64(native.Uint32(b[8:])), int64(native.Uint32(b[12:]))
	}
	e.key = at + place
	e.value = e.key + keySize
	e.end = e.value + valueSize
	if e.key != want || keySize == 0 || keySize > maxKey || e.end > p.size {
		return e, fmt.Errorf("page %d: element %d is not where it belongs", p.id, i)
	}
	return e, nil
}

func (p *page) bytes(from, to int64) ([]byte, error) {
	if to <= int64(len(p.data)) {
		return p.data[from:to], nil
	}
	b := make([]byte, to-from)
	if _, err := p.file.ReadAt(b, p.at+from); err != nil {
		return nil, fmt.Errorf("reading page %d: %w", p.id, err)
	}
	return b, nil
}

// fits verifies that end is the end of a small bucket's page, which has no spare room.
func (p *page) fits(end int64) error {
	if p.file == nil && end != p.size {
		return fmt.Errorf("page %d: a small bucket's page is wrong", p.id)
	}
	return nil
}
