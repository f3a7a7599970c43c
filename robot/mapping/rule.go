package mapping

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/segraph/segraph/robot/message"
)

// rule says what a message means.
type rule struct {
	verb    string
	fields  map[string]value
	when    *condition // nil: always
	becomes bool       // only when the condition becomes true
	each    string     // an array, whose elements are taken one by one
	parse   []string   // fields with a JSON text
}

// verbs lists what may happen: how it is told, its fields, and how many of the first ones it needs. A field with = is a
// constant. * allows others, which become properties.
var verbs = map[string]struct {
	tell   func(*event)
	fields string
	needs  int
}{
	"heard":   {(*event).sentenceHeard, "text by confidence language locale", 1},
	"said":    {(*event).said, "text language answers=", 1},
	"emotion": {(*event).emotion, "of category confidence intensity again=", 2},
	"saw":     {(*event).saw, "who", 1},
	"decided": {(*event).decided, "what id args why model because", 1},
	"done":    {(*event).done, "id status", 2},
	"intent":  {(*event).intent, "name data by confidence within=", 1},
	"state":   {(*event).state, "place unit= every= on= *", 0},
	"stopped": {(*event).stopped, "while", 1},
	"problem": {(*event).problem, "text level part changes=", 1},
	"event":   {(*event).other, "class of *", 1},
	"who":     {(*event).who, "one other confidence anonymous", 1},
}

// readRules reads the rules of a topic. outer is the rule that they are in, or nil.
func readRules(n *yaml.Node, outer *rule) (rules []*rule, types []string, err error) {
	if n.Kind != yaml.MappingNode {
		return nil, nil, fmt.Errorf("a rule is a map such as {heard: {text: data}}, or the word ignore")
	}
	r := &rule{}
	if outer != nil {
		r.parse, r.each = outer.parse, outer.each
	}
	var inner *yaml.Node
	for i := 0; i+1 < len(n.Content) && err == nil; i += 2 {
		v := n.Content[i+1]
		switch key := n.Content[i].Value; key {
		case "type":
			types = strings.Fields(message.Short(v.Value))
		case "if", "becomes":
			if r.when != nil {
				return nil, nil, fmt.Errorf("the rule has if and becomes; give one of them")
			}
			r.becomes = key == "becomes"
			r.when, err = readCondition(v.Value)
		case "each":
			r.each = v.Value
		case "parse":
			for j := 0; j+1 < len(v.Content); j += 2 {
				if v.Content[j+1].Value != "json" {
					return nil, nil, fmt.Errorf("parse: the field %s can be read as json only", v.Content[j].Value)
				}
				r.parse = append(slices.Clone(r.parse), v.Content[j].Value)
			}
		case "rules":
			inner = v
		default:
			if r.verb != "" {
				return nil, nil, fmt.Errorf("the rule has %s and %s; write rules: with one each", r.verb, key)
			}
			err = r.read(key, v)
		}
	}
	if err != nil || inner == nil {
		if err == nil && r.verb == "" {
			err = fmt.Errorf("the rule does not say what happened: %s", strings.Join(known(), ", "))
		}
		return []*rule{r}, types, err
	}
	if r.verb != "" || r.when != nil {
		return nil, nil, fmt.Errorf("beside rules: there may be type, parse and each; write if, becomes and what happened into the rules")
	}
	for _, v := range inner.Content {
		more, of, err := readRules(v, r)
		if err == nil && of != nil {
			err = fmt.Errorf("type belongs beside rules:, since it is the topic's")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", v.Line, err)
		}
		rules = append(rules, more...)
	}
	return rules, types, nil
}

func known() (names []string) {
	for name := range verbs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// read reads a rule: what happens, which is the verb, and its fields. Fields of the verb that end with = must be
// constants, * allows any other field, and the first v.needs of the verb's fields are required.
func (r *rule) read(verb string, n *yaml.Node) (err error) {
	v, ok := verbs[verb]
	if !ok {
		return fmt.Errorf("%q is unknown; a rule has one of %s", verb, strings.Join(known(), ", "))
	}
	r.verb, r.fields = verb, map[string]value{}
	allowed := strings.Fields(v.fields)
	for i := 0; i+1 < len(n.Content) && err == nil; i += 2 {
		name, of := n.Content[i].Value, n.Content[i+1]
		switch {
		case slices.Contains(allowed, name+"="):
			r.fields[name], err = readConstant(name, of.Value)
		case slices.Contains(allowed, name) || slices.Contains(allowed, "*"):
			r.fields[name], err = readValue(of.Value)
		default:
			err = fmt.Errorf("%s has no %q; it has %s", verb, name, strings.NewReplacer("=", "", " *", "", " ", ", ").Replace(v.fields))
		}
		if err != nil {
			err = fmt.Errorf("line %d: %w", of.Line, err)
		}
	}
	for _, name := range allowed[:v.needs] {
		if _, ok := r.fields[name]; !ok && err == nil {
			err = fmt.Errorf("%s needs %s", verb, name)
		}
	}
	return err
}

// value is where a value comes from: a constant, or a field of the message with an operation, or * of the topic.
type value struct {
	constant any      // if path is nil
	kind     string   // person, voice, face, or the path of a number that says it; or ""
	path     []string // * is what * stands for in the topic
	op       byte     // or 0
	number   float64
}

var (
	pathForm  = `[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*`
	valueForm = regexp.MustCompile(`^(?:(` + pathForm + `) )?(` + pathForm + `|\*)(?: *([*+/-]) *(\d+(?:\.\d+)?))?$`)
	whenForm  = regexp.MustCompile(`^(` + pathForm + `)(?: *(==|!=|>=|<=|>|<) *(.+))?$`)
)

// readValue reads a value of a rule: "=" and a text, a number, or a field with an operation.
func readValue(s string) (v value, err error) {
	if text, ok := strings.CutPrefix(s, "="); ok {
		return value{constant: text}, nil
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return value{constant: n}, nil
	}
	m := valueForm.FindStringSubmatch(s)
	if m == nil {
		return v, fmt.Errorf("%q is no value: write a field such as pose.position, an operation such as percentage * 100, or = and a text", s)
	}
	v = value{kind: m[1], path: strings.Split(m[2], ".")}
	if m[3] != "" {
		v.op = m[3][0]
		v.number, err = strconv.ParseFloat(m[4], 64)
	}
	return v, err
}

// readConstant reads a duration; for on, a name or number; for unit and changes, a name.
func readConstant(name, s string) (v value, err error) {
	switch n, number := strconv.ParseFloat(s, 64); {
	case name == "unit" || name == "changes" || name == "on" && number != nil:
		v.constant = s
	case name == "on":
		v.constant = n
	default:
		v.constant, err = time.ParseDuration(s)
	}
	return v, err
}

// condition is a field that must be there, or be compared with a constant.
type condition struct {
	value
	compare string
	with    string
}

func readCondition(s string) (*condition, error) {
	m := whenForm.FindStringSubmatch(s)
	if m == nil {
		return nil, fmt.Errorf("%q is no condition: write a field, or one with ==, !=, >=, <=, > or < and a number or text", s)
	}
	return &condition{value{path: strings.Split(m[1], ".")}, m[2], strings.Trim(m[3], `"`)}, nil
}

// holds reports whether the condition is true. NaN differs from everything.
func (c *condition) holds(root map[string]any) bool {
	v := c.of(root, "")
	if v == nil {
		return c.compare == "!="
	}
	order := strings.Compare(fmt.Sprint(v), c.with)
	n, number := float(v)
	if with, err := strconv.ParseFloat(c.with, 64); number && err == nil {
		if math.IsNaN(n) || math.IsNaN(with) {
			return c.compare == "!="
		}
		order = cmp.Compare(n, with)
	}
	switch c.compare {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case ">=":
		return order >= 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case "<":
		return order < 0
	}
	return isSet(v)
}

// isSet reports whether a value is neither nil, false, "", 0 nor NaN.
func isSet(v any) bool {
	if n, ok := float(v); ok {
		return n != 0 && !math.IsNaN(n)
	}
	return v != nil && v != false && v != ""
}

// of returns the value for a message, or nil. star is what * stands for.
func (v value) of(root map[string]any, star string) any {
	if v.path == nil {
		return v.constant
	}
	if v.path[0] == "*" {
		return star
	}
	out := at(root, v.path)
	if v.op == 0 {
		return out
	}
	n, ok := float(out)
	switch {
	case !ok:
		return nil
	case v.op == '*':
		n *= v.number
	case v.op == '/':
		n /= v.number
	case v.op == '+':
		n += v.number
	default:
		n -= v.number
	}
	return rounded(n)
}

// at returns the value at a path, or nil.
func at(root map[string]any, path []string) (out any) {
	out = root
	for _, name := range path {
		m, _ := out.(map[string]any)
		out = m[name]
	}
	return out
}

func float(v any) (n float64, ok bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	}
	return 0, false
}

// check returns an error if the type of a topic, or nil if that is unknown, lacks a field of the rule. In a built-in map,
// which is for all versions of a type, only the fields that the verb needs count.
func (r *rule) check(t *message.Type, builtin bool) error {
	if t == nil {
		return nil
	}
	if r.each != "" {
		of, array, ok := t.Field(r.each)
		if !ok || !array || of == nil {
			return fmt.Errorf("each: %s is no array of messages in %s", r.each, t.Name)
		}
		t = of
	}
	paths := [][]string{}
	if r.when != nil {
		paths = append(paths, r.when.path)
	}
	needed := strings.Fields(verbs[r.verb].fields)[:verbs[r.verb].needs]
	for name, v := range r.fields {
		if builtin && !slices.Contains(needed, name) {
			continue
		}
		paths = append(paths, v.path)
		if isPath := v.kind != "" && !slices.Contains(kinds, v.kind); isPath {
			paths = append(paths, strings.Split(v.kind, "."))
		}
	}
	for _, field := range r.parse {
		paths = append(paths, []string{field})
	}
	for _, path := range paths {
		if err := r.follow(path, t); err != nil {
			return err
		}
	}
	return nil
}

// follow returns an error if messages of a type have no value at a path. * is one of the topic, and what is in a JSON text
// is not known before it arrives.
func (r *rule) follow(path []string, in *message.Type) error {
	for ; len(path) > 0 && path[0] != "*" && in != nil; path = path[1:] {
		of, array, ok := in.Field(path[0])
		switch {
		case !ok:
			return fmt.Errorf("%s has no field %s; it has %s", in.Name, path[0], strings.Join(in.Names(), ", "))
		case array:
			return fmt.Errorf("%s.%s is an array; write each: %s if its elements are messages", in.Name, path[0], path[0])
		case of == nil && len(path) > 1 && !slices.Contains(r.parse, path[0]):
			return fmt.Errorf("%s.%s has no fields", in.Name, path[0])
		}
		in = of
	}
	return nil
}
