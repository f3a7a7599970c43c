package mapping_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/robot/bag"
	"github.com/segraph/segraph/robot/mapping"
	"github.com/segraph/segraph/robot/message"
)

// museum returns the museum's map. With a robot, it is that of this robot alone, whose topics have no prefix.
func museum(t *testing.T, robot string) *mapping.Map {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(suite.Root(t), "docs", "examples", "museum.map.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	source := string(text)
	if robot != "" {
		begin, end := strings.Index(source, "robots:"), strings.Index(source, "places:")
		source = source[:begin] + "robot: " + robot + "\npeople: {vol1: {same: [" + robot + "/vol1]}, vol2: {same: [" + robot + "/vol2]}}\n" + source[end:]
	}
	m, err := mapping.Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// lines returns the lines of bags, with the robot's id before what happened.
func lines(t *testing.T, m *mapping.Map, paths ...string) (out []mapping.Line, robots []string) {
	t.Helper()
	e, open := m.NewEngine(), map[*message.Channel]*mapping.Topic{}
	set, err := bag.Collect(context.Background(), paths, func(c *message.Channel) bool {
		topic, _, err := e.Open(c)
		if err != nil {
			t.Fatalf("%s: %v", c.Topic, err)
		}
		if topic != nil {
			open[c] = topic
		}
		return topic != nil
	}, func(*message.Channel) {})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	err = set.Each(context.Background(), func(f *bag.File, c *message.Channel, m message.Message) error {
		got, err := open[c].Take(m, mapping.Origin{IRI: "urn:x-bag:1", Label: f.Name})
		for range got {
			robots = append(robots, open[c].Robot())
		}
		out = append(out, got...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, robots
}

// document is what a test reads of a line.
type document struct {
	Key   string
	Graph struct {
		Graph []map[string]any `json:"@graph"`
	}
	Observation map[string]any
}

func read(t *testing.T, l mapping.Line) (d document) {
	t.Helper()
	if err := json.Unmarshal(l.JSON, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// What the kit says that a right import finds is found in each recording, and each sentence has its time and speaker.
func TestTheMuseumIsFoundAsItWasTold(t *testing.T) {
	suite.NotShort(t)
	folder := suite.Shared(t, "data", "mcap")
	text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, robot := range map[string]string{"museum.mcap": "", "iris-lz4.mcap": "iris", "otto-none.mcap": "otto"} {
		t.Run(name, func(t *testing.T) {
			var expected map[string]json.RawMessage
			var want struct {
				Found     map[string]map[string]int
				Sentences [][]any
			}
			if err := json.Unmarshal(text, &expected); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(expected[name], &want); err != nil {
				t.Fatal(err)
			}
			found := map[string]map[string]int{"iris": {}, "otto": {}}
			sentences := map[string]bool{}
			all, robots := lines(t, museum(t, robot), filepath.Join(folder, name))
			for i, l := range all {
				count(found[robots[i]], l, read(t, l))
				if l.Verb == "heard" || l.Verb == "said" {
					sentences[sentence(robots[i], l, read(t, l))] = true
				}
			}
			for robot, want := range want.Found {
				for what, n := range want {
					if got := found[robot][what]; got != n {
						t.Errorf("%s: %d %s were found of %d", robot, got, what, n)
					}
				}
			}
			for _, s := range want.Sentences {
				said, err := json.Marshal(s)
				if err != nil {
					t.Fatal(err)
				}
				if !sentences[string(said)] {
					t.Errorf("the sentence %s is missing", said)
				}
			}
			if len(sentences) != len(want.Sentences) {
				t.Errorf("%d sentences were found of %d", len(sentences), len(want.Sentences))
			}
		})
	}
}

// count counts a line under the kit's words.
func count(n map[string]int, l mapping.Line, d document) {
	graph := d.Graph.Graph
	facts, _ := json.Marshal(graph[0]["additionalProperty"])
	switch l.Verb {
	case "heard":
		if graph[len(graph)-1]["sender"] == nil {
			n["heard_without_speaker"]++
		} else {
			n["heard"]++
		}
	case "stopped":
		if graph[0]["label"] == "emergency stop" {
			n["stops"]++
		}
	case "problem":
		switch {
		case strings.Contains(string(facts), ": ") || strings.Contains(string(facts), "stale") || strings.Contains(string(facts), `"ok"`):
			n["diagnoses"]++ // only their parts have a colon
		case strings.Contains(string(facts), `"error"`):
			n["errors"]++
		default:
			n["warnings"]++
		}
	case "state":
		if graph[0]["atLocation"] != nil {
			if n["room"] > 0 {
				n["room_changes"]++
			}
			n["room"] = 1
		}
	default:
		n[map[string]string{"said": "said", "decided": "decisions", "done": "results", "intent": "intents", "emotion": "expressions", "saw": "engagements"}[l.Verb]]++
	}
}

// sentence returns a sentence as the kit writes it.
func sentence(robot string, l mapping.Line, d document) string {
	var text, by any
	var at time.Time
	for _, n := range d.Graph.Graph {
		if t, ok := n["startedAtTime"].(string); ok {
			at, _ = time.Parse(time.RFC3339, t)
		}
		if t, ok := n["text"]; ok {
			text, by = t, n["sender"]
		}
	}
	if m, ok := text.(map[string]any); ok {
		text = m["@value"]
	}
	if iri, ok := by.(string); ok {
		by = iri[strings.LastIndex(iri, "/")+1:]
	}
	out, _ := json.Marshal([]any{robot, l.Verb, float64(at.UnixMilli()-1773482400_000) / 1000, by, text})
	return string(out)
}

// Only ids of people whom the map names are compared with those of other robots.
func TestIdsOfOneRobotAreNoSubjects(t *testing.T) {
	all, _ := lines(t, museum(t, ""), filepath.Join(suite.Shared(t, "data", "mcap"), "museum.mcap"))
	subjects := map[any]int{}
	for _, l := range all {
		if d := read(t, l); l.Verb == "heard" {
			subjects[d.Observation["subject_uri"]]++
		}
	}
	people := museum(t, "").People()
	for _, p := range people {
		for _, iri := range p {
			if subjects[iri] == 0 {
				t.Errorf("%s is no subject", iri)
			}
		}
	}
	if len(people) != 2 || people[0][1] != "https://museum.example/person/otto/vol1" || subjects[nil] == 0 || len(subjects) != 5 {
		t.Errorf("the subjects are %v", subjects)
	}
}

// A bag and the bag that was cut from it tell the same events, and a second import has the same lines.
func TestTheSameMessageHasTheSameLine(t *testing.T) {
	folder := suite.Shared(t, "data", "mcap")
	whole, cut := filepath.Join(folder, "iris-lz4.mcap"), filepath.Join(folder, "iris-cut.mcap")
	events, keys := map[any]bool{}, map[string]bool{}
	all, _ := lines(t, museum(t, "iris"), whole)
	for _, l := range all {
		d := read(t, l)
		keys[d.Key], events[d.Graph.Graph[0]["id"]] = true, true
	}
	if len(keys) != len(all) {
		t.Errorf("%d lines have %d keys", len(all), len(keys))
	}
	again, _ := lines(t, museum(t, "iris"), whole)
	for _, l := range again {
		if !keys[read(t, l).Key] {
			t.Errorf("a second import has another %s", l.Verb)
		}
	}
	some, _ := lines(t, museum(t, "iris"), cut)
	if len(some) == 0 || len(some) >= len(all) {
		t.Errorf("the cut bag has %d lines, the whole one %d", len(some), len(all))
	}
	for _, l := range some {
		if id := read(t, l).Graph.Graph[0]["id"]; !events[id] {
			t.Errorf("the whole bag lacks %s", id)
		}
	}
}

func TestMapsThatAreWrongSayWhere(t *testing.T) {
	const head = "version: 1\n"
	for source, want := range map[string]string{
		"robot: iris":                      `must begin with "version: 1"`,
		head + "robt: iris":                "line 2: field robt not found",
		head + "base: museum":              "base must be an IRI",
		head + "use: [ros3]":               `no built-in map "ros3"`,
		head + "robot: a\nrobots: {b: {}}": "robot and robots",
		head + "robots: {a: {}, b: {}}":    "a and b have the same topics",
		head + "robots: {a: {topics: a}}":  "write / and a name",
		head + "people: {m: {same: [robot/m]}, n: {same: [robot/m]}}":        `n has the id "robot/m", which somebody has already`,
		head + "people: {maria: {same: [eve/m]}}":                            `the id "eve/m"`,
		head + "places: {hall: {x: [3, 1]}}":                                 "line 2: x and y of a place",
		head + "topics:\n  /say: said":                                       "line 3: topic /say: a rule is a map",
		head + "topics: {/say: {sayd: {text: data}}}":                        `"sayd" is unknown; a rule has one of decided, done`,
		head + "topics: {/say: {said: {txt: data}}}":                         `said has no "txt"; it has text, language, answers`,
		head + "topics: {/say: {said: {}}}":                                  "said needs text",
		head + "topics: {/say: {said: {text: a b c}}}":                       `"a b c" is no value`,
		head + "topics: {/say: {if: a ~ b, said: {}}}":                       `"a ~ b" is no condition`,
		head + "topics: {/say: {parse: {a: xml}}}":                           "can be read as json only",
		head + "topics: {/say: {if: a}}":                                     "does not say what happened",
		head + "topics: {/say: {said: {text: a}, heard: {text: a}}}":         "said and heard",
		head + "topics: {/p: {state: {place: p, every: soon}}}":              "invalid duration",
		head + "topics: {/say: {rules: [{said: {text: a}}, {sad: {b: c}}]}}": `"sad" is unknown`,
	} {
		if _, err := mapping.Parse(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", source, err, want)
		}
	}
}

// text is a channel of std_msgs/String.
var text = message.Channel{Topic: "/say", Type: "std_msgs/String", Encoding: "cdr", SchemaEncoding: "ros2msg", Schema: []byte("string data")}

func TestARuleForFieldsThatATypeLacksSaysWhichThereAre(t *testing.T) {
	for rule, want := range map[string]string{
		"{said: {text: dta}}":                         "std_msgs/String has no field dta; it has data",
		"{said: {text: data.x}}":                      "std_msgs/String.data has no fields",
		"{each: data, said: {text: x}}":               "each: data is no array",
		"{if: why, said: {text: data}}":               "has no field why",
		"{parse: {data: json}, said: {text: data.x}}": "",
	} {
		m, err := mapping.Parse("version: 1\ntopics: {/say: " + rule + "}")
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = m.NewEngine().Open(&text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v; want %q", rule, err, want)
		}
	}
}

// told takes messages one second apart, and returns how many events each tells.
func told(t *testing.T, rule string, c message.Channel, messages ...[]byte) (n []int) {
	t.Helper()
	m, err := mapping.Parse("version: 1\ntopics: {" + c.Topic + ": " + rule + "}")
	if err != nil {
		t.Fatal(err)
	}
	topic, _, err := m.NewEngine().Open(&c)
	if err != nil {
		t.Fatal(err)
	}
	for i, data := range messages {
		lines, err := topic.Take(message.Message{Log: time.Unix(int64(1e9+i), 0), Data: data}, mapping.Origin{})
		if err != nil {
			t.Fatal(err)
		}
		n = append(n, len(slices.DeleteFunc(lines, func(l mapping.Line) bool { return l.Verb == "robot" })))
	}
	return n
}

func TestRules(t *testing.T) {
	source, err := os.ReadFile("testdata/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tests []struct {
		Rule     any
		Messages []any
		Told     []int
	}
	if err := yaml.Unmarshal(source, &tests); err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		rule, err := json.Marshal(test.Rule)
		if err != nil {
			t.Fatal(err)
		}
		messages := make([][]byte, len(test.Messages))
		for i, m := range test.Messages {
			if messages[i], err = json.Marshal(m); err != nil {
				t.Fatal(err)
			}
		}
		if got := told(t, string(rule), message.Channel{Topic: "/x", Encoding: "json"}, messages...); !slices.Equal(got, test.Told) {
			t.Errorf("%s told %v events, not %v", rule, got, test.Told)
		}
	}
}

// Other numbers than those of JSON are set and compared like them. NaN is neither set nor in order.
func TestRulesOfNumbers(t *testing.T) {
	nan, low := []byte{0, 1, 0, 0, 0, 0, 0xc0, 0x7f}, []byte{0, 1, 0, 0, 0, 0, 0, 0x3e} // 0.125
	for _, test := range []struct {
		rule, field string
		a, b        []byte
		first, then int
	}{
		{"{stopped: {while: data}}", "uint8 data", []byte{0, 1, 0, 0, 0}, []byte{0, 1, 0, 0, 1}, 0, 1},
		{"{stopped: {while: data}}", "int32 data", []byte{0, 1, 0, 0, 0, 0, 0, 0}, []byte{0, 1, 0, 0, 255, 255, 255, 255}, 0, 1},
		{"{stopped: {while: data}}", "float32 data", nan, low, 0, 1},
		{"{if: data < 0.2, problem: {text: =low}}", "float32 data", nan, low, 0, 1},
		{"{if: data > nan, problem: {text: =low}}", "float32 data", nan, low, 0, 0},
		{"{if: data != 0.125, problem: {text: =low}}", "float32 data", nan, low, 1, 0},
	} {
		c := message.Channel{Topic: "/x", Type: "x/X", Encoding: "cdr", SchemaEncoding: "ros2msg", Schema: []byte(test.field)}
		if got := told(t, test.rule, c, test.a, test.b); !slices.Equal(got, []int{test.first, test.then}) {
			t.Errorf("%s of %s: %v", test.rule, test.field, got)
		}
	}
}
