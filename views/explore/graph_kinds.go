package explore

import (
	"slices"
	"strings"

	"github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
)

// families maps kinds to families, which pages treat alike.
var families = map[string]string{
	vocabulary.OroRobot: "robot", vocabulary.ProvAgent: "robot", vocabulary.ProvSoftwareAgent: "robot",
	vocabulary.OroHuman: "human", vocabulary.ProvPerson: "human", vocabulary.FOAFPerson: "human", vocabulary.SchemaPerson: "human",
	vocabulary.SchemaMessage: "message", vocabulary.OroInitialMessage: "message", vocabulary.OroResponseMessage: "message",
	vocabulary.ProvActivity: "activity", vocabulary.SegbLoggedActivity: "activity", vocabulary.OroListeningEvent: "activity",
	vocabulary.OroDecisionMakingAction: "activity", vocabulary.OroResponseAction: "activity", vocabulary.OroEmotionRecognitionEvent: "activity",
	vocabulary.OnyxEmotionAnalysis: "activity", vocabulary.OroDetectedHumanEvent: "activity", vocabulary.MLSRun: "activity",
	vocabulary.ScEmergencyStop: "activity", vocabulary.ScIncident: "activity",
	vocabulary.SchemaEvent: "event", vocabulary.ScSharedContext: "event",
	vocabulary.SegbResult: "result", vocabulary.AmorEmotionAnnotation: "result", vocabulary.OAAnnotation: "result", vocabulary.OnyxEmotion: "result",
	vocabulary.SOSAObservation: "result", vocabulary.ScObservation: "result", vocabulary.ProvEntity: "result",
}

// general are classes that determine the family of an unknown kind, most specific first:
// results, for example, are also activities.
var general = []string{vocabulary.OroRobot, vocabulary.OroHuman, vocabulary.ProvPerson, vocabulary.FOAFPerson, vocabulary.SchemaPerson, vocabulary.ProvSoftwareAgent,
	vocabulary.ProvAgent, vocabulary.SchemaMessage, vocabulary.SegbLoggedActivity, vocabulary.SegbResult, vocabulary.ProvEntity, vocabulary.ProvActivity}

// family returns the family of a kind or, if that is unknown, of its other classes.
func family(kind string, classes []string) string {
	if f, ok := families[kind]; ok {
		return f
	}
	if strings.HasPrefix(kind, vocabulary.MLS) { // models and the like are both entities and activities
		return "other"
	}
	for _, c := range general {
		if slices.Contains(classes, c) {
			return families[c]
		}
	}
	return "other"
}

// signs are the preferred looks of kinds: their shapes and colours.
var signs = map[string]GraphSign{
	vocabulary.OroListeningEvent:          {Shape: "ear", Series: 3},
	vocabulary.OroDecisionMakingAction:    {Shape: "diamond", Series: 7},
	vocabulary.OroResponseAction:          {Shape: "play", Series: 8},
	vocabulary.OroEmotionRecognitionEvent: {Shape: "heart", Series: 5},
	vocabulary.OnyxEmotionAnalysis:        {Shape: "heart", Series: 5},
	vocabulary.OroDetectedHumanEvent:      {Shape: "eye", Series: 6},
	vocabulary.MLSRun:                     {Shape: "octagon", Series: 7},
	vocabulary.ScEmergencyStop:            {Shape: "octagon", Series: 5},
	vocabulary.ScIncident:                 {Shape: "triangle", Series: 5},
	vocabulary.MLSModel:                   {Shape: "cylinder", Series: 7},
	vocabulary.OroInitialMessage:          {Shape: "bubble", Series: 4},
	vocabulary.OroResponseMessage:         {Shape: "answer", Series: 8},
	vocabulary.AmorEmotionAnnotation:      {Shape: "felt", Series: 5},
	vocabulary.OnyxEmotion:                {Shape: "felt", Series: 5},
}

// familySigns are the preferred looks of kinds that signs does not have.
var familySigns = map[string]GraphSign{
	"robot": {Shape: "robot", Series: 1}, "human": {Shape: "human", Series: 2}, "message": {Shape: "bubble", Series: 4}, "activity": {Shape: "pill", Series: 3},
	"event": {Shape: "hexagon", Series: 5}, "result": {Shape: "shield", Series: 6}, "other": {Shape: "circle", Series: 6},
}

// signOf returns the preferred look of a kind.
func signOf(kind, family string) GraphSign {
	if s, ok := signs[kind]; ok {
		return s
	}
	return familySigns[family]
}

// pictureKind is a kind of node, shown or hidden.
type pictureKind struct {
	iri   string
	sign  GraphSign
	count int
}

// gatherKinds counts the kinds of the nodes in order of appearance, and gives each its
// look: a shape that no kind before it has, while there are any, and a colour. So a kind
// keeps its look when nodes are added.
func (p *picture) gatherKinds() {
	for _, n := range p.nodes {
		i := slices.IndexFunc(p.kinds, func(k *pictureKind) bool { return k.iri == n.kind })
		if i < 0 {
			p.kinds, i = append(p.kinds, &pictureKind{iri: n.kind, sign: p.unusedSign(n.kind, n.sign)}), len(p.kinds)
		}
		p.kinds[i].count++
		n.sign = p.kinds[i].sign
	}
}

// unusedSign returns a look that the picture does not use: the shape, and then the
// colour, that the fewest kinds have. Among equals it prefers those of s. A known kind has
// the colour of s, which it has on every page.
func (p *picture) unusedSign(kind string, s GraphSign) GraphSign {
	choice := GraphColours
	if _, known := signs[kind]; known || families[kind] != "" {
		choice = 1
	}
	shapes, colours, pairs := map[string]int{}, map[int]int{}, map[GraphSign]bool{}
	for _, k := range p.kinds {
		shapes[k.sign.Shape]++
		colours[k.sign.Series]++
		pairs[k.sign] = true
	}
	best, least := s, -1
	for i := range choice {
		for _, shape := range append([]string{s.Shape}, SpareShapes...) {
			next := GraphSign{Shape: shape, Series: (s.Series-1+i)%GraphColours + 1}
			if cost := 100*shapes[shape] + colours[next.Series]; !pairs[next] && (least < 0 || cost < least) {
				best, least = next, cost
			}
		}
	}
	return best
}

func kindName(kind string, names []turtle.Prefix) string {
	if kind == "" {
		return "without a type"
	}
	return views.ShortIRI(kind, names)
}
