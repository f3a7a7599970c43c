package reports

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// model holds the properties of a model. Each may have several values.
type model struct{ labels, versions, providers, datasets, scores []string }

// callModels returns names for the models in some columns of rows.
func (r *Report) callModels(models map[string]model, usage, runs [][]rdf.Term) termNames {
	label := func(iri rdf.Term) string {
		if m := models[iri.String()]; len(m.labels) > 0 {
			return m.labels[0]
		}
		return local(iri)
	}
	names := termNames{}
	names.add(label, usage, 1)
	names.add(label, runs, 2)
	return names.distinct(r.Ages)
}

// named returns the cell of the function named, with the name of the term.
func (c termNames) named(term rdf.Term) ReportCell {
	cell := named(term)
	cell.Text = c.of(term)
	return cell
}

func joined(texts []string) ReportCell { return plain(strings.Join(texts, ", ")) }

// models returns the properties of all models, by IRI. A model has a row for each combination of their values.
func (r *Report) models(ctx context.Context) (map[string]model, error) {
	rows, err := r.rows(ctx, "ml-models")
	if err != nil {
		return nil, err
	}
	out := map[string]model{}
	for _, row := range rows {
		key := row[0].String()
		m := out[key]
		for i, list := range []*[]string{&m.labels, &m.versions, &m.providers, &m.datasets, &m.scores} {
			if v := local(row[i+1]); v != "" && !slices.Contains(*list, v) {
				*list = append(*list, v)
			}
		}
		out[key] = m
	}
	return out, nil
}

// learning shows which robot used which models, with their properties, and the uses.
func (r *Report) learning(ctx context.Context, out *ReportSection) error {
	if _, err := r.names(ctx); err != nil {
		return err
	}
	models, err := r.models(ctx)
	if err != nil {
		return err
	}
	usage, err := r.rows(ctx, "ml-usage")
	if err != nil {
		return err
	}
	runs, more, err := r.limited(ctx, "ml-runs")
	if err != nil {
		return err
	}
	names := r.callModels(models, usage, runs)
	t := r.table("ml-usage", "Models by robot", "No activity used a model.", "Robot", "Model", "Version", "Uses#", "First", "Last", "Provider", "Dataset", "Score")
	for _, row := range usage[:min(len(usage), r.Limit)] {
		robot, model, uses, first, last := row[0], row[1], row[2], row[3], row[4]
		m := models[model.String()]
		scored := joined(m.scores)
		if f, err := strconv.ParseFloat(scored.Value, 64); err == nil {
			scored.Text = strconv.FormatFloat(f, 'f', -1, 64)
		}
		scored.Href = r.row("ml-models", binding{"model", model})
		t.Rows = append(t.Rows, []ReportCell{
			r.who(robot), names.named(model), joined(m.versions),
			count(uses, r.counted("ml-usage", binding{"robot", robot}, binding{"model", model})),
			r.when(first), r.when(last), joined(m.providers), joined(m.datasets), scored,
		})
	}
	shares(t.Rows, 3)
	t.More = len(usage) > r.Limit
	t.About = "Dataset and score belong to the run that produced the model."

	times := r.table("ml-runs", "Uses, newest first", "No use has a time.", "Time", "Robot", "Model", "Version", "Activity")
	seen := map[[2]string]bool{}
	for _, row := range runs {
		start, robot, model, activity, label := row[0], row[1], row[2], row[3], row[4]
		key := [2]string{activity.String(), model.String()}
		if seen[key] { // a label in several languages
			continue
		}
		seen[key] = true
		what := named(activity)
		if text := label.Value(); text != "" {
			what.Text = text
		}
		versions := models[model.String()].versions
		times.Rows = append(times.Rows, []ReportCell{r.when(start), r.who(robot), names.named(model), joined(versions), what})
	}
	times.More, times.Folded = more, len(times.Rows) > 12
	out.Tables = append(out.Tables, t, times)
	return nil
}
