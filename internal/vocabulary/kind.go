package vocabulary

import "strings"

// generality ranks classes that say little beside another one: results carry
// prov:Activity as well as their own class, and every agent is a prov:Agent. A class that
// is not here ranks before all of these.
var generality = map[string]int{
	OWL + "Thing": 4, OWL + "NamedIndividual": 4, RDFS + "Resource": 4, ProvEntity: 4,
	SchemaThing: 4, ProvActivity: 3, ProvAgent: 3,
	SegbResult: 2, SegbLoggedActivity: 2, ProvSoftwareAgent: 2, ProvPerson: 2, FOAFPerson: 2, SchemaPerson: 2,
	SchemaMessage: 1, OAAnnotation: 1, SOSAObservation: 1,
}

// Kind returns the most specific of a thing's classes, or "". Among equally specific ones
// it returns the first in IRI order.
func Kind(classes []string) string {
	best := ""
	for _, c := range classes {
		if best == "" || generality[c] < generality[best] || generality[c] == generality[best] && strings.Compare(c, best) < 0 {
			best = c
		}
	}
	return best
}
