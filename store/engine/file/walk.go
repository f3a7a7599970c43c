package file

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/bits"
)

// maxDepth limits the depth of pages, including nested buckets. A deeper tree would not
// fit any disk.
const maxDepth = 64

// walk follows every reference from one meta page through the file. It only reads, and
// checks everything in a page before using it, so damage can't make it fault, loop or use
// much memory.
//
// Each page must be used or free exactly once.
type walk struct {
	ctx     context.Context
	file    io.ReaderAt
	meta    meta
	claimed []uint64 // one bit per page
	left    uint64   // number of pages not claimed yet
	buffers [maxDepth][]byte

	// quick skips leaves of trees that hold no buckets. A quick walk ends after budget
	// pages.
	quick  bool
	budget int
	// pages claims only used pages, and checks no list of free ones.
	pages bool
}

func newWalk(ctx context.Context, file io.ReaderAt, m meta) *walk {
	return &walk{ctx: ctx, file: file, meta: m, left: m.highWater, claimed: make([]uint64, (m.highWater+63)/64)}
}

// run walks the file. The error is the context's or describes the damage.
func (w *walk) run() error {
	if err := w.claim(0, 2); err != nil {
		return err
	}
	switch {
	case w.meta.freelist == noFreelist: // the file has no list of free pages
	case w.pages:
		if _, err := w.read(w.meta.freelist, 0); err != nil {
			return err
		}
	default:
		if err := w.freelist(w.meta.freelist); err != nil {
			return err
		}
	}
	if err := w.tree(w.meta.root, 0, nil, nil, &shape{}); err != nil {
		return err
	}
	if w.quick || w.pages || w.meta.freelist == noFreelist { // pages may be left that are used or free
		return nil
	}
	if err := w.metaHeader(); err != nil {
		return err
	}
	if w.left > 0 {
		return fmt.Errorf("%d pages are neither used nor free, the first: page %d", w.left, w.unclaimed())
	}
	return nil
}

// claim marks n pages as used or free.
func (w *walk) claim(id, n uint64) error {
	if id >= w.meta.highWater || n > w.meta.highWater-id {
		return fmt.Errorf("pages %d to %d are referenced, but there are only %d", id, id+n-1, w.meta.highWater)
	}
	for i := id; i < id+n; i++ {
		if w.claimed[i/64]&(1<<(i%64)) != 0 {
			return fmt.Errorf("page %d is used twice, or used and free", i)
		}
		w.claimed[i/64] |= 1 << (i % 64)
		w.left--
	}
	return nil
}

// unclaimed returns the first page that nothing has claimed, or 0.
func (w *walk) unclaimed() uint64 {
	for i, word := range w.claimed {
		if ^word != 0 {
			return uint64(i)*64 + uint64(bits.TrailingZeros64(^word))
		}
	}
	return 0
}

// metaHeader verifies the header of the meta page.
func (w *walk) metaHeader() error {
	b := make([]byte, pageHeader)
	if _, err := w.file.ReadAt(b, int64(w.meta.page)*w.meta.pageSize); err != nil {
		return fmt.Errorf("reading page %d: %w", w.meta.page, err)
	}
	if p := parseHeader(b); p.id != w.meta.page || p.kind != metaPage {
		return fmt.Errorf("page %d has the header of page %d of type %#x", w.meta.page, p.id, p.kind)
	}
	return nil
}

// freelist claims the free pages and the pages of their list.
func (w *walk) freelist(id uint64) error {
	p, err := w.read(id, 0)
	if err != nil {
		return err
	}
	if p.kind != freelistPage {
		return fmt.Errorf("page %d of type %#x is not a list of free pages", id, p.kind)
	}
	n, at := uint64(p.count), int64(pageHeader)
	if n == manyFree {
		n, at = native.Uint64(p.data[at:]), at+8
	}
	if n > uint64(p.size-at)/8 {
		return fmt.Errorf("page %d can't list %d free pages", id, n)
	}
	const atOnce = 64 << 10 // bytes
	for end := at + int64(n)*8; at < end; {
		b, err := p.bytes(at, min(end, at+atOnce))
		if err != nil {
			return err
		}
		at += int64(len(b))
		for ; len(b) > 0; b = b[8:] {
			if err := w.claim(native.Uint64(b), 1); err != nil {
				return fmt.Errorf("list of free pages: %w", err)
			}
		}
	}
	return nil
}

// read claims a page and reads its beginning, valid until the next read at that depth.
func (w *walk) read(id uint64, depth int) (page, error) {
	if err := w.ctx.Err(); err != nil {
		return page{}, err
	}
	if depth >= maxDepth {
		return page{}, fmt.Errorf("page %d is %d pages deep", id, depth)
	}
	if err := w.claim(id, 1); err != nil {
		return page{}, err
	}
	size := w.meta.pageSize
	b, err := w.fill(depth, id, size)
	if err != nil {
		return page{}, err
	}
	p := parseHeader(b)
	if p.id != id {
		return p, fmt.Errorf("page %d has the header of page %d", id, p.id)
	}
	if p.overflow > 0 {
		if err := w.claim(id+1, p.overflow); err != nil {
			return p, err
		}
	}
	p.size, p.file, p.at = size*int64(p.overflow+1), w.file, int64(id)*size
	if p.kind != freelistPage && p.tableEnd() > size {
		if p.tableEnd() > p.size {
			return p, fmt.Errorf("page %d can't have %d elements", id, p.count)
		}
		if b, err = w.fill(depth, id, p.tableEnd()); err != nil {
			return p, err
		}
	}
	p.data = b
	return p, nil
}

// fill reads n bytes from the start of a page into the buffer of a depth.
func (w *walk) fill(depth int, id uint64, n int64) ([]byte, error) {
	if int64(cap(w.buffers[depth])) < n {
		w.buffers[depth] = make([]byte, n)
	}
	b := w.buffers[depth][:n]
	if _, err := w.file.ReadAt(b, int64(id)*w.meta.pageSize); err != nil {
		return nil, fmt.Errorf("reading page %d: %w", id, err)
	}
	return b, nil
}

// shape is what a walk knows about a tree once it has reached the first leaf. All leaves
// of a tree are equally deep.
type shape struct {
	leaves  int // depth of the leaves; 0 until one was reached, or if the root is one
	buckets bool
}

// tree walks page id and everything below it, and adds it to s. All keys must be in
// [lo, hi); nil means no bound. Only a root has no lo.
func (w *walk) tree(id uint64, depth int, lo, hi []byte, s *shape) error {
	if w.quick {
		if w.budget == 0 {
			return nil
		}
		w.budget--
	}
	p, err := w.read(id, depth)
	if err != nil {
		return err
	}
	if p.kind != branchPage && p.kind != leafPage {
		return fmt.Errorf("page %d is of type %#x where keys should be", id, p.kind)
	}
	if p.count == 0 && (p.kind == branchPage || lo != nil) { // allowed only for the root of an empty bucket
		return fmt.Errorf("page %d is empty", id)
	}
	return w.elements(&p, depth, lo, hi, s)
}

// elements checks what is on a page: branches, or keys between lo and hi and the buckets among their values. It adds
// to s what the tree looks like.
func (w *walk) elements(p *page, depth int, lo, hi []byte, s *shape) error {
	if p.kind == branchPage {
		return w.branch(p, depth, lo, hi, s)
	}
	s.leaves = depth
	return w.keys(p, lo, hi, func(e element, _, _ []byte) error {
		if !e.bucket {
			return nil
		}
		s.buckets = true
		return w.bucket(p, e, depth)
	})
}

// branch walks the pages below a branch. A quick walk reads no more leaves of a tree once it has read some without buckets.
func (w *walk) branch(p *page, depth int, lo, hi []byte, s *shape) error {
	return w.keys(p, lo, hi, func(e element, key, next []byte) error {
		if w.quick && s.leaves == depth+1 && !s.buckets {
			return w.claim(e.child, 1)
		}
		return w.tree(e.child, depth+1, key, next, s)
	})
}

// keys verifies the order of a page's keys and calls f with each element, its key, and
// the bound of the keys below it.
func (w *walk) keys(p *page, lo, hi []byte, f func(e element, key, next []byte) error) error {
	if p.count == 0 {
		return p.fits(pageHeader)
	}
	load := func(i int, want int64) (e element, key []byte, err error) {
		if e, err = p.element(i, want); err == nil {
			key, err = p.bytes(e.key, e.value)
		}
		return e, key, err
	}
	e, key, err := load(0, p.tableEnd())
	if err != nil {
		return err
	}
	if bytes.Compare(key, lo) < 0 {
		return fmt.Errorf("page %d: its first key is too small", p.id)
	}
	for i := 1; ; i++ {
		next, bound := e, hi // of the last element
		if i < p.count {
			if next, bound, err = load(i, e.end); err != nil {
				return err
			}
		}
		if bound != nil && bytes.Compare(key, bound) >= 0 {
			return fmt.Errorf("page %d: the key of element %d is not less than the next", p.id, i-1)
		}
		if err := f(e, key, bound); err != nil {
			return err
		}
		if i == p.count {
			return p.fits(e.end)
		}
		e, key = next, bound
	}
}

// bucket walks the bucket in the value of an element.
func (w *walk) bucket(p *page, e element, depth int) error {
	if e.end-e.value < bucketSize {
		return fmt.Errorf("page %d: a bucket of %d bytes", p.id, e.end-e.value)
	}
	head, err := p.bytes(e.value, e.value+bucketSize)
	if err != nil {
		return err
	}
	if root := native.Uint64(head); root != 0 {
		return w.tree(root, depth+1, nil, nil, &shape{})
	}
	size := e.end - e.value - bucketSize
	if size < pageHeader || size > w.meta.pageSize {
		return fmt.Errorf("page %d: a small bucket of %d bytes", p.id, size)
	}
	b, err := p.bytes(e.value+bucketSize, e.end)
	if err != nil {
		return err
	}
	in := parseHeader(b)
	if in.id != 0 || in.kind != leafPage || in.overflow != 0 || in.tableEnd() > size || depth+1 >= maxDepth {
		return fmt.Errorf("page %d: a small bucket's page is wrong", p.id)
	}
	in.id, in.data, in.size = p.id, b, size
	return w.elements(&in, depth+1, nil, nil, &shape{})
}
