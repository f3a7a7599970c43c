package mirror

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// Some nodes are shared by many records: the agent and rules of decisions, and pieces of
// evidence. Thousands of doubtful cases about one time differ in only a few of these, so
// sharing halves the number of quads.
//
// The name of an evidence node contains everything that its quads say, so the node never
// changes. It stays when the last case that uses it changes, because uses are not
// counted.

// contributions is the prefix of the names of evidence nodes.
const contributions = "urn:segraph:contribution/"

// said reports whether the quads of a shared node may be omitted.
func (n Names) said(node rdf.Term) bool { return n.Said != nil && n.Said(node) }

// contribution returns the node of a piece of evidence, named by its feature, weight and
// value.
func contribution(p record.Part) rdf.Term {
	return rdf.NewIRI(contributions + p.Feature + "/" + decimal(p.Weight) + "/" + url.PathEscape(p.Value))
}

// contribution adds the quads of an evidence node.
func (w *writer) contribution(node rdf.Term, feature, weight, value string) {
	w.text(node, vocabulary.ScFeature, feature)
	w.add(node, vocabulary.ScWeight, rdf.NewLiteral(weight, rdf.XSDDouble))
	w.text(node, vocabulary.ScValue, value)
}

// IsContribution reports whether a term is an evidence node.
func IsContribution(t rdf.Term) bool {
	return t.Kind() == rdf.KindIRI && strings.HasPrefix(t.Value(), contributions)
}

// SaysItsName reports whether a quad of an evidence node agrees with the node's name.
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

// decimal formats a number with six significant digits.
func decimal(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }
