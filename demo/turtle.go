package demo

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// prefixes are those of every log.
const prefixes = `@prefix ari: <https://example.org/ari/> .
@prefix tiago: <https://example.org/tiago/> .
@prefix lumen: <https://example.org/lumen/> .
@prefix robot: <https://example.org/robot/> .
@prefix human: <https://example.org/human/> .
@prefix place: <https://example.org/place/> .
@prefix model: <https://example.org/model/> .
@prefix amor: <http://www.gsi.upm.es/ontologies/amor/ns#> .
@prefix emoml: <http://www.gsi.upm.es/ontologies/onyx/vocabularies/emotionml/ns#> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix mls: <http://www.w3.org/ns/mls#> .
@prefix oa: <http://www.w3.org/ns/oa#> .
@prefix onyx: <http://www.gsi.upm.es/ontologies/onyx/ns#> .
@prefix oro: <http://kb.openrobots.org#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <http://schema.org/> .
@prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
`

// document is a log in Turtle.
type document struct{ strings.Builder }

// node writes a resource. Each property is a name with its values, which may be none.
func (d *document) node(name, classes string, properties ...property) {
	fmt.Fprintf(d, "\n%s a %s", name, classes)
	for _, p := range properties {
		var values []string
		for _, v := range p.values {
			if v != "" {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			fmt.Fprintf(d, " ;\n    %s %s", p.name, strings.Join(values, ", "))
		}
	}
	d.WriteString(" .\n")
}

type property struct {
	name   string
	values []string
}

// is returns a property. Values are Turtle; is drops empty ones.
func is(name string, values ...string) property { return property{name, values} }

func text(s string) string { return strconv.Quote(s) }

func english(s string) string { return strconv.Quote(s) + "@en" }

func number(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }

func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z07:00") }

func dateTime(t time.Time) string { return strconv.Quote(stamp(t)) + "^^xsd:dateTime" }

// activity is an activity of a robot.
type activity struct {
	robot, name    string // name is the local one, such as "listening_12"
	class, label   string
	from           time.Time
	took           time.Duration
	event          string   // IRI of what it is about, or ""
	because        []string // activities that triggered it
	of             []string // entities that triggered it
	model          string   // that it ran, or ""
	results        []string
	place          string
	thinkingMillis int // how long the model ran
}

func (d *document) activity(a activity) {
	iri := a.robot + ":" + a.name
	classes, input := "prov:Activity, segb:LoggedActivity, "+a.class, ""
	if a.model != "" {
		classes += ", mls:Run"
		input = a.robot + ":duration_" + a.name
		d.node(input, "mls:HyperParameterSetting", is("mls:specifiedBy", "model:duration"), is("mls:hasValue", strconv.Itoa(a.thinkingMillis)))
	}
	d.node(iri, classes,
		is("rdfs:label", english(a.label)),
		is("segb:wasPerformedBy", "robot:"+a.robot), is("prov:wasAssociatedWith", "robot:"+a.robot),
		is("prov:startedAtTime", dateTime(a.from)), is("prov:endedAtTime", dateTime(a.from.Add(a.took))),
		is("prov:atLocation", "place:"+a.place), is("schema:about", a.event),
		is("segb:triggeredByActivity", a.because...), is("segb:triggeredByEntity", a.of...),
		is("prov:wasInformedBy", a.because...), is("prov:wasInfluencedBy", append(a.because, a.of...)...),
		is("segb:usedMLModel", a.model), is("prov:used", append(a.of, a.model)...), is("mls:hasInput", input),
		is("segb:producedEntityResult", a.results...), is("prov:generated", a.results...))
}

// speech is a message.
type speech struct {
	name, class  string
	sender, text string
	by           string // the activity that heard or said it
	answers      string // the message before it, or ""
	event        string
	sure         float64 // how sure the robot is of the words; 0 if it says them itself
}

func (d *document) speech(s speech) {
	score := ""
	if s.sure > 0 {
		score = s.name + "_score"
		d.node(score, "schema:PropertyValue", is("schema:propertyID", text("recognition_confidence")), is("schema:value", number(s.sure)))
	}
	d.node(s.name, "schema:Message, prov:Entity, "+s.class,
		is("schema:text", english(s.text)), is("schema:inLanguage", text("en")), is("schema:sender", s.sender), is("prov:wasAttributedTo", s.sender),
		is("prov:wasGeneratedBy", s.by), is("prov:wasDerivedFrom", s.answers),
		is("prov:specializationOf", s.event), is("schema:additionalProperty", score))
}

// emotion writes the emotion that a robot reads in a face.
func (d *document) emotion(annotation, snapshot, person, event string, m mood) {
	d.node(snapshot, "prov:Entity, segb:Result", is("rdfs:label", english("A picture of the face")), is("prov:wasAttributedTo", person))
	d.node(annotation, "amor:EmotionAnnotation, oa:Annotation, prov:Entity, segb:Result",
		is("oa:hasTarget", person), is("onyx:hasEmotion", annotation+"_emotion"), is("prov:wasDerivedFrom", snapshot), is("prov:specializationOf", event))
	d.node(annotation+"_emotion", "onyx:Emotion", is("onyx:hasEmotionCategory", "emoml:big6_"+m.name),
		is("onyx:hasEmotionIntensity", number(m.intensity)), is("onyx:algorithmConfidence", number(m.confidence)))
}

func (d *document) state(name, robot, place, phase string, charge int, at time.Time) {
	d.node(name+"_battery", "schema:PropertyValue", is("schema:propertyID", text("battery_level")), is("schema:value", strconv.Itoa(charge)), is("schema:unitCode", text("PERCENT")))
	d.node(name+"_phase", "schema:PropertyValue", is("schema:propertyID", text("mission_phase")), is("schema:value", text(phase)))
	d.node(name, "segb:Result, prov:Entity", is("prov:wasAttributedTo", "robot:"+robot), is("prov:generatedAtTime", dateTime(at)),
		is("prov:atLocation", "place:"+place), is("schema:additionalProperty", name+"_battery", name+"_phase"))
}

func (d *document) robot(name string) {
	d.node("robot:"+name, "prov:Agent, oro:Robot", is("schema:name", text(robotNames[name])), is("oro:belongsTo", "place:museum"))
}

func (d *document) person(name string) {
	d.node(human(name), "prov:Person, foaf:Person, oro:Human", is("foaf:firstName", text(name)))
}

func human(name string) string { return "human:" + strings.ToLower(name) }

// event writes an event, as a robot describes it.
func (d *document) event(iri, person, description string, at time.Time) {
	said := ""
	if description != "" {
		said = english(description)
	}
	d.node(iri, "schema:Event, prov:Entity", is("schema:about", person), is("prov:generatedAtTime", dateTime(at)), is("schema:description", said))
}
