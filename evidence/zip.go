package evidence

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"regexp"
	"slices"
)

// A bundle is a zip file with one meaning: whatever extracts it finds the same members. So
// the file is the members in the order of the directory, each after its local header, then
// the directory and the end record, and nothing else. Every byte of these headers follows
// from a member's name, method, CRC-32 and sizes: headers are compared as a whole.

// Names of the zip file and its parts.
const (
	zipFile     = "the zip file" // as the member of a Failure
	localHead   = "PK\x03\x04"
	centralHead = "PK\x01\x02"
	endHead     = "PK\x05\x06"
)

// Sizes of headers, in bytes, without names.
const (
	localSize   = 30
	centralSize = 46
	endSize     = 22
	nameSize    = 32 // of the longest name, and a bit more
)

// maxSize is the size of the largest zip file in bytes.
const maxSize = MaxBytes + maxPage + maxMembers*(localSize+centralSize+2*nameSize) + endSize

// Methods of members.
const (
	stored   = 0
	deflated = 8
)

// place is a member's place in a zip file.
type place struct {
	name         string
	method       uint16
	sum          uint32 // CRC-32
	packed, size uint32 // bytes in the file, and of the member
	at           uint32 // offset of the local header
}

// fields returns the part that a member's two headers have in common: version 2.0, no
// flags, no time, no extra field.
func (p *place) fields() []byte {
	le := binary.LittleEndian
	b := le.AppendUint16([]byte{20, 0, 0, 0}, p.method)
	b = append(b, 0, 0, 0, 0)
	b = le.AppendUint32(b, p.sum)
	b = le.AppendUint32(b, p.packed)
	b = le.AppendUint32(b, p.size)
	return append(le.AppendUint16(b, uint16(len(p.name))), 0, 0)
}

// local returns the header before the member.
func (p *place) local() []byte {
	return slices.Concat([]byte(localHead), p.fields(), []byte(p.name))
}

// central returns the member's entry in the directory: no comment, no attributes.
func (p *place) central() []byte {
	const comment, disk, attributes = 2, 2, 2 + 4
	b := slices.Concat([]byte(centralHead), []byte{20, 0}, p.fields(), make([]byte, comment+disk+attributes))
	return append(binary.LittleEndian.AppendUint32(b, p.at), p.name...)
}

// endRecord returns the end of a zip file: one disk, no comment.
func endRecord(count int, length, at uint32) []byte {
	le := binary.LittleEndian
	b := append([]byte(endHead), 0, 0, 0, 0)
	b = le.AppendUint16(le.AppendUint16(b, uint16(count)), uint16(count))
	return append(le.AppendUint32(le.AppendUint32(b, length), at), 0, 0)
}

// archive is a zip file of a bundle, whose headers were checked.
type archive struct {
	r      io.ReaderAt
	places map[string]*place
}

// memberName matches the names that a bundle's members may have. As all are in ASCII and
// lower case, no two name the same file.
var memberName = regexp.MustCompile(`^(index\.html|claim\.json|checkpoint|keys|manifest|(entries|proofs|signatures|bodies)/(0|[1-9][0-9]{0,17})|graphs/(0|[1-9][0-9]{0,17})\.nq)$`)

// openArchive reads the headers of a zip file of size bytes, and nothing else. The error is a *Failure if
// r is a zip file that differs from those that bundles are.
func openArchive(r io.ReaderAt, size int64) (*archive, error) {
	if size > maxSize {
		return nil, fail(zipFile, "it has %d bytes, and a bundle has at most %d", size, maxSize)
	}
	end := make([]byte, endSize)
	if n, err := r.ReadAt(end, max(0, size-endSize)); n < endSize {
		return nil, errors.Join(errors.New("it is not a bundle: it is too short for a zip file"), err)
	}
	count, length, at := binary.LittleEndian.Uint16(end[10:]), binary.LittleEndian.Uint32(end[12:]), binary.LittleEndian.Uint32(end[16:])
	if !bytes.Equal(end, endRecord(int(count), length, at)) || int64(at)+int64(length)+endSize != size {
		return nil, fail(zipFile, "it is not a bundle: it does not end with the directory and the end record of a bundle")
	}
	if int(count) > maxMembers || length > maxMembers*(centralSize+nameSize) {
		return nil, fail(zipFile, "it has %d members in a directory of %d bytes, and a bundle has at most %d members", count, length, maxMembers)
	}
	directory := make([]byte, length)
	if _, err := r.ReadAt(directory, int64(at)); err != nil {
		return nil, fmt.Errorf("reading the directory of the zip file: %w", err)
	}
	a := &archive{r, make(map[string]*place, count)}
	next, err := a.place(directory)
	if err == nil && (next != int64(at) || len(a.places) != int(count)) {
		err = fail(zipFile, "between its members and its directory are %d bytes", int64(at)-next)
	}
	if err != nil {
		return nil, err
	}
	return a, a.fits()
}

// place finds the members that the directory lists, and returns where they end.
func (a *archive) place(directory []byte) (next int64, err error) {
	local := make([]byte, localSize+nameSize)
	for len(directory) > 0 {
		if len(directory) < centralSize {
			return 0, fail(zipFile, "its directory can't be read")
		}
		le, b := binary.LittleEndian, directory
		length := int(le.Uint16(b[28:]))
		if length > min(nameSize, len(b)-centralSize) {
			return 0, fail(zipFile, "its directory has a name that no member of a bundle has")
		}
		p := &place{string(b[centralSize : centralSize+length]), le.Uint16(b[10:]), le.Uint32(b[16:]), le.Uint32(b[20:]), le.Uint32(b[24:]), uint32(next)}
		switch {
		case !memberName.MatchString(p.name):
			return 0, fail(zipFile, "no member of a bundle has the name %.100q", p.name)
		case a.places[p.name] != nil:
			return 0, fail(p.name, "the zip file has it twice")
		case p.method != deflated && (p.method != stored || p.packed != p.size):
			return 0, fail(p.name, "it is neither stored nor deflated")
		case !bytes.HasPrefix(b, p.central()):
			return 0, fail(p.name, "its entry in the directory is not as in a bundle, or its bytes do not follow those of the member before")
		}
		local = local[:localSize+length]
		if _, err := a.r.ReadAt(local, next); err != nil || !bytes.Equal(local, p.local()) {
			return 0, fail(p.name, "its local header differs from its entry in the directory")
		}
		a.places[p.name], directory = p, directory[centralSize+length:]
		next += int64(len(local)) + int64(p.packed)
	}
	return next, nil
}

// fits returns an error if a member that every bundle has is missing, or if the members
// are larger than a bundle may have.
func (a *archive) fits() error {
	for _, name := range []string{manifestName, pageName, claimName, checkpointName, keysName} {
		if a.places[name] == nil {
			return fail(name, "it is missing")
		}
	}
	total := int64(0)
	for name, p := range a.places {
		if int64(p.size) > sizeLimit(name) {
			return fail(name, "it is too large: it has %d bytes, and may have %d", p.size, sizeLimit(name))
		}
		if name != pageName {
			total += int64(p.size)
		}
	}
	if total > MaxBytes {
		return fail(zipFile, "it is too large: its members have %d bytes, and may have %d", total, MaxBytes)
	}
	return nil
}

// read reads a member: no more than the size that its headers have.
func (a *archive) read(name string) ([]byte, error) {
	p := a.places[name]
	packed := bufio.NewReader(io.NewSectionReader(a.r, int64(p.at)+localSize+int64(len(name)), int64(p.packed)))
	in := io.Reader(packed)
	if p.method == deflated {
		in = flate.NewReader(packed)
	}
	b := make([]byte, p.size)
	if _, err := io.ReadFull(in, b); err != nil {
		return nil, fail(name, "it was changed, and can't be read: %v", err)
	}
	if n, err := io.ReadFull(in, make([]byte, 1)); n > 0 {
		return nil, fail(name, "it was changed: it has more bytes than the directory says")
	} else if !errors.Is(err, io.EOF) {
		return nil, fail(name, "it was changed, and can't be read: %v", err)
	}
	if _, err := packed.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, fail(name, "it was changed: after its compressed bytes are others")
	}
	if crc32.ChecksumIEEE(b) != p.sum {
		return nil, fail(name, "it was changed: it does not have the CRC-32 that the directory says")
	}
	return b, nil
}

// zipped writes members as a zip file: the page first, the manifest last.
func (m members) zipped(w io.Writer) error {
	names := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(names, func(a, b string) int { return order(a) - order(b) })
	deflate, err := flate.NewWriter(nil, flate.DefaultCompression)
	var directory []byte
	at := uint32(0)
	for _, name := range names {
		data := m[name]
		p := &place{name, stored, crc32.ChecksumIEEE(data), uint32(len(data)), uint32(len(data)), at}
		var packed bytes.Buffer
		deflate.Reset(&packed)
		_, err2 := deflate.Write(data)
		if err = errors.Join(err, err2, deflate.Close()); err != nil {
			break
		}
		if packed.Len() < len(data) {
			p.method, p.packed, data = deflated, uint32(packed.Len()), packed.Bytes()
		}
		head := p.local()
		if _, err = w.Write(head); err == nil {
			_, err = w.Write(data)
		}
		at += uint32(len(head) + len(data))
		directory = append(directory, p.central()...)
	}
	if err == nil {
		_, err = w.Write(append(directory, endRecord(len(names), uint32(len(directory)), at)...))
	}
	if err != nil {
		return fmt.Errorf("writing a bundle: %w", err)
	}
	return nil
}

// order returns where a member stands in the file: the page first, the manifest last.
func order(name string) int {
	switch name {
	case pageName:
		return 0
	case manifestName:
		return 2
	}
	return 1
}
