package mapping_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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
		head + "people: {m: {same: [robot/m]}, n: {same: [robot/m]}}":          `n has the id "robot/m", which somebody has already`,
		head + "people: {maria: {same: [eve/m]}}":                              `the id "eve/m"`,
		head + "places: {hall: {x: [3, 1]}}":                                   "line 2: x and y of a place",
		head + "topics:\n  /say: said":                                         "line 3: topic /say: a rule is a map",
		head + "topics: {/say: {sayd: {text: data}}}":                          `"sayd" is unknown; a rule has one of decided, done`,
		head + "topics: {/say: {said: {txt: data}}}":                           `said has no "txt"; it has text, language, answers`,
		head + "topics: {/say: {said: {}}}":                                    "said needs text",
		head + "topics: {/say: {said: {text: a b c}}}":                         `"a b c" is no value`,
		head + "topics: {/say: {if: a ~ b, said: {}}}":                         `"a ~ b" is no condition`,
		head + "topics: {/say: {parse: {a: xml}}}":                             "can be read as json only",
		head + "topics: {/say: {if: a}}":                                       "does not say what happened",
		head + "topics: {/say: {said: {text: a}, heard: {text: a}}}":           "said and heard",
		head + "topics: {/p: {state: {place: p, every: soon}}}":                "invalid duration",
		head + "topics: {/say: {if: a, becomes: b, said: {text: c}}}":          "if and becomes",
		head + "topics: {/say: {if: a, rules: [{said: {text: b}}]}}":           "beside rules:",
		head + "topics: {/say: {said: {text: a}, rules: [{said: {text: b}}]}}": "beside rules:",
		head + "topics: {/say: {rules: [{type: a/B, said: {text: b}}]}}":       "type belongs beside rules:",
		head + "topics: {/say: {rules: [{said: {text: a}}, {sad: {b: c}}]}}":   `"sad" is unknown`,
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

// told takes messages of /x one second apart, and returns how many events each tells, and their JSON. The rule is for a
// pattern, such as /x.
func told(t *testing.T, pattern, rule string, c message.Channel, messages ...[]byte) (n []int, all string) {
	t.Helper()
	m, err := mapping.Parse("version: 1\ntopics: {" + pattern + ": " + rule + "}")
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
		lines = slices.DeleteFunc(lines, func(l mapping.Line) bool { return l.Verb == "robot" })
		n = append(n, len(lines))
		for _, l := range lines {
			all += string(l.JSON)
		}
	}
	return n, all
}

func TestRules(t *testing.T) {
	source, err := os.ReadFile("testdata/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tests []struct {
		Rule       any
		Topic      string
		Messages   []any
		Told       []int
		Has, Lacks []string
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
		pattern := cmp.Or(test.Topic, "/x")
		got, all := told(t, pattern, string(rule), message.Channel{Topic: strings.NewReplacer("*", "a", "y/*", "y/z").Replace(pattern), Encoding: "json"}, messages...)
		if !slices.Equal(got, test.Told) {
			t.Errorf("%s told %v events, not %v", rule, got, test.Told)
		}
		for i, part := range slices.Concat(test.Has, test.Lacks) {
			if strings.Contains(all, part) != (i < len(test.Has)) {
				t.Errorf("%s: %s in %s", rule, part, all)
			}
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
		if got, _ := told(t, c.Topic, test.rule, c, test.a, test.b); !slices.Equal(got, []int{test.first, test.then}) {
			t.Errorf("%s of %s: %v", test.rule, test.field, got)
		}
	}
}

// Arguments are written in JSON, although it has no NaN, and Go would write bytes in base64.
func TestArgumentsAreWrittenInJSON(t *testing.T) {
	c := message.Channel{Topic: "/x", Type: "x/X", Encoding: "cdr", SchemaEncoding: "ros2msg",
		Schema: []byte("x/B b\n" + strings.Repeat("=", 80) + "\nMSG: x/B\nfloat32[] f\nuint8[] u\n")}
	data := []byte{0, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0xc0, 0x7f, 0, 0, 0, 0x3e, 2, 0, 0, 0, 1, 255}
	if _, all := told(t, c.Topic, "{decided: {what: =go, args: b}}", c, data); !strings.Contains(all, `"{\"f\":[null,0.125],\"u\":[1,255]}"`) {
		t.Error(all)
	}
}

// take maps messages of channels in JSON, one second apart or at the same time, and returns the lines but those of robots.
func take(t *testing.T, source string, same bool, channels []message.Channel, messages ...string) (out []document) {
	t.Helper()
	m, err := mapping.Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	e := m.NewEngine()
	for i, text := range messages {
		topic, why, err := e.Open(&channels[i%len(channels)])
		if topic == nil {
			t.Fatal(why, err)
		}
		at := time.Unix(1e9, 0)
		if !same {
			at = at.Add(time.Duration(i) * time.Second)
		}
		lines, err := topic.Take(message.Message{Log: at, Data: []byte(text)}, mapping.Origin{})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			if l.Verb != "robot" {
				out = append(out, read(t, l))
			}
		}
	}
	return out
}

// first returns what a field of the first node of each document is.
func first(all []document, field string) (out []any) {
	for _, d := range all {
		out = append(out, d.Graph.Graph[0][field])
	}
	return out
}

// facts returns the properties of the first node of a document.
func facts(d document) map[string]any {
	out := map[string]any{}
	more, _ := d.Graph.Graph[0]["additionalProperty"].([]any)
	for _, p := range more {
		out[p.(map[string]any)["propertyID"].(string)] = p.(map[string]any)["value"]
	}
	return out
}

// hri_msgs had no language in LiveSpeech at first, then one, and then a locale.
func TestSpeechOfAnyROS4HRI(t *testing.T) {
	for _, last := range []string{"", "string language\n", "string locale\n"} {
		c := message.Channel{Topic: "/humans/voices/v1/speech", Type: "hri_msgs/LiveSpeech", Encoding: "cdr", SchemaEncoding: "ros2msg",
			Schema: []byte("string incremental\nstring final\nfloat64 confidence\n" + last)}
		m, err := mapping.Parse("")
		if err != nil {
			t.Fatal(err)
		}
		if topic, why, err := m.NewEngine().Open(&c); topic == nil {
			t.Errorf("%q: %s, %v", last, why, err)
		}
	}
	c := message.Channel{Topic: "/humans/voices/v1/speech", Type: "hri_msgs/LiveSpeech", Encoding: "json"}
	heard := take(t, "", false, []message.Channel{c}, `{"final":"Hola","locale":"es_ES"}`)
	if text := heard[0].Graph.Graph[1]["text"].(map[string]any); text["@language"] != "es-ES" {
		t.Errorf("the text is %v", text)
	}
}

// Both logs' levels have words, and the type may be written as ROS 2 does.
func TestLevelsOfTheLogs(t *testing.T) {
	for kind, levels := range map[string]string{"rosgraph_msgs/Log": "1 2 4 8 16", "rcl_interfaces/Log": "10 20 30 40 50"} {
		for _, source := range []string{"", "version: 1\nuse: []\ntopics: {/rosout: {type: " + strings.Replace(kind, "/", "/msg/", 1) + ", if: level >= 4, problem: {text: msg, level: level}}}"} {
			got := []any{}
			for _, level := range strings.Fields(levels) {
				for _, d := range take(t, source, false, []message.Channel{{Topic: "/rosout", Type: kind, Encoding: "json"}}, `{"msg":"hot","name":"arm","level":`+level+`}`) {
					got = append(got, facts(d)["level"])
				}
			}
			if want := []any{"warning", "error", "fatal"}; len(got) < 3 || !slices.Equal(got[len(got)-3:], want) || source == "" && len(got) > 3 {
				t.Errorf("%s in %q: %v", kind, source, got)
			}
		}
	}
}

// What was said is whole in its message; what failed and what was decided is whole in the label.
func TestOnlyWhatIsWrittenElsewhereIsCut(t *testing.T) {
	long := strings.Repeat("é", 2000)
	for rule, want := range map[string]int{"said: {text: data}": 80, "problem: {text: data}": 2000, "decided: {what: data}": 2000} {
		got := take(t, "version: 1\ntopics: {/x: {"+rule+"}}", false, []message.Channel{{Topic: "/x", Encoding: "json"}}, `{"data":"`+long+`"}`)
		if label := got[0].Graph.Graph[0]["label"].(string); len([]rune(label)) != want {
			t.Errorf("%s: the label has %d characters", rule, len([]rune(label)))
		}
	}
}

// An event has one IRI and no other has it, whatever a bag has before it and whatever else the map tells.
func TestIRIsOfEvents(t *testing.T) {
	const diagnoses = "version: 1\ntopics: {/d: {each: status, problem: {text: name, level: level, part: name, changes: level}}}"
	d := []message.Channel{{Topic: "/d", Encoding: "json"}}
	before, change := `{"status":[{"name":"A","level":1},{"name":"B","level":0}]}`, `{"status":[{"name":"A","level":1},{"name":"B","level":2}]}`
	whole := take(t, diagnoses, true, d, before, change)
	tail := take(t, diagnoses, true, d, change)
	if len(whole) != 2 || len(tail) != 2 || first(whole[1:], "id")[0] != first(tail[1:], "id")[0] || first(tail[:1], "id")[0] == first(tail[1:], "id")[0] {
		t.Errorf("B is %v and %v", first(whole, "id"), first(tail, "id"))
	}
	// Two publishers of a topic, at one time of a simulation.
	if got := first(take(t, diagnoses, true, append(d, d...), `{"status":[{"name":"A","level":1}]}`, `{"status":[{"name":"B","level":1}]}`), "id"); got[0] == got[1] {
		t.Errorf("both publishers' events are %v", got[0])
	}
	// Rules of another verb change nothing.
	x := []message.Channel{{Topic: "/x", Encoding: "json"}}
	one := first(take(t, "version: 1\ntopics: {/x: {said: {text: a}}}", true, x, `{"a":"b","raw":"{\"input\":\"b\"}"}`), "id")
	more := first(take(t, "version: 1\ntopics: {/x: {rules: [{heard: {text: a}}, {intent: {name: =__raw_user_input__, data: raw}}, {said: {text: a}}, {if: a, said: {text: a}}]}}", true, x, `{"a":"b","raw":"{\"input\":\"c\"}"}`), "id")
	ids := map[any]bool{}
	for _, id := range more {
		ids[id] = true
	}
	if len(one) != 1 || len(more) != 4 || len(ids) != 4 {
		t.Errorf("%v, %v", one, more)
	}
}

// A robot that is named by an IRI has people too, and its events one # in their IRIs.
func TestARobotNamedByAnIRI(t *testing.T) {
	const robots = `version: 1
robots: {"https://museum.example/robots#otto": {topics: /otto}, "https://museum.example/iris": {topics: /iris}}
people: {Maria: {same: ["https://museum.example/robots#otto/p1", "https://museum.example/iris/p1"]}}
topics: {/x: {heard: {text: a, by: a}}}`
	m, err := mapping.Parse(robots)
	if err != nil {
		t.Fatal(err)
	}
	if people := m.People(); len(people) != 1 || !slices.Equal(people[0], []string{"https://museum.example/robots#otto/p1", "https://museum.example/iris/p1"}) {
		t.Errorf("the people are %q", people)
	}
	docs := take(t, robots, false, []message.Channel{{Topic: "/otto/x", Encoding: "json"}}, `{"a":"p1"}`)
	for _, id := range first(docs, "id") {
		if strings.Count(fmt.Sprint(id), "#") != 1 {
			t.Errorf("the IRI is %v", id)
		}
	}
	if text := fmt.Sprint(docs); !strings.Contains(text, "-message") || strings.Contains(text, "#message") {
		t.Errorf("%s", text)
	}
}

// IRIs of a map stay, names are escaped as the clients do, and numbers are numbers.
func TestNamesAndNumbers(t *testing.T) {
	x := []message.Channel{{Topic: "/x", Encoding: "json"}}
	const rule = "version: 1\nbase: https://e.org/\ntopics: {/x: {event: {class: class, of: who, speed: speed, stuck: stuck, id: id, words: words}}}"
	got := take(t, rule, false, x, `{"class":"https://e.org/ns#Collision","who":"https://e.org/person/maria","speed":12.5,"stuck":true,"id":20260314,"words":"a"}`,
		`{"class":"lab@2 a+b","who":1234567}`)
	node := got[0].Graph.Graph[0]
	if class := node["type"].([]any)[1]; class != "https://e.org/ns#Collision" || got[1].Graph.Graph[0]["type"].([]any)[1] != "https://e.org/class/lab%402%20a%2Bb" {
		t.Errorf("the classes are %v and %v", class, got[1].Graph.Graph[0]["type"])
	}
	if f := facts(got[0]); f["speed"] != 12.5 || f["stuck"] != true || f["id"] != 20260314.0 || f["words"] != "a" {
		t.Errorf("the facts are %v", f)
	}
	if p, q := got[0].Graph.Graph[1], got[1].Graph.Graph[1]; p["id"] != "https://e.org/person/maria" || p["name"] != nil || q["id"] != "https://e.org/robot/robot/person/1234567" || q["name"] != "1234567" {
		t.Errorf("the people are %v and %v", p, q)
	}
	const cause = "version: 1\ntopics: {/x: {decided: {what: =go, because: because}}}"
	for because, want := range map[string]any{"https://e.org/heard/1": "https://e.org/heard/1", "see https://e.org/ for why": nil} {
		if got := first(take(t, cause, false, x, `{"because":"`+because+`"}`), "triggeredByActivity")[0]; got != want {
			t.Errorf("%s causes %v", because, got)
		}
	}
}

// A decision ends once it has ended, not with words of progress.
func TestAnActionEndsOnce(t *testing.T) {
	x := []message.Channel{{Topic: "/x", Encoding: "json"}}
	const rule = "version: 1\ntopics: {/x: {rules: [{if: what, decided: {what: what, id: id}}, {if: status, done: {id: id, status: status}}]}}"
	for status, want := range map[string]string{`"running"`: "", "4": "", `"Executing"`: "", `"succeeded"`: "schema:CompletedActionStatus", "true": "schema:CompletedActionStatus", `"aborted"`: "schema:FailedActionStatus"} {
		got := take(t, rule, false, x, `{"what":"go","id":"1"}`, `{"id":"1","status":`+status+`}`)
		end := ""
		if len(got) == 2 {
			end = got[1].Graph.Graph[0]["schema:actionStatus"].(map[string]any)["id"].(string)
		}
		if end != want {
			t.Errorf("%s ends as %q, not %q", status, end, want)
		}
	}
}

// TestWhatIsRememberedIsBounded has many channels of one large definition, and ids and values of half a megabyte.
func TestWhatIsRememberedIsBounded(t *testing.T) {
	m, err := mapping.Parse(`version: 1
topics:
  "/a/*": {said: {text: data}}
  /b: {rules: [{decided: {what: =x, id: t}}, {state: {v: t, on: v}}, {problem: {text: =x, part: t, level: t, changes: 1}}, {each: m, state: {v: t, on: v}}]}
`)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	e, topics := m.NewEngine(), make([]*mapping.Topic, 1000)
	definition := []byte("string data\n")
	for i := range 5000 {
		definition = fmt.Appendf(definition, "int8 a%d\n", i)
	}
	for i := range topics {
		c := &message.Channel{Topic: fmt.Sprint("/a/", i), Type: "a/B", Encoding: "cdr", SchemaEncoding: "ros2msg", Schema: definition}
		if topics[i], _, err = e.Open(c); err != nil || topics[i] == nil {
			t.Fatal(err)
		}
	}
	b, _, err := e.Open(&message.Channel{Topic: "/b", Encoding: "json"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		long := fmt.Sprintf("%d%0400000d", i, 1)
		text := `{"t":"` + long + `","m":[` + strings.Repeat("{},", i) + `{"t":"` + long + `"}]}`
		if _, err := b.Take(message.Message{Data: []byte(text)}, mapping.Origin{}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc-before.HeapAlloc) >> 20; grown > 10 {
		t.Errorf("%d MB are remembered", grown)
	}
	runtime.KeepAlive(topics)
	runtime.KeepAlive(e)
}
