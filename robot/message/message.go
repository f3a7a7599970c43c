// Package message decodes what robots send: messages of ROS 1, of ROS 2 and in JSON, by the definition of their
// type. Definitions and messages may be hostile: each takes bounded time and memory, and an error says where it is.
package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// A Channel is one topic of a recording or a connection.
type Channel struct {
	Topic          string
	Type           string // such as std_msgs/String: without the msg of ROS 2's std_msgs/msg/String
	Encoding       string // of the messages: cdr, ros1 or json
	SchemaEncoding string // of the definition: ros2msg, ros1msg and others
	Schema         []byte // the definition
}

// A Message is a message of a channel that is not decoded.
type Message struct {
	Log     time.Time // when it was recorded or sent
	Publish time.Time // when it was published; zero if unknown
	Data    []byte
}

// Decoder decodes the messages of a channel.
type Decoder struct {
	Type  *Type // nil for JSON
	order int
}

// How messages are laid out.
const (
	cdr = iota
	ros1
	inJSON
)

// NewDecoder returns the decoder of a channel. The error says why its messages can't be decoded.
func NewDecoder(c *Channel) (d *Decoder, err error) {
	d = &Decoder{}
	switch c.Encoding + " " + c.SchemaEncoding {
	case "cdr ros2msg":
		d.order = cdr
	case "ros1 ros1msg":
		d.order = ros1
	default:
		if c.Encoding == "json" {
			return &Decoder{order: inJSON}, nil
		}
		if len(c.Schema) == 0 {
			return nil, errors.New("its type has no definition")
		}
		return nil, fmt.Errorf("messages in %.20q with definitions in %.20q can't be read", c.Encoding, c.SchemaEncoding)
	}
	d.Type, err = parse(c.Type, string(c.Schema), d.order == ros1)
	return d, err
}

// Decode returns the fields of a message by their names: bool, int64, uint64, float64, string, []byte (of arrays of
// bytes), []any and map[string]any. Times of ROS 1 have the fields of ROS 2, sec and nanosec.
func (d *Decoder) Decode(data []byte) (map[string]any, error) {
	if d.order == inJSON {
		return ReadJSON(data)
	}
	r := reader{data: data, align: d.order == cdr, left: maxValues}
	if r.align {
		if err := r.header(); err != nil {
			return nil, err
		}
	}
	v, err := r.message(d.Type)
	if err != nil {
		return nil, fmt.Errorf("the field %s%s at byte %d: %w", d.Type.Name, r.where(), r.at, err)
	}
	return v, nil
}

// maxJSON limits a JSON text in bytes. Its values take 50 times as much memory at most.
const maxJSON = 1 << 20

// ReadJSON parses an object. Numbers are int64 or uint64, to the last digit, or float64 if they have a fraction, an
// exponent, or too many digits.
func ReadJSON(text []byte) (out map[string]any, err error) {
	if len(text) > maxJSON {
		return nil, fmt.Errorf("the JSON text has %d bytes, and at most %d are read", len(text), maxJSON)
	}
	err = json.Unmarshal(text, (*exact)(&out))
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		err = fmt.Errorf("the JSON text at byte %d: %w", syntax.Offset, err)
	} else if err == nil && out == nil {
		err = errors.New("the JSON text is no object")
	}
	if err != nil {
		return nil, err
	}
	numbers(out)
	return out, nil
}

// exact is an object whose numbers are json.Number.
type exact map[string]any

func (e *exact) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode((*map[string]any)(e))
}

// numbers replaces each json.Number in a value, and returns the value.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if n, err := strconv.ParseUint(string(v), 10, 64); err == nil {
			return n
		}
		n, _ := v.Float64() // infinite if it is too large
		return n
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = numbers(v[name])
		}
	}
	return v
}
