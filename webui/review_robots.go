package webui

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/segraph/segraph/httpapi"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/views"
)

// maxRobots is how many robots and subjects each table lists.
const maxRobots = 200

// robots returns what the resolver learned about robots and subjects, and what became of the reader's decision.
func (u *UI) robots(ctx context.Context, query url.Values) (m views.ReviewRobots, said *views.ReviewNotice, err error) {
	stats, err := u.config.API.ContextStats(ctx)
	if err != nil {
		return m, nil, err
	}
	m.Outcomes = []views.ReviewOutcome{{Name: "matched", Count: stats.Outcomes.Matched}, {Name: "created", Count: stats.Outcomes.Created},
		{Name: "ambiguous", Count: stats.Outcomes.Ambiguous}, {Name: "repeats", Count: stats.Duplicates}, {Name: "reused ids", Count: stats.ReusedIDs.Total}}
	m.ScaleMS = stats.Clock.ScaleMS
	for _, c := range stats.Clock.Robots[:min(len(stats.Clock.Robots), maxRobots)] {
		m.Clocks = append(m.Clocks, views.ReviewClock{Robot: c.RobotURI, OffsetMS: c.OffsetMS, Anchors: c.Anchors})
	}
	for _, p := range stats.Placeholders[:min(len(stats.Placeholders), maxRobots)] {
		m.Subjects = append(m.Subjects, views.ReviewSubject{URI: p.SubjectURI, State: p.State, By: p.DecidedBy, Since: p.Since,
			Conflicts: p.Conflicts, Agreements: p.Agreements, Joined: p.JoinedBefore})
	}
	for _, r := range stats.ReusedIDs.Robots[:min(len(stats.ReusedIDs.Robots), maxRobots)] {
		m.Reused = append(m.Reused, views.ReviewReuse{Robot: given(r.RobotURI), Count: r.Count})
	}
	return m, subjectSaid(stats.Placeholders, query.Get("subject")), nil
}

// subjectSaid says what a subject counts as now, after the reader decided about it.
func subjectSaid(all []resolver.Placeholder, subject string) *views.ReviewNotice {
	i := slices.IndexFunc(all, func(p resolver.Placeholder) bool { return p.SubjectURI == subject })
	if i < 0 {
		return nil
	}
	n := &views.ReviewNotice{Kind: "good", Title: views.Short(subject) + " counts as one person"}
	if all[i].State != "overruled" {
		n.Title = views.Short(subject) + " counts as a placeholder"
	}
	return n
}

// postSubject decides whether a subject is one person or a placeholder.
func (u *UI) postSubject(w http.ResponseWriter, r *http.Request, v *visit) error {
	form, err := u.config.API.ReceiveForm(w, r)
	if err != nil {
		return err
	}
	defer form.Close()
	person := form.Value("person")
	if person != "yes" && person != "no" {
		return httpapi.NewProblem(http.StatusUnprocessableEntity, "the form must say whether the subject is one person")
	}
	if _, err := u.config.API.DecideSubject(r.Context(), v.actor, form.Value("subject"), person == "yes"); err != nil {
		return err
	}
	to := url.Values{"view": {"robots"}, "subject": {form.Value("subject")}}
	http.Redirect(w, r, "/shared-context?"+to.Encode(), http.StatusSeeOther)
	return nil
}
