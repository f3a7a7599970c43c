package reports

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
)

// modelNames names the models in rows of replay-models, with their versions.
func (r *Report) modelNames(rows [][]rdf.Term) termNames {
	names := termNames{}
	for _, row := range rows {
		if row[1].IsIRI() && names[row[1].Value()] == "" {
			names[row[1].Value()] = strings.TrimSpace(cmp.Or(row[2].Value(), local(row[1])) + " " + row[3].Value())
		}
	}
	return names.distinct(r.Ages)
}

// modelsOf returns the names of the models that each activity used, with their versions.
func (r *Report) modelsOf(ctx context.Context, activities []rdf.Term) (map[rdf.Term][]string, error) {
	var rows [][]rdf.Term
	all := *r
	all.From, all.To, all.Limit = time.Time{}, time.Time{}, resultsPerRow*sessionRows // the activities limit the query
	for some := range slices.Chunk(activities, maxValues) {
		given := url.Values{}
		for _, a := range some {
			if a.IsIRI() && rdf.IsIRI(a.Value()) {
				given.Add("activity", a.Value())
			}
		}
		if len(given) == 0 {
			continue
		}
		query, err := all.RowsQuery("replay-models", given)
		if err != nil {
			return nil, err
		}
		found, err := r.Ask(ctx, query)
		if err != nil {
			return nil, fmt.Errorf("ask replay-models: %w", err)
		}
		rows = append(rows, found...)
	}
	names, out := r.modelNames(rows), map[rdf.Term][]string{}
	for _, row := range rows {
		if name := names.of(row[1]); !slices.Contains(out[row[0]], name) {
			out[row[0]] = append(out[row[0]], name)
		}
	}
	return out, nil
}
