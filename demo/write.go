package demo

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/segraph/segraph/resolver"
)

// writer writes the reports of the turns.
type writer struct {
	reports []Report
	session int
	turn    int
	talks   map[string]talk // by visitor
	charge  map[string]int  // of each robot's battery, in percent
}

// talk is the state of a visitor's conversation.
type talk struct {
	response string // the activity that answered last
	message  string // the answer
}

// write writes a session that follows a time, and returns the time of its end.
func (w *writer) write(s session, at time.Time) time.Time {
	at = at.Add(time.Duration(s.pause) * time.Minute)
	if w.session == 0 {
		w.describe(at)
	}
	w.states(s.place, at, "listen")
	for i, t := range s.turns {
		at = at.Add(time.Duration(t.wait) * time.Second)
		w.turn++
		w.hear(s, t, at)
		for _, h := range []heard{t.heard, t.also} {
			if h.robot != "" {
				w.overhear(s, t, h, at)
			}
		}
		w.answer(s, t, at)
		if i%5 == 4 {
			w.states(s.place, at.Add(7*time.Second), "respond")
		}
	}
	at = at.Add(closing)
	w.states(s.place, at, "idle")
	return at
}

func (w *writer) say(r Report, log func(*document, Events)) {
	r.Session = w.session
	r.log = func(events Events) string {
		d := &document{}
		d.WriteString(prefixes)
		log(d, events)
		return d.String()
	}
	w.reports = append(w.reports, r)
}

// describe reports the museum, its robots and their models.
func (w *writer) describe(at time.Time) {
	w.say(Report{At: at.Add(-20 * time.Second), Robot: ari}, func(d *document, _ Events) {
		for _, p := range []string{"museum", "entrance", "gallery", "courtyard"} {
			d.node("place:"+p, "prov:Location, prov:Entity", is("rdfs:label", english(strings.ToUpper(p[:1])+p[1:])))
		}
		for _, r := range []string{ari, tiago, lumen} {
			d.robot(r)
		}
		d.node("model:maker", "prov:Agent", is("schema:name", text(maker)))
		d.node("model:duration", "mls:HyperParameter", is("rdfs:label", english("duration_ms")))
		for _, m := range models {
			d.model(m, at.Add(-18*time.Hour))
		}
	})
	w.say(Report{At: at.Add(-10 * time.Second), Robot: lumen, Mistaken: true}, func(d *document, _ Events) {
		d.robot(lumen)
		d.activity(activity{robot: lumen, name: "soundcheck", class: "oro:ListeningEvent", label: "Lumen hears a sound check", from: at.Add(-12 * time.Second), took: time.Second,
			results: []string{"lumen:soundcheck_words"}, place: "entrance"})
		d.speech(speech{name: "lumen:soundcheck_words", class: "oro:InitialMessage", text: "Sound check. One, two, three.", by: "lumen:soundcheck", sure: 0.97})
	})
}

// model is a model that robots run, and its score in an evaluation.
type model struct {
	name, label, version, data string
	score                      float64
}

var models = []model{
	{"speech", "Museum Ears", "2.3", "Voices in halls", 0.94},
	{"face_1_4", "Face Reader", "1.4", "Visitors' faces, second year", 0.91},
	{"face_1_2", "Face Reader", "1.2", "Visitors' faces, first year", 0.83},
	{"door", "Door Watch", "3.0", "People at doors", 0.97},
	{"planner", "Guide Planner", "5.1", "Guided tours", 0.88},
}

// faceModel returns the model with which a robot reads faces: ARI has the newest.
func faceModel(robot string) string {
	if robot == ari {
		return "model:face_1_4"
	}
	return "model:face_1_2"
}

func (d *document) model(m model, trained time.Time) {
	iri := "model:" + m.name
	d.node(iri, "mls:Model, prov:Entity", is("rdfs:label", english(m.label)), is("schema:version", text(m.version)),
		is("schema:provider", "model:maker"), is("prov:wasGeneratedBy", iri+"_training"))
	d.node(iri+"_data", "mls:Dataset, prov:Entity", is("rdfs:label", english(m.data)))
	d.node(iri+"_evaluation", "mls:ModelEvaluation, prov:Entity", is("rdfs:label", english("Evaluation of "+m.label+" "+m.version)), is("mls:hasValue", number(m.score)))
	d.node(iri+"_training", "mls:Run, prov:Activity", is("rdfs:label", english("Training of "+m.label+" "+m.version)),
		is("prov:startedAtTime", dateTime(trained)), is("prov:endedAtTime", dateTime(trained.Add(2*time.Hour))),
		is("mls:hasInput", iri+"_data"), is("prov:used", iri+"_data"), is("mls:hasOutput", iri, iri+"_evaluation"), is("prov:generated", iri, iri+"_evaluation"))
}

func (w *writer) states(place string, at time.Time, phase string) {
	for _, r := range []string{ari, tiago, lumen} {
		w.charge[r]--
		name, charge := fmt.Sprintf("%s:state_%d", r, w.charge[r]), w.charge[r]
		w.say(Report{At: at, Robot: r}, func(d *document, _ Events) {
			d.robot(r)
			d.state(name, r, place, phase, charge, at)
		})
	}
}

// confidence returns how sure a robot is of the words that it heard. It differs from turn
// to turn.
func (w *writer) confidence(least float64) float64 {
	return math.Round((least+float64(w.turn*7%11)/100)*100) / 100
}

// hear reports that the addressed robot hears the visitor and looks at the face.
func (w *writer) hear(s session, t turn, at time.Time) {
	n, name, robot := w.turn, robotNames[t.robot], t.robot
	before, known := w.talks[t.who]
	sure := w.confidence(0.86)
	r := Report{At: at.Add(1900 * time.Millisecond), Robot: robot, Line: Line{Turn: n, Speaker: t.who, Text: t.text}}
	if t.mood.name != "" {
		r.Line.Mood, r.Line.Percent = t.mood.name, int(math.Round(100*t.mood.confidence))
	}
	r.Observations = []resolver.Observation{w.utterance(s, robot, human(t.who), t.text, at)}
	if !known {
		r.Observations = append(r.Observations, w.seen(s, robot, t.who, at.Add(-3*time.Second)))
	}
	w.say(r, func(d *document, events Events) {
		event, because := events.of(robot, "listening", n), []string{before.response}
		d.robot(robot)
		d.person(t.who)
		if !known {
			entry, sight := fmt.Sprintf("detection_%d", n), fmt.Sprintf("%s:sight_%d", robot, n)
			seen := events.of(robot, "detection", n)
			d.event(seen, human(t.who), t.who+" comes to "+name, at.Add(-3*time.Second))
			d.activity(activity{robot: robot, name: entry, class: "oro:DetectedHumanEvent", label: name + " sees " + t.who + " coming",
				from: at.Add(-3 * time.Second), took: 400 * time.Millisecond, event: seen, model: "model:door", thinkingMillis: 35 + n%9,
				results: []string{sight}, place: s.place})
			d.node(sight, "prov:Entity, segb:Result", is("rdfs:label", english(t.who+" at the "+s.place)), is("prov:wasAttributedTo", human(t.who)), is("prov:specializationOf", seen))
			because = []string{robot + ":" + entry}
		}
		w.listening(d, n, robot, t.who, t.text, sure, because, before.message, event, s.place, at)
		if t.mood.name != "" {
			because := []string{fmt.Sprintf("%s:listening_%d", robot, n)}
			if t.upset {
				because = append(because, before.response)
			}
			w.face(d, n, robot, t.who, t.mood, because, event, s.place, at.Add(1200*time.Millisecond))
		}
	})
}

// listening writes that a robot hears a sentence, with the event that it is about.
func (w *writer) listening(d *document, n int, robot, who, said string, sure float64, because []string, before, event, place string, at time.Time) {
	person, label := human(who), robotNames[robot]+" hears "+who
	if who == "" {
		person, label = "", robotNames[robot]+" hears somebody"
	}
	heard := fmt.Sprintf("%s:message_%d", robot, n)
	d.event(event, person, said, at)
	d.activity(activity{robot: robot, name: fmt.Sprintf("listening_%d", n), class: "oro:ListeningEvent", label: label, from: at, took: 1800 * time.Millisecond,
		event: event, because: because, of: []string{before}, model: "model:speech", thinkingMillis: 310 + 17*(n%7), results: []string{heard}, place: place})
	d.speech(speech{name: heard, class: "oro:InitialMessage", sender: person, text: said, by: fmt.Sprintf("%s:listening_%d", robot, n), answers: before, event: event, sure: sure})
}

// face writes that a robot reads an emotion in a face.
func (w *writer) face(d *document, n int, robot, who string, m mood, because []string, event, place string, at time.Time) {
	annotation, snapshot := fmt.Sprintf("%s:annotation_%d", robot, n), fmt.Sprintf("%s:face_%d", robot, n)
	d.activity(activity{robot: robot, name: fmt.Sprintf("emotion_%d", n), class: "onyx:EmotionAnalysis", label: robotNames[robot] + " reads " + m.name + " in the face of " + who,
		from: at, took: 200 * time.Millisecond, event: event, because: because, of: []string{snapshot}, model: faceModel(robot), thinkingMillis: 80 + n%13,
		results: []string{annotation}, place: place})
	d.emotion(annotation, snapshot, human(who), event, m)
}

// answer reports what the robot decides and says.
func (w *writer) answer(s session, t turn, at time.Time) {
	n, robot, name := w.turn, t.robot, robotNames[t.robot]
	local := func(of string) string { return fmt.Sprintf("%s:%s_%d", robot, of, n) }
	w.talks[t.who] = talk{local("response"), local("answer")}
	w.say(Report{At: at.Add(4500 * time.Millisecond), Robot: robot, Line: Line{Turn: n, Speaker: name, Text: t.answer}}, func(d *document, events Events) {
		event := events.of(robot, "listening", n)
		because, of := []string{local("listening")}, []string{local("message")}
		if t.mood.name != "" {
			because, of = append(because, local("emotion")), append(of, local("annotation"))
		}
		d.activity(activity{robot: robot, name: fmt.Sprintf("decision_%d", n), class: "oro:DecisionMakingAction", label: name + " " + t.decision,
			from: at.Add(2 * time.Second), took: 900 * time.Millisecond, event: event, because: because, of: of, model: "model:planner", thinkingMillis: 520 + 31*(n%8),
			results: []string{local("plan")}, place: s.place})
		d.node(local("plan"), "prov:Entity, segb:Result", is("rdfs:label", english(name+" "+t.decision)), is("prov:wasDerivedFrom", of...), is("prov:wasAttributedTo", "robot:"+robot))
		d.activity(activity{robot: robot, name: fmt.Sprintf("response_%d", n), class: "oro:ResponseAction", label: name + " answers " + t.who,
			from: at.Add(3 * time.Second), took: 3 * time.Second, event: event, because: []string{local("decision")}, of: []string{local("plan"), local("message")},
			results: []string{local("answer")}, place: s.place})
		d.speech(speech{name: local("answer"), class: "oro:ResponseMessage", sender: "robot:" + robot, text: t.answer, by: local("response"), answers: local("message"), event: event})
	})
}

// overhear reports what another robot hears of a turn. It adds no answer of that robot,
// because the first robot answers.
func (w *writer) overhear(s session, t turn, h heard, at time.Time) {
	n := w.turn
	said, who, at := t.text, "", at.Add(time.Duration(h.late)*time.Millisecond)
	subject := ""
	if h.text != "" {
		said = h.text
	}
	switch h.who {
	case knows:
		who, subject = t.who, human(t.who)
	case noName:
		subject = human(noName)
	case "": // the defaults are right
	default:
		who, subject = h.who, human(h.who)
	}
	sure := w.confidence(0.71)
	if h.who == knows {
		sure = w.confidence(0.79)
	}
	r := Report{At: at.Add(1900 * time.Millisecond), Robot: h.robot, Verdict: h.verdict, Note: h.note, Ask: h.ask, Line: Line{Turn: n, Speaker: who, Text: said}}
	if h.mood.name != "" {
		r.Line.Mood, r.Line.Percent = h.mood.name, int(math.Round(100*h.mood.confidence))
	}
	o := w.utterance(s, h.robot, subject, said, at)
	if h.how != "" {
		o.Modality = h.how
	}
	r.Observations = []resolver.Observation{o}
	w.say(r, func(d *document, events Events) {
		event, local := events.of(h.robot, "listening", n), func(of string) string { return fmt.Sprintf("%s:%s_%d", h.robot, of, n) }
		d.robot(h.robot)
		if who != "" {
			d.person(who)
		}
		w.listening(d, n, h.robot, who, said, sure, nil, "", event, s.place, at)
		because, of := []string{local("listening")}, []string{local("message")}
		if h.mood.name != "" {
			w.face(d, n, h.robot, t.who, h.mood, because, event, s.place, at.Add(1200*time.Millisecond))
			because, of = append(because, local("emotion")), append(of, local("annotation"))
		}
		d.activity(activity{robot: h.robot, name: fmt.Sprintf("decision_%d", n), class: "oro:DecisionMakingAction",
			label: robotNames[h.robot] + " leaves the answer to " + robotNames[t.robot], from: at.Add(2 * time.Second), took: 500 * time.Millisecond,
			event: event, because: because, of: of, model: "model:planner", thinkingMillis: 410 + 23*(n%6), place: s.place})
	})
}

func (w *writer) utterance(s session, robot, subject, said string, at time.Time) resolver.Observation {
	return w.observation(s, robot, "human_utterance", "speech", subject, said, "listening", at)
}

// seen returns the observation of a visitor who comes to a robot.
func (w *writer) seen(s session, robot, who string, at time.Time) resolver.Observation {
	return w.observation(s, robot, "human_entry", "vision", human(who), "", "detection", at)
}

// observation returns a robot's observation of a turn: modality is how it noticed what was said, subject who it is about,
// and name the kind of its activity. It arrives 1.9 s later.
func (w *writer) observation(s session, robot, kind, modality, subject, said, name string, at time.Time) resolver.Observation {
	o := resolver.Observation{EventKind: kind, ObservedAt: stamp(at), Modality: modality, Text: said, RobotURI: base + "robot/" + robot,
		ObservationURI: activityIRI(robot, name, w.turn), LocationURI: base + "place/" + s.place, ReceivedAt: stamp(at.Add(1900 * time.Millisecond))}
	if person, ok := strings.CutPrefix(subject, "human:"); ok {
		o.SubjectURI = base + "human/" + person
	}
	return o
}
