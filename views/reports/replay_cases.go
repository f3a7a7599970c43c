package reports

import (
	"cmp"
	"context"
	"net/url"
	"slices"

	"github.com/segraph/segraph/views"
)

// maxCases is how many rows about pending cases are read for a replay.
const maxCases = 500

// Cases returns the pending cases in the report's range. The lanes are d's.
func (r *Report) Cases(ctx context.Context, d *ReplayData) ([]ReplayShared, error) {
	if _, err := r.names(ctx); err != nil {
		return nil, err
	}
	pending := *r
	pending.Limit = maxCases
	rows, _, err := pending.limited(ctx, "replay-cases")
	if err != nil {
		return nil, err
	}
	var out []ReplayShared
	number := map[string]int{}
	for _, row := range rows {
		start, caseID, robot, text := row[0], row[1], row[2], row[3]
		at, ok := views.TimeOf(start)
		if !ok {
			continue
		}
		id := caseID.Value()
		i, known := number[id]
		if !known {
			i, number[id] = len(out), len(out)
			out = append(out, ReplayShared{From: at, Text: text.Value(), Case: "/shared-context?case=" + url.QueryEscape(id)})
		}
		s := &out[i]
		s.To, s.Text = at, cmp.Or(s.Text, text.Value())
		if n := slices.Index(d.Robots, r.name(robot)); n >= 0 && !slices.Contains(s.Lanes, n) {
			s.Lanes = append(s.Lanes, n)
		}
	}
	for _, s := range out {
		slices.Sort(s.Lanes)
	}
	return out, nil
}
