package views

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// Limits of the labels beside the IRIs of an answer.
const (
	maxLabelled = 2000                   // IRIs
	labelTime   = 300 * time.Millisecond // to read them
	longLabel   = 60                     // characters of a label
)

// Labels returns the labels of the IRIs in some rows. It returns none if they can't be
// read in time.
func (u *UI) Labels(ctx context.Context, rows [][]rdf.Term) map[string]string {
	var iris strings.Builder
	seen := map[string]bool{}
	for _, row := range rows {
		for _, t := range row {
			if t.IsIRI() && !seen[t.Value()] && len(seen) < maxLabelled && rdf.IsIRI(t.Value()) {
				seen[t.Value()] = true
				iris.WriteString(t.String() + " ")
			}
		}
	}
	if len(seen) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, labelTime)
	defer cancel()
	found, err := u.Ask(ctx, fmt.Sprintf("SELECT ?s ?p ?l { VALUES ?p { <%s> } VALUES ?s { %s} ?s ?p ?l FILTER(isLiteral(?l)) } LIMIT %d",
		strings.Join(Labelling, "> <"), iris.String(), 4*maxLabelled))
	if err != nil {
		u.Log.DebugContext(ctx, "the labels of an answer can't be read", "error", err)
		return nil
	}
	labels, best := map[string]string{}, map[string]int{}
	for _, row := range found {
		iri, rank := row[0].Value(), slices.Index(Labelling, row[1].Value())
		if before, ok := best[iri]; !ok || rank < before || rank == before && row[2].Value() < labels[iri] {
			best[iri] = rank
			labels[iri], _ = CutText(row[2].Value(), longLabel)
		}
	}
	return labels
}

// Labelling are the predicates of labels, best first.
var Labelling = []string{vocabulary.SchemaName, vocabulary.FOAFFirstName, vocabulary.RDFSLabel, vocabulary.SchemaText, vocabulary.SchemaDescription}
