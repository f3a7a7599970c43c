package review

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/views"
)

// maxObservations is how many observations of a context a page lists.
const maxObservations = 100

// getContext shows a context, and asks for confirmation before a match is undone.
func (u *handlers) getContext(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	query := r.URL.Query()
	if query.Get("uri") == "" {
		return front.NewProblem(http.StatusNotFound, "the address has no context; open one from the review page")
	}
	m, err := u.sharedEvent(r.Context(), query)
	if err != nil {
		return notFound(err)
	}
	f := u.Frame(r, v, "Context")
	f.Path, f.Width = "/shared-context", "wide"
	f.Styles = []string{"review.css"}
	return u.Show(w, r, http.StatusOK, ContextPage(f, m))
}

// sharedEvent returns the model of a shared event's page, by the parameters of its address: uri,
// offset of the observations, undo (a match that the reader is asked to undo) and undone (the context
// that undoing a match made).
func (u *handlers) sharedEvent(ctx context.Context, query url.Values) (m SharedEvent, err error) {
	uri := query.Get("uri")
	offset, _ := strconv.Atoi(query.Get("offset"))
	queue := u.Service.ReviewQueue()
	detail, err := queue.Context(ctx, uri, maxObservations, max(0, offset))
	if err != nil {
		return m, err
	}
	c := detail.Context
	names, err := u.NamesOf(ctx, views.ViewIRIs(c)...)
	if err != nil {
		return m, err
	}
	title := titleOf(names, c)
	m = SharedEvent{URI: c.URI, Title: title, Kind: c.EventKind, Status: c.Status, Graph: views.AboutIRI(c.URI), Triples: contextRecord(c.URI)}
	if c.URI != uri {
		m.Asked = uri
	}
	merges, err := queue.Merges(ctx, c.URI)
	if err != nil {
		return m, err
	}
	for _, o := range c.Observations {
		row := sharedObservation(ctx, names, c.URI, o)
		if len(merges) > 0 && row.Joined == began {
			row.Joined = "by the merge"
		}
		if o.Outcome == resolver.Ambiguous && o.Doubted {
			row.Joined += "; waits for review"
		}
		m.Observations = append(m.Observations, row)
		if o.Undoable && o.DecisionID == query.Get("undo") {
			m.Undo = &UndoMatch{Decision: o.DecisionID, Context: c.URI, Observation: row, Back: views.ContextAddress(c.URI)}
		}
	}
	m.Pages = observationPages(c, detail.Offset)
	for _, j := range merges {
		e := entry(j)
		m.Merges = append(m.Merges, SharedMerge{ID: e.ID, By: e.By, Kind: e.Kind, Text: e.Text, Case: e.Case, At: e.At})
		if j.SourceURI == m.Asked {
			m.AskedText = j.Text
		}
	}
	for i, id := range detail.PendingCases {
		m.Cases = append(m.Cases, views.Link{Path: "/shared-context?case=" + url.QueryEscape(id), Name: "Case " + views.Count(i+1)})
	}
	m.Apart = u.apart(ctx, detail.KeptSeparate)
	if own := query.Get("undone"); slices.Contains(detail.KeptSeparate, own) {
		m.Notice = &EventNotice{Title: "Separated", Detail: "The other one is an event of its own, and stays separate from this one.",
			Link: views.Link{Path: views.ContextAddress(own), Name: "Open it"}}
	}
	return m, nil
}

// apart returns links to contexts by their titles, or by their URIs if these cannot be read.
func (u *handlers) apart(ctx context.Context, uris []string) (links []views.Link) {
	found, iris := map[string]resolver.ContextView{}, []string(nil)
	for _, uri := range uris {
		if detail, err := u.Service.ReviewQueue().Context(ctx, uri, 1, 0); err == nil {
			found[uri], iris = detail.Context, append(iris, views.ViewIRIs(detail.Context)...)
		}
	}
	names, err := u.NamesOf(ctx, iris...)
	for _, uri := range uris {
		l := views.Link{Path: views.ContextAddress(uri), Name: uri}
		if c, read := found[uri]; read && err == nil {
			l.Name = titleOf(names, c)
		}
		links = append(links, l)
	}
	return links
}

// sharedObservation returns the row of an observation of the context uri.
func sharedObservation(ctx context.Context, names views.Names, uri string, o resolver.ObservationView) SharedObservation {
	out := SharedObservation{ID: views.Given(o.ObservationURI), When: timeOfDay(ctx, o.ObservedAt), Robot: names.Of(views.Given(o.RobotURI)), Person: names.Of(views.Given(o.SubjectURI)),
		Modality: views.Given(o.Modality), Text: views.Given(o.Text), Place: names.Of(views.Given(o.LocationURI)), Joined: joined(o.Outcome),
		RobotHref: aboutGiven(o.RobotURI), PersonHref: aboutGiven(o.SubjectURI), PlaceHref: aboutGiven(o.LocationURI)}
	if o.Confidence != nil && o.Outcome == resolver.Matched {
		out.Share = views.Likelihood(*o.Confidence)
	}
	if o.Undoable {
		out.Undo = "/shared-context/context?" + url.Values{"uri": {uri}, "undo": {o.DecisionID}}.Encode()
	}
	return out
}

// began says that an observation made its event.
const began = "began an event"

// joined says how an observation came to its context. Several may have begun an event: these events
// were merged later, as the page's list of merges says.
func joined(o resolver.Outcome) string {
	switch o {
	case resolver.Created, resolver.Ambiguous:
		return began
	}
	return cmp.Or(string(o), "unknown")
}

// observationPages returns links to the previous and next observations.
func observationPages(c resolver.ContextView, offset int) views.Pager {
	at := func(offset int) string {
		return "/shared-context/context?" + url.Values{"uri": {c.URI}, "offset": {strconv.Itoa(offset)}}.Encode()
	}
	return views.PagerAt(offset, len(c.Observations), c.ObservationCount, maxObservations, at)
}

// postUnmatch undoes a match, and shows the context that the observation left.
func (u *handlers) postUnmatch(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	undone, err := u.Service.Undo(r.Context(), v.Actor, form.Value("decision"))
	if err != nil {
		return err
	}
	to := url.Values{"uri": {form.Value("uri")}, "undone": {undone.SourceContextURI}}
	u.Redirect(w, r, "/shared-context/context?"+to.Encode())
	return nil
}
