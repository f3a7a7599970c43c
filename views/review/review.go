package review

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views"
)

// listed is how many cases are listed around the current one.
const listed = 40

// getReview shows the review console, or the part that a script requested.
func (u *handlers) getReview(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	m, err := u.review(r.Context(), v.Actor.Username, r.URL.Query())
	if err != nil {
		return err
	}
	return u.showReview(w, r, v, http.StatusOK, m)
}

// review fills in the view that an address selects. visitor is the visitor's name.
func (u *handlers) review(ctx context.Context, visitor string, query url.Values) (m Review, err error) {
	stats, err := u.Service.ContextStats(ctx)
	if err != nil {
		return m, err
	}
	m.Counts = *stats
	if m.View = query.Get("view"); m.View == "quality" {
		m.Quality, err = u.quality(ctx, stats, query.Get("before"))
	} else {
		m.View = "queue"
		if m.Queue, err = u.queue(ctx, query); err == nil {
			m.Questions, err = u.questions(ctx, stats)
		}
	}
	if err != nil {
		return m, err
	}
	if m.Notice, err = u.said(ctx, visitor, query); err != nil {
		return m, err
	}
	if m.Notice == nil && m.View == "queue" {
		m.Last, err = u.lastDecision(ctx, visitor)
	}
	return m, err
}

// showReview shows the page with m, or only the desk if a script asks.
func (u *handlers) showReview(w http.ResponseWriter, r *http.Request, v *views.Visit, status int, m Review) error {
	if c := m.Queue.Case; c != nil {
		var err error
		if c.Notes, err = u.RemarksOn(c.ID, "/shared-context?"+url.Values{"case": {c.ID}}.Encode()); err != nil {
			return err
		}
	}
	m.First = u.firstResolve(r)
	m.Tabs = []views.Tab{{Name: "Queue", Href: "/shared-context", Current: m.View == "queue"}, {Name: "Quality", Href: "/shared-context?view=quality", Current: m.View == "quality"}}
	f := u.Frame(r, v, "Review")
	f.Path, f.Width = "/shared-context", "wide"
	f.Scripts, f.Styles = []string{"review.js"}, []string{"review.css"}
	f.Keys = []views.Key{
		{Press: "a", Does: "same event as the chosen candidate"}, {Press: "r", Does: "different from all candidates"},
		{Press: "s", Does: "skip for now"}, {Press: "j", Does: "next case"}, {Press: "k", Does: "previous case"},
		{Press: "u", Does: "undo your last decision"}, {Press: "1 to 9", Does: "choose a candidate"},
	}
	if views.Partial(r) {
		return u.Show(w, r, status, ReviewDesk(f, m))
	}
	return u.Show(w, r, status, ReviewPage(f, m))
}

// getReviewCounts returns the counters, which a script polls every few seconds.
func (u *handlers) getReviewCounts(w http.ResponseWriter, r *http.Request, _ *views.Visit) error {
	front.Quiet(r)
	counts, err := u.Service.ContextCounts(r.Context())
	if err != nil {
		return err
	}
	return u.Show(w, r, http.StatusOK, ReviewFigures(*counts))
}

// queue lists the cases that match a filter and their groups. It opens the named case or
// group, or else the first case.
func (u *handlers) queue(ctx context.Context, query url.Values) (ReviewQueue, error) {
	all, err := u.Service.ReviewQueue().Waiting(ctx, MaxWaiting)
	if err != nil {
		return ReviewQueue{}, fmt.Errorf("list the pending cases: %w", err)
	}
	f := readQueueFilter(query)
	q := ReviewQueue{Reason: f.reason, Kind: f.kind, Order: f.order, Contains: f.contains, Filtered: f.filtered(), All: "/shared-context",
		Query: f.query().Encode(), Cut: len(all) == MaxWaiting, Orders: queueOrders}
	q.Least, q.Most = f.least, f.most
	kinds := u.kindNames(all)
	q.Reasons, q.Kinds = queueChoices(all, kinds)
	if all, err = u.sampled(f.batch, all); err != nil {
		return q, err
	}
	all = f.apply(all)
	if q.Total = len(all); f.batch != "" {
		q.Batch = batchAddress(f.batch)
	}
	groups := byGroup(all)
	if q.Groups, err = u.groups(ctx, groups, kinds, f); err != nil {
		return q, err
	}
	id, group := query.Get("case"), query.Get("group")
	if members := groups[group]; len(members) > 0 {
		if q.Group, err = u.group(ctx, group, kinds, members); err != nil {
			return q, err
		}
	} else if id == "" && len(all) > 0 {
		id = all[0].CaseID
	}
	at := slices.IndexFunc(all, func(x resolver.Waiting) bool { return x.CaseID == id })
	q.Position = at + 1
	first := max(0, min(at-listed/4, len(all)-listed)) // some before it, and more after it
	q.First = first + 1
	if q.Lines, err = u.lines(ctx, all[first:min(len(all), first+listed)], f, kinds, id); err != nil {
		return q, err
	}
	// The case after the open one comes next; after the last, or if the list lacks the open one, the first. There is none if
	// no other is listed.
	if next := at + 1; len(all) > 1 || len(all) == 1 && at < 0 {
		q.NextID = all[next%len(all)].CaseID
		q.Next = f.address(q.NextID)
	}
	if at > 0 {
		q.Previous = f.address(all[at-1].CaseID)
	}
	if id != "" {
		q.Case, err = u.reviewCase(ctx, id, kinds)
	}
	return q, err
}

// lines returns the rows of the list for some cases. open is the id of the case beside the list.
func (u *handlers) lines(ctx context.Context, some []resolver.Waiting, f queueFilter, kinds views.Names, open string) (out []ReviewLine, err error) {
	var robots []string
	for _, x := range some {
		robots = append(robots, x.Robot)
	}
	names, err := u.NamesOf(ctx, robots...)
	if err != nil {
		return nil, err
	}
	for _, x := range some {
		robot := ""
		if x.Robot != "" {
			robot = names.Of(x.Robot)
		}
		out = append(out, ReviewLine{Robot: robot, Href: f.address(x.CaseID), Text: cmp.Or(x.Text, "(no text)"), Kind: kinds.Of(x.EventKind), Reason: string(x.Reason),
			Share: x.Confidence, Opened: x.CreatedAt, Current: x.CaseID == open})
	}
	return out, nil
}

// postDecision accepts or rejects a case, and continues with the next one. If the case
// was decided meanwhile, the page reports that.
func (u *handlers) postDecision(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	id, do := form.Value("case"), form.Value("do")
	ctx := resolver.AsSeen(r.Context(), form.Value("seen"))
	back, err := url.ParseQuery(form.Value("back"))
	if err != nil {
		return front.NewProblem(http.StatusBadRequest, "the form does not name the next page")
	}
	to := readQueueFilter(back).query()
	var verdict *resolver.Verdict
	switch do {
	case "accept":
		target := form.Value("target")
		verdict, err = u.Service.Accept(ctx, v.Actor, id, target, target != "" && slices.Contains(form.Values("override"), target))
	case "reject":
		verdict, err = u.Service.Reject(ctx, v.Actor, id)
	default:
		return front.NewProblem(http.StatusUnprocessableEntity, "the form says neither accept nor reject")
	}
	if next := form.Value("next"); next != id && next != "" {
		to.Set("case", next)
	}
	var refused *resolver.Error
	switch {
	case errors.As(err, &refused) && refused.Code == resolver.CaseRejected:
		to.Set("case", id)
		to.Set("said", "apart")
		to.Set("target", form.Value("target"))
		to.Set("next", form.Value("next"))
	case errors.As(err, &refused) && refused.Code == resolver.Changed:
		to.Set("case", id)
		m, err := u.review(r.Context(), v.Actor.Username, to)
		if err != nil {
			return err
		}
		m.Notice = &ReviewNotice{Kind: "warn", Title: "Not decided: the case has changed", Detail: service.Sentence(refused.Detail)}
		return u.showReview(w, r, v, http.StatusConflict, m)
	case errors.As(err, &refused) && (refused.Code == resolver.CaseDecided || refused.Code == resolver.CaseSuperseded):
		to.Set("said", "late")
	case err != nil:
		return err
	case verdict.AlreadyDecided:
		to.Set("said", "late")
	default:
		to.Set("said", "done")
	}
	to.Set("about", id)
	u.goOn(r.Context(), to)
	u.Redirect(w, r, u.told(v, to))
	return nil
}

// goOn leaves the case out of the address of the next page, if the decision also closed it.
func (u *handlers) goOn(ctx context.Context, to url.Values) {
	if id := to.Get("case"); id != "" {
		if k, err := u.Service.ReviewQueue().Case(ctx, id); err != nil || k.Status != "pending" {
			to.Del("case")
		}
	}
}

// told returns the address of the page that tells a visitor what was done. It has a proof that this service wrote it for
// the visitor: a link from elsewhere makes the page say nothing.
func (u *handlers) told(v *views.Visit, to url.Values) string {
	to.Set("proof", u.proof(v.Actor.Username, to))
	return "/shared-context?" + to.Encode()
}

// proof authenticates, until the service restarts, the parameters of an address that said reads.
func (u *handlers) proof(visitor string, query url.Values) string {
	h := hmac.New(sha256.New, []byte(u.key))
	for _, part := range []string{visitor, query.Get("said"), query.Get("about"), query.Get("target"), query.Get("next")} {
		fmt.Fprintf(h, "%q", part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// postUndo reverses a decision, and shows the reopened case.
func (u *handlers) postUndo(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	back, err := url.ParseQuery(form.Value("back"))
	if err != nil {
		return front.NewProblem(http.StatusBadRequest, "the form does not name the next page")
	}
	undone, err := u.Service.Undo(r.Context(), v.Actor, form.Value("id"))
	var refused *resolver.Error
	if errors.As(err, &refused) && refused.Code == resolver.NotUndoable {
		return front.NewProblem(http.StatusConflict, "%s", refused.Detail)
	}
	if err != nil {
		return err
	}
	to := readQueueFilter(back).query()
	if back.Get("view") == "quality" {
		to = url.Values{"view": {"quality"}}
	}
	to.Set("said", "undone")
	if undone.CaseID != nil {
		to.Set("about", *undone.CaseID)
		if !to.Has("view") {
			to.Set("case", *undone.CaseID)
		}
	}
	u.Redirect(w, r, u.told(v, to))
	return nil
}

// said returns a notice about the visitor's last action, or nil if the address is not from told. The address names only
// the case, robot or subject, so the notice describes the current state of a case.
func (u *handlers) said(ctx context.Context, visitor string, query url.Values) (*ReviewNotice, error) {
	if !hmac.Equal([]byte(query.Get("proof")), []byte(u.proof(visitor, query))) {
		return nil, nil
	}
	what, id := query.Get("said"), query.Get("about")
	if what == "counts" {
		names, err := u.NamesOf(ctx)
		about := "these two names" // of one person, so they may be equal
		if !strings.Contains(id, " ") {
			about = quoted.Name(names.Of(id))
		}
		return &ReviewNotice{Kind: "good", Title: "Your decision about " + about + " counts"}, err
	}
	if what == "undone" && id == "" {
		return &ReviewNotice{Kind: "good", Title: "Decision undone"}, nil
	}
	if what == "" || id == "" {
		return nil, nil
	}
	k, err := u.Service.ReviewQueue().Case(ctx, id)
	if err != nil {
		return nil, nil // the case is gone, for example because everything was deleted
	}
	names, err := u.CaseNames(ctx, k)
	if err != nil {
		return nil, err
	}
	title := titleOf(names, k.Source)
	n := &ReviewNotice{Kind: "good", Look: "/shared-context?case=" + url.QueryEscape(id), Detail: title}
	switch {
	case k.Status == "pending" && what == "apart":
		n.Kind, n.Title, n.Look = "warn", "Not merged: a person decided to keep these two separate", ""
		n.Detail = "Merge them anyway? This overrules the earlier decision. The history shows both decisions."
		n.Ask = &MergeAsk{Case: id, Seen: k.Seen, Target: cmp.Or(query.Get("target"), firstOffer(k)), Next: query.Get("next")}
	case k.Status == "pending" && what == "undone":
		n.Title, n.Look = "Undone: the case is in the queue again", ""
	case k.Status == "pending":
		n.Kind, n.Title = "warn", "Already one event"
		n.Detail = "The case stays in the queue for its other candidates. Yours changed nothing."
	case k.Status == "superseded":
		n.Kind, n.Title = "warn", "Already decided elsewhere"
		n.Detail = "Another decision settled this case. Yours changed nothing."
	case what == "late":
		n.Kind, n.Title = "warn", fmt.Sprintf("Already decided by %s: %s", cmp.Or(views.Name(k.DecidedBy), "somebody"), decided(k.Status))
		n.Detail = fmt.Sprintf("%s, at %s. Yours changed nothing.", title, views.Local(ctx, k.DecidedAt).Format("15:04:05 MST"))
		n.Undo = k.DecisionID
	default:
		n.Title, n.Undo = "Decided: "+decided(k.Status), k.DecisionID
	}
	return n, nil
}

// firstOffer returns the URI of the best target of a case.
func firstOffer(k *resolver.CaseDetail) string {
	if len(k.Offers) == 0 {
		return ""
	}
	return k.Offers[0].ContextURI
}

// firstResolve returns a command that sends an observation.
func (u *handlers) firstResolve(r *http.Request) views.Command {
	observation := `{"event_kind": "human_utterance", "observed_at": "` + u.Config.Now().UTC().Format("2006-01-02T15:04:05.000Z07:00") + `",
  "modality": "speech", "text": "Could you show me climate news?", "robot_uri": "https://example.org/robots/ari"}`
	return u.Command(r, auth.Logger, "/shared-context/resolve", "-H 'Content-Type: application/json'", "--data-raw "+views.Quote(observation))
}
