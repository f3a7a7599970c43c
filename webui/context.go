package webui

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
func (u *UI) getContext(w http.ResponseWriter, r *http.Request, v *visit) error {
	query := r.URL.Query()
	if query.Get("uri") == "" {
		return front.NewProblem(http.StatusNotFound, "the address has no context; open one from the review page")
	}
	m, err := u.sharedEvent(r.Context(), query)
	if err != nil {
		return notFound(err)
	}
	f := u.frame(r, v, "Context")
	f.Path, f.Width = "/shared-context", "wide"
	f.Styles = []string{"review.css"}
	return u.show(w, r, http.StatusOK, views.ContextPage(f, m))
}

func (u *UI) sharedEvent(ctx context.Context, query url.Values) (m views.SharedEvent, err error) {
	uri := query.Get("uri")
	offset, _ := strconv.Atoi(query.Get("offset"))
	queue := u.service.ReviewQueue()
	detail, err := queue.Context(ctx, uri, maxObservations, max(0, offset))
	if err != nil {
		return m, err
	}
	c := detail.Context
	names, err := u.namesOf(ctx, viewIRIs(c)...)
	if err != nil {
		return m, err
	}
	title := titleOf(names, c)
	m = views.SharedEvent{URI: c.URI, Title: title, Kind: c.EventKind, Status: c.Status, Person: names.Of(given(c.SubjectURI)), PersonHref: aboutGiven(c.SubjectURI),
		Modality: given(c.Modality), Graph: aboutIRI(c.URI), Triples: contextRecord(c.URI)}
	if c.URI != uri {
		m.Asked = uri
	}
	for _, o := range c.Observations {
		row := sharedObservation(names, c.URI, o)
		m.Observations = append(m.Observations, row)
		if o.Undoable && o.DecisionID == query.Get("undo") {
			m.Undo = &views.UndoMatch{Decision: o.DecisionID, Context: c.URI, Observation: row, Back: contextAddress(c.URI)}
		}
	}
	m.Pages = observationPages(c, detail.Offset)
	merges, err := queue.Merges(ctx, c.URI)
	if err != nil {
		return m, err
	}
	for _, j := range merges {
		e := entry(j)
		m.Merges = append(m.Merges, views.SharedMerge{ID: e.ID, By: e.By, Kind: e.Kind, Text: e.Text, Case: e.Case, At: e.At})
	}
	for _, id := range detail.PendingCases {
		m.Cases = append(m.Cases, views.Link{Path: "/shared-context?case=" + url.QueryEscape(id), Name: id})
	}
	for _, other := range detail.KeptSeparate {
		m.Apart = append(m.Apart, views.Link{Path: contextAddress(other), Name: other})
	}
	if own := query.Get("undone"); slices.Contains(detail.KeptSeparate, own) {
		m.Notice = &views.EventNotice{Title: "Match undone", Detail: "The observation now has its own context. The two stay separate.",
			Link: views.Link{Path: contextAddress(own), Name: "Open it"}}
	}
	return m, nil
}

func sharedObservation(names views.Names, uri string, o resolver.ObservationView) views.SharedObservation {
	out := views.SharedObservation{ID: given(o.ObservationURI), When: timeOfDay(o.ObservedAt), Robot: names.Of(given(o.RobotURI)), Person: names.Of(given(o.SubjectURI)),
		Modality: given(o.Modality), Text: given(o.Text), Place: names.Of(given(o.LocationURI)), Joined: cmp.Or(string(o.Outcome), "unknown"),
		RobotHref: aboutGiven(o.RobotURI), PersonHref: aboutGiven(o.SubjectURI), PlaceHref: aboutGiven(o.LocationURI)}
	if o.Confidence != nil {
		out.Share = views.Percent(*o.Confidence)
	}
	if o.Undoable {
		out.Undo = "/shared-context/context?" + url.Values{"uri": {uri}, "undo": {o.DecisionID}}.Encode()
	}
	return out
}

// observationPages returns links to the previous and next observations.
func observationPages(c resolver.ContextView, offset int) views.Pager {
	p := views.Pager{First: offset + 1, Last: offset + len(c.Observations), Total: c.ObservationCount}
	at := func(offset int) string {
		return "/shared-context/context?" + url.Values{"uri": {c.URI}, "offset": {strconv.Itoa(offset)}}.Encode()
	}
	if offset > 0 {
		p.Before = at(max(0, offset-maxObservations))
	}
	if p.Last < p.Total && len(c.Observations) > 0 {
		p.After = at(p.Last)
	}
	return p
}

// postUnmatch undoes a match, and shows the context that the observation left.
func (u *UI) postUnmatch(w http.ResponseWriter, r *http.Request, v *visit) error {
	form, err := u.front.ReceiveForm(w, r)
	if err != nil {
		return err
	}
	defer form.Close()
	undone, err := u.service.Undo(r.Context(), v.actor, form.Value("decision"))
	if err != nil {
		return err
	}
	to := url.Values{"uri": {form.Value("uri")}, "undone": {undone.SourceContextURI}}
	u.redirect(w, r, "/shared-context/context?"+to.Encode())
	return nil
}
