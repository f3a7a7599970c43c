package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/views"
)

// Limits of lists.
const (
	maxGroup   = 50 // cases accepted at once
	maxGroups  = 20 // groups listed
	maxHistory = 50 // decisions per page
)

// byGroup returns the cases of each group that has more than one.
func byGroup(all []resolver.Waiting) map[string][]resolver.Waiting {
	groups := map[string][]resolver.Waiting{}
	for _, x := range all {
		if x.GroupID != "" {
			groups[x.GroupID] = append(groups[x.GroupID], x)
		}
	}
	maps.DeleteFunc(groups, func(_ string, members []resolver.Waiting) bool { return len(members) == 1 })
	return groups
}

// groups lists the largest groups of cases about one event.
func (u *handlers) groups(ctx context.Context, all map[string][]resolver.Waiting, kinds views.Names, f queueFilter) ([]ReviewGroup, error) {
	var list []ReviewGroup
	for uri, members := range all {
		q := f.query()
		q.Set("group", uri)
		list = append(list, ReviewGroup{URI: uri, Href: "/shared-context?" + q.Encode(), Kind: kinds.Of(members[0].EventKind), Count: len(members)})
	}
	slices.SortFunc(list, func(a, b ReviewGroup) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.URI, b.URI))
	})
	list = list[:min(len(list), maxGroups)]
	var ids []string // the first case of each group
	for _, g := range list {
		ids = append(ids, all[g.URI][0].CaseID)
	}
	first, names, err := u.cases(ctx, ids)
	for i, k := range first {
		list[i].Title = titleOf(names, k.Source)
	}
	return list, err
}

// cases returns the cases with some ids, and the names for their IRIs.
func (u *handlers) cases(ctx context.Context, ids []string) (all []*resolver.CaseDetail, names views.Names, err error) {
	for _, id := range ids {
		k, err := u.Service.ReviewQueue().Case(ctx, id)
		if err != nil {
			return nil, nil, notFound(err)
		}
		all = append(all, k)
	}
	names, err = u.CaseNames(ctx, all...)
	return all, names, err
}

// group previews the cases of a group, each beside its best target. The group is named
// after its first case, as in the list.
func (u *handlers) group(ctx context.Context, uri string, kinds views.Names, members []resolver.Waiting) (*ReviewGroup, error) {
	g := &ReviewGroup{URI: uri, Kind: kinds.Of(members[0].EventKind), Count: len(members)}
	var ids []string
	for _, x := range members[:min(len(members), maxGroup)] {
		ids = append(ids, x.CaseID)
	}
	cases, names, err := u.cases(ctx, ids)
	if err != nil {
		return nil, err
	}
	people, err := u.Service.People(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range cases {
		title := titleOf(names, k.Source)
		g.Title = cmp.Or(g.Title, title)
		if k.Status != "pending" || len(k.Offers) == 0 { // it was decided meanwhile
			continue
		}
		m := ReviewMember{ID: k.CaseID, Seen: k.Seen, Href: "/shared-context?case=" + url.QueryEscape(k.CaseID), Text: title,
			Sentence: cmp.Or(k.Sentence, ReasonName(string(k.Reason))), Offer: offerOf(ctx, names, people, k, k.Offers[0], false)}
		m.Apart = apart(m.Offer.Rows)
		for _, o := range k.Offers[1:] {
			m.Others = append(m.Others, sights(ctx, names, o.Context)[0])
		}
		g.Cases = append(g.Cases, m)
	}
	return g, nil
}

// apart returns what tells an observation from others of the same words: its robot, and when.
func apart(rows []ReviewRow) string {
	var out []string
	for _, name := range []string{"Robot", "When"} {
		for _, r := range rows {
			if r.Name == name && len(r.Source) > 0 {
				out = append(out, r.Source[0].Text)
			}
		}
	}
	return strings.Join(out, ", ")
}

// postMany decides several cases, one after another, each as its field "as" says: the URI of a target accepts the case,
// different rejects it, and "" leaves it. It lists the refused ones. Cases that an earlier decision already joined are
// skipped.
func (u *handlers) postMany(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	cases := form.Values("case")
	if len(cases) == 0 || len(cases) > maxGroup {
		return front.NewProblem(http.StatusUnprocessableEntity, "decide from 1 to %d cases; there are %d", maxGroup, len(cases))
	}
	var chosen [][2]string
	changed := map[string]error{} // since the reader saw the case; asked before the first decision, as each may change the next case
	for _, id := range cases {
		if target := form.Value("as " + id); target != "" {
			chosen = append(chosen, [2]string{id, target})
			if k, err := u.Service.ReviewQueue().Case(r.Context(), id); err == nil && k.Status == "pending" {
				changed[id] = resolver.SameCase(form.Value("seen "+id), k.Seen)
			}
		}
	}
	done, err := decideMany(chosen, func(id, target string) (*resolver.Verdict, error) {
		if err := changed[id]; err != nil {
			return nil, err
		}
		if target == different {
			return u.Service.Reject(r.Context(), v.Actor, id)
		}
		return u.Service.Accept(r.Context(), v.Actor, id, target, false)
	})
	if err != nil && done.Accepted+done.Rejected == 0 {
		return err
	}
	if err != nil {
		u.Log.ErrorContext(r.Context(), "deciding several cases stopped", "error", err, "left", done.Left)
	}
	m, err := u.review(r.Context(), v.Actor.Username, nil)
	if err != nil {
		return err
	}
	m.Many = &done
	status := http.StatusOK
	if done.Accepted+done.Rejected+done.Joined == 0 && len(done.Refused) > 0 {
		status = http.StatusConflict
	}
	return u.showReview(w, r, v, status, m)
}

// different is the choice that rejects a case.
const different = "different"

// decideMany decides cases, each an id and what was chosen. If decide fails, it stops with the error
// and says what was decided before, since that stays.
func decideMany(chosen [][2]string, decide func(id, target string) (*resolver.Verdict, error)) (done ReviewMany, err error) {
	for i, c := range chosen {
		verdict, err := decide(c[0], c[1])
		var refused *resolver.Error
		switch {
		case errors.As(err, &refused):
			done.Refused = append(done.Refused, c[0]+": "+refused.Detail)
		case err != nil:
			done.Left = len(chosen) - i
			return done, err
		case verdict.AlreadyDecided:
			done.Joined++
		case c[1] == different:
			done.Rejected++
		default:
			done.Accepted++
		}
	}
	return done, nil
}

// history lists the decisions and who made them.
func (u *handlers) history(ctx context.Context, before string) (ReviewHistory, error) {
	all, err := u.Service.ReviewQueue().History(ctx, before, maxHistory)
	if err != nil {
		return ReviewHistory{}, notFound(err)
	}
	var h ReviewHistory
	if before == "" {
		if h.Batches, err = u.batches(); err != nil {
			return h, err
		}
	}
	for _, j := range all {
		h.Entries = append(h.Entries, entry(j))
	}
	if len(all) == maxHistory {
		h.Older = "/shared-context?view=quality&before=" + url.QueryEscape(all[len(all)-1].DecisionID)
	}
	return h, nil
}

// entry returns the row of a decision.
func entry(j resolver.Judgement) ReviewEntry {
	e := ReviewEntry{ID: j.DecisionID, Kind: string(j.Kind), By: cmp.Or(j.By, "the resolver"), Text: cmp.Or(j.Text, "(no text)"), Event: j.EventKind,
		Context: views.ContextAddress(j.SourceURI), At: j.At, Undone: j.Undone, Undoable: !j.Undone && j.Kind != resolver.JudgedUndone}
	if j.CaseID != "" {
		e.Case = "/shared-context?case=" + url.QueryEscape(j.CaseID)
	}
	return e
}

// lastDecision returns the reader's newest valid decision, if it is among the most recent
// of all.
func (u *handlers) lastDecision(ctx context.Context, reader string) (*ReviewEntry, error) {
	all, err := u.Service.ReviewQueue().History(ctx, "", maxHistory)
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
