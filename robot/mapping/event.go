package mapping

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/robot/message"
)

// node is a node of JSON-LD, or an observation.
type node map[string]any

// event is something that a message tells, or an element of its array.
type event struct {
	topic   *Topic
	robot   *robot
	rule    *rule
	root    map[string]any // of the message or element
	element int            // its index in the array, or 0
	felt    map[string]int // how many elements of the array, so far, have an emotion of each person
	message message.Message
	at      time.Time
	from    Origin
	nodes   []any // of its log; nil if there is none
	seen    node  // its observation, or nil
}

// kinds are the kinds of ids that a robot has for somebody, in the order of IdsMatch's numbers.
var kinds = []string{"", "person", "face", "body", "voice"}

// big6 has the emotions that have a name in EmotionML, by the words of ROS4HRI and of the clients.
var big6 = map[string]string{"happiness": "happiness", "happy": "happiness", "joy": "happiness", "sadness": "sadness", "sad": "sadness",
	"anger": "anger", "angry": "anger", "fear": "fear", "scared": "fear", "afraid": "fear", "disgust": "disgust", "disgusted": "disgust",
	"surprise": "surprise", "surprised": "surprise"}

// levels has the words for the levels of diagnoses, of ROS 2's log, and for those of warnings and errors in ROS 1's.
var levels = map[float64]string{0: "ok", 1: "warning", 2: "error", 3: "stale", 4: "warning", 8: "error", 10: "debug", 16: "fatal", 20: "info",
	30: "warning", 40: "error", 50: "fatal"}

// value returns a field's value, or nil.
func (e *event) value(field string) any {
	v, ok := e.rule.fields[field]
	if !ok {
		return nil
	}
	return v.of(e.root, e.topic.star)
}

// text returns a field's text. Other values are written as JSON.
func (e *event) text(field string) string { return asText(e.value(field)) }

// asText returns a value of a message as text: "" for none, JSON for lists and objects.
func asText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(plain(v)); err != nil {
		panic(err) // all values are texts and finite numbers
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// plain returns a value of a message as JSON has it: bytes as numbers, and null instead of NaN and infinities.
func plain(v any) any {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	case []byte:
		out := make([]int, len(v))
		for i := range v {
			out[i] = int(v[i])
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name := range v {
			out[name] = plain(v[name])
		}
		return out
	}
	return v
}

func (e *event) duration(field string) time.Duration {
	d, _ := e.rule.fields[field].constant.(time.Duration)
	return d
}

// fraction returns a field's number from 0 to 1, or nil.
func (e *event) fraction(field string) any {
	n, ok := float(e.value(field))
	if !ok || !(n >= 0 && n <= 1) {
		return nil
	}
	return rounded(n)
}

// rounded removes the noise of arithmetic.
func rounded(n float64) float64 {
	if math.Abs(n) < 1e9 {
		return math.Round(n*1e6) / 1e6
	}
	return n
}

// somebody is a person, as a robot names one.
type somebody struct {
	iri    string // or ""
	shared bool   // other robots may know them
}

// by returns who an id of a field means, which may be an IRI. For a voice, face or body that is of no known person, only a
// face has an IRI.
func (e *event) by(field string) somebody {
	v, ok := e.rule.fields[field]
	id := asText(v.of(e.root, e.topic.star))
	if !ok || id == "" || strings.HasPrefix(id, "__") { // __unknown_agent__, __myself__
		return somebody{}
	}
	if v.kind != "" && v.kind != "person" {
		person, ok := e.robot.persons.Get(v.kind + "/" + id)
		if !ok {
			if v.kind == "face" {
				return somebody{iri: e.robot.own + "face/" + escaped(id)}
			}
			return somebody{}
		}
		id = person
	}
	if iri, ok := e.topic.engine.m.people[e.robot.id+"/"+id]; ok {
		stranger, _ := e.robot.strangers.Get(id)
		return somebody{iri, !stranger}
	}
	if isIRI(id) {
		return somebody{id, true}
	}
	return somebody{iri: e.robot.own + "person/" + escaped(id)}
}

// add adds a node of the person, and returns the IRI. Who was named by an IRI has no other name.
func (e *event) add(s somebody) string {
	if s.iri != "" {
		n := node{"id": s.iri, "type": []string{"Human", "prov:Person"}}
		if name := e.topic.engine.m.names[s.iri]; name != "" {
			n["name"] = name
		} else if strings.HasPrefix(s.iri, e.robot.own) {
			n["name"] = nameOf(s.iri)
		}
		e.nodes = append(e.nodes, n)
	}
	return s.iri
}

// nameOf returns the id at the end of an IRI.
func nameOf(iri string) string {
	name := iri[strings.LastIndexByte(iri, '/')+1:]
	if plain, err := url.PathUnescape(name); err == nil {
		return plain
	}
	return name
}

func activity(r *robot, id, class, label string, at time.Time) node {
	return node{"id": id, "type": []string{"LoggedActivity", class}, "label": label, "wasPerformedBy": r.iri, "startedAtTime": stamp(at)}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// begin adds an activity, and what the log says about its origin.
func (e *event) begin(kind, class, label string) node {
	n := activity(e.robot, e.id(kind), class, label, e.at)
	e.origin(n)
	e.robot.events.Add(e.moment(e.at), cause{activity: n["id"].(string)})
	return n
}

func (e *event) origin(n node) {
	n["prov:hadPrimarySource"] = node{"id": e.from.IRI, "label": e.from.Label}
	e.nodes = append(e.nodes, n)
}

// moment is the key of what a topic told at a time.
func (e *event) moment(at time.Time) string {
	return fmt.Sprintf("%s@%d", e.topic.channel.Topic, at.Round(time.Millisecond).UnixMilli())
}

// facts adds properties, those that are neither nil nor "".
func (n node) facts(values map[string]any) {
	var out []any
	for name, v := range values {
		if v == nil || v == "" {
			continue
		}
		if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			v = fmt.Sprint(f)
		}
		out = append(out, node{"id": part(n["id"].(string), name), "type": "PropertyValue", "propertyID": name, "value": v})
	}
	slices.SortFunc(out, func(a, b any) int { return strings.Compare(a.(node)["id"].(string), b.(node)["id"].(string)) })
	if out != nil {
		n["additionalProperty"] = out
	}
}

// part returns the IRI of a part of something. It has one # only.
func part(iri, name string) string {
	if strings.Contains(iri, "#") {
		return iri + "-" + escaped(name)
	}
	return iri + "#" + escaped(name)
}

// escaped returns a name as a part of an IRI, as the clients write it.
func escaped(name string) string { return strings.ReplaceAll(url.QueryEscape(name), "+", "%20") }

// isIRI reports whether a name is an IRI, as the clients see it.
func isIRI(name string) bool { return iriForm.MatchString(name) }

var iriForm = regexp.MustCompile("^(?:urn:|[A-Za-z][A-Za-z0-9+.-]*://)[^\\x00-\\x20<>\"{}|^`\\\\]*$")

// because adds what caused a node.
func (n node) because(c cause) {
	if c.activity != "" {
		n["triggeredByActivity"] = c.activity
	}
	if c.message != "" {
		n["triggeredByEntity"] = c.message
	}
}

// sentence adds the message of an activity.
func (e *event) sentence(n node, class, text, sender string) node {
	m := node{"id": part(n["id"].(string), "message"), "type": []string{"Message", class}, "wasGeneratedBy": n["id"], "text": text}
	if tag := strings.ReplaceAll(cmp.Or(e.text("language"), e.text("locale")), "_", "-"); language.MatchString(tag) {
		m["text"] = node{"@value": text, "@language": tag}
	}
	if sender != "" {
		m["sender"] = sender
	}
	e.nodes = append(e.nodes, m)
	return m
}
