package vocabulary

import "strings"

// generality ranks general classes that say little when a more specific class is present:
// results also have the class prov:Activity, and every agent is a prov:Agent. Classes not
// listed here are the most specific.
var generality = map[string]int{
	OWL + "Thing": 4, OWL + "NamedIndividual": 4, RDFS + "Resource": 4, ProvEntity: 4,
	SchemaThing: 4, ProvActivity: 3, ProvAgent: 3,
	SegbResult: 2, SegbLoggedActivity: 2, ProvSoftwareAgent: 2, ProvPerson: 2, FOAFPerson: 2, SchemaPerson: 2,
	SchemaMessage: 1, OAAnnotation: 1, SOSAObservation: 1,
}

// Kind returns the most specific of a resource's classes, or "". Among equally specific
// ones it returns the first in IRI order.
func Kind(classes []string) string {
	best := ""
	for _, c := range classes {
		if best == "" || generality[c] < generality[best] || generality[c] == generality[best] && strings.Compare(c, best) < 0 {
			best = c
		}
	}
	return best
}
