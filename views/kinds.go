package views

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/segraph/segraph/vocabulary"
)

// Kind is how pages treat a class of nodes: its family, its word, and its shape and colour, which are zero if it
// looks like others of the family.
type Kind struct {
	Family, Word string
	Shape        string
	Series       int
}

// kinds are the kinds that pages know, by class.
var kinds = map[string]Kind{
	vocabulary.OroRobot:                   {"robot", "robot", "", 0},
	vocabulary.ProvAgent:                  {"robot", "agent", "pentagon", 1},
	vocabulary.ProvSoftwareAgent:          {"robot", "program", "hourglass", 1},
	vocabulary.OroHuman:                   {"human", "person", "", 0},
	vocabulary.ProvPerson:                 {"human", "person", "", 0},
	vocabulary.FOAFPerson:                 {"human", "person", "", 0},
	vocabulary.SchemaPerson:               {"human", "person", "", 0},
	vocabulary.SchemaMessage:              {"message", "sentence", "", 0},
	vocabulary.OroInitialMessage:          {"message", "sentence", "bubble", 4},
	vocabulary.OroResponseMessage:         {"message", "answer", "answer", 8},
	vocabulary.ProvActivity:               {"activity", "activity", "", 0},
	vocabulary.SegbLoggedActivity:         {"activity", "activity", "", 0},
	vocabulary.OroListeningEvent:          {"activity", "heard", "ear", 3},
	vocabulary.OroDecisionMakingAction:    {"activity", "decision", "diamond", 7},
	vocabulary.OroResponseAction:          {"activity", "said", "play", 8},
	vocabulary.OroEmotionRecognitionEvent: {"activity", "emotion read", "heart", 5},
	vocabulary.OnyxEmotionAnalysis:        {"activity", "emotion read", "heart", 5},
	vocabulary.OroDetectedHumanEvent:      {"activity", "person noticed", "eye", 6},
	vocabulary.MLSRun:                     {"activity", "model run", "octagon", 7},
	vocabulary.ScEmergencyStop:            {"activity", "emergency stop", "octagon", 5},
	vocabulary.ScIncident:                 {"activity", "incident", "triangle", 5},
	vocabulary.SchemaEvent:                {"event", "event", "", 0},
	vocabulary.ScSharedContext:            {"event", "shared event", "drop", 5},
	vocabulary.SegbResult:                 {"result", "result", "", 0},
	vocabulary.AmorEmotionAnnotation:      {"result", "emotion", "felt", 5},
	vocabulary.OAAnnotation:               {"result", "annotation", "star", 6},
	vocabulary.OnyxEmotion:                {"result", "emotion", "felt", 5},
	vocabulary.SOSAObservation:            {"result", "observation", "ring", 6},
	vocabulary.ScObservation:              {"result", "observation", "ring", 6},
	vocabulary.ProvEntity:                 {"result", "result", "", 0},
	vocabulary.MLSModel:                   {"other", "model", "cylinder", 7},
}

// Kinds returns all kinds that pages know, by class. The caller must not change them.
func Kinds() map[string]Kind { return kinds }

// KindWord returns the word for a class: that of the kind, or else the words of its local name. It
// returns "" for "".
func KindWord(class string) string { return cmp.Or(kinds[class].Word, PlainWords(class)) }

// KindSaid returns the word for a class, with quotes around one that is not segraph's own, for a sentence.
func KindSaid(class string) string {
	if _, ours := vocabulary.Short(vocabulary.Prefixes(), class); ours || kinds[class].Word != "" {
		return KindWord(class)
	}
	return SomeSaid(KindWord(class))
}

// capitals matches the end of an abbreviation and the beginning of the next word, as in "MLSRun".
var capitals = regexp.MustCompile(`(\p{Lu})(\p{Lu}\p{Ll}{2})`)

// PlainWords returns the words of the local name of a predicate or class, in lower case.
func PlainWords(iri string) string {
	return strings.ToLower(Words(capitals.ReplaceAllString(Short(iri), "$1 $2")))
}
