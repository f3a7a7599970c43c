// Package bag reads MCAP files, the recordings of robots: with an index or without, in chunks or not, cut or whole. A
// file may be hostile: memory is bounded, and an error says where in the file it is.
//
// github.com/foxglove/mcap/go/mcap (v1.7.3) does not bound it: it panics on a chunk whose compression has a name of 25
// bytes, lets zstd take half a GiB for a chunk, takes the end of a chunk inside a record for the end of the chunk, and
// with a limit of records refuses attachments that are only to be skipped.
package bag

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/segraph/segraph/robot/message"
)

const (
	magic = "\x89MCAP0\r\n"
	// maxRecord limits in bytes a record that is read, and what a chunk contains.
	maxRecord = 64 << 20
	// maxDefinitions limits in bytes the definitions and topics that are kept.
	maxDefinitions = 16 << 20
)

// The records that are read. Others, such as attachments and the index, are skipped.
const (
	opSchema  = 3
	opChannel = 4
	opMessage = 5
	opChunk   = 6
	opDataEnd = 15
)

// Handler takes what a bag contains.
type Handler struct {
	// Channel is called for a new channel. wanted says whether its messages are to be read.
	Channel func(*message.Channel) (wanted bool)
	// Message is called for each message. Data is nil if the channel is not wanted, and valid during the call.
	// Its error ends Read.
	Message func(*message.Channel, message.Message) error
	// Damaged is called for a chunk or record that can't be read and is skipped.
	Damaged func(error)
}

// CutError says that a file ends before its data does. Everything before was read.
type CutError struct {
	At   int64 // where the incomplete record begins
	Size int64 // of the file
}

func (e *CutError) Error() string {
	return fmt.Sprintf("the file was cut: it ends at byte %d, inside the record that begins at byte %d", e.Size, e.At)
}

// reader is the state of Read.
type reader struct {
	in       *bufio.Reader
	at       int64 // bytes read
	h        Handler
	schemas  map[uint16]*message.Channel // only Type, SchemaEncoding and Schema are set
	channels map[uint16]*channel
	kept     int // bytes of definitions
	record   bytes.Buffer
	chunk    []byte
	zstd     *zstd.Decoder
	lz4      *lz4.Reader
}

type channel struct {
	message.Channel
	wanted bool
}

// Read reads a bag to its end, and returns the SHA-256 of the file. A *CutError says that the file is incomplete; other
// errors come from reading the bag, from its format, or from h.Message.
func Read(in io.Reader, h Handler) (sum [sha256.Size]byte, err error) {
	digest := sha256.New()
	tee := io.TeeReader(in, digest)
	r := &reader{in: bufio.NewReaderSize(tee, 1<<20), h: h, schemas: map[uint16]*message.Channel{}, channels: map[uint16]*channel{}}
	r.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxRecord), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return sum, fmt.Errorf("prepare to decompress: %w", err)
	}
	defer r.zstd.Close()
	r.lz4 = lz4.NewReader(nil)
	if err = r.read(); err == nil || errors.As(err, new(*CutError)) {
		return finish(digest, tee, err)
	}
	return sum, err
}

// finish hashes the rest of a file.
func finish(digest hash.Hash, tee io.Reader, err error) (sum [sha256.Size]byte, _ error) {
	if _, rest := io.Copy(io.Discard, tee); rest != nil {
		return sum, fmt.Errorf("read the file: %w", rest)
	}
	return [sha256.Size]byte(digest.Sum(nil)), err
}

// read reads the records up to the end of the data. The error is a *CutError if the file ends
// before.
func (r *reader) read() error {
	head := make([]byte, len(magic))
	n, err := io.ReadFull(r.in, head)
	r.at = int64(n)
	if err != nil && n == 0 && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the file: %w", err)
	}
	if string(head) != magic {
		return errors.New("it is no MCAP file: it does not begin with MCAP's magic bytes")
	}
	for {
		begin := r.at
		op, size, err := r.head()
		if err == nil {
			err = r.take(op, size, begin)
		}
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
			return &CutError{At: begin, Size: r.at}
		case err != nil:
			return err
		case op == opDataEnd:
			return nil
		}
	}
}

// head reads the kind and size of the next record.
func (r *reader) head() (op byte, size uint64, err error) {
	var b [9]byte
	n, err := io.ReadFull(r.in, b[:])
	r.at += int64(n)
	return b[0], binary.LittleEndian.Uint64(b[1:]), err
}

// take reads a record outside of chunks, of size bytes from begin, or skips it. A damaged chunk is only reported.
func (r *reader) take(op byte, size uint64, begin int64) error {
	keep := size
	switch op {
	case opSchema, opChannel, opChunk: // keep all of it
	case opMessage:
		if head, err := r.in.Peek(2); err == nil && size >= messageHead && !r.wants(head) {
			keep = messageHead
		}
	default:
		keep = 0
	}
	if keep > maxRecord {
		return fmt.Errorf("the record at byte %d has %d bytes, and at most %d are read", begin, size, maxRecord)
	}
	r.record.Reset()
	n, err := io.CopyN(&r.record, r.in, int64(keep)) // grows with what there is
	r.at += n
	if err != nil {
		return err
	}
	rest := size - keep
	for rest > 0 {
		n, err := io.CopyN(io.Discard, r.in, int64(min(rest, 1<<40))) // rest may not fit an int64
		r.at += n
		rest -= uint64(n)
		if err != nil {
			return err
		}
	}
	place := func() string { return fmt.Sprintf("at byte %d", begin) }
	if op == opChunk {
		err := r.unpack(r.record.Bytes(), place)
		if fault := (*badRecord)(nil); errors.As(err, &fault) {
			r.h.Damaged(fault)
			err = nil
		}
		return err
	}
	return r.use(op, r.record.Bytes(), place)
}

// badRecord is an error in one record or chunk, which is skipped.
type badRecord struct {
	what, place string
	err         error
}

func (e *badRecord) Error() string { return fmt.Sprintf("the %s %s: %v", e.what, e.place, e.err) }

// unpack decompresses a chunk and reads its records. place says where the chunk is, for errors.
func (r *reader) unpack(b []byte, place func() string) error {
	c := cursor{rest: b}
	c.number(8) // the time of the first message
	c.number(8) // the time of the last one
	size, sum, compression := c.number(8), uint32(c.number(4)), c.text()
	packed := c.bytes(c.number(8))
	bad := func(err error) error { return &badRecord{"chunk", place(), err} }
	if c.short {
		return bad(errShort)
	}
	records, err := r.decompress(compression, packed, size)
	if err != nil {
		return bad(err)
	}
	if got := crc32.ChecksumIEEE(records); sum != 0 && got != sum {
		return bad(fmt.Errorf("its checksum is %08x, not %08x: it is damaged", got, sum))
	}
	for at := 0; at < len(records); {
		rest := records[at:]
		if len(rest) < 9 {
			return bad(fmt.Errorf("byte %d of its content: %w", at, errShort))
		}
		n := binary.LittleEndian.Uint64(rest[1:])
		if n > uint64(len(rest)-9) {
			return bad(fmt.Errorf("byte %d of its content: %w", at, errShort))
		}
		inside := func() string { return fmt.Sprintf("at byte %d of the chunk %s", at, place()) }
		if rest[0] == opChunk {
			return bad(errors.New("it contains a chunk"))
		}
		if err := r.use(rest[0], rest[9:9+n], inside); err != nil {
			return err
		}
		at += 9 + int(n)
	}
	return nil
}

// decompress returns what a chunk contains, of the size that it says.
func (r *reader) decompress(compression string, packed []byte, size uint64) ([]byte, error) {
	if size > maxRecord {
		return nil, fmt.Errorf("it contains %d bytes, and at most %d are read", size, maxRecord)
	}
	if uint64(cap(r.chunk)) < size {
		r.chunk = make([]byte, size)
	}
	var err error
	switch compression {
	case "":
		r.chunk = append(r.chunk[:0], packed...)
	case "zstd":
		if r.chunk, err = r.zstd.DecodeAll(packed, r.chunk[:0:size]); err != nil {
			return nil, fmt.Errorf("decompress zstd: %w", err)
		}
	case "lz4":
		r.lz4.Reset(bytes.NewReader(packed))
		out := bytes.NewBuffer(r.chunk[:0])
		if _, err := io.Copy(out, io.LimitReader(r.lz4, int64(size)+1)); err != nil {
			return nil, fmt.Errorf("decompress lz4: %w", err)
		}
		r.chunk = out.Bytes()
	default:
		return nil, fmt.Errorf("its compression %.20q is none of zstd and lz4", compression)
	}
	if uint64(len(r.chunk)) != size {
		return nil, fmt.Errorf("it contains another number of bytes than the %d that it says", size)
	}
	return r.chunk, nil
}

// messageHead is the size of what a message has before its data.
const messageHead = 22

// wants reports whether the messages of a channel are to be read.
func (r *reader) wants(id []byte) bool {
	c := r.channels[binary.LittleEndian.Uint16(id)]
	return c == nil || c.wanted
}

// use takes a record inside or outside of chunks. place says where it is, for errors. A damaged record is only reported.
func (r *reader) use(op byte, b []byte, place func() string) error {
	c, what := cursor{rest: b}, ""
	switch op {
	case opSchema:
		what = "definition"
		id := uint16(c.number(2))
		s := &message.Channel{Type: message.Short(c.text()), SchemaEncoding: c.text(), Schema: bytes.Clone(c.bytes(c.number(4)))}
		if _, known := r.schemas[id]; !known && !c.short {
			r.kept += len(b)
			r.schemas[id] = s
		}
	case opChannel:
		what = "channel"
		id, schema, topic, encoding := uint16(c.number(2)), uint16(c.number(2)), c.text(), c.text()
		if r.channels[id] == nil && !c.short {
			r.kept += len(b)
			ch := &channel{}
			if s := r.schemas[schema]; s != nil {
				ch.Channel = *s
			}
			ch.Topic, ch.Encoding = topic, encoding
			ch.wanted = r.h.Channel(&ch.Channel)
			r.channels[id] = ch
		}
	case opMessage:
		what = "message"
		id := uint16(c.number(2))
		c.number(4) // its number in the channel
		log, publish := c.time(), c.time()
		ch := r.channels[id]
		if c.short || ch == nil {
			break
		}
		m := message.Message{Log: log, Publish: publish}
		if ch.wanted {
			m.Data = c.rest
		}
		return r.h.Message(&ch.Channel, m)
	default:
		return nil
	}
	if r.kept > maxDefinitions {
		return fmt.Errorf("the %s %s: the definitions have more than %d bytes", what, place(), maxDefinitions)
	}
	if c.short {
		r.h.Damaged(&badRecord{what, place(), errShort})
	} else if op == opMessage {
		r.h.Damaged(&badRecord{what, place(), errors.New("its channel is unknown")})
	}
	return nil
}

var errShort = errors.New("it is shorter than it says")

// cursor reads the fields of a record. short is set once one is missing.
type cursor struct {
	rest  []byte
	short bool
}

// bytes returns the next n bytes. If fewer are left, it sets c.short, and returns nil from then on.
func (c *cursor) bytes(n uint64) []byte {
	if c.short = c.short || n > uint64(len(c.rest)); c.short {
		return nil
	}
	out := c.rest[:n:n]
	c.rest = c.rest[n:]
	return out
}

func (c *cursor) number(size uint64) (n uint64) {
	for i, b := range c.bytes(size) {
		n |= uint64(b) << (8 * i)
	}
	return n
}

func (c *cursor) text() string { return string(c.bytes(c.number(4))) }

func (c *cursor) time() time.Time { return time.Unix(0, int64(c.number(8))).UTC() }
