package explore

import (
	"cmp"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// general are classes that determine the family of an unknown kind, most specific first:
// results, for example, are also activities.
var general = []string{vocabulary.OroRobot, vocabulary.OroHuman, vocabulary.ProvPerson, vocabulary.FOAFPerson, vocabulary.SchemaPerson, vocabulary.ProvSoftwareAgent,
	vocabulary.ProvAgent, vocabulary.SchemaMessage, vocabulary.SegbLoggedActivity, vocabulary.SegbResult, vocabulary.ProvEntity, vocabulary.ProvActivity}

// family returns the family of a kind or, if that is unknown, of its other classes.
func family(kind string, classes []string) string {
	if k, ok := views.Kinds()[kind]; ok {
		return k.Family
	}
	if strings.HasPrefix(kind, vocabulary.MLS) { // models and the like are both entities and activities
		return "other"
	}
	for _, c := range general {
		if slices.Contains(classes, c) {
			return views.Kinds()[c].Family
		}
	}
	return "other"
}

// familySigns are the looks of kinds that have none of their own.
var familySigns = map[string]GraphSign{
	"robot": {Shape: "robot", Series: 1}, "human": {Shape: "human", Series: 2}, "message": {Shape: "bubble", Series: 4}, "activity": {Shape: "pill", Series: 3},
	"event": {Shape: "hexagon", Series: 5}, "result": {Shape: "shield", Series: 6}, "other": {Shape: "square", Series: 6},
}

// signOf returns the preferred look of a kind.
func signOf(kind, family string) GraphSign {
	if k := views.Kinds()[kind]; k.Shape != "" {
		return GraphSign{k.Shape, k.Series}
	}
	return familySigns[family]
}

// pictureKind is a kind of node, shown or hidden.
type pictureKind struct {
	iris  []string // the classes that have its word
	sign  GraphSign
	count int
}

// gatherKinds counts the kinds of the nodes in order of appearance, and gives each its
// look: a known kind the one that it has on every page, and another kind one that no kind
// has, while there are any. So a kind keeps its look when nodes are added.
func (p *picture) gatherKinds() {
	for _, n := range p.nodes {
		i := slices.IndexFunc(p.kinds, func(k *pictureKind) bool { return kindWord(k.iris[0]) == kindWord(n.kind) })
		if i < 0 {
			sign := n.sign
			if _, known := views.Kinds()[n.kind]; !known {
				sign = p.unusedSign(sign)
			}
			p.kinds, i = append(p.kinds, &pictureKind{sign: sign}), len(p.kinds)
		}
		if !slices.Contains(p.kinds[i].iris, n.kind) {
			p.kinds[i].iris = append(p.kinds[i].iris, n.kind)
		}
		p.kinds[i].count++
		n.sign = p.kinds[i].sign
	}
}

// unusedSign returns a look that neither a known kind nor one of the picture has: the shape,
// and then the colour, that the fewest kinds have. Among equals it prefers the shape and the
// colour of s.
func (p *picture) unusedSign(s GraphSign) GraphSign {
	shapes, colours, pairs := map[string]int{}, map[int]int{}, map[GraphSign]bool{}
	for class, k := range views.Kinds() {
		known := signOf(class, k.Family)
		shapes[known.Shape], pairs[known] = 1, true
	}
	for _, k := range p.kinds {
		shapes[k.sign.Shape] += 2
		colours[k.sign.Series]++
		pairs[k.sign] = true
	}
	best, least := s, -1
	for i := range GraphColours {
		for _, shape := range append([]string{s.Shape}, SpareShapes...) {
			next := GraphSign{Shape: shape, Series: (s.Series-1+i)%GraphColours + 1}
			if cost := 50*shapes[shape] + colours[next.Series]; !pairs[next] && (least < 0 || cost < least) { // another shape is told apart best
				best, least = next, cost
			}
		}
	}
	return best
}

func kindWord(kind string) string { return cmp.Or(views.KindSaid(kind), "without a type") }

func kindName(kind string, names []turtle.Prefix) string {
	if kind == "" {
		return "without a type"
	}
	return views.ShortIRI(kind, names)
}
