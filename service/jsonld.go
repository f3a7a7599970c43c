package service

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// jsonLD writes a graph as JSON-LD 1.1 in expanded form
// (https://www.w3.org/TR/json-ld11-api/, section 9.1), without a context: an array of
// node objects. To bound memory, a node object ends at the next triple with another
// subject, so a node may occur more than once, as JSON-LD allows. Literals keep their
// lexical form.
type jsonLD struct {
	noRows
	w       io.Writer
	buf     []byte
	subject rdf.Term
	// properties holds the properties of the current subject in order of arrival.
	properties []property
	values     int // number of values of all properties
	begun      bool
}

type property struct {
	name   string
	values []any
}

// JSON-LD objects for encoding/json. Members are in output order.
type (
	ldNode struct {
		ID string `json:"@id"`
	}
	ldValue struct {
		Value     string `json:"@value"`
		Type      string `json:"@type,omitempty"`
		Language  string `json:"@language,omitempty"`
		Direction string `json:"@direction,omitempty"`
	}
)

// piece is the size of one write in bytes.
const piece = 64 << 10

// maxNodeValues is how many values are held at once. A node with more is written in
// parts.
const maxNodeValues = 1000

func newJSONLD(w io.Writer, _ []syntax.Prefix) answerWriter { return &jsonLD{w: w} }

// Triple adds a triple.
func (j *jsonLD) Triple(t rdf.Triple) error {
	if t.S != j.subject || j.values >= maxNodeValues {
		if err := j.endNode(); err != nil {
			return err
		}
		j.subject = t.S
	}
	j.values++
	name, value := t.P.Value(), ldTerm(t.O)
	if name == rdf.RDFType && !t.O.IsLiteral() {
		name, value = "@type", ldID(t.O)
	}
	for i := range j.properties {
		if j.properties[i].name == name {
			j.properties[i].values = append(j.properties[i].values, value)
			return nil
		}
	}
	j.properties = append(j.properties, property{name, []any{value}})
	return nil
}

func ldTerm(t rdf.Term) any {
	if !t.IsLiteral() {
		return ldNode{ldID(t)}
	}
	v := ldValue{Value: t.Value()}
	if tag := t.Tag(); tag != "" {
		v.Language, v.Direction, _ = strings.Cut(tag, "--")
	} else if d := t.Datatype(); d != rdf.XSDString {
		v.Type = d
	}
	return v
}

func ldID(t rdf.Term) string {
	if t.IsBlank() {
		return "_:" + t.Value()
	}
	return t.Value()
}

// endNode writes the current node.
func (j *jsonLD) endNode() error {
	if len(j.properties) == 0 {
		return nil
	}
	separator := ",\n"
	if !j.begun {
		separator, j.begun = "[", true
	}
	j.buf = append(j.buf, separator...)
	j.buf = append(j.buf, `{"@id":`...)
	j.json(ldID(j.subject))
	for _, p := range j.properties {
		j.buf = append(j.buf, ',')
		j.json(p.name)
		j.buf = append(j.buf, ':')
		j.json(p.values)
	}
	j.buf = append(j.buf, '}')
	j.properties, j.values = j.properties[:0], 0
	if len(j.buf) < piece {
		return nil
	}
	return j.flush()
}

func (j *jsonLD) json(value any) {
	text, err := json.Marshal(value)
	if err != nil { // impossible: the types above always encode
		panic(fmt.Errorf("write JSON-LD: %w", err))
	}
	j.buf = append(j.buf, text...)
}

func (j *jsonLD) flush() error {
	_, err := j.w.Write(j.buf)
	j.buf = j.buf[:0]
	return err
}

// Close ends the array.
func (j *jsonLD) Close() error {
	if err := j.endNode(); err != nil {
		return err
	}
	if !j.begun {
		j.buf = append(j.buf, '[')
	}
	j.buf = append(j.buf, "]\n"...)
	return j.flush()
}
