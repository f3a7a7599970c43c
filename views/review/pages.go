// Package review has the pages of the review: the queue of cases, batches, contexts and the quality of
// decisions.
package review

import (
	"crypto/rand"

	"github.com/segraph/segraph/views"
)

// handlers answers the requests for the pages of this room.
type handlers struct {
	*views.UI
	key string // of the proofs that this service wrote an address; see told
}

// Room returns the pages of the review of cases and of contexts.
func Room(ui *views.UI) views.Room {
	u := &handlers{ui, rand.Text()}
	return views.Room{
		Pages: []views.Page{
			{Path: "/shared-context", Name: "Review", Icon: "git-merge", About: "Which observations are one event", Roles: views.Admins, Get: u.getReview, Parts: []views.Part{
				{Path: "/shared-context/decide", Post: u.Form(u.postDecision)}, {Path: "/shared-context/undo", Post: u.Form(u.postUndo)},
				{Path: "/shared-context/many", Post: u.Form(u.postMany)}, {Path: "/shared-context/batch", Get: u.getBatch, Post: u.Form(u.postBatch)},
				{Path: "/shared-context/batch/run", Post: u.postRunBatch}, {Path: "/shared-context/batch/undo", Post: u.postUndoBatch},
				{Path: "/shared-context/subject", Post: u.Form(u.postSubject)}, {Path: "/shared-context/people", Get: u.getPeople, Post: u.Form(u.postPeople)},
				{Path: "/shared-context/relay", Post: u.Form(u.postRelay)}, {Path: "/shared-context/clock", Post: u.Form(u.postClock)}, {Path: "/shared-context/counts", Get: u.getReviewCounts},
				{Path: "/shared-context/context", Get: u.getContext}, {Path: "/shared-context/context/undo", Post: u.Form(u.postUnmatch)},
			}},
		},
	}
}
