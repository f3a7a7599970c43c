package review

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views"
)

// shownBatches is how many batches the history lists.
const shownBatches = 10

func batchAddress(id string) string { return "/shared-context/batch?id=" + url.QueryEscape(id) }

func batchFilter(b *service.Batch) queueFilter {
	query, _ := url.ParseQuery(b.Filter) // what Encode wrote
	return readQueueFilter(query)
}

// sampled returns the cases in the sample of a batch, or all if there is no batch.
func (u *handlers) sampled(id string, all []resolver.Waiting) ([]resolver.Waiting, error) {
	if id == "" {
		return all, nil
	}
	b, err := u.Service.Batch(id)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(x resolver.Waiting) bool { return !slices.Contains(b.Sample, x.CaseID) }), nil
}

// postBatch opens a batch for the cases that match a filter.
func (u *handlers) postBatch(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	do := form.Value("do")
	if do != "accept" && do != "reject" {
		return front.NewProblem(http.StatusUnprocessableEntity, "the form says neither accept nor reject")
	}
	query, err := url.ParseQuery(form.Value("filter"))
	if err != nil {
		return front.NewProblem(http.StatusUnprocessableEntity, "the form has no filter")
	}
	f := readQueueFilter(query)
	f.order, f.batch = "", ""
	b, err := u.Service.OpenBatch(r.Context(), v.Actor, do == "accept", f.query().Encode(), f.certain(do == "accept"))
	if err != nil {
		return err
	}
	u.Redirect(w, r, batchAddress(b.ID))
	return nil
}

// getBatch shows a batch: its sample, how often the sample agreed, and what was decided.
func (u *handlers) getBatch(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	b, err := u.Service.Batch(r.URL.Query().Get("id"))
	if err != nil {
		return err
	}
	m, err := u.batchModel(r.Context(), b)
	if err != nil {
		return err
	}
	m.Own, m.More = b.By == v.Actor.Username, r.URL.Query().Has("more")
	f := u.Frame(r, v, "Decide many")
	f.Scripts, f.Styles = []string{"review.js"}, []string{"review.css"}
	return u.Show(w, r, http.StatusOK, BatchPage(f, m))
}

// batchModel returns the page's model: the batch's state, and the cases of its sample.
func (u *handlers) batchModel(ctx context.Context, b *service.Batch) (Batch, error) {
	f := batchFilter(b)
	state, err := u.Service.BatchState(ctx, b, f.certain(b.Accept))
	if err != nil {
		return Batch{}, err
	}
	m := Batch{BatchState: *state, Words: filterWords(f), Queue: "/shared-context?" + f.query().Encode(), Review: "/shared-context?" + queueFilter{batch: b.ID}.query().Encode()}
	for _, id := range b.Sample {
		k, err := u.Service.ReviewQueue().Case(ctx, id)
		var gone *resolver.Error
		if errors.As(err, &gone) {
			continue // everything was deleted
		}
		if err != nil {
			return m, err
		}
		names, err := u.CaseNames(ctx, k)
		if err != nil {
			return m, err
		}
		title := titleOf(names, k.Source)
		row := BatchCase{Text: title, Href: queueFilter{batch: b.ID}.address(id), Status: k.Status, By: k.DecidedBy}
		if len(k.Offers) > 0 {
			row.Gap, row.Share = seconds(k.Offers[0].Gap), k.Offers[0].Score
			row.Target, row.Others = titleOf(names, k.Offers[0].Context), len(k.Offers)-1
		}
		row.Agrees = k.Status == "accepted" && b.Accept || k.Status == "rejected" && !b.Accept
		m.Cases = append(m.Cases, row)
	}
	return m, nil
}

// filterWords says what a filter selects, apart from its order and batch. It returns none if it selects all.
func filterWords(f queueFilter) []string {
	var words []string
	if f.reason != "" {
		words = append(words, ReasonName(f.reason))
	}
	if f.kind != "" {
		words = append(words, views.KindName(f.kind))
	}
	if f.contains != "" {
		words = append(words, quoted.Value(f.contains))
	}
	if f.least != "" {
		words = append(words, "≥ "+f.least+"\u00a0%")
	}
	if f.most != "" {
		words = append(words, "≤ "+f.most+"\u00a0%")
	}
	return words
}

// postRunBatch decides cases of a batch.
func (u *handlers) postRunBatch(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	return u.onBatch(w, r, func(b *service.Batch) error {
		_, err := u.Service.RunBatch(r.Context(), v.Actor, b.ID, batchFilter(b).certain(b.Accept))
		return err
	})
}

// postUndoBatch undoes decisions of a batch.
func (u *handlers) postUndoBatch(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	return u.onBatch(w, r, func(b *service.Batch) error {
		_, err := u.Service.UndoBatch(r.Context(), v.Actor, b.ID)
		return err
	})
}

// onBatch calls do with the batch that a form names, and then shows the batch. Its page continues if there is more to do.
func (u *handlers) onBatch(w http.ResponseWriter, r *http.Request, do func(*service.Batch) error) error {
	form, err := u.Front.ReceiveForm(w, r)
	if err != nil {
		return err
	}
	id := form.Value("id")
	form.Close()
	b, err := u.Service.Batch(id)
	if err == nil {
		err = do(b)
	}
	if err != nil {
		return err
	}
	u.Redirect(w, r, batchAddress(id)+"&more=1")
	return nil
}

// batches lists the newest batches.
func (u *handlers) batches() (list []BatchLink, err error) {
	all, err := u.Service.Batches(shownBatches)
	for _, b := range all {
		link := BatchLink{Href: batchAddress(b.ID), By: b.By, At: b.At, Accept: b.Accept, Total: b.Total, Filter: filterWords(batchFilter(&b)), State: "open"}
		switch {
		case !b.Undone.IsZero():
			link.State = "undone"
		case !b.Ended.IsZero():
			link.State = "decided"
		}
		list = append(list, link)
	}
	return list, err
}
