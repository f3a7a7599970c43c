// Package pack defines what a box sends to a centre: consecutive entries of its journal, with what
// they open and what logs said, and a checkpoint that the box signed over them. A centre verifies a
// pack before it stores anything of it.
package pack

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
)

// Limits of a pack.
const (
	Usual = 1 << 20  // bytes of a pack before it is compressed, after which no entry is added
	Max   = 64 << 20 // the same, with its last entry
	// MaxSent limits the compressed bytes.
	MaxSent = 16 << 20
	// MaxEntries limits the entries.
	MaxEntries    = 2000
	maxCheckpoint = 16 << 10
	maxHandovers  = 100
)

const magic = "segraph pack 5\n"

// words is a dictionary for zstd: a log is small, and what it says in common with others would be most of its pack.
//
//go:embed words.txt
var words []byte

// wordsID is the dictionary's number in a compressed pack.
const wordsID = 1

// MediaType is the media type of a pack.
const MediaType = "application/vnd.segraph.pack"

// Pack holds consecutive entries of a log.
type Pack struct {
	Log        string // the log's name
	First      uint64 // log index of the first entry, from 0: how many entries the log had before
	Entries    []Entry
	Checkpoint []byte // signed, of the log up to and with the last entry; without its last line, as Seal sets it
	Report     []byte // signed: see Report; nil if the centre has a recent one. A pack without entries has only this
	// Handovers are the notes of later rotations of the log's key, in order: the old keys are gone, so the
	// newest one signs.
	Handovers []string
}

// Entry is an entry of a journal, and what is beside it.
type Entry struct {
	JSON    []byte // the stored entry without its link
	Open    []byte // the values of who and what: the JSON of a *journal.Open, which is nil once they were erased
	Salt    []byte // of the content's hashes; nil once it was erased
	Content []byte // what a log said, as N-Quads, or the text of an observation or of an Erasure; nil if that is not kept
}

// Size returns about how many bytes an entry takes in a pack.
func (e *Entry) Size() int { return len(e.JSON) + len(e.Content) + 300 }

// beside returns the last line of the checkpoint's text. It has the hash of what is beside the entries, also of that
// nothing is.
func (p *Pack) beside() []byte {
	h := sha256.New()
	for _, e := range p.Entries {
		for _, part := range [][]byte{e.Open, e.Salt, e.Content} {
			size := uint64(0) // of nil
			if part != nil {
				size = uint64(len(part)) + 1
			}
			_, _ = h.Write(varint.Append(nil, size))
			_, _ = h.Write(part)
		}
	}
	return []byte("segraph beside " + base64.StdEncoding.EncodeToString(h.Sum(nil)) + "\n")
}

// Seal signs the pack: it sets the checkpoint. The signature is also of a line with a hash of what is beside the
// entries. The line is not sent: the centre computes it.
func (p *Pack) Seal(x *translog.Excerpt) error {
	line := p.beside()
	signed, err := x.CheckpointAt(p.First+uint64(len(p.Entries)), string(line))
	p.Checkpoint = bytes.Replace(signed, line, nil, 1)
	return err
}

// signed returns the checkpoint with the line that is not sent.
func (p *Pack) signed() []byte {
	text, signatures, _ := bytes.Cut(p.Checkpoint, []byte("\n\n"))
	return slices.Concat(text, []byte("\n"), p.beside(), []byte("\n"), signatures)
}

// fewBytes is the size, before compression, up to which the dictionary saves a pack more than it costs.
const fewBytes = 64 << 10

var (
	small   = sync.OnceValue(func() *zstd.Encoder { return encoder(zstd.WithEncoderDictRaw(wordsID, words)) })
	large   = sync.OnceValue(func() *zstd.Encoder { return encoder() })
	decoder = sync.OnceValue(func() *zstd.Decoder { return decoderTo(Max) })
	// A report waits for no pack.
	reports = sync.OnceValue(func() *zstd.Decoder { return decoderTo(maxReport) })
)

// maxReport limits the bytes of a pack without entries, before it is compressed.
const maxReport = (maxHandovers + 3) * maxCheckpoint

// decoderTo returns a decoder of up to size bytes.
func decoderTo(size uint64) *zstd.Decoder {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(size), zstd.WithDecoderMaxWindow(8<<20), zstd.WithDecoderDictRaw(wordsID, words))
	if err != nil {
		panic(err) // the options are constant
	}
	return r
}

func encoder(more ...zstd.EOption) *zstd.Encoder {
	w, err := zstd.NewWriter(nil, append(more, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(Usual))...)
	if err != nil {
		panic(err)
	}
	return w
}

// Encode returns the pack as it is sent: compressed with zstd.
func (p *Pack) Encode() ([]byte, error) {
	b := varint.AppendString([]byte(magic), p.Log)
	b = varint.AppendString(varint.Append(b, p.First), p.Checkpoint)
	b = varint.AppendString(b, p.Report)
	b = varint.Append(b, uint64(len(p.Handovers)))
	for _, h := range p.Handovers {
		b = varint.AppendString(b, h)
	}
	size := len(b)
	b = varint.Append(b, uint64(len(p.Entries)))
	for _, e := range p.Entries {
		b = varint.AppendString(b, e.JSON)
	}
	for _, e := range p.Entries {
		b = varint.AppendString(b, e.Open)
	}
	said := terms{ids: map[string]uint64{}}
	for _, e := range p.Entries {
		b = varint.AppendString(b, e.Salt)
		size += e.Size()
		if lines, ok := said.add(e.Content); ok && len(e.Content) > 0 {
			b = varint.Append(append(b, inLines), lines)
		} else if e.Content != nil {
			b = varint.AppendString(append(b, inText), e.Content)
		} else {
			b = append(b, 0)
		}
	}
	b = said.append(b)
	if max(size, len(b)) > Max {
		return nil, fmt.Errorf("a pack of %d bytes is larger than the limit of %d", max(size, len(b)), Max)
	}
	if len(b) > fewBytes {
		return large().EncodeAll(b, nil), nil
	}
	return small().EncodeAll(b, nil), nil
}

// How the content of an entry is sent, if there is one.
const (
	inText = iota + 1
	inLines
)

// ErrMalformed says that the bytes are no pack.
var ErrMalformed = errors.New("this is no pack of this version of segraph")

// Decode reads what Encode returns. The error is ErrMalformed, or says that a limit is exceeded.
func Decode(sent []byte) (*Pack, error) {
	if len(sent) > MaxSent {
		return nil, fmt.Errorf("a pack of %d bytes is larger than the limit of %d", len(sent), MaxSent)
	}
	return decode(sent, decoder())
}

// IsReport reports whether what was sent is a pack without entries. It decompresses much less than Decode may.
func IsReport(sent []byte) bool {
	p, err := decode(sent, reports())
	return err == nil && len(p.Entries) == 0
}

func decode(sent []byte, by *zstd.Decoder) (*Pack, error) {
	b, err := by.DecodeAll(sent, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return nil, ErrMalformed
	}
	r := varint.NewReader(b[len(magic):])
	p := &Pack{Log: r.Text(), First: r.Uint(), Checkpoint: r.Bytes(r.Count(maxCheckpoint))}
	p.Report = r.Bytes(r.Count(maxCheckpoint))
	p.Handovers = make([]string, r.Count(maxHandovers))
	for i := range p.Handovers {
		p.Handovers[i] = string(r.Bytes(r.Count(maxCheckpoint)))
	}
	p.Entries = make([]Entry, r.Count(MaxEntries))
	for i := range p.Entries {
		p.Entries[i].JSON = r.Bytes(r.Count(r.Len()))
	}
	for i := range p.Entries {
		p.Entries[i].Open = r.Bytes(r.Count(r.Len()))
	}
	lines := make([]uint64, len(p.Entries))
	for i := range p.Entries {
		e := &p.Entries[i]
		if salt := r.Bytes(r.Count(len(journal.Salt{}))); len(salt) > 0 {
			e.Salt = salt
		}
		switch r.Byte() {
		case inText:
			e.Content = r.Bytes(r.Count(r.Len()))
		case inLines:
			lines[i] = r.Uint()
		}
	}
	said, ok := newReading(&r), true // the lines come after all entries
	for i, n := range lines {
		if n > 0 && ok {
			p.Entries[i].Content, ok = said.content(n)
		}
	}
	if !ok {
		return nil, ErrMalformed
	}
	if r.Failed() || r.Len() > 0 {
		return nil, ErrMalformed
	}
	return p, nil
}
