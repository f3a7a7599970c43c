package webui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/views"
)

// Limits of lists.
const (
	maxGroup   = 50  // cases accepted at once
	maxGroups  = 100 // groups listed
	maxHistory = 50  // decisions per page
)

// groups lists the groups of cases about one event, or opens one of them.
func (u *UI) groups(ctx context.Context, open string) (views.ReviewGroups, error) {
	all, err := u.service.ReviewQueue().Waiting(ctx, views.MaxWaiting)
	if err != nil {
		return views.ReviewGroups{}, fmt.Errorf("list the pending cases: %w", err)
	}
	kinds := kindNames(all)
	cases := map[string][]resolver.Waiting{}
	for _, x := range all {
		if x.GroupID != "" {
			cases[x.GroupID] = append(cases[x.GroupID], x)
		}
	}
	var g views.ReviewGroups
	if open != "" && len(cases[open]) > 0 {
		g.Open, err = u.group(ctx, open, kinds, cases[open])
		return g, err
	}
	for uri, members := range cases {
		if len(members) > 1 {
			g.Groups = append(g.Groups, views.ReviewGroup{URI: uri, Href: "/shared-context?view=groups&group=" + url.QueryEscape(uri),
				Kind: kinds.Of(members[0].EventKind), Count: len(members)})
		}
	}
	slices.SortFunc(g.Groups, func(a, b views.ReviewGroup) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(a.URI, b.URI)
	})
	g.Groups = g.Groups[:min(len(g.Groups), maxGroups)]
	var ids []string // the first case of each group
	for _, x := range g.Groups {
		ids = append(ids, cases[x.URI][0].CaseID)
	}
	first, names, err := u.cases(ctx, ids)
	for i, k := range first {
		g.Groups[i].Title = titleOf(names, k.Source)
	}
	return g, err
}

// cases returns the cases with some ids, and the names for their IRIs.
func (u *UI) cases(ctx context.Context, ids []string) (all []*resolver.CaseDetail, names views.Names, err error) {
	for _, id := range ids {
		k, err := u.service.ReviewQueue().Case(ctx, id)
		if err != nil {
			return nil, nil, notFound(err)
		}
		all = append(all, k)
	}
	names, err = u.caseNames(ctx, all...)
	return all, names, err
}

// group previews the cases of a group, each with its best target. The group is named
// after its first case, as in the list.
func (u *UI) group(ctx context.Context, uri string, kinds views.Names, members []resolver.Waiting) (*views.ReviewGroup, error) {
	g := &views.ReviewGroup{URI: uri, Kind: kinds.Of(members[0].EventKind), Count: len(members)}
	var ids []string
	for _, x := range members[:min(len(members), maxGroup)] {
		ids = append(ids, x.CaseID)
	}
	cases, names, err := u.cases(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, k := range cases {
		title := titleOf(names, k.Source)
		g.Title = cmp.Or(g.Title, title)
		if k.Status != "pending" || len(k.Offers) == 0 { // it was decided meanwhile
			continue
		}
		o := k.Offers[0]
		g.Cases = append(g.Cases, views.ReviewMember{ID: k.CaseID, Target: o.ContextURI, Href: "/shared-context?case=" + url.QueryEscape(k.CaseID),
			Text: title, Who: names.Of(given(k.Source.SubjectURI)), Gap: seconds(o.Gap), Share: o.Score, Sure: o.Score >= 0.9 && !o.KeptSeparate})
	}
	return g, nil
}

// postMany accepts several cases, each with its target, one after another, and lists the
// refused ones. Cases that an earlier acceptance already joined are skipped.
func (u *UI) postMany(w http.ResponseWriter, r *http.Request, v *visit) error {
	form, err := u.front.ReceiveForm(w, r)
	if err != nil {
		return err
	}
	defer form.Close()
	joins := form.Values("join")
	if len(joins) == 0 || len(joins) > maxGroup {
		return front.NewProblem(http.StatusUnprocessableEntity, "select from 1 to %d cases; %d are selected", maxGroup, len(joins))
	}
	var done views.ReviewMany
	for _, join := range joins {
		id, target, _ := strings.Cut(join, " ")
		verdict, err := u.service.Accept(r.Context(), v.actor, id, target, false)
		var refused *resolver.Error
		switch {
		case errors.As(err, &refused):
			done.Refused = append(done.Refused, id+": "+refused.Detail)
		case err != nil:
			return err
		case verdict.AlreadyDecided:
			done.Joined++
		default:
			done.Accepted++
		}
	}
	m := views.Review{View: "groups"}
	if m.Groups, err = u.groups(r.Context(), ""); err != nil {
		return err
	}
	m.Groups.Result = &done
	return u.showReview(w, r, v, m)
}

// history lists the decisions and who made them.
func (u *UI) history(ctx context.Context, before string) (views.ReviewHistory, error) {
	all, err := u.service.ReviewQueue().History(ctx, before, maxHistory)
	if err != nil {
		return views.ReviewHistory{}, notFound(err)
	}
	var h views.ReviewHistory
	if before == "" {
		if h.Batches, err = u.batches(); err != nil {
			return h, err
		}
	}
	for _, j := range all {
		h.Entries = append(h.Entries, entry(j))
	}
	if len(all) == maxHistory {
		h.Older = "/shared-context?view=history&before=" + url.QueryEscape(all[len(all)-1].DecisionID)
	}
	return h, nil
}

func entry(j resolver.Judgement) views.ReviewEntry {
	e := views.ReviewEntry{ID: j.DecisionID, Kind: string(j.Kind), By: cmp.Or(j.By, "the resolver"), Text: cmp.Or(j.Text, "(no text)"), Event: j.EventKind,
		Context: contextAddress(j.SourceURI), At: j.At, Undone: j.Undone, Undoable: !j.Undone && j.Kind != resolver.JudgedUndone}
	if j.CaseID != "" {
		e.Case = "/shared-context?case=" + url.QueryEscape(j.CaseID)
	}
	return e
}

// lastDecision returns the reader's newest valid decision, if it is among the most recent
// of all.
func (u *UI) lastDecision(ctx context.Context, reader string) (*views.ReviewEntry, error) {
	all, err := u.service.ReviewQueue().History(ctx, "", maxHistory)
	if err != nil {
		return nil, fmt.Errorf("read the last decisions: %w", err)
	}
	for _, j := range all {
		if e := entry(j); e.Undoable && j.Kind != resolver.MergedByResolver && j.By == reader {
			return &e, nil
		}
	}
	return nil, nil
}

// thresholds evaluates the usual thresholds and the chosen one, in percent.
func (u *UI) thresholds(ctx context.Context, chosen string) (views.ReviewThresholds, error) {
	stats, err := u.service.ContextStats(ctx)
	if err != nil {
		return views.ReviewThresholds{}, err
	}
	now := stats.Calibration.ReviewProbability
	all := []float64{now, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95}
	own := -1.0
	if n, err := strconv.Atoi(chosen); err == nil && n > 0 && n <= 100 {
		own = float64(n) / 100
		all = append(all, own)
	} else {
		chosen = ""
	}
	slices.Sort(all)
	trials, err := u.service.ReviewQueue().Try(ctx, slices.Compact(all)...)
	if err != nil {
		return views.ReviewThresholds{}, fmt.Errorf("try thresholds: %w", err)
	}
	t := views.ReviewThresholds{Decided: stats.Calibration.Reviews, Current: now, Chosen: chosen}
	for _, x := range trials {
		t.Trials = append(t.Trials, views.ReviewTrial{At: x.Threshold, AskedRight: x.AcceptedAbove, AskedElse: x.RejectedAbove, FreedElse: x.RejectedBelow,
			LostRight: x.AcceptedBelow, Current: x.Threshold == now, Chosen: x.Threshold == own})
	}
	return t, nil
}
