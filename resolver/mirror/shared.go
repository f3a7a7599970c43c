package mirror

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
)

// Some nodes are of many records: by whom and by which rules decisions were taken, and
// what a piece of evidence weighs. Thousands of doubts about one moment differ in a few
// of those only, so they take half the quads.
//
// A node of evidence says in its name all that its quads say. So it never changes, and it
// stays when the last case that has it has got other candidates: nobody counts who has
// it.

// contributions begins the names of nodes of evidence.
const contributions = "urn:segraph:contribution/"

// said reports whether the quads of a node of many records may be left out.
func (n Names) said(node rdf.Term) bool { return n.Said != nil && n.Said(node) }

// contribution returns the node of a piece of evidence: its feature, weight and value.
func contribution(p record.Part) rdf.Term {
	return rdf.NewIRI(contributions + p.Feature + "/" + decimal(p.Weight) + "/" + url.PathEscape(p.Value))
}

// contribution adds the quads of a node of evidence.
func (w *writer) contribution(node rdf.Term, feature, weight, value string) {
	w.text(node, vocabulary.ScFeature, feature)
	w.add(node, vocabulary.ScWeight, rdf.NewLiteral(weight, rdf.XSDDouble))
	w.text(node, vocabulary.ScValue, value)
}

// IsContribution reports whether a term is a node of evidence.
func IsContribution(t rdf.Term) bool {
	return t.Kind() == rdf.KindIRI && strings.HasPrefix(t.Value(), contributions)
}

// SaysItsName reports whether a quad of a node of evidence says what the node's name says.
func SaysItsName(q rdf.Quad) bool {
	parts := strings.SplitN(strings.TrimPrefix(q.S.Value(), contributions), "/", 3)
	if len(parts) < 3 {
		return false
	}
	value, err := url.PathUnescape(parts[2])
	var w writer
	w.contribution(q.S, parts[0], parts[1], value)
	return err == nil && slices.Contains(w.quads, q)
}

// decimal writes a number with as many digits as anybody reads.
func decimal(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }
