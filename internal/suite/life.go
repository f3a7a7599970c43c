package suite

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	v "github.com/segraph/segraph/vocabulary"
)

// LifeEnd is later than every event of Life.
var LifeEnd = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// Life writes as N-Triples what eight robots log in a house full of people in eight weeks,
// with all of the published vocabulary: the given number of triples, plus at most one scene
// of about 95. More triples make it denser. The result is always the same. One robot logs
// nothing in the last week. Some names are long, and some are not in Latin script.
func Life(w io.Writer, triples int) error {
	l := &life{w: w, random: rand.New(rand.NewPCG(1, 2))}
	l.register()
	const span = 8 * 7 * 24 * time.Hour
	moments := max(1, (triples-l.written)/95)
	for i := 0; l.written < triples && l.err == nil; i++ {
		at := LifeEnd.Add(-span).Add(time.Duration(float64(span-time.Hour) * min(1, float64(i)/float64(moments))))
		if h := at.Hour(); h < 7 || h > 21 { // move scenes at night into the day
			at = at.Truncate(24 * time.Hour).Add(8*time.Hour + time.Duration(l.random.Int64N(int64(12*time.Hour))))
		}
		l.moment(i, at)
	}
	return l.err
}

// life is the state of one call of Life.
type life struct {
	w       io.Writer
	random  *rand.Rand
	written int
	err     error
	before  [8]string // last message of each robot's conversation
}

const lifeBase = "https://example.org/life/"

var (
	lifeRobots = []string{"ARI", "TIAGo", "Pepper", "NAO", "Stretch RE2", "Temi", "Buddy", "Robô de Acompanhamento e Vigilância Noturna da Ala Norte"}
	lifePeople = []string{"Maria", "Jonas", "Zoë", "محمد", "李小龙", "Профессор Анна", "Prof. Dr. Maximiliane von Hohenstein-Wittgenbach, visiting", "Bo"}
	lifeRooms  = []string{"kitchen", "living_room", "corridor_of_the_north_wing_second_floor", "garden", "lab"}
	lifePhases = []string{"idle", "listen", "respond", "navigate", "charge", "sleep", "wait for a person to come back", "error"}
	lifeMoods  = []string{"happiness", "sadness", "fear", "anger", "disgust", "surprise", "neutral"}
	lifeModels = []string{"Speech to Text", "Emotion from Text", "Face Emotion CNN", "Human Detector", "Dialogue Planner, fine-tuned on the conversations of the house"}
	lifeWords  = []string{"good", "morning", "tea", "please", "where", "garden", "book", "music", "how", "lunch", "thank", "you", "help", "window", "news"}
)

func name(kind string, n int) rdf.Term { return rdf.NewIRI(fmt.Sprint(lifeBase, kind, n)) }

// say writes triples with one subject; pairs alternates predicates and objects.
func (l *life) say(subject rdf.Term, pairs ...any) {
	for i := 0; i < len(pairs) && l.err == nil; i += 2 {
		object, ok := pairs[i+1].(rdf.Term)
		if !ok {
			object = rdf.NewIRI(pairs[i+1].(string))
		}
		_, l.err = fmt.Fprintf(l.w, "%s <%s> %s .\n", subject, pairs[i], object)
		l.written++
	}
}

const rdfType = rdf.RDF + "type"

// register describes the robots, people and models, and the training data of the models.
func (l *life) register() {
	for i, robot := range lifeRobots {
		l.say(name("robot", i), rdfType, v.ProvAgent, rdfType, v.OroRobot, v.SchemaName, rdf.NewString(robot))
	}
	for i := range 40 {
		who := lifePeople[i%len(lifePeople)]
		if n := i / len(lifePeople); n > 0 {
			who += fmt.Sprintf(" %d", n+1)
		}
		l.say(name("human", i), rdfType, v.OroHuman, rdfType, v.ProvPerson, rdfType, v.FOAFPerson, v.FOAFFirstName, rdf.NewString(who))
	}
	for i, label := range lifeModels {
		model, run, score, data := name("model", i), name("training", i), name("score", i), name("dataset", i)
		l.say(model, rdfType, v.MLSModel, rdfType, v.ProvEntity, v.RDFSLabel, rdf.NewLang(label, "en"), v.SchemaVersion, rdf.NewString(fmt.Sprintf("%d.0", i+1)))
		l.say(data, rdfType, v.MLSDataset, v.RDFSLabel, rdf.NewLang("Data of "+label, "en"))
		l.say(run, rdfType, v.MLSRun, v.MLSHasInput, data, v.MLSHasOutput, model, v.MLSHasOutput, score)
		l.say(score, rdfType, v.MLSModelEvaluation, v.MLSHasValue, rdf.NewLiteral(fmt.Sprintf("0.%d", 70+5*i), rdf.XSDFloat))
	}
}

// moment writes one scene: a person says something, and a robot hears it, reads an
// emotion, decides, answers and reports its state. In some scenes a second robot hears it
// too.
func (l *life) moment(n int, at time.Time) {
	robot, human := l.random.IntN(8), l.random.IntN(40)
	if robot == 7 && at.After(LifeEnd.Add(-7*24*time.Hour)) {
		robot = 0
	}
	event := name("event", n)
	l.say(event, rdfType, v.ProvEntity, rdfType, v.SchemaEvent, v.SchemaAbout, name("human", human), v.ProvGeneratedAtTime, moment(at),
		v.SchemaDescription, rdf.NewLang(l.words(6), "en"))
	heard := l.hear(n, robot, human, at, event, "")
	if n%9 == 0 && robot < 6 {
		l.hear(n, robot+1, human, at.Add(300*time.Millisecond), event, "again")
	}
	l.read(n, robot, human, at.Add(time.Second), event)
	decision := name("decision", n)
	l.activity(decision, v.OroDecisionMakingAction, robot, at.Add(2*time.Second), event, 4)
	l.say(decision, v.SegbTriggeredByActivity, name("listening", n), v.SegbTriggeredByEntity, heard)
	answer, message := name("response", n), name("answer", n)
	l.activity(answer, v.OroResponseAction, robot, at.Add(3*time.Second), event, -1)
	l.say(answer, v.SegbTriggeredByActivity, decision, v.SegbProducedEntityResult, message, v.ProvGenerated, message)
	l.say(message, rdfType, v.SchemaMessage, rdfType, v.ProvEntity, rdfType, v.OroResponseMessage, v.SchemaText, rdf.NewLang(l.words(9), "en"),
		v.SchemaSender, name("robot", robot), v.ProvWasAttributedTo, name("robot", robot), v.ProvWasGeneratedBy, answer, v.ProvWasDerivedFrom, heard)
	l.before[robot] = message.Value()
	l.state(n, robot, at.Add(4*time.Second))
}

// activity writes an activity of a robot. model is the model that it used, or -1.
func (l *life) activity(iri rdf.Term, kind string, robot int, at time.Time, event rdf.Term, model int) {
	l.say(iri, rdfType, v.ProvActivity, rdfType, v.SegbLoggedActivity, rdfType, kind,
		v.SegbWasPerformedBy, name("robot", robot), v.ProvWasAssociatedWith, name("robot", robot),
		v.ProvStartedAtTime, moment(at), v.ProvEndedAtTime, moment(at.Add(time.Second)), v.SchemaAbout, event)
	if model >= 0 {
		l.say(iri, v.SegbUsedMLModel, name("model", model), v.ProvUsed, name("model", model))
	}
}

// hear writes that a robot heard a person. mark distinguishes reports of the same
// message.
func (l *life) hear(n, robot, human int, at time.Time, event rdf.Term, mark string) rdf.Term {
	listening, message := name("listening"+mark, n), name("message"+mark, n)
	l.activity(listening, v.OroListeningEvent, robot, at, event, 0)
	l.say(listening, v.SegbProducedEntityResult, message, v.ProvGenerated, message)
	l.say(message, rdfType, v.SchemaMessage, rdfType, v.ProvEntity, rdfType, v.OroInitialMessage, v.SchemaText, rdf.NewLang(fmt.Sprint("No. ", n, ": ", lifeWords[n%len(lifeWords)]), "en"),
		v.SchemaSender, name("human", human), v.ProvWasAttributedTo, name("human", human), v.ProvWasGeneratedBy, listening)
	if before := l.before[robot]; before != "" && n%3 > 0 {
		l.say(message, v.ProvWasDerivedFrom, before)
	}
	return message
}

// read writes that a robot recognized a person's emotion, and sometimes also its own.
func (l *life) read(n, robot, human int, at time.Time, event rdf.Term) {
	reading := name("reading", n)
	l.activity(reading, v.OnyxEmotionAnalysis, robot, at, event, 1+n%2)
	l.say(reading, rdfType, v.OroEmotionRecognitionEvent, v.RDFSLabel, rdf.NewLang("Reading no. "+fmt.Sprint(n), "en"))
	for i, target := range []rdf.Term{name("human", human), name("robot", robot)} {
		if i > 0 && n%10 > 0 {
			continue
		}
		annotation, emotion := name("annotation", 2*n+i), name("emotion", 2*n+i)
		l.say(reading, v.SegbProducedEntityResult, annotation, v.ProvGenerated, annotation)
		l.say(annotation, rdfType, v.AmorEmotionAnnotation, rdfType, v.OAAnnotation, rdfType, v.ProvEntity, rdfType, v.SegbResult, rdfType, v.ProvActivity,
			v.OAHasTarget, target, v.OnyxHasEmotion, emotion)
		l.say(emotion, rdfType, v.OnyxEmotion, v.OnyxHasEmotionCategory, v.Emoml+"big6_"+lifeMoods[l.random.IntN(len(lifeMoods))],
			v.OnyxHasEmotionIntensity, rdf.NewLiteral(fmt.Sprintf("%.2f", l.random.Float64()), rdf.XSDFloat),
			v.OnyxAlgorithmConfidence, rdf.NewLiteral(fmt.Sprintf("%.2f", 0.5+l.random.Float64()/2), rdf.XSDFloat))
	}
}

// state writes the state of a robot: its location, mission phase and battery level.
func (l *life) state(n, robot int, at time.Time) {
	state, battery, phase := name("state", n), name("battery", n), name("phase", n)
	l.say(state, rdfType, v.ProvEntity, rdfType, v.SegbResult, v.ProvWasAttributedTo, name("robot", robot), v.ProvGeneratedAtTime, moment(at),
		v.ProvAtLocation, lifeBase+"location_"+lifeRooms[n/16%len(lifeRooms)], v.SchemaAdditionalProperty, battery, v.SchemaAdditionalProperty, phase)
	l.say(battery, rdfType, v.SchemaPropertyValue, v.SchemaPropertyID, rdf.NewString("battery_level"), v.SchemaValue, rdf.NewLiteral(fmt.Sprint(20+l.random.IntN(80)), rdf.XSDInteger),
		v.SchemaUnitCode, rdf.NewString("PERCENT"))
	l.say(phase, rdfType, v.SchemaPropertyValue, v.SchemaPropertyID, rdf.NewString("mission_phase"), v.SchemaValue, rdf.NewString(lifePhases[n/8%len(lifePhases)]))
}

func (l *life) words(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = lifeWords[l.random.IntN(len(lifeWords))]
	}
	return strings.Join(words, " ")
}

func moment(t time.Time) rdf.Term {
	return rdf.NewLiteral(t.UTC().Format("2006-01-02T15:04:05.000000")+"+00:00", rdf.XSDDateTime)
}
