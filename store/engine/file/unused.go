package file

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	bolt "go.etcd.io/bbolt"
)

// pageSet has one bit for each page of a file.
type pageSet []uint64

func (s pageSet) has(page uint64) bool {
	return page/64 < uint64(len(s)) && s[page/64]&(1<<(page%64)) != 0
}

// reached returns the pages that meta pages lead to. The error is the context's or describes
// damage.
func reached(ctx context.Context, file io.ReaderAt, metas ...meta) (used pageSet, err error) {
	for _, m := range metas {
		w := newWalk(ctx, file, m)
		w.pages = true
		if err := w.run(); err != nil {
			return nil, err
		}
		if len(used) < len(w.claimed) {
			used, w.claimed = w.claimed, used
		}
		for i, word := range w.claimed {
			used[i] |= word
		}
	}
	return used, nil
}

// Unused calls look with each page that the newest transaction does not use, except lists of free
// pages, and with the first bytes of the page behind it, as many as overlap says, if that is unused too. elements calls its argument with each key and value that the page still has from a time when
// it was used.
func (f *File) Unused(ctx context.Context, overlap int, look func(page []byte, elements func(func(key, value []byte)))) error {
	tx, m, err := f.begin(ctx)
	if err != nil {
		return err
	}
	defer f.End(tx)
	used, err := reached(ctx, f.pages, m)
	if err != nil {
		return f.verdict(ctx, err)
	}
	const most = 64 // pages read at once, because a page's elements may go on in those after it
	b := make([]byte, most*m.pageSize)
	for id := uint64(2); id < m.highWater; id++ {
		if used.has(id) {
			continue
		}
		n := min(most, m.highWater-id) * uint64(m.pageSize)
		if _, err := f.pages.ReadAt(b[:n], int64(id)*m.pageSize); err != nil {
			return fmt.Errorf("reading page %d: %w", id, err)
		}
		if p := parseHeader(b); p.kind == freelistPage && p.id == id {
			continue
		}
		end := m.pageSize
		if n > uint64(end) && !used.has(id+1) {
			end += min(int64(overlap), m.pageSize)
		}
		look(b[:end], func(each func(key, value []byte)) { oldElements(b[:n], m.pageSize, each) })
	}
	return nil
}

// oldElements calls each with the keys and values of a page that is no longer used.
func oldElements(b []byte, pageSize int64, each func(key, value []byte)) {
	p := parseHeader(b)
	if p.kind != leafPage || p.tableEnd() > int64(len(b)) {
		return
	}
	p.data, p.size = b, min(int64(len(b)), pageSize*int64(p.overflow+1))
	for i, at := 0, p.tableEnd(); i < p.count; i++ {
		e, err := p.element(i, at)
		if err != nil {
			return
		}
		each(b[e.key:e.value], b[e.value:e.end])
		at = e.end
	}
}

// pageFile is a file that pages are read from and written to.
type pageFile interface {
	io.ReaderAt
	io.WriterAt
}

// zeroUnused overwrites the pages of a file that its meta pages do not lead to. Nothing may write
// pages meanwhile, or read the pages of older transactions.
func zeroUnused(ctx context.Context, file pageFile) error {
	metas := readMetas(file)
	used, err := reached(ctx, file, metas...)
	if err != nil || len(metas) == 0 {
		return err
	}
	size := metas[0].pageSize
	page, zeros := make([]byte, size), make([]byte, size)
	for id := int64(2); ; id++ {
		if used.has(uint64(id)) {
			continue
		}
		n, err := file.ReadAt(page, id*size)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && !bytes.Equal(page[:n], zeros[:n]) {
			_, err = file.WriteAt(zeros, id*size)
		}
		if err != nil {
			return fmt.Errorf("overwriting page %d: %w", id, err)
		}
	}
}

const (
	// readersEnd is how long Scrub waits before it looks again whether old readers have ended.
	readersEnd = 20 * time.Millisecond
	// readersOverlap is how long Scrub waits like that. New transactions make all readers old, so if reads overlap, some are
	// always old. Then Scrub keeps others from writing pages: first for readersHold, and each time for twice as long, up to
	// mostHold, but only an eighth of it if somebody wants to write. After each time it lets them write for ten times as long.
	readersOverlap = 10 * time.Second
	readersHold    = time.Second
	mostHold       = 32 * time.Second
)

// Scrub overwrites the pages that neither of the last two transactions uses and the frames of the
// log that they do not need, and syncs the file. It waits for readers of older transactions. The
// caller sees to it that nobody else begins to write pages until lock's result is called. wanted reports whether somebody who
// can't go on without it waits to do so.
func (f *File) Scrub(ctx context.Context, lock func() (unlock func()), wanted func() bool) error {
	begin, pause, hold := time.Now(), readersEnd, readersHold
	for first := true; ; first = false {
		unlock := lock()
		done, err := f.scrub(ctx)
		if time.Since(begin) > readersOverlap {
			for held := time.Now(); !done && err == nil && time.Since(held) < hold; done, err = f.scrub(ctx) {
				flush := f.region.Waiting() >= f.region.Size()/2 // let one make room
				if flush || ctx.Err() != nil || wanted() && time.Since(held) > hold/8 {
					break
				}
				time.Sleep(readersEnd)
			}
			pause, hold = 10*hold, min(2*hold, mostHold)
		}
		if first && errors.As(err, new(*DamagedError)) { // a commit that failed may have spoiled the older transaction
			if err = f.Update(func(*bolt.Tx) error { return nil }); err == nil {
				done, err = f.scrub(ctx)
			}
		}
		unlock()
		if done || err != nil {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// scrub overwrites all unused pages with zeros. done is false if a reader may still need some of them.
func (f *File) scrub(ctx context.Context) (done bool, err error) {
	tx, err := f.Begin(true)
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback() }()
	if f.oldestReader() < uint64(tx.ID())-2 { // tx comes after the last two
		return false, nil
	}
	if err := zeroUnused(ctx, struct {
		io.ReaderAt
		io.WriterAt
	}{f.pages, f.out}); err != nil {
		return false, f.verdict(ctx, err)
	}
	return true, f.region.Clean()
}

// Frames calls whole with the bytes of the region, and frame with the payload of each frame that
// can be read in it, flushed or not, to look for old content.
func (r *Region) Frames(whole, frame func([]byte)) error {
	b := make([]byte, r.size)
	if _, err := r.file.pages.ReadAt(b, r.at); err != nil {
		return fmt.Errorf("reading the log region of %s: %w", r.file.path, err)
	}
	whole(b)
	for at := uint64(0); at+frameHeader <= r.size; at += frameAlign {
		sequence := binary.BigEndian.Uint64(b[at+8:]) ^ r.salt // what the frame says, because any will do
		if payload, _, ok := r.decode(b[at:], sequence); ok {
			frame(payload)
		}
	}
	return nil
}

// cleanStep is how many bytes Clean overwrites while no frame can be appended.
const cleanStep = 256 << 10

// Clean overwrites the frames of the region that no transaction needs.
func (r *Region) Clean() error {
	for from := uint64(0); from < r.size; from += cleanStep {
		if err := r.clean(from, min(from+cleanStep, r.size)); err != nil {
			return err
		}
	}
	r.appending.Lock() // so that an error of the sync is not lost for a frame
	defer r.appending.Unlock()
	return r.sync()
}

// clean overwrites what is free between two offsets.
func (r *Region) clean(from, to uint64) error {
	r.appending.Lock() // a frame that is being written is not in head yet
	defer r.appending.Unlock()
	r.mu.Lock()
	first := r.head.Position % r.size
	end := first + r.size - (r.head.Position - r.tail)
	r.mu.Unlock()
	for _, free := range [][2]uint64{{first, min(end, r.size)}, {0, max(end, r.size) - r.size}} { // the rest is at the region's start
		lo, hi := max(from, free[0]), min(to, free[1])
		if lo < hi {
			if err := r.write(make([]byte, hi-lo), lo); err != nil {
				return err
			}
		}
	}
	return nil
}

// zeroRest overwrites the free pages of the file at path, and the frames of its log region, which must all be flushed. tx is a
// transaction of that file.
func zeroRest(path string, tx *bolt.Tx) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	at, size, wrong, err := placeOfRegion(f, tx)
	if wrong != "" {
		err = errors.New(wrong)
	}
	if err == nil {
		_, err = f.WriteAt(make([]byte, size), at)
	}
	if err == nil {
		err = zeroUnused(context.Background(), f)
	}
	return errors.Join(err, f.Close())
}
