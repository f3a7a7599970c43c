package webui

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/views"
)

// opinions returns the model of the Second opinion view: a case that another reviewer
// decided, without the verdict. It is the case that the address names, or the first one.
func (u *UI) opinions(ctx context.Context, visitor string, query url.Values) (m views.ReviewOpinions, err error) {
	all, err := u.service.ReviewQueue().Reviews(ctx, maxReviews)
	if err != nil {
		return m, fmt.Errorf("read the decisions: %w", err)
	}
	ids, err := u.service.Undisclosed(visitor, all)
	if err != nil || len(ids) == 0 {
		return m, err
	}
	at := max(0, slices.Index(ids, query.Get("case")))
	m.Left = len(ids)
	if next := ids[(at+1)%len(ids)]; next != ids[at] {
		m.Next = "/shared-context?" + url.Values{"view": {"opinions"}, "case": {next}}.Encode()
	}
	m.Case, err = u.reviewCase(ctx, ids[at], nil)
	if err == nil {
		hideVerdict(m.Case)
	}
	return m, err
}

// hideVerdict removes from a case how it was decided, and the links to pages that reveal
// it.
func hideVerdict(c *views.ReviewCase) {
	c.Status, c.By, c.Now, c.Record = "pending", "", "", ""
	for i := range c.Offers {
		o := &c.Offers[i]
		o.Chosen, o.KeptApart, o.Record = i == 0, false, ""
		for k := range o.Rows {
			o.Rows[k].SourceHref, o.Rows[k].TargetHref = "", ""
		}
	}
}

// postOpinion stores a second opinion, and shows the next case and the first verdict on
// this one.
func (u *UI) postOpinion(w http.ResponseWriter, r *http.Request, v *visit) error {
	form, err := u.front.ReceiveForm(w, r)
	if err != nil {
		return err
	}
	defer form.Close()
	id, do := form.Value("case"), form.Value("do")
	if do != "accept" && do != "reject" {
		return front.NewProblem(http.StatusUnprocessableEntity, "the form says neither accept nor reject")
	}
	all, err := u.service.ReviewQueue().Reviews(r.Context(), maxReviews)
	if err != nil {
		return fmt.Errorf("read the decisions: %w", err)
	}
	if err := u.service.GiveOpinion(r.Context(), v.actor, id, do == "accept", all); err != nil {
		return err
	}
	u.redirect(w, r, "/shared-context?"+url.Values{"view": {"opinions"}, "said": {do}, "about": {id}}.Encode())
	return nil
}

// compared returns a notice that compares an opinion with the verdict on its case. It returns
// nil if the case has no verdict any more.
func (u *UI) compared(ctx context.Context, said, id string) *views.ReviewNotice {
	k, err := u.service.ReviewQueue().Case(ctx, id)
	if err != nil || k.Status != "accepted" && k.Status != "rejected" || said != "accept" && said != "reject" {
		return nil
	}
	n := &views.ReviewNotice{Kind: "good", Title: "You agree with " + k.DecidedBy, Look: "/shared-context?case=" + url.QueryEscape(id)}
	if (k.Status == "accepted") != (said == "accept") {
		n.Kind, n.Title = "warn", "You differ: "+k.DecidedBy+" "+k.Status+" this case"
	}
	return n
}

// withOpinions adds second opinions to decisions, to compare reviewers.
func (u *UI) withOpinions(all []resolver.Review) ([]resolver.Review, error) {
	opinions, err := u.service.Opinions("")
	if err != nil {
		return nil, err
	}
	decided := map[string]bool{}
	for _, x := range all {
		decided[x.CaseID] = true
	}
	out := slices.Clone(all)
	for _, o := range opinions {
		if decided[o.CaseID] {
			out = append(out, resolver.Review{CaseID: o.CaseID, By: o.By, At: o.At, Accepted: o.Accept})
		}
	}
	return out, nil
}
