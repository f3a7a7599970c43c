package views

import (
	"context"
	"net/http"
	"time"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
)

// Remarks are notes about one thing, with the form that adds one.
type Remarks struct {
	List        []service.Remark
	About, When string // see service.Remark
	Back        string // the address of the page that shows them
	Now         time.Time
}

// RemarksOn returns the notes about an IRI or a review case, for the page at back.
func (u *UI) RemarksOn(about, back string) (Remarks, error) {
	list, err := u.Service.Remarks(func(r service.Remark) bool { return r.About == about })
	return Remarks{List: list, About: about, Back: back, Now: u.Config.Now()}, err
}

// RemarksIn returns the notes about sessions that begin in a range of time, for the page at back.
func (u *UI) RemarksIn(from, to time.Time, back string) (Remarks, error) {
	list, err := u.Service.Remarks(func(r service.Remark) bool {
		return r.About == service.AboutSession && !r.When.Before(from) && r.When.Before(to)
	})
	return Remarks{List: list, About: service.AboutSession, When: from.UTC().Format(time.RFC3339Nano), Back: back, Now: u.Config.Now()}, err
}

// isBy reports whether the reader of a page made a note.
func isBy(ctx context.Context, r service.Remark) bool {
	v, ok := ctx.Value(visitKey{}).(*Visit)
	return ok && v.Known && v.Actor.Username == r.By
}

// PostRemark adds a note, or removes one of the reader's, and leads back to the page that shows the notes.
func (u *UI) PostRemark(w http.ResponseWriter, r *http.Request, v *Visit, form *front.Form) error {
	note := service.Remark{About: form.Value("about"), Text: form.Value("text")}
	if when := form.Value("when"); when != "" {
		var ok bool
		if note.When, ok = ParseTime(when); !ok {
			return front.NewProblem(http.StatusUnprocessableEntity, "%.100q is not a time", when)
		}
	}
	back := localPath(form.Value("back"))
	if back == "" {
		back = "/"
	}
	var err error
	if id := form.Value("remove"); id != "" {
		err = u.Service.ForgetRemark(r.Context(), v.Actor, id)
	} else {
		err = u.Service.AddRemark(r.Context(), v.Actor, note)
	}
	if err != nil {
		return err
	}
	u.Redirect(w, r, back+"#notes")
	return nil
}
