package message

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Limits of definitions.
const (
	maxDefinition = 1 << 20 // bytes
	maxFields     = 10_000  // of all types of a definition
	maxDepth      = 50      // types in types
)

// Type is a type of messages.
type Type struct {
	Name   string
	fields []field
}

// A field is of a primitive type, or of another one.
type field struct {
	name      string
	primitive string // or ""
	of        *Type  // or nil
	array     bool
	length    int // of an array; -1 if each message says it
}

// Field returns the type of a field: for an array the type of its elements, and nil for primitive values. ok
// reports whether there is such a field.
func (t *Type) Field(name string) (of *Type, array, ok bool) {
	for _, f := range t.fields {
		if f.name == name {
			return f.of, f.array, true
		}
	}
	return nil, false, false
}

// Names returns the names of the fields.
func (t *Type) Names() (names []string) {
	for _, f := range t.fields {
		names = append(names, f.name)
	}
	return names
}

// sizes of primitive types in bytes. A time and a duration of ROS 1 are two numbers.
var sizes = map[string]int{"bool": 1, "byte": 1, "char": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4,
	"int64": 8, "uint64": 8, "float32": 4, "float64": 8, "string": 0, "time": 0, "duration": 0}

var (
	separator = regexp.MustCompile(`(?m)^={80}\s*\n\s*MSG: *(\S+)\s*$`)
	// declaration is a line of a definition: type, array, name, and = of a constant.
	declaration = regexp.MustCompile(`^\s*([A-Za-z][A-Za-z0-9_/]*)(?:<=\d+)?(\[(<=)?(\d*)\])?\s+([A-Za-z][A-Za-z0-9_]*)\s*(=?)`)
)

// Short returns the name of a type without the msg of ROS 2: std_msgs/String for std_msgs/msg/String.
func Short(name string) string { return strings.ReplaceAll(name, "/msg/", "/") }

// definitions are the types that a definition has.
type definitions struct {
	texts  map[string]string
	types  map[string]*Type
	inside []string // the types that are being parsed
	fields int
	ros1   bool
}

// parse reads the definition of a type and of all types that it uses. isROS1 says that the text is of ROS 1.
func parse(name, text string, isROS1 bool) (*Type, error) {
	if len(text) > maxDefinition {
		return nil, fmt.Errorf("the definition has %d bytes, and at most %d are read", len(text), maxDefinition)
	}
	text = strings.ReplaceAll(text, "\r", "")
	d := definitions{types: map[string]*Type{}, ros1: isROS1, texts: map[string]string{
		"builtin_interfaces/Time": "int32 sec\nuint32 nanosec", "builtin_interfaces/Duration": "int32 sec\nuint32 nanosec",
	}}
	begins := separator.FindAllStringSubmatchIndex(text, -1)
	for i, b := range begins {
		end := len(text)
		if i+1 < len(begins) {
			end = begins[i+1][0]
		}
		d.texts[Short(text[b[2]:b[3]])] = text[b[1]:end]
	}
	if len(begins) > 0 {
		text = text[:begins[0][0]]
	}
	d.texts[name] = text
	return d.parse(name)
}

// parse parses the type with a name, and the types of its fields. d.inside has the types around it.
func (d *definitions) parse(name string) (*Type, error) {
	if t := d.types[name]; t != nil {
		return t, nil
	}
	text, ok := d.texts[name]
	switch {
	case !ok:
		return nil, fmt.Errorf("the definition lacks the type %.100q", name)
	case slices.Contains(d.inside, name):
		return nil, fmt.Errorf("the type %.100s contains itself", name)
	case len(d.inside) == maxDepth:
		return nil, fmt.Errorf("the type %.100s is in %d others", name, maxDepth)
	}
	d.inside = append(d.inside, name)
	defer func() { d.inside = d.inside[:len(d.inside)-1] }()
	t, n := &Type{Name: name}, 0
	for line := range strings.Lines(text) {
		n++
		if code, _, _ := strings.Cut(line, "#"); strings.TrimSpace(code) == "" {
			continue
		}
		f, ok, err := d.field(name, line)
		if err != nil {
			return nil, fmt.Errorf("line %d of %.100s: %w", n, name, err)
		}
		if d.fields++; d.fields > maxFields {
			return nil, fmt.Errorf("line %d of %.100s: the definition has more than %d fields", n, name, maxFields)
		}
		if ok {
			t.fields = append(t.fields, f)
		}
	}
	d.types[name] = t
	return t, nil
}

// field reads a line of the definition of in, whose package may be left out in names of types. ok is false for a constant.
func (d *definitions) field(in, line string) (f field, ok bool, err error) {
	m := declaration.FindStringSubmatch(line)
	if m == nil {
		return f, false, fmt.Errorf("%.60q is no field", strings.TrimSpace(line))
	}
	if m[6] != "" {
		return f, false, nil
	}
	f = field{name: m[5], array: m[2] != "", length: -1}
	if m[3] == "" && m[4] != "" {
		if f.length, err = strconv.Atoi(m[4]); err != nil {
			return f, false, fmt.Errorf("the array %.60q is too long", f.name)
		}
	}
	name := Short(m[1])
	_, primitive := sizes[name]
	message := !d.ros1 && (name == "time" || name == "duration") // in ROS 2
	switch {
	case name == "wstring":
		return f, false, fmt.Errorf("the field %.60q is a wstring, which each middleware writes in another way", f.name)
	case primitive && !message:
		f.primitive = name
		return f, true, nil
	case d.ros1 && name == "Header":
		name = "std_msgs/Header"
	case !strings.Contains(name, "/"):
		name = in[:strings.Index(in, "/")+1] + name
	}
	f.of, err = d.parse(name)
	return f, err == nil, err
}
