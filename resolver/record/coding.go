package record

import (
	"encoding/binary"
	"errors"
	"math"
	"sync"

	"github.com/segraph/segraph/internal/varint"
)

// form is the first byte of every value.
const form = 5

// ErrEncoding reports a value in an unknown encoding. If its checksum is right, another
// version wrote it.
var ErrEncoding = errors.New("this version of segraph cannot read the records of the shared contexts: run the version that wrote them, or restore an earlier backup")

// coder encodes or decodes a value. Each record lists its fields once, for both.
type coder struct {
	reading bool
	in      varint.Reader
	out     []byte
}

// Coded is implemented by pointers to the records of this package.
type Coded interface{ readOrWrite(*coder) }

type coded[T any] interface {
	*T
	Coded
}

// Encode returns the stored value of a record. It leaves room for a checksum of 4 bytes.
func Encode[T any, P coded[T]](record P) []byte {
	c := coders.Get().(*coder)
	defer coders.Put(c)
	c.out = append(c.out[:0], form)
	record.readOrWrite(c)
	return append(make([]byte, 0, len(c.out)+4), c.out...)
}

var coders = sync.Pool{New: func() any { return new(coder) }}

// Decode decodes the value of a record. The error is ErrEncoding.
func Decode[T any, P coded[T]](value []byte) (*T, error) {
	if len(value) == 0 || value[0] != form {
		return nil, ErrEncoding
	}
	c, record := coder{reading: true, in: varint.NewReader(value[1:])}, new(T)
	P(record).readOrWrite(&c)
	if c.in.Failed() || c.in.Len() > 0 {
		return nil, ErrEncoding
	}
	return record, nil
}

func (c *coder) uint(n *uint64) {
	if c.reading {
		*n = c.in.Uint()
	} else {
		c.out = varint.Append(c.out, *n)
	}
}

func (c *coder) int(n *int64) {
	u := uint64(*n<<1) ^ uint64(*n>>63) // the sign is the lowest bit, so that numbers near 0 are short
	c.uint(&u)
	if c.reading {
		*n = int64(u>>1) ^ -int64(u&1)
	}
}

// near codes a number as its difference from another one.
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
	if c.reading {
		*b = c.in.Byte()
	} else {
		c.out = append(c.out, *b)
	}
}

// below codes a byte that is less than a limit.
func (c *coder) below(b *byte, limit byte) {
	if c.byte(b); *b >= limit {
		c.in.Fail()
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
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], math.Float64bits(*f))
	c.fixed(b[:])
	*f = math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
}

// fixed codes a fixed number of bytes.
func (c *coder) fixed(b []byte) {
	if c.reading {
		copy(b, c.in.Bytes(len(b)))
	} else {
		c.out = append(c.out, b...)
	}
}

func (c *coder) string(s *string) {
	if c.reading {
		*s = c.in.Text()
	} else {
		c.out = varint.AppendString(c.out, *s)
	}
}

// list codes the number of items, and then each with item. An item takes at least one byte, so decoding
// fails, before it allocates them, if there are more items than bytes.
func list[T any](c *coder, items *[]T, item func(*T)) {
	if !c.reading {
		c.out = varint.Append(c.out, uint64(len(*items)))
	} else if n := c.in.Count(c.in.Len()); n > 0 {
		*items = make([]T, n)
	}
	for i := range *items {
		item(&(*items)[i])
	}
}
