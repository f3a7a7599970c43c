// Package mapping turns messages of robots into logs, by a map in YAML: which topic tells what somebody said, what the
// robot decided, and so on. docs/connect.md describes the language. The built-in maps, for ROS4HRI and ROS 2, are
// written in it too.
package mapping

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/segraph/segraph/internal/strictyaml"
)

//go:embed builtin
var builtin embed.FS

// DefaultBase begins the IRIs of robots without a map.
const DefaultBase = "urn:segraph:"

// Map says what the topics of robots mean.
type Map struct {
	base   string
	robots []robotName       // longest prefix first
	people map[string]string // IRIs of people whom other robots may know too, by robot and id
	names  map[string]string // of people
	same   [][]string        // IRIs of one person
	places []place
	rules  []topicRules
}

type robotName struct{ id, prefix, name string }

// place is a rectangle in the frame of the poses; a nil range has no bounds.
type place struct {
	name string
	x, y []float64
}

// topicRules are the rules of the topics that match a pattern.
type topicRules struct {
	pattern string
	types   []string // that the topic must have one of; nil for any
	rules   []*rule  // nil: the topic is ignored
	builtin bool
}

// text is a map as it is written.
type text struct {
	Version int
	Base    string
	Robot   string
	Robots  map[string]struct{ Topics, Name string }
	People  map[string]struct {
		Name string
		Same []string
	}
	Places yaml.Node
	Use    []string
	Topics yaml.Node
}

// Parse reads a map. An empty text is the map of one robot, "robot", with the built-in rules. Errors name the line.
func Parse(source string) (*Map, error) {
	t, err := decode(source)
	if err != nil {
		return nil, err
	}
	if t.Version != 1 && source != "" {
		return nil, errors.New(`the map must begin with "version: 1"`)
	}
	m := &Map{base: t.Base, people: map[string]string{}, names: map[string]string{}}
	if m.base == "" {
		m.base = DefaultBase
	}
	if u, err := url.Parse(m.base); err != nil || u.Scheme == "" || u.Fragment != "" || !strings.ContainsAny(m.base[len(m.base)-1:], "/:") {
		return nil, fmt.Errorf("base must be an IRI that ends in / or :, such as https://museum.example/, not %q", m.base)
	}
	if err := m.readRobots(t); err != nil {
		return nil, err
	}
	if err := m.readPlaces(&t.Places); err != nil {
		return nil, err
	}
	if err := m.readTopics(&t.Topics, false); err != nil {
		return nil, err
	}
	if t.Use == nil {
		t.Use = []string{"ros4hri", "ros2"}
	}
	for _, name := range t.Use {
		source, err := builtin.ReadFile(path.Join("builtin", name+".yaml"))
		if err != nil {
			return nil, fmt.Errorf("use: there is no built-in map %q, only ros4hri and ros2", name)
		}
		t, err := decode(string(source))
		if err == nil {
			err = m.readTopics(&t.Topics, true)
		}
		if err != nil {
			return nil, fmt.Errorf("the built-in map %s: %w", name, err)
		}
	}
	return m, nil
}

// decode reads a map in YAML. An empty text is an empty map.
func decode(source string) (t text, err error) {
	err = strictyaml.Decode([]byte(source), &t)
	return t, err
}

// readRobots reads which robots there are and the prefixes of their topics. The longest prefixes come first, so that
// the first one of a topic is its robot's.
func (m *Map) readRobots(t text) error {
	switch {
	case t.Robot != "" && t.Robots != nil:
		return errors.New("the map has robot and robots; give one of them")
	case t.Robots == nil && t.Robot == "":
		t.Robot = "robot"
		fallthrough
	case t.Robots == nil:
		m.robots = []robotName{{id: t.Robot, name: t.Robot}}
	}
	for id, r := range t.Robots {
		if r.Topics != "" && (r.Topics[0] != '/' || strings.HasSuffix(r.Topics, "/")) {
			return fmt.Errorf("robots: the topics of %s begin with %q; write / and a name, such as /%s", id, r.Topics, id)
		}
		name := robotName{id, r.Topics, r.Name}
		if name.name == "" {
			name.name = id
		}
		m.robots = append(m.robots, name)
	}
	if len(m.robots) == 0 {
		return errors.New("robots: none is named; write one, or leave robots out")
	}
	slices.SortFunc(m.robots, func(a, b robotName) int {
		return cmp.Or(cmp.Compare(len(b.prefix), len(a.prefix)), strings.Compare(a.id, b.id)) // the longest prefix first
	})
	for i, r := range m.robots[1:] {
		if r.prefix == m.robots[i].prefix {
			return fmt.Errorf("robots: %s and %s have the same topics, %q", m.robots[i].id, r.id, r.prefix)
		}
	}
	return m.readPeople(t)
}

// readPeople gives each robot's id of a person an IRI of its own, so that a decision that they are one can be undone.
func (m *Map) readPeople(t text) error {
	for _, person := range slices.Sorted(maps.Keys(t.People)) {
		var same []string
		for _, id := range t.People[person].Same {
			robot, own := m.robotOf(id)
			if robot == "" {
				return fmt.Errorf("people: %s has the id %q; write a robot of this map, / and its id of the person", person, id)
			}
			if m.people[id] != "" {
				return fmt.Errorf("people: %s has the id %q, which somebody has already", person, id)
			}
			iri := m.iri("person", robot) + "/" + escaped(own)
			m.people[id], m.names[iri] = iri, cmp.Or(t.People[person].Name, person)
			same = append(same, iri)
		}
		if len(same) > 1 {
			m.same = append(m.same, same)
		}
	}
	return nil
}

// robotOf divides a robot's id of a person into those of the robot, which may be an IRI, and of the person.
func (m *Map) robotOf(id string) (robot, person string) {
	for _, r := range m.robots {
		if own, of := strings.CutPrefix(id, r.id+"/"); of && len(r.id) > len(robot) {
			robot, person = r.id, own
		}
	}
	return robot, person
}

// People returns, for each person with several IRIs, all of them.
func (m *Map) People() [][]string { return m.same }

// readPlaces reads places. Each has a name, and may have bounds of x and of y, in metres.
func (m *Map) readPlaces(n *yaml.Node) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		var p struct{ X, Y []float64 }
		if err := n.Content[i+1].Decode(&p); err != nil {
			return fmt.Errorf("places: %w", err)
		}
		for _, bounds := range [][]float64{p.X, p.Y} {
			if bounds != nil && (len(bounds) != 2 || bounds[0] >= bounds[1]) {
				return fmt.Errorf("line %d: x and y of a place are [from, to]", n.Content[i].Line)
			}
		}
		m.places = append(m.places, place{n.Content[i].Value, p.X, p.Y})
	}
	return nil
}

// readTopics appends the rules of topics to m's. builtin says that they are of the built-in maps.
func (m *Map) readTopics(n *yaml.Node, builtin bool) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		t := topicRules{pattern: n.Content[i].Value, builtin: builtin}
		value := n.Content[i+1]
		if value.Value != "ignore" {
			var err error
			if t.rules, t.types, err = readRules(value, nil); err != nil {
				return fmt.Errorf("line %d: topic %s: %w", value.Line, t.pattern, err)
			}
		}
		m.rules = append(m.rules, t)
	}
	return nil
}

// find returns the robot and the rules of a topic, and what * stands for in it. The rules are nil if the topic has none,
// or none for messages of type kind.
func (m *Map) find(topic, kind string) (r robotName, t *topicRules, star string) {
	for _, r = range m.robots {
		rest, ok := strings.CutPrefix(topic, r.prefix)
		if !ok || r.prefix != "" && !strings.HasPrefix(rest, "/") {
			continue
		}
		for i := range m.rules {
			t := &m.rules[i]
			if star, ok := match(t.pattern, rest); ok && (t.types == nil || slices.Contains(t.types, kind)) {
				return r, t, star
			}
		}
		return r, nil, ""
	}
	return robotName{}, nil, ""
}

// match reports whether a topic has the form of a pattern, in which * is one part of the name.
func match(pattern, topic string) (star string, ok bool) {
	p, t := strings.Split(pattern, "/"), strings.Split(topic, "/")
	if len(p) != len(t) {
		return "", false
	}
	for i := range p {
		if p[i] == "*" {
			star = t[i]
		} else if p[i] != t[i] {
			return "", false
		}
	}
	return star, true
}

// iri returns the IRI of a thing of the site. A name may be an IRI already.
func (m *Map) iri(kind, name string) string {
	if isIRI(name) {
		return name
	}
	return m.base + kind + "/" + escaped(name)
}

var language = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)
