package webui

// Review returns the pages of the review of cases and of contexts.
func Review(u *UI) Room {
	return Room{
		pages: []page{
			{path: "/shared-context", name: "Review", roles: admins, get: u.getReview, parts: []part{
				{path: "/shared-context/decide", post: u.postDecision}, {path: "/shared-context/undo", post: u.postUndo},
				{path: "/shared-context/many", post: u.postMany}, {path: "/shared-context/batch", get: u.getBatch, post: u.postBatch},
				{path: "/shared-context/batch/run", post: u.postRunBatch}, {path: "/shared-context/batch/undo", post: u.postUndoBatch},
				{path: "/shared-context/subject", post: u.postSubject},
				{path: "/shared-context/relay", post: u.postRelay}, {path: "/shared-context/clock", post: u.postClock}, {path: "/shared-context/counts", get: u.getReviewCounts},
				{path: "/shared-context/context", get: u.getContext}, {path: "/shared-context/context/undo", post: u.postUnmatch},
			}},
		},
	}
}
