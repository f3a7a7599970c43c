package mapping

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/segraph/segraph/robot/message"
)

// remembered limits what an engine remembers of each kind: events that may be causes, decisions that may end, matches of
// voices and faces, values that may change.
const remembered = 10_000

// maxText limits the bytes of a text that is remembered. A hash stands for a longer one.
const maxText = 512

// maxSchemas limits the bytes of the definitions whose decoders are kept.
const maxSchemas = 16 << 20

// Engine turns the messages of a map's robots into lines of POST /batch. Messages must come in the order of time. It is
// not safe for concurrent use.
type Engine struct {
	m        *Map
	robots   map[string]*robot
	decoders map[definition]decoder // of the channels that were opened; many may have one definition
	schemas  int                    // bytes of their definitions
}

// definition is what the decoder of a channel depends on.
type definition struct{ kind, encoding, schemaEncoding, schema string }

// decoder is a decoder, or why there is none.
type decoder struct {
	*message.Decoder
	err error
}

// NewEngine returns an engine that has seen no message.
func (m *Map) NewEngine() *Engine { return &Engine{m: m, robots: map[string]*robot{}} }

// robot is what the engine remembers of a robot.
type robot struct {
	robotName
	iri, own   string
	heard      sentence         // the last one
	persons    memory[string]   // by "voice/ID" and the like
	strangers  memory[bool]     // by id
	decisions  memory[string]   // by id
	events     memory[cause]    // by topic and millisecond
	last       memory[lastSeen] // by topic and more: what must change
	introduced bool
}

// sentence is a sentence that a robot heard.
type sentence struct {
	cause
	by, text string
	at       time.Time
}

// cause is an activity, and the message that it is about or "".
type cause struct{ activity, message string }

// lastSeen is an earlier value.
type lastSeen struct {
	value any
	at    time.Time
}

// Origin says where a message comes from.
type Origin struct {
	IRI   string // of the message
	Label string // for people
}

// A Line is one log, as POST /batch takes it.
type Line struct {
	Verb string // what happened: heard, said and so on
	JSON []byte
}

// Topic is a topic whose messages become logs.
type Topic struct {
	engine  *Engine
	robot   *robot
	channel *message.Channel
	decoder *message.Decoder
	rules   []*rule
	star    string
}

// Open returns the topic of a channel, or nil if no rule takes it. why says so in words; for an ignored topic it is
// "ignored". The error says why a rule can't be used.
func (e *Engine) Open(c *message.Channel) (t *Topic, why string, err error) {
	name, rules, star := e.m.find(c.Topic, c.Type)
	switch {
	case name.id == "":
		return nil, "of no robot of the map", nil
	case rules == nil:
		return nil, "no rule", nil
	case rules.rules == nil:
		return nil, "ignored", nil
	}
	t = &Topic{engine: e, channel: c, rules: rules.rules, star: star}
	if t.decoder, err = e.decoder(c); err != nil {
		return nil, "", err
	}
	for _, r := range t.rules {
		if err := r.check(t.decoder.Type, rules.builtin); err != nil {
			return nil, "", err
		}
	}
	t.robot = e.robot(name)
	return t, "", nil
}

// decoder returns the decoder of a channel.
func (e *Engine) decoder(c *message.Channel) (*message.Decoder, error) {
	d, ok := e.decoders[definition{c.Type, c.Encoding, c.SchemaEncoding, string(c.Schema)}]
	if !ok {
		d.Decoder, d.err = message.NewDecoder(c)
		if e.schemas += len(c.Schema); e.decoders == nil || e.schemas > maxSchemas {
			e.decoders, e.schemas = map[definition]decoder{}, len(c.Schema)
		}
		e.decoders[definition{c.Type, c.Encoding, c.SchemaEncoding, string(c.Schema)}] = d
	}
	return d.Decoder, d.err
}

// Robot returns the id of the topic's robot.
func (t *Topic) Robot() string { return t.robot.id }

// Name returns the topic's name.
func (t *Topic) Name() string { return t.channel.Topic }

// Rule returns what the topic's messages tell, in words of the map.
func (t *Topic) Rule() (verbs []string) {
	for _, r := range t.rules {
		verbs = append(verbs, r.verb)
	}
	return verbs
}

// robot returns what is remembered of a robot, from now on if it is new.
func (e *Engine) robot(name robotName) *robot {
	r := e.robots[name.id]
	if r == nil {
		r = &robot{robotName: name, iri: e.m.iri("robot", name.id)}
		r.own = r.iri + "/"
		r.persons, r.strangers, r.decisions = remember[string](), remember[bool](), remember[string]()
		r.events, r.last = remember[cause](), remember[lastSeen]()
		e.robots[name.id] = r
	}
	return r
}

// memory has the latest values by their keys.
type memory[V any] struct{ cache *lru.Cache[string, V] }

func (m memory[V]) Get(key string) (V, bool) { return m.cache.Get(short(key)) }

func (m memory[V]) Add(key string, v V) { m.cache.Add(short(key), v) }

// short returns a text of at most maxText bytes that is equal to that of another text only if both are equal.
func short(text string) string {
	if len(text) <= maxText {
		return text
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

func remember[V any]() memory[V] {
	c, err := lru.New[string, V](remembered)
	if err != nil {
		panic(err) // the size is negative
	}
	return memory[V]{c}
}

// Take returns the logs of a message: mostly none. An error says why the message can't be read.
func (t *Topic) Take(m message.Message, from Origin) (lines []Line, err error) {
	root, err := t.decoder.Decode(m.Data)
	if err != nil {
		return nil, err
	}
	for _, r := range t.rules {
		for _, field := range r.parse {
			if text, ok := root[field].(string); ok {
				var v map[string]any
				if v, err = message.ReadJSON([]byte(text)); err != nil {
					return nil, fmt.Errorf("the field %s: %w", field, err)
				}
				root[field] = v
			}
		}
		parts := []any{root}
		if r.each != "" {
			parts, _ = root[r.each].([]any)
		}
		felt := map[string]int{}
		for i, part := range parts {
			if part, ok := part.(map[string]any); ok {
				ev := &event{topic: t, robot: t.robot, rule: r, root: part, element: i, felt: felt, message: m, at: timeOf(root, m), from: from}
				lines = append(lines, ev.apply()...)
			}
		}
	}
	return lines, nil
}

// apply returns the lines of an event; none if the condition of the rule does not hold or, with becomes, held before. The
// first lines of a robot begin with one that introduces it.
func (e *event) apply() []Line {
	if when := e.rule.when; when != nil {
		holds := when.holds(e.root)
		if e.rule.becomes && !e.changed(e.key("becomes", e.element), holds, 0) || !holds {
			return nil
		}
	}
	verbs[e.rule.verb].tell(e)
	if e.nodes == nil {
		return nil
	}
	var out []Line
	if !e.robot.introduced {
		e.robot.introduced = true
		out = append(out, e.topic.engine.line("robot", []any{node{"id": e.robot.iri, "type": "Robot", "name": e.robot.name}}, nil))
	}
	return append(out, e.topic.engine.line(e.rule.verb, e.nodes, e.seen))
}

// farOff is how much the time in a message may differ from that of the recording. More is another clock's, such as that
// of a simulation.
const farOff = time.Hour

// timeOf returns when something happened: the stamp of a message, or when it was published, or logged.
func timeOf(root map[string]any, m message.Message) time.Time {
	for _, path := range [][]string{{"header", "stamp"}, {"stamp"}} {
		sec, ok1 := float(at(root, append(path, "sec")))
		nsec, ok2 := float(at(root, append(path, "nanosec")))
		t := time.Unix(int64(sec), int64(nsec)).UTC()
		if ok1 && ok2 && sec != 0 && t.Sub(m.Log).Abs() < farOff {
			return t
		}
	}
	if since := m.Log.Sub(m.Publish); since >= 0 && since < time.Minute {
		return m.Publish
	}
	return m.Log
}

// line returns a line with nodes, and an observation or nil. Its key is a hash of both, so that the same message of the
// same bag has the same key.
func (e *Engine) line(verb string, nodes []any, seen node) Line {
	graph := node{"@context": "/context.jsonld", "@graph": nodes}
	out := node{"graph": graph}
	if seen != nil {
		out["observation"], out["about"] = seen, seen["observation_uri"]
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic(err) // all values are texts and finite numbers
	}
	sum := sha256.Sum256(text)
	out["key"] = hex.EncodeToString(sum[:])
	if text, err = json.Marshal(out); err != nil {
		panic(err)
	}
	return Line{verb, text}
}

// id returns the IRI of an event. It depends on the robot, the topic, the message with the time of its recording, the
// element of its array, and how many rules of the verb are before: so an event has one IRI in a cut bag, in the whole
// one, and in a bag that overlaps. A map may get other rules, but not one of the same verb before another.
func (e *event) id(kind string) string {
	sum := sha256.New()
	for _, b := range [][]byte{[]byte(e.topic.channel.Topic), {0}, e.message.Data} {
		sum.Write(b)
	}
	id := e.robot.own + kind + "/" + strconv.FormatInt(e.message.Log.UnixNano(), 10) + "-" + hex.EncodeToString(sum.Sum(nil)[:4])
	before := 0
	for _, r := range e.topic.rules[:slices.Index(e.topic.rules, e.rule)] {
		if r.verb == e.rule.verb {
			before++
		}
	}
	if before > 0 || e.element > 0 {
		id += fmt.Sprintf("-%d-%d", before, e.element)
	}
	if e.rule.verb != kind { // an intent tells what was heard, as another rule may
		id += "-" + e.rule.verb
	}
	return id
}

// Introduce makes each robot's next lines begin with its introduction again, because the first one may be lost.
func (e *Engine) Introduce() {
	for _, r := range e.robots {
		r.introduced = false
	}
}

// Incident returns the line of something that failed in the connection to a robot.
func (e *Engine) Incident(robotID, text string, at time.Time, facts map[string]any) Line {
	i := slices.IndexFunc(e.m.robots, func(r robotName) bool { return r.id == robotID })
	r := e.robot(e.m.robots[i])
	n := activity(r, r.own+"problem/"+strconv.FormatInt(at.UnixNano(), 10), "sc:Incident", text, at)
	n.facts(facts)
	return e.line("problem", []any{n}, nil)
}
