package file

import (
	"context"
	"errors"
	"fmt"
	"io"

	bolt "go.etcd.io/bbolt"
)

// Snapshot is a read snapshot of the file: a transaction and the frames after it, up to a
// mark. WriteTo writes it.
type Snapshot struct {
	tx     *bolt.Tx
	region *Region
	log    []byte  // content of the region in the copy
	used   pageSet // of the other pages, the copy has zeros
}

// errReused means that frames that a transaction needs were overwritten.
var errReused = errors.New("the frames of the snapshot were overwritten")

// Snapshot returns the read snapshot of a transaction and the frames up to end. It reports
// false if the transaction's meta page or frames after it were overwritten; then the caller
// must begin a new transaction.
func (f *File) Snapshot(ctx context.Context, tx *bolt.Tx, end Mark) (m *Snapshot, ok bool, err error) {
	m = &Snapshot{tx: tx, region: f.region}
	m.log, err = f.region.copyFrames(tx, end)
	if errors.Is(err, errReused) {
		return nil, false, nil
	}
	if err == nil {
		m.used, err = f.usedBy(ctx, tx)
	}
	return m, err == nil && m.used != nil, err
}

// usedBy returns the pages that a transaction reaches, or nil if its meta page was overwritten.
func (f *File) usedBy(ctx context.Context, tx *bolt.Tx) (pageSet, error) {
	for _, m := range readMetas(f.pages) {
		if m.txid == uint64(tx.ID()) {
			used, err := reached(ctx, f.pages, m)
			return used, f.verdict(ctx, err)
		}
	}
	return nil, nil
}

// copyFrames returns the content of the region for a copy: the frames that a transaction
// needs, up to end, and zeros elsewhere.
func (r *Region) copyFrames(tx *bolt.Tx, end Mark) ([]byte, error) {
	said, ok := decodeFlushed(tx.Bucket(metaName).Get(flushedKey))
	if !ok {
		return nil, &DamagedError{Path: r.file.path, Detail: "what it says of its log region is wrong"}
	}
	out := make([]byte, r.size)
	for at := said.Position; at < end.Position; {
		n := min(end.Position-at, r.size-at%r.size)
		place := at % r.size
		if _, err := r.file.pages.ReadAt(out[place:place+n], r.at+int64(place)); err != nil {
			return nil, fmt.Errorf("reading the log region of %s: %w", r.file.path, err)
		}
		at += n
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tail > said.Position { // frames that the copy needs may be overwritten
		return nil, errReused
	}
	return out, nil
}

// WriteTo writes the read snapshot to w as a file with both meta pages and a copy of the
// newer one.
func (m *Snapshot) WriteTo(w io.Writer) (int64, error) {
	return m.tx.WriteTo(&copyingWriter{w: w, pageSize: m.tx.DB().Info().PageSize, log: m.log, logAt: m.region.at, used: m.used})
}

// copyingWriter completes a file that bbolt writes with what bbolt does not know: the
// copy of a meta page, and the log region. It buffers the meta pages until it has both.
type copyingWriter struct {
	w        io.Writer
	pageSize int
	metas    []byte
	at       int64 // bytes written so far

	log   []byte
	logAt int64
	used  pageSet
	patch []byte
}

// Write copies what it gets. It holds back the first two pages, the meta pages, until it has both, and adds to the
// second a copy of the first.
func (c *copyingWriter) Write(p []byte) (int, error) {
	if c.at > 0 {
		return c.write(p)
	}
	n := min(len(p), 2*c.pageSize-len(c.metas))
	c.metas = append(c.metas, p[:n]...)
	if len(c.metas) < 2*c.pageSize {
		return n, nil
	}
	at := copyPlace(1, int64(c.pageSize)) // bbolt makes the first one the newer
	copy(c.metas[at:], c.metas[pageHeader:pageHeader+metaSize])
	if _, err := c.write(c.metas); err != nil || n == len(p) {
		return n, err
	}
	rest, err := c.write(p[n:])
	return n + rest, err
}

// withoutFree returns the next bytes of the file with zeros in free pages. patched reports whether
// p is c.patch.
func (c *copyingWriter) withoutFree(p []byte, patched bool) []byte {
	size := int64(c.pageSize)
	for id := c.at / size; id*size < c.at+int64(len(p)); id++ {
		if c.used.has(uint64(id)) {
			continue
		}
		if !patched {
			c.patch, patched = append(c.patch[:0], p...), true
			p = c.patch
		}
		clear(p[max(0, id*size-c.at):min(int64(len(p)), (id+1)*size-c.at)])
	}
	return p
}

// write writes the next bytes of the file, with those of the region replaced by log.
func (c *copyingWriter) write(p []byte) (int, error) {
	from, to := max(c.at, c.logAt), min(c.at+int64(len(p)), c.logAt+int64(len(c.log)))
	if from < to {
		c.patch = append(c.patch[:0], p...) // p belongs to the caller
		copy(c.patch[from-c.at:to-c.at], c.log[from-c.logAt:])
		p = c.patch
	}
	p = c.withoutFree(p, from < to)
	n, err := c.w.Write(p)
	c.at += int64(n)
	return n, err
}
