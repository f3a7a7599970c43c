package message

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxValues limits the values of a message, since an element of an array may take no bytes. Arrays of bytes count as
// one.
const maxValues = 200_000

var (
	errEnd  = errors.New("the message ends here")
	errMany = fmt.Errorf("the message has more than %d values", maxValues)
)

// reader reads the values of a message one after the other.
type reader struct {
	data  []byte
	at    int
	big   bool // the numbers are big endian
	align bool // CDR: numbers begin at multiples of their size, and strings end in a NUL
	left  int  // how many values may follow
	path  []step
}

// step is a part of the path to a value: a field, or an element of an array.
type step struct {
	field string
	index int
}

// header reads the representation of CDR: 4 bytes, from which alignment counts.
func (r *reader) header() error {
	if len(r.data) < 4 {
		return fmt.Errorf("the message has %d bytes, fewer than CDR's header", len(r.data))
	}
	if r.data[0] != 0 || r.data[1] > 1 {
		return fmt.Errorf("the message is in the representation %#x of CDR; only 0 and 1 (XCDR1) are read", r.data[:2])
	}
	r.big, r.data = r.data[1] == 0, r.data[4:]
	return nil
}

// where returns the path of the field that was being read, for an error.
func (r *reader) where() string {
	var b strings.Builder
	for _, s := range r.path {
		if s.field != "" {
			fmt.Fprintf(&b, ".%s", s.field)
		} else {
			fmt.Fprintf(&b, "[%d]", s.index)
		}
	}
	return b.String()
}

func (r *reader) bytes(n int) ([]byte, error) {
	if n < 0 || r.at > len(r.data) || n > len(r.data)-r.at {
		return nil, errEnd
	}
	r.at += n
	return r.data[r.at-n : r.at], nil
}

// message reads the fields of a type. After an error, path leads to the field.
func (r *reader) message(t *Type) (out map[string]any, err error) {
	if len(t.fields) == 0 && r.align { // ROS 2 gives such a type a byte
		_, err = r.bytes(1)
	}
	out = make(map[string]any, min(len(t.fields), 64))
	for i := 0; i < len(t.fields) && err == nil; i++ {
		f := &t.fields[i]
		r.path = append(r.path, step{field: f.name})
		if f.array {
			out[f.name], err = r.array(f)
		} else {
			out[f.name], err = r.value(f)
		}
		if err == nil {
			r.path = r.path[:len(r.path)-1]
		}
	}
	return out, err
}

// array reads an array. One without a fixed length begins with it.
func (r *reader) array(f *field) (any, error) {
	n := f.length
	if n < 0 {
		count, err := r.number(4)
		if err != nil {
			return nil, err
		}
		n = int(min(count, math.MaxInt)) // which is less on 32-bit machines
	}
	if f.primitive == "uint8" || f.primitive == "byte" || f.primitive == "char" {
		return r.bytes(n)
	}
	left := len(r.data) - r.at
	tooLong := sizes[f.primitive]*n > left || f.of == nil && n > left // the second also if the product overflows
	if tooLong {
		return nil, fmt.Errorf("an array of %d elements: %w", n, errEnd)
	}
	if n > r.left {
		return nil, errMany
	}
	out := make([]any, 0, min(n, len(r.data)))
	for i := range n {
		r.path = append(r.path, step{index: i})
		v, err := r.value(f)
		if err != nil {
			return nil, err
		}
		r.path = r.path[:len(r.path)-1]
		out = append(out, v)
	}
	return out, nil
}

// value decodes one value of a field, not an array. A time is an object, as in ROS's JSON. There
// are at most r.left values.
func (r *reader) value(f *field) (any, error) {
	if r.left--; r.left < 0 {
		return nil, errMany
	}
	switch {
	case f.of != nil:
		return r.message(f.of)
	case f.primitive == "string":
		return r.text()
	case f.primitive == "time" || f.primitive == "duration":
		b, err := r.bytes(8)
		if err != nil {
			return nil, err
		}
		sec, nsec := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		if f.primitive == "duration" {
			return map[string]any{"sec": int64(int32(sec)), "nanosec": int64(int32(nsec))}, nil
		}
		return map[string]any{"sec": int64(sec), "nanosec": uint64(nsec)}, nil
	}
	n, err := r.number(sizes[f.primitive])
	if err != nil {
		return nil, err
	}
	switch f.primitive {
	case "bool":
		return n != 0, nil
	case "int8":
		return int64(int8(n)), nil
	case "byte":
		if !r.align { // it is signed in ROS 1
			return int64(int8(n)), nil
		} // and not in ROS 2: n as it is
	case "int16":
		return int64(int16(n)), nil
	case "int32":
		return int64(int32(n)), nil
	case "int64":
		return int64(n), nil
	case "float32":
		return shortest(math.Float32frombits(uint32(n))), nil
	case "float64":
		return math.Float64frombits(n), nil
	}
	return n, nil
}

// shortest returns the number with the fewest digits that a float32 stands for: 0.91, not 0.9100000262260437.
func shortest(f float32) float64 {
	n, err := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', -1, 32), 64)
	if err != nil {
		return float64(f)
	}
	return n
}

// number reads an unsigned number of some bytes.
func (r *reader) number(size int) (n uint64, err error) {
	if r.align && size > 1 {
		r.at += -r.at & (size - 1) // to the next multiple of size, a power of two
	}
	b, err := r.bytes(size)
	for i, v := range b {
		if r.big {
			n = n<<8 | uint64(v)
		} else {
			n |= uint64(v) << (8 * i)
		}
	}
	return n, err
}

// text reads a string. Bytes that are not UTF-8 become U+FFFD.
func (r *reader) text() (string, error) {
	n, err := r.number(4)
	if err != nil {
		return "", err
	}
	if n > uint64(len(r.data)) {
		return "", fmt.Errorf("a text of %d bytes: %w", n, errEnd)
	}
	b, err := r.bytes(int(n))
	if err != nil {
		return "", err
	}
	s := string(b)
	if r.align {
		s = strings.TrimSuffix(s, "\x00")
	}
	return strings.ToValidUTF8(s, "\ufffd"), nil
}
