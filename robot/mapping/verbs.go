package mapping

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/robot/message"
)

func (e *event) sentenceHeard() { e.heard(e.text("text"), e.by("by")) }

// heard adds a sentence that the robot heard from somebody, with an observation. The robot's next
// answer may refer to it.
func (e *event) heard(text string, by somebody) {
	if text == "" {
		return
	}
	n := e.begin("heard", "ListeningEvent", "heard")
	m := e.sentence(n, "InitialMessage", text, e.add(by))
	m.facts(map[string]any{"confidence": e.fraction("confidence")})
	e.observe("human_utterance", "speech", n, by)
	e.seen["text"] = text
	c := cause{n["id"].(string), m["id"].(string)}
	e.robot.heard = sentence{c, by.iri, text, e.at}
	e.robot.events.Add(e.moment(e.at), c)
}

// observe compares an activity with what other robots report.
func (e *event) observe(kind, modality string, n node, who somebody) {
	e.seen = node{"event_kind": kind, "observed_at": n["startedAtTime"], "modality": modality, "robot_uri": e.robot.iri, "observation_uri": n["id"]}
	if who.shared {
		e.seen["subject_uri"] = who.iri
	}
}

// recent returns the last sentence heard, if it is at most so old.
func (e *event) recent(age time.Duration) (s sentence, ok bool) {
	since := e.at.Sub(e.robot.heard.at)
	return e.robot.heard, e.robot.heard.activity != "" && since >= 0 && since <= age
}

// said adds a sentence that the robot said. Within the rule's time, it answers the last sentence
// heard.
func (e *event) said() {
	text := e.text("text")
	if text == "" {
		return
	}
	label := []rune(text) // the message has all of it
	n := e.begin("said", "ResponseAction", string(label[:min(len(label), 80)]))
	m := e.sentence(n, "ResponseMessage", text, e.robot.iri)
	if s, ok := e.recent(e.duration("answers")); ok {
		n.because(cause{activity: s.activity})
		m["wasDerivedFrom"] = s.message
	}
}

// intent logs what the robot took a sentence to mean. If it is the raw sentence, and the robot did not log that it heard
// it, intent logs that it heard it.
func (e *event) intent() {
	name, by := e.text("name"), e.by("by")
	s, recent := e.recent(e.duration("within"))
	if name == "__raw_user_input__" {
		input, err := message.ReadJSON([]byte(e.text("data")))
		if text, ok := input["input"].(string); err == nil && ok && (!recent || text != s.text) {
			e.heard(text, by)
			return
		}
	}
	n := e.begin("intent", e.topic.engine.m.iri("class", "Intent"), strings.Trim(strings.TrimPrefix(name, "__intent_"), "_"))
	n.facts(map[string]any{"args": e.text("data"), "confidence": e.fraction("confidence")})
	if recent && by.iri != "" && by.iri == s.by {
		n.because(s.cause)
	}
}

// emotion logs an emotion of somebody, unless it was logged shortly before.
func (e *event) emotion() {
	of, category := e.by("of"), e.text("category")
	if of.iri == "" || category == "" {
		return
	}
	e.felt[of.iri]++ // one message may have several emotions of a person
	if !e.changed(e.key("emotion", fmt.Sprint(e.felt[of.iri], " ", of.iri)), category, e.duration("again")) {
		return
	}
	n := e.begin("emotion", "EmotionAnalysis", category)
	id := n["id"].(string)
	n["producedEntityResult"] = part(id, "annotation")
	feeling := node{"id": part(id, "emotion"), "type": "Emotion"}
	if name := big6[strings.ToLower(category)]; name != "" {
		feeling["hasEmotionCategory"] = "emoml:big6_" + name
	} else {
		feeling["hasEmotionCategory"] = e.topic.engine.m.iri("emotion", category)
	}
	for field, property := range map[string]string{"confidence": "algorithmConfidence", "intensity": "hasEmotionIntensity"} {
		if f := asText(e.fraction(field)); f != "" {
			if !strings.Contains(f, ".") {
				f += ".0" // as the clients write it
			}
			feeling[property] = f
		}
	}
	e.nodes = append(e.nodes, node{"id": part(id, "annotation"), "type": []string{"Annotation", "EmotionAnnotation"}, "hasTarget": e.add(of), "hasEmotion": feeling})
}

// changed reports whether the value under a key is another one than before, or the first after a silence of again.
func (e *event) changed(key string, v any, again time.Duration) bool {
	if text, is := v.(string); is {
		v = short(text)
	}
	last, ok := e.robot.last.Get(key)
	e.robot.last.Add(key, lastSeen{v, e.at})
	return !ok || last.value != v || again > 0 && e.at.Sub(last.at) > again
}

// key returns the name under which the robot's last value of this rule is kept. part tells apart values of one rule, such
// as those of elements of an array.
func (e *event) key(what string, part any) string {
	return fmt.Sprintf("%s %p %s %v", e.topic.channel.Topic, e.rule, what, part)
}

// saw adds that the robot saw somebody, with an observation.
func (e *event) saw() {
	who := e.by("who")
	n := e.begin("saw", "DetectedHumanEvent", "saw somebody")
	e.add(who)
	e.observe("human_presence", "vision", n, who)
}

// decided adds a decision of the robot, with its cause if the message names a known one.
func (e *event) decided() {
	what := e.text("what")
	if what == "" {
		return
	}
	n := e.begin("decided", "DecisionMakingAction", what)
	facts := map[string]any{"args": e.text("args"), "why": e.text("why")}
	if why := e.value("because"); why != nil {
		c, ok := e.cause(why)
		n.because(c)
		if !ok {
			facts["because"] = asText(why)
		}
	}
	n.facts(facts)
	if name := e.text("model"); name != "" {
		n["usedMLModel"] = node{"id": e.topic.engine.m.iri("model", name), "type": "Model", "label": name}
	}
	if id := e.text("id"); id != "" {
		e.robot.decisions.Add(id, n["id"].(string))
	}
}

// cause returns the event that a message names as a cause: by its topic and its stamp in seconds, by the id of a
// decision, or by its IRI.
func (e *event) cause(v any) (c cause, ok bool) {
	if id, is := v.(string); is {
		if c.activity, ok = e.robot.decisions.Get(id); !ok && isIRI(id) {
			c.activity, ok = id, true
		}
		return c, ok
	}
	m, _ := v.(map[string]any)
	topic, _ := m["topic"].(string)
	seconds, _ := float(m["stamp"])
	for _, off := range []int64{0, -1, 1} { // the sender may have rounded the stamp
		key := fmt.Sprintf("@%d", int64(math.Round(seconds*1000))+off)
		for _, name := range []string{topic, e.robot.prefix + topic} {
			if c, ok = e.robot.events.Get(name + key); ok {
				return c, true
			}
		}
	}
	return c, false
}

// going has the words for an action that goes on.
var going = []string{"", "accepted", "active", "canceling", "cancelling", "executing", "paused", "pending", "preempting", "recalling", "running", "started", "waiting"}

// done logs how an action ended that a decision began. Words of progress end nothing, and neither do numbers, which mean
// something else in each system. Any other word is a failure, and so is false. Only the first end counts: a status may be
// published again.
func (e *event) done() {
	id, ok := e.robot.decisions.Get(e.text("id"))
	status, _ := e.value("status").(string)
	if v, is := e.value("status").(bool); is {
		status = map[bool]string{true: "succeeded", false: "failed"}[v]
	}
	status = strings.ToLower(status)
	if !ok || slices.Contains(going, status) || !e.changed("done "+id, true, 0) {
		return
	}
	class := "FailedActionStatus"
	if status == "succeeded" {
		class = "CompletedActionStatus"
	}
	n := node{"id": id, "endedAtTime": stamp(e.at), "schema:actionStatus": node{"id": "schema:" + class}}
	if status != "succeeded" && status != "failed" {
		n.facts(map[string]any{"status": status})
	}
	e.nodes = append(e.nodes, n)
}

// state logs a state of the robot: its place, and the fields of the rule that have a value, unless it is too soon.
func (e *event) state() {
	n := node{"type": []string{"prov:Entity", "Result"}, "wasAttributedTo": e.robot.iri, "generatedAtTime": stamp(e.at)}
	facts := map[string]any{}
	for name := range e.rule.fields {
		switch v := e.value(name); v := v.(type) {
		case nil, map[string]any:
			if where := e.topic.engine.m.place(v); name == "place" && where != "" {
				n["atLocation"] = e.topic.engine.m.iri("place", where)
			}
		case float64:
			if name != "on" && !math.IsNaN(v) {
				facts[name] = v
			}
		case string, bool, int64, uint64:
			switch {
			case name == "unit" || name == "on" || v == "":
			case name == "place":
				n["atLocation"] = e.topic.engine.m.iri("place", asText(v))
			default:
				facts[name] = v
			}
		}
	}
	if nothing := len(facts) == 0 && n["atLocation"] == nil; nothing || !e.due(n, facts) {
		return
	}
	n["id"] = e.id("state")
	n.facts(facts)
	for _, p := range asList(n["additionalProperty"]) {
		if _, number := float(p.(node)["value"]); number && e.text("unit") != "" {
			p.(node)["unitCode"] = e.text("unit")
		}
	}
	e.origin(n)
}

func asList(v any) []any { list, _ := v.([]any); return list }

// due reports whether a state is to be logged: always, or with every after that time, and with on when it has changed
// enough.
func (e *event) due(n node, facts map[string]any) bool {
	on, changes := e.rule.fields["on"]
	every := e.duration("every")
	key := e.key("state", e.element)
	last, seen := e.robot.last.Get(key)
	before, _ := last.value.(node)
	now := node(maps.Clone(facts))
	now["place"] = n["atLocation"]
	for name, v := range now {
		if _, number := float(v); !number {
			now[name] = short(asText(v))
		}
	}
	always := every == 0 && !changes
	timeOver := every > 0 && e.at.Sub(last.at) >= every
	is := !seen || always || timeOver
	if name, text := on.constant.(string); text {
		is = is || asText(before[name]) != asText(now[name])
	} else if step, number := on.constant.(float64); number {
		for name := range now {
			a, ok1 := float(before[name])
			b, ok2 := float(now[name])
			is = is || ok1 && ok2 && math.Abs(a-b) >= step
		}
	}
	if is {
		e.robot.last.Add(key, lastSeen{now, e.at})
	}
	return is
}

// place returns the name of the place of a position, or "".
func (m *Map) place(v any) string {
	position, _ := v.(map[string]any)
	x, ok1 := float(position["x"])
	y, ok2 := float(position["y"])
	in := func(n float64, bounds []float64) bool { return bounds == nil || n >= bounds[0] && n < bounds[1] }
	for _, p := range m.places {
		if ok1 && ok2 && in(x, p.x) && in(y, p.y) {
			return p.name
		}
	}
	return ""
}

// stopped logs that an emergency stop begins or ends. Messages that repeat it are ignored.
func (e *event) stopped() {
	on, key := isSet(e.value("while")), e.key("stopped", e.element)
	if _, known := e.robot.last.Get(key); !e.changed(key, on, 0) || !known && !on {
		return
	}
	label := "emergency stop"
	if !on {
		label = "emergency stop released"
	}
	n := e.begin("stopped", "sc:EmergencyStop", label)
	state := node{"id": part(n["id"].(string), "state"), "type": []string{"prov:Entity", "Result"}, "wasAttributedTo": e.robot.iri, "generatedAtTime": stamp(e.at)}
	state.facts(map[string]any{"emergency_stop": on})
	e.nodes = append(e.nodes, state)
}

// problem logs an error or a warning. With changes it logs only new levels, and the first one if it is not ok.
func (e *event) problem() {
	text, part := e.text("text"), e.text("part")
	var level any = e.text("level")
	number, isNumber := float(e.value("level"))
	if word := levels[number]; isNumber && word != "" {
		level = word
	}
	if _, ok := e.rule.fields["changes"]; ok {
		key := e.key("problem", part)
		if _, known := e.robot.last.Get(key); !e.changed(key, level, 0) || !known && level == "ok" {
			return
		}
	}
	if level == "ok" {
		text = "recovered: " + text
	}
	n := e.begin("problem", "sc:Incident", text)
	n.facts(map[string]any{"level": level, "part": part})
}

// other logs an activity of a class of the map's own.
func (e *event) other() {
	class := e.text("class")
	if class == "" {
		return
	}
	n := e.begin("event", e.topic.engine.m.iri("class", class), class[strings.LastIndexByte(class, '/')+1:])
	facts := map[string]any{}
	for name := range e.rule.fields {
		if name == "class" || name == "of" {
			continue
		}
		switch v := e.value(name).(type) {
		case bool, int64, uint64, float64:
			facts[name] = v
		default:
			facts[name] = asText(v)
		}
	}
	n.facts(facts)
	if of := e.by("of"); of.iri != "" {
		n["about"] = node{"id": n["id"].(string) + "/event", "type": "Event", "about": e.add(of)}
	}
}

// who remembers that a voice, a face or a body is a person's, from a confidence of one half, or that a person is
// anonymous.
func (e *event) who() {
	kind1, id1 := e.named("one")
	if v, ok := e.rule.fields["anonymous"]; ok {
		e.robot.strangers.Add(id1, v.of(e.root, e.topic.star) == true)
	}
	kind2, id2 := e.named("other")
	if kind2 == "person" {
		kind1, id1, kind2, id2 = kind2, id2, kind1, id1
	}
	sure, given := float(e.value("confidence"))
	unsure := given && !(sure >= 0.5) // NaN is no confidence either
	if unsure || kind1 != "person" || id1 == "" || id2 == "" || len(id1) > maxText {
		return
	}
	e.robot.persons.Add(kind2+"/"+id2, id1)
}

// named returns the kind and the id of a field such as "voice data" or "id1_type id1".
func (e *event) named(field string) (kind, id string) {
	v, ok := e.rule.fields[field]
	if !ok {
		return "", ""
	}
	kind, id = v.kind, asText(v.of(e.root, e.topic.star))
	if n, ok := float(at(e.root, strings.Split(kind, "."))); ok && n >= 0 && n < float64(len(kinds)) {
		kind = kinds[int(n)]
	}
	return kind, id
}
