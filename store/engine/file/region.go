package file

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/checksum"
)

// A file has a log region for the writes that are not in its buckets yet: the value of the
// only key of the bucket "wal", which bbolt never moves. It is written in place, so a small
// write costs its own bytes and one sync, and writes no pages.
//
// The region is a ring of frames. Positions increase forever; a position modulo the
// region's size is the offset in the region. Frames are 8-byte aligned and do not
// cross the region's end: one that does not fit there begins at the region's start. A
// frame is
//
//	length    4 bytes, of the payload
//	checksum  4 bytes, CRC-32C of all other bytes of the frame
//	sequence  8 bytes, XOR the file's salt, so that no payload can look like a frame
//	payload
//
// The key "flushed" of the bucket "meta" records which frames are in the buckets. The
// transaction that applies frames to the buckets sets it. Later frames are read again
// when the file is opened.
//
// A frame is written only once the previous one is on the disk. So if the last frame is
// truncated or damaged, it was never acknowledged, and is dropped. If a later frame
// follows a damaged one, the damaged one was acknowledged, and the file is damaged.
//
// Space is reused once each of the last two commits records that its frames are flushed.
// If the newer meta page is lost, the older transaction still finds all its frames.

var (
	walName     = []byte("wal")
	logKey      = []byte("log")
	flushedKey  = []byte("flushed")
	featuresKey = []byte("features")
)

const (
	// RegionSize is the default size of the region in bytes.
	RegionSize    = 4 << 20
	smallestLog   = 64 << 10
	frameHeader   = 16
	frameAlign    = 8
	flushedLength = 4 * 8
)

// Mark is the end of a frame in the region.
type Mark struct {
	Sequence uint64 // of the frame; the next frame has the next number
	Position uint64 // of the next frame's start
}

// flushed is the value of flushedKey.
type flushed struct {
	Mark
	keep uint64 // Position as of the previous transaction
	salt uint64
}

func (f flushed) encode() []byte {
	var b []byte
	for _, n := range []uint64{f.Sequence, f.Position, f.keep, f.salt} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return checksum.Append(flushedKey, b)
}

// decodeFlushed decodes what flushed.encode wrote. ok is false if it is damaged.
func decodeFlushed(b []byte) (f flushed, ok bool) {
	if b, ok = checksum.Cut(flushedKey, b); !ok || len(b) != flushedLength {
		return f, false
	}
	for i, n := range []*uint64{&f.Sequence, &f.Position, &f.keep, &f.salt} {
		*n = binary.BigEndian.Uint64(b[8*i:])
	}
	return f, true
}

// Region is the log region of an open file. Only one goroutine at a time may call Append;
// the other methods are safe for concurrent use.
type Region struct {
	file *File
	at   int64 // offset of the value in the file
	size uint64
	salt uint64

	appending sync.Mutex // held while a frame is written, and while free space is overwritten
	frame     []byte     // for Append

	mu        sync.Mutex // guards the fields below
	head      Mark       // end of the last frame
	recovered Mark       // start of the frames that Recover read
	flushed   uint64     // position flushed by the last commit
	tail      uint64     // position flushed by the commit before; space before it is free
	setting   *uint64    // position of SetFlushed in the transaction being committed
}

// makeRegion creates a region of size bytes, RegionSize if that is 0, and records it in
// the meta bucket.
func makeRegion(tx *bolt.Tx, size int) error {
	size = max(cmp.Or(size, RegionSize), smallestLog) &^ (frameAlign - 1)
	var salt [8]byte
	rand.Read(salt[:])
	b, err := tx.CreateBucket(walName)
	if err == nil {
		err = b.Put(logKey, make([]byte, size))
	}
	if err != nil {
		return fmt.Errorf("creating the log region: %w", err)
	}
	meta := tx.Bucket(metaName)
	return errors.Join(
		meta.Put(formKey, []byte(Form)),
		putFeatures(tx, featureLog),
		meta.Put(flushedKey, flushed{salt: binary.BigEndian.Uint64(salt[:])}.encode()),
	)
}

// Region returns the file's log region.
func (f *File) Region() *Region { return f.region }

// openRegion locates the region. It does not read the frames; see Recover.
func (f *File) openRegion(tx *bolt.Tx) (*Region, error) {
	wrong := func(detail string) error { return &DamagedError{Path: f.path, Detail: detail} }
	said, ok := decodeFlushed(tx.Bucket(metaName).Get(flushedKey))
	if !ok {
		return nil, wrong("what it says of its log region is wrong")
	}
	at, size, detail, err := placeOfRegion(f.pages, tx)
	if err != nil {
		return nil, fmt.Errorf("reading the log region of %s: %w", f.path, err)
	}
	if detail != "" {
		return nil, wrong(detail)
	}
	return &Region{file: f, at: at, size: uint64(size), salt: said.salt,
		head: said.Mark, flushed: said.Position, tail: min(said.keep, said.Position)}, nil
}

// placeOfRegion returns where in a file the region is, and its size, or what is wrong with it.
func placeOfRegion(pages io.ReaderAt, tx *bolt.Tx) (at, size int64, wrong string, err error) {
	b := tx.Bucket(walName)
	if b == nil {
		return 0, 0, "the bucket of its log region is missing", nil
	}
	pageSize := int64(tx.DB().Info().PageSize)
	at = int64(b.Root()) * pageSize
	head := make([]byte, pageHeader+elementSize)
	if _, err := pages.ReadAt(head, at); err != nil {
		return 0, 0, "", err
	}
	p := parseHeader(head)
	p.size, p.data = int64(p.overflow+1)*pageSize, head
	if p.kind != leafPage || p.count != 1 || int64(p.id)*pageSize != at {
		return 0, 0, "the page of its log region has other content too", nil
	}
	e, err := p.element(0, p.tableEnd())
	size = e.end - e.value
	if err != nil || e.bucket || size < smallestLog || size%frameAlign != 0 || int(size) != len(b.Get(logKey)) {
		return 0, 0, "the page of its log region is damaged", nil
	}
	return at + e.value, size, "", nil
}

// begin returns the position of a frame of n bytes that follows position at.
func (r *Region) begin(at, n uint64) uint64 {
	if left := r.size - at%r.size; n > left {
		at += left
	}
	return at
}

// Size returns the size of the region in bytes.
func (r *Region) Size() int { return int(r.size) }

// Most returns the length in bytes of the longest payload for Append. The region has room
// for several of them.
func (r *Region) Most() int { return int(r.size)/8 - frameHeader }

// Head returns the end of the last frame.
func (r *Region) Head() Mark {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.head
}

// Waiting returns how many bytes of the region are not flushed, as of the last commit.
func (r *Region) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return int(r.head.Position - r.flushed)
}

// Fits reports whether there is room for a payload of the given length in bytes.
func (r *Region) Fits(payload int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fits(frameSize(payload))
}

func (r *Region) fits(n uint64) bool {
	return n <= r.size && r.begin(r.head.Position, n)+n-r.tail <= r.size
}

// errNoRoom means that the caller of Append did not check Fits.
var errNoRoom = errors.New("the log region has no room")

// Append writes a frame, waits until it is on the disk, and returns its end. After an error the
// frame may or may not be in the region, and nothing may be written until the file is opened
// again. One frame is appended at a time; others may read the region meanwhile.
func (r *Region) Append(payload []byte) (Mark, error) {
	n := frameSize(len(payload))
	r.appending.Lock()
	defer r.appending.Unlock()
	r.mu.Lock()
	head, fits := r.head, r.fits(n)
	r.mu.Unlock()
	if !fits {
		return head, errNoRoom
	}
	at := r.begin(head.Position, n)
	if at != head.Position { // the bytes that it skips may be of an older lap
		if err := r.write(make([]byte, at-head.Position), head.Position); err != nil {
			return head, err
		}
	}
	next := Mark{head.Sequence + 1, at + n}
	if err := r.write(r.encode(next.Sequence, payload), at); err != nil {
		return head, err
	}
	if err := r.sync(); err != nil {
		return head, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.head = next
	return next, nil
}

// write writes bytes at a position. They must not cross the region's end.
func (r *Region) write(b []byte, at uint64) error {
	n, err := r.file.frames.WriteAt(b, r.at+int64(at%r.size))
	r.file.out.bytes.Add(int64(n))
	if err != nil {
		return fmt.Errorf("writing the log region of %s: %w", r.file.path, err)
	}
	return nil
}

func (r *Region) sync() error {
	r.file.out.syncs.Add(1)
	if err := syncData(r.file.frames); err != nil {
		return fmt.Errorf("syncing the log region of %s: %w", r.file.path, err)
	}
	return nil
}

// Recover calls do with each frame that is not flushed, in order. Call it once, before Append.
// The error may be a *DamagedError or do's. A killed process may not have synced the last
// frame, so the caller must flush the frames, or call Rewrite, before Append.
func (r *Region) Recover(do func(end Mark, payload []byte) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := make([]byte, r.size)
	if _, err := r.file.pages.ReadAt(b, r.at); err != nil {
		return fmt.Errorf("reading the log region of %s: %w", r.file.path, err)
	}
	r.recovered = r.head
	for {
		payload, end, ok := r.next(b, r.head)
		if !ok {
			break
		}
		if end.Position-r.flushed > r.size {
			break // not a written frame: its space was not free
		}
		if err := do(end, payload); err != nil {
			return err
		}
		r.head = end
	}
	if lost := r.later(b); lost != 0 {
		return &DamagedError{Path: r.file.path, Detail: fmt.Sprintf("its log region has frame %d, but the earlier frame %d can't be read, although it was acknowledged",
			lost, r.head.Sequence+1)}
	}
	return nil
}

// Rewrite writes the frames that Recover read again and syncs them, so that they survive
// a power cut. A power cut meanwhile may destroy the sectors being written, and
// acknowledged frames in them. A flush is safer, but needs room.
func (r *Region) Rewrite() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := make([]byte, r.size)
	if _, err := r.file.pages.ReadAt(b, r.at); err != nil {
		return fmt.Errorf("reading the log region of %s: %w", r.file.path, err)
	}
	for at, end := r.recovered.Position, r.head.Position; at < end; {
		n := min(end-at, r.size-at%r.size)
		if err := r.write(b[at%r.size:at%r.size+n], at); err != nil {
			return err
		}
		at += n
	}
	return r.sync()
}

// next returns the frame after a mark in a copy of the region.
func (r *Region) next(b []byte, m Mark) (payload []byte, end Mark, ok bool) {
	for _, at := range []uint64{m.Position, r.begin(m.Position, r.size)} { // here, or at the region's start
		if payload, n, ok := r.decode(b[at%r.size:], m.Sequence+1); ok {
			return payload, Mark{m.Sequence + 1, at + n}, true
		}
	}
	return nil, m, false
}

// later returns the sequence number of a frame in a copy of the region that was written
// after the missing one at the head, or 0 if there is none.
func (r *Region) later(b []byte) uint64 {
	for at := uint64(0); at+frameHeader <= r.size; at += frameAlign {
		sequence := binary.BigEndian.Uint64(b[at+8:]) ^ r.salt
		if ahead := sequence - r.head.Sequence; ahead < 2 || ahead > r.size { // of an older frame, or of no frame
			continue
		}
		if _, _, ok := r.decode(b[at:], sequence); ok {
			return sequence
		}
	}
	return 0
}

// SetFlushed records, in a write transaction, that the buckets hold all frames up to m, and
// returns the resulting mark. If skip, the transaction also contains a write that is in no
// frame, which takes a sequence number: later frames build on it, and are ignored without the
// transaction.
func (r *Region) SetFlushed(tx *bolt.Tx, m Mark, skip bool) (Mark, error) {
	if skip {
		m.Sequence++
	}
	r.mu.Lock()
	keep := r.flushed
	r.mu.Unlock()
	if err := tx.Bucket(metaName).Put(flushedKey, flushed{m, keep, r.salt}.encode()); err != nil {
		return m, fmt.Errorf("recording what is flushed: %w", err)
	}
	at := m.Position
	tx.OnCommit(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.setting = &at
		if skip {
			r.head = m
		}
	})
	return m, nil
}

// committed records that a transaction was committed.
func (r *Region) committed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tail = r.flushed
	if r.setting != nil {
		r.flushed, r.setting = *r.setting, nil
	}
}
