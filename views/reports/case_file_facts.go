package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// CaseFileModel is a model that the logs of a case file used.
type CaseFileModel struct {
	Name, Version, Maker, Dataset, Score string
	Used                                 []string // for what, by whom
}

// during reports whether a session that began at a time may have the rows: it began at most a minute before the first
// of them and before the last.
func (f *caseFacts) during(began time.Time) bool {
	first := slices.IndexFunc(f.rows, func(r CaseFileRow) bool { return !r.At.IsZero() }) // rows without a time are before it
	return first >= 0 && began.After(f.rows[first].At.Add(-time.Minute)) && began.Before(f.rows[len(f.rows)-1].At)
}

// addCauses finds the rows of the causes that the logs name for a row. A decision and its words are rows of
// one activity; a row is never its own cause.
func (f *caseFacts) addCauses(r *CaseFileRow) {
	for _, act := range r.acts {
		for _, cause := range f.all(act, vocabulary.SegbTriggeredByActivity, vocabulary.SegbTriggeredByEntity, vocabulary.ProvWasInformedBy, vocabulary.ProvWasInfluencedBy) {
			i, known := f.of[cause]
			if !known { // the cause may be something that an activity made
				makers := f.all(cause, vocabulary.ProvWasGeneratedBy)
				for _, p := range []string{vocabulary.SegbProducedEntityResult, vocabulary.ProvGenerated} {
					makers = append(makers, f.back[cause][p]...)
				}
				for _, maker := range makers {
					if i, known = f.of[maker]; known {
						break
					}
				}
			}
			switch {
			case !known && f.out[cause] == nil:
				f.unknown[cause] = true
			case known && i+1 != r.Number && !slices.Contains(r.Because, i+1):
				r.Because = append(r.Because, i+1)
			}
		}
	}
	slices.Sort(r.Because)
}

// chain returns the row of an activity, or of what made an entity, and then all rows that led to it, each once and after one
// that it led to. It returns nil if there is no such row.
func (f *caseFacts) chain(from string) (out []CaseFileRow) {
	i, known := f.of[from]
	for _, act := range slices.Concat(f.all(from, vocabulary.ProvWasGeneratedBy), f.back[from][vocabulary.SegbProducedEntityResult], f.back[from][vocabulary.ProvGenerated]) {
		if !known {
			i, known = f.of[act]
		}
	}
	if !known {
		return nil
	}
	seen := map[int]bool{i + 1: true}
	out = append(out, f.rows[i])
	for k := 0; k < len(out); k++ {
		effect := &out[k]
		for _, n := range effect.Because {
			if !seen[n] {
				cause := f.rows[n-1]
				cause.Late = views.IsLate(cause.At, effect.At)
				seen[n], out = true, append(out, cause)
			}
		}
	}
	return out
}

// models returns the models that were used, by name.
func (f *caseFacts) models() (out []CaseFileModel) {
	for m, used := range f.users {
		c := CaseFileModel{Name: cmp.Or(f.one(m, vocabulary.RDFSLabel, vocabulary.SchemaName), views.Short(m)), Version: f.one(m, vocabulary.SchemaVersion), Used: used}
		if maker := f.one(m, vocabulary.SchemaProvider); maker != "" {
			c.Maker = f.name(maker)
		}
		var scores []string
		for _, run := range slices.Concat(f.back[m][vocabulary.MLSHasOutput], f.all(m, vocabulary.ProvWasGeneratedBy)) {
			for _, in := range f.all(run, vocabulary.MLSHasInput) {
				if slices.Contains(f.all(in, rdf.RDFType), vocabulary.MLSDataset) {
					c.Dataset = f.name(in)
				}
			}
			for _, eval := range f.all(run, vocabulary.MLSHasOutput) {
				if score := f.one(eval, vocabulary.MLSHasValue); score != "" {
					scores = with(scores, score)
				}
			}
		}
		c.Score = strings.Join(scores, ", ")
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b CaseFileModel) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(b.Version, a.Version))
	})
	return out
}

// missing says what the logs of a case file do not say, in segraph's words.
func (f *caseFacts) missing(models []CaseFileModel) (out []string) {
	timeless, nameless := 0, 0
	for _, r := range f.rows {
		if r.At.IsZero() {
			timeless++
		}
		if r.whos[0] == nobody {
			nameless++
		}
	}
	for _, gap := range []struct {
		n          int
		one, other string
	}{{timeless, "For one line of part 1, no log says when it happened.", "For %d lines of part 1, no log says when they happened."},
		{nameless, "For one line of part 1, no log says who did it.", "For %d lines of part 1, no log says who did it."},
		{f.outside, "One cause is in logs outside this case file.", "%d causes are in logs outside this case file."},
		{len(f.unknown) - f.outside, "The logs name one cause that none of them describes.", "The logs name %d causes that none of them describes."}} {
		if gap.n == 1 {
			out = append(out, gap.one)
		} else if gap.n > 1 {
			out = append(out, fmt.Sprintf(gap.other, gap.n))
		}
	}
	for _, m := range models {
		var lacks []string
		for _, fact := range [][2]string{{m.Version, "its version"}, {m.Maker, "its maker"}, {m.Dataset, "what it was trained on"}, {m.Score, "how well it scored"}} {
			if fact[0] == "" {
				lacks = append(lacks, fact[1])
			}
		}
		if len(lacks) > 0 {
			out = append(out, "Of the model "+views.Said(m.Name)+", no log here says "+views.List(lacks)+".")
		}
	}
	return out
}
