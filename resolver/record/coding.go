package record

import (
	"encoding/binary"
	"errors"
	"math"
)

// version begins every value. Version 2 added locations to observations and members, and writes
// every field of clocks and totals. Version 3 added what tells a repeat from an id that was reused, and what a case was weighed by.
// Records of older versions are still read; those of a newer version are not.
const version = 3

// ErrEncoding says that a value is not what this package writes. Where its checksum fits, it is what another version has written.
var ErrEncoding = errors.New("what is known of shared contexts has a form that this version of segraph can't read: run the version that wrote it, or restore a backup of before")

// coder writes a value, or reads it back: each record lists its fields once, for both ways.
type coder struct {
	reading bool
	version byte // of the value
	buf     []byte
	bad     bool
}

// Coded is a record of this package, as a pointer.
type Coded interface{ fields(*coder) }

type coded[T any] interface {
	*T
	Coded
}

// Encode gives the value under which a record is stored.
func Encode[T any, P coded[T]](record P) []byte {
	c := coder{version: version, buf: make([]byte, 0, 256)}
	c.buf = append(c.buf, version)
	record.fields(&c)
	return c.buf
}

// Decode reads a record from its value. The error is ErrEncoding.
func Decode[T any, P coded[T]](value []byte) (*T, error) {
	if len(value) == 0 || value[0] == 0 || value[0] > version {
		return nil, ErrEncoding
	}
	c, record := coder{reading: true, version: value[0], buf: value[1:]}, new(T)
	P(record).fields(&c)
	if c.bad || len(c.buf) > 0 {
		return nil, ErrEncoding
	}
	return record, nil
}

// since reports whether the value has the fields that a version added.
func (c *coder) since(version byte) bool { return c.version >= version }

// ended reports whether nothing is left to read. In version 1 the last fields of some records were
// left out when they were zero.
func (c *coder) ended() bool { return c.reading && len(c.buf) == 0 }

func (c *coder) fail() { c.bad, c.buf = true, nil }

func (c *coder) uint(n *uint64) {
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, *n)
		return
	}
	v, size := binary.Uvarint(c.buf)
	if size <= 0 {
		c.fail()
		return
	}
	*n, c.buf = v, c.buf[size:]
}

func (c *coder) int(n *int64) {
	u := uint64(*n<<1) ^ uint64(*n>>63)
	c.uint(&u)
	if c.reading {
		*n = int64(u>>1) ^ -int64(u&1)
	}
}

// near codes a number that is close to another one.
func (c *coder) near(n *int64, other int64) {
	d := *n - other
	c.int(&d)
	*n = other + d
}

func (c *coder) fingerprint(f *uint32) {
	n := uint64(*f)
	c.uint(&n)
	*f = uint32(n)
}

func (c *coder) small(n *int) {
	v := int64(*n)
	c.int(&v)
	*n = int(v)
}

func (c *coder) byte(b *byte) {
	c.bytes(1, func(s []byte) { s[0] = *b }, func(s []byte) { *b = s[0] })
}

// below codes a byte that is less than a limit.
func (c *coder) below(b *byte, limit byte) {
	if c.byte(b); *b >= limit {
		c.fail()
	}
}

func (c *coder) bool(b *bool) {
	var v byte
	if *b {
		v = 1
	}
	c.byte(&v)
	*b = v == 1
}

func (c *coder) float(f *float64) {
	c.bytes(8, func(s []byte) { binary.LittleEndian.PutUint64(s, math.Float64bits(*f)) },
		func(s []byte) { *f = math.Float64frombits(binary.LittleEndian.Uint64(s)) })
}

func (c *coder) fixed(b []byte) {
	c.bytes(len(b), func(s []byte) { copy(s, b) }, func(s []byte) { copy(b, s) })
}

// bytes hands a run of n bytes to put or to get.
func (c *coder) bytes(n int, put, get func([]byte)) {
	switch {
	case !c.reading:
		c.buf = append(c.buf, make([]byte, n)...)
		put(c.buf[len(c.buf)-n:])
	case len(c.buf) < n:
		c.fail()
	default:
		get(c.buf[:n])
		c.buf = c.buf[n:]
	}
}

func (c *coder) string(s *string) {
	n := uint64(len(*s))
	c.uint(&n)
	switch {
	case !c.reading:
		c.buf = append(c.buf, *s...)
	case uint64(len(c.buf)) < n:
		c.fail()
	default:
		*s, c.buf = string(c.buf[:n]), c.buf[n:]
	}
}

// list codes the length of a list and each of its items, which take a byte or more.
func list[T any](c *coder, items *[]T, item func(*T)) {
	n := uint64(len(*items))
	c.uint(&n)
	if c.reading {
		if n > uint64(len(c.buf)) {
			c.fail()
			return
		}
		if n > 0 {
			*items = make([]T, n)
		}
	}
	for i := range *items {
		item(&(*items)[i])
	}
}
